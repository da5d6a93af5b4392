"""What Slack accepts as blocks, and what people read in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MARKDOWN = 12_000
WHOLE = 13_200
"""Over all blocks of one message; nowhere documented, seen in the field."""
UNREAD = frozenset({"actions", "context_actions", "input"})
TYPES = frozenset(
    {
        "actions",
        "alert",
        "card",
        "carousel",
        "container",
        "context",
        "context_actions",
        "divider",
        "file",
        "header",
        "image",
        "input",
        "markdown",
        "plan",
        "rich_text",
        "section",
        "table",
        "task_card",
        "video",
    }
)
DRAWN = frozenset(
    {
        "text",
        "title",
        "subtitle",
        "body",
        "label",
        "hint",
        "fields",
        "elements",
        "element",
        "accessory",
        "rows",
        "tasks",
        "details",
        "output",
        "positive_button",
        "negative_button",
    }
)
"""Where texts of a block are."""


class BlocksRefused(Exception):
    """These blocks are refused; the text is Slack's code."""


def check(blocks: Sequence[Any], *, most: int = 50, measure: Callable[[str], int] = len) -> None:
    """Raise `BlocksRefused` when Slack would not take *blocks*."""
    if len(blocks) > most:
        raise BlocksRefused("msg_blocks_too_many" if most == 50 else "invalid_blocks")
    for block in blocks:
        _check_block(block, measure)
    _refuse_doubles(element["action_id"] for element in _elements(blocks) if "action_id" in element)
    _refuse_doubles(block["block_id"] for block in blocks if "block_id" in block)
    markdown = sum(measure(block["text"]) for block in blocks if block["type"] == "markdown")
    if markdown > MARKDOWN or sum(measure(text) for text in _texts(blocks)) > WHOLE:
        raise BlocksRefused("msg_blocks_too_long")


def readable(blocks: Sequence[dict[str, Any]]) -> list[str]:
    """Return the texts people read in *blocks*, those of buttons left out."""
    texts: list[str] = []
    for block in blocks:
        if block.get("type") not in UNREAD:
            texts += [text for text in _texts([block]) if text]
    return texts


def labels(blocks: Sequence[dict[str, Any]]) -> list[str]:
    """Return what is written on the buttons in *blocks*."""
    return [label for element in _elements(blocks) for label, _ in buttons(element)]


def buttons(element: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Return label and value of each button that *element* is."""
    if element.get("type") == "feedback_buttons":
        pair = (element["positive_button"], element["negative_button"])
        return [(button["text"]["text"], button.get("value")) for button in pair]
    if element.get("type") in {"button", "icon_button"}:
        return [(element["text"]["text"], element.get("value"))]
    return []


def interactive(blocks: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each block with each of its elements that people can act on."""
    for block in blocks:
        for element in _elements([block]):
            if "action_id" in element:
                yield block, element


def _elements(blocks: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        for key in ("elements", "accessory", "element"):
            value = block.get(key)
            yield from [value] if isinstance(value, dict) else value or ()


def _texts(value: Any) -> Iterator[str]:
    """Yield every text that is drawn, in order."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "text" and isinstance(inner, str):
                yield inner
            elif key in DRAWN:
                yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)


def _refuse_doubles(ids: Iterator[str]) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise BlocksRefused("invalid_blocks")
        seen.add(one)


def _check_block(block: Any, measure: Callable[[str], int]) -> None:
    if not isinstance(block, dict) or block.get("type") not in TYPES:
        raise BlocksRefused("invalid_blocks")
    _within(block.get("block_id", ""), 255, measure)
    check_kind = _KINDS.get(block["type"])
    if check_kind is not None:
        check_kind(block, measure)
    for element in _elements([block]):
        _check_element(element, measure)


def _check_section(block: dict[str, Any], measure: Callable[[str], int]) -> None:
    if not block.get("text") and not block.get("fields"):
        raise BlocksRefused("invalid_blocks")
    if block.get("text"):
        _check_text(block["text"], 3_000, measure)
    fields = block.get("fields", [])
    _few(fields, 10)
    for one in fields:
        _check_text(one, 2_000, measure)


def _check_markdown(block: dict[str, Any], measure: Callable[[str], int]) -> None:
    if not isinstance(block.get("text"), str) or not block["text"]:
        raise BlocksRefused("invalid_blocks")
    _within(block["text"], MARKDOWN, measure)


def _check_header(block: dict[str, Any], measure: Callable[[str], int]) -> None:
    _check_text(block.get("text"), 150, measure, plain=True)


def _check_actions(block: dict[str, Any], _: Callable[[str], int]) -> None:
    _few(block.get("elements"), 25, least=1)


def _check_context_actions(block: dict[str, Any], _: Callable[[str], int]) -> None:
    _few(block.get("elements"), 5, least=1)
    if any(element.get("type") not in {"feedback_buttons", "icon_button"} for element in block["elements"]):
        raise BlocksRefused("invalid_blocks")


def _check_context(block: dict[str, Any], _: Callable[[str], int]) -> None:
    _few(block.get("elements"), 10, least=1)


def _check_table(block: dict[str, Any], _: Callable[[str], int]) -> None:
    _few(block.get("rows"), 100, least=1)
    for row in block["rows"]:
        _few(row, 20)


_KINDS: dict[str, Callable[[dict[str, Any], Callable[[str], int]], None]] = {
    "section": _check_section,
    "markdown": _check_markdown,
    "header": _check_header,
    "actions": _check_actions,
    "context_actions": _check_context_actions,
    "context": _check_context,
    "table": _check_table,
}


def _check_element(element: Any, measure: Callable[[str], int]) -> None:
    if not isinstance(element, dict) or "type" not in element:
        raise BlocksRefused("invalid_blocks")
    _within(element.get("action_id", ""), 255, measure)
    if element["type"] == "feedback_buttons":
        for key in ("positive_button", "negative_button"):
            _check_button(element.get(key) or {}, measure)
    elif element["type"] == "button":
        _check_button(element, measure)
        if element.get("style", "primary") not in {"primary", "danger"}:
            raise BlocksRefused("invalid_blocks")


def _check_button(button: dict[str, Any], measure: Callable[[str], int]) -> None:
    _check_text(button.get("text"), 75, measure, plain=True)
    _within(button.get("value", ""), 2_000, measure)
    _within(button.get("url", ""), 3_000, measure)
    _within(button.get("accessibility_label", ""), 75, measure)


def _check_text(text: Any, most: int, measure: Callable[[str], int], *, plain: bool = False) -> None:
    kinds = {"plain_text"} if plain else {"plain_text", "mrkdwn"}
    if not isinstance(text, dict) or text.get("type") not in kinds or not text.get("text"):
        raise BlocksRefused("invalid_blocks")
    _within(text["text"], most, measure)


def _within(text: Any, most: int, measure: Callable[[str], int]) -> None:
    if not isinstance(text, str) or measure(text) > most:
        raise BlocksRefused("invalid_blocks")


def _few(things: Any, most: int, *, least: int = 0) -> None:
    if not isinstance(things, list) or not least <= len(things) <= most:
        raise BlocksRefused("invalid_blocks")
