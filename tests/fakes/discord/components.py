"""Components of messages and modals: what Discord refuses, and what people see of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMPONENTS_V2 = 1 << 15
ROW, BUTTON, SELECT, INPUT, SECTION, TEXT, CONTAINER, LABEL, UPLOAD = 1, 2, 3, 4, 9, 10, 17, 18, 19
SELECTS = frozenset({3, 5, 6, 7, 8})
LAYOUT = frozenset({ROW, SECTION, TEXT, 12, 13, 14, CONTAINER})
"""What a message of the second version may have at its top."""
IN_MODALS = frozenset({ROW, TEXT, LABEL})
LINK, PREMIUM = 5, 6
MOST, MOST_ROWS, MOST_BUTTONS, MOST_TEXT, MOST_OPTIONS = 40, 5, 5, 4_000, 25
MOST_BYTES, BYTES_PER_TEXT = 10_170, 12


def walk(components: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield components and everything in them."""
    for component in components:
        yield component
        yield from walk(component.get("components") or [])
        for name in ("accessory", "component"):
            if component.get(name):
                yield from walk([component[name]])


def texts(components: Sequence[dict[str, Any]]) -> list[str]:
    return [str(one.get("content", "")) for one in walk(components) if one["type"] == TEXT]


def labels(components: Sequence[dict[str, Any]]) -> list[str]:
    return [_name(one) for one in walk(components) if one["type"] == BUTTON]


def button(components: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the button of that label or custom id. Raises `LookupError` when nobody can press it."""
    for one in walk(components):
        if one["type"] == BUTTON and name in {_name(one), one.get("custom_id"), one.get("label")}:
            if one.get("disabled") or "custom_id" not in one:
                raise LookupError(f"the button {name!r} cannot be pressed")
            return one
    raise LookupError(f"there is no button {name!r}, only {labels(components)}")


def select(components: Sequence[dict[str, Any]], custom_id: str) -> dict[str, Any]:
    return next(one for one in walk(components) if one["type"] in SELECTS and one["custom_id"] == custom_id)


def check(components: Sequence[dict[str, Any]], *, v2: bool) -> None:
    """Raise `Problem` as Discord does when a message must not have these."""
    if not isinstance(components, list):
        raise Problem("components", "BASE_TYPE_BAD_TYPE", "This field must be a list")
    every = list(walk(components))
    if v2:
        _check_layout(components, every)
    else:
        _check_rows(components)
    for one in every:
        _check_one(one)
    _check_ids(every)


def check_modal(data: dict[str, Any]) -> None:
    """Raise `Problem` when a modal is not one."""
    _length("title", data.get("title"), 45)
    _length("custom_id", data.get("custom_id"), 100)
    components = data.get("components") or []
    if not 1 <= len(components) <= MOST_ROWS:
        raise Problem("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
    for one in components:
        if one.get("type") not in IN_MODALS:
            raise Problem(
                "components", "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1, 10, 18).'
            )
        if one["type"] == LABEL:
            _length("label", one.get("label"), 45)
    every = list(walk(components))
    for one in every:
        _check_one(one)
    _check_ids(every)


def fillable(components: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what people fill in in a modal, by custom id."""
    return {one["custom_id"]: one for one in walk(components) if "custom_id" in one}


def _check_layout(components: Sequence[dict[str, Any]], every: Sequence[dict[str, Any]]) -> None:
    if len(every) > MOST:
        raise Problem("components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "At most 40 components")
    for one in components:
        if one.get("type") not in LAYOUT:
            raise Problem("components", "UNION_TYPE_CHOICES", "This component cannot stand at the top.")
    said = texts(components)
    if sum(map(len, said)) > MOST_TEXT:
        message = "The total length of all text must be 4000 or fewer."
        raise Problem("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", message)
    if sum(len(one.encode()) + BYTES_PER_TEXT for one in said) > MOST_BYTES:
        raise Problem("components", "", "Internal Server Error", status=500)


def _check_rows(components: Sequence[dict[str, Any]]) -> None:
    if len(components) > MOST_ROWS:
        raise Problem("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
    if any(one.get("type") != ROW for one in components):
        raise Problem("components", "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1,).')


def _check_one(one: dict[str, Any]) -> None:
    kind = one.get("type")
    if kind == ROW:
        _check_row(one.get("components") or [])
    elif kind == BUTTON:
        _check_button(one)
    elif kind in SELECTS:
        _length("custom_id", one.get("custom_id"), 100)
        if len(one.get("options") or []) > MOST_OPTIONS:
            raise Problem("options", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.")
    elif kind in {INPUT, UPLOAD}:
        _length("custom_id", one.get("custom_id"), 100)
    elif kind == TEXT:
        _length("content", one.get("content"), MOST_TEXT)
    elif kind == SECTION and not 1 <= len(one.get("components") or []) <= 3:
        raise Problem("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 3 in length.")


def _check_row(parts: Sequence[dict[str, Any]]) -> None:
    most = MOST_BUTTONS if all(one.get("type") == BUTTON for one in parts) else 1
    if not 1 <= len(parts) <= most:
        raise Problem(
            "components",
            "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
            "The specified component exceeds the maximum width",
        )


def _check_button(one: dict[str, Any]) -> None:
    if len(one.get("label") or "") > 80:
        raise Problem("label", "BASE_TYPE_MAX_LENGTH", "Must be 80 or fewer in length.")
    if not one.get("label") and not one.get("emoji") and one.get("style") != PREMIUM:
        raise Problem("label", "BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji")
    if one.get("style") == LINK:
        if not one.get("url") or one.get("custom_id"):
            raise Problem(
                "url", "BUTTON_COMPONENT_INVALID_URL", "A link button must have a url and no custom id"
            )
    elif one.get("style") != PREMIUM:
        _length("custom_id", one.get("custom_id"), 100)


def _check_ids(every: Sequence[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for one in every:
        name = one.get("custom_id")
        if name is not None and name in seen:
            raise Problem(
                "custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"
            )
        seen.add(str(name))


def _length(field: str, value: Any, most: int) -> None:
    if not isinstance(value, str) or not value:
        raise Problem(field, "BASE_TYPE_REQUIRED", "This field is required")
    if len(value) > most:
        raise Problem(field, "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {most} in length.")


def _name(one: dict[str, Any]) -> str:
    emoji = (one.get("emoji") or {}).get("name") or ""
    return " ".join(filter(None, [emoji, one.get("label") or ""]))
