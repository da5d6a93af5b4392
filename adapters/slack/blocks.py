"""What a message, a form and their buttons look like to Slack, within everything it limits.

Slack does not say whether it counts code points or UTF-16 units; here the larger of the two is counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from adapters.markup.invisible import is_blank
from adapters.slack import mrkdwn
from adapters.slack.neutral import neutralise
from bot.chat import TooLong
from bot.controls import BAD, GOOD, STOP
from bot.splitting import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bot.chat import Body, Button, Form

MAX_CHARS = 11_000
"""Characters of Markdown that fit into a message, with room for what makes ordinary text harmless."""
MARKDOWN = 12_000
"""Over all Markdown blocks of a message."""
WHOLE = 13_200
"""Over all blocks of a message; documented nowhere, and refused with ``msg_blocks_too_long``."""
SECTION = 3_000
FALLBACK = 3_500
"""For the text beside the blocks; an update refuses more than 4,000."""
BLOCKS = 50
ACTIONS = 25
LABEL = 75
VALUE = 2_000
CARRIED = 3_000
"""What a form carries along unseen."""
TITLE = 24
FIELD_LABEL = 2_000
WRITTEN = 3_000

FEEDBACK = "feedback"
"""The action of the two thumbs: Slack tells them apart by their values alone."""

_PREFIX = "footnote:"
_ACTION = re.compile(rf"{_PREFIX}(.+?)(?::\d+)?\Z", re.DOTALL)
_LONGEST_ACTION = 200
_NOTHING = "…"
_READ = 5_000
"""Characters of Markdown that notifications are made of: rendering all of a long text takes its time."""
_PARTIAL = re.compile(r"&[a-z]{0,3}\Z")
_GAP = re.compile(r"\s+\S{0,80}\Z")
_THUMBS = {GOOD: "This answer helped", BAD: "This answer did not help"}


def message(body: Body) -> dict[str, Any]:
    """Return the arguments of a call that shows *body*; `still` makes those of an update of them.

    Raises `TooLong` when Slack would not take it.
    """
    plain = _beginning(body.text)
    shown = _NOTHING if is_blank(plain) else neutralise(body.text)
    if units(shown) > MARKDOWN:
        raise TooLong
    return _arguments(body, plain, [{"type": "markdown", "text": shown}])


def simple_message(body: Body) -> dict[str, Any]:
    """Return the same as `message` in blocks that Slack takes wherever it takes any. Raises `TooLong`."""
    return _arguments(body, _beginning(body.text), sections(body.text))


def still(shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return *shape* for ``chat.update``, which knows nothing of previews of links."""
    return {key: value for key, value in shape.items() if not key.startswith("unfurl_")}


def sections(markdown: str) -> list[dict[str, Any]]:
    """Return *markdown* for a place that has no Markdown blocks; of nothing to see, a sign that says so."""
    texts = list(_packed(mrkdwn.chunks(markdown))) or [_NOTHING]
    return [{"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}} for text in texts]


def controls(buttons: Sequence[Button]) -> list[dict[str, Any]]:
    """Return *buttons* as blocks: a judgement as Slack's two thumbs, the others in rows above them.

    Raises `ValueError` for a button that carries more than Slack does.
    """
    pair = tuple(next((b for b in buttons if b.action == action), None) for action in (GOOD, BAD))
    thumbs = [button for button in pair if button is not None]
    if len(thumbs) < len(pair):
        thumbs = []
    others = [_button(number, b) for number, b in enumerate(buttons) if not any(b is t for t in thumbs)]
    rows: list[dict[str, Any]] = [
        {"type": "actions", "elements": others[first : first + ACTIONS]}
        for first in range(0, len(others), ACTIONS)
    ]
    return [*rows, *([_judgement(*thumbs)] if thumbs else [])]


def parse_action(action_id: str) -> str | None:
    """Return the action that an ``action_id`` or a ``callback_id`` of ours names; None: it is not ours."""
    found = _ACTION.match(action_id)
    return found[1] if found else None


def pressed(action_id: str, value: str) -> tuple[str, str] | None:
    """Return action and value of the button that was pressed, as they were given to `controls`."""
    action = parse_action(action_id)
    if action is None:
        return None
    if action == FEEDBACK:
        action, _, value = value.partition(":")
    return action, value


def modal(form: Form, private_metadata: str) -> dict[str, Any]:
    """Return a form with one field. Raises `ValueError` for *private_metadata* that Slack does not carry."""
    field = {"type": "plain_text_input", "action_id": "text", "multiline": True, "max_length": WRITTEN}
    return {
        "type": "modal",
        "callback_id": f"{_PREFIX}{form.action}",
        "private_metadata": _carried(private_metadata, CARRIED),
        "title": _plain(form.title, TITLE),
        "submit": _plain(form.submit, TITLE),
        "close": _plain("Cancel", TITLE),
        "blocks": [
            {"type": "input", "block_id": "form", "label": _plain(form.label, FIELD_LABEL), "element": field}
        ],
    }


def modal_text(view_state: Mapping[str, Any]) -> str:
    """Return what was written into a form, given the ``state`` of its view."""
    fields = [field for block in (view_state.get("values") or {}).values() for field in block.values()]
    return next((field["value"] for field in fields if isinstance(field.get("value"), str)), "")


def units(text: str) -> int:
    """Return how long *text* is to whoever counts UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def _arguments(body: Body, plain: str, texts: list[dict[str, Any]]) -> dict[str, Any]:
    blocks = [*texts, *controls(body.buttons)]
    if len(blocks) > BLOCKS or sum(map(units, _strings(blocks))) > WHOLE:
        raise TooLong
    fallback = _fallback(mrkdwn.escape(neutralise(body.preview or "")), plain)
    return {"text": fallback, "blocks": blocks, "unfurl_links": False, "unfurl_media": False}


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in *value*: nobody knows which of them Slack counts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for key in value if key != "type" for text in _strings(value[key]))
    elif isinstance(value, list):
        yield from (text for one in value for text in _strings(one))


def _beginning(markdown: str) -> str:
    """Return the beginning of *markdown* in plain words, longer than anything that will be made of it."""
    if len(markdown) <= _READ:
        return mrkdwn.to_plain(markdown)
    head = markdown[:_READ]
    plain = mrkdwn.to_plain(head[: head.rfind("\n", FALLBACK)] if "\n" in head[FALLBACK:] else head)
    return mrkdwn.to_plain(markdown) if is_blank(plain) else f"{plain}…"


def _fallback(*texts: str) -> str:
    """Return what notifications show and screen readers say: the first text with anything to see."""
    return _shortened(next((text for text in texts if not is_blank(text)), _NOTHING), FALLBACK)


def _shortened(text: str, most: int) -> str:
    """Return *text* in at most *most* units, cut between words and not within an escape."""
    if units(text) <= most:
        return text
    head = text[:most]
    while units(head) >= most:
        head = head[: len(head) - max(1, (units(head) - most) // 2)]
    return _GAP.sub("", _PARTIAL.sub("", head)) + "…"


def _packed(chunks: Sequence[str]) -> Iterator[str]:
    """Yield *chunks* put together as far as they fit into a section."""
    packed = ""
    parts = (part for chunk in chunks for part in _fitting(chunk, SECTION))
    for part in (part for part in parts if not is_blank(part)):
        together = f"{packed}\n\n{part}" if packed else part
        if units(together) > SECTION:
            yield packed
            together = part
        packed = together
    if packed:
        yield packed


def _fitting(chunk: str, limit: int) -> Iterator[str]:
    """Yield *chunk* in parts that fit into a section each."""
    if units(chunk) <= SECTION:
        yield chunk
        return
    for part in split(chunk, limit):
        yield from _fitting(part.text, limit // 2)


def _button(number: int, button: Button) -> dict[str, Any]:
    """Return an ordinary button; *number* tells it apart from the others of its message."""
    if len(button.action) > _LONGEST_ACTION:
        raise ValueError(f"the name of an action is longer than {_LONGEST_ACTION} characters")
    value = {"value": _carried(button.value, VALUE)} if button.value else {}
    style = {"style": "danger"} if button.action == STOP else {}
    label = _plain(button.label, LABEL)
    return {
        "type": "button",
        "text": label,
        "action_id": f"{_PREFIX}{button.action}:{number}",
        **value,
        **style,
    }


def _judgement(good: Button, bad: Button) -> dict[str, Any]:
    element = {
        "type": "feedback_buttons",
        "action_id": f"{_PREFIX}{FEEDBACK}",
        "positive_button": _thumb(good),
        "negative_button": _thumb(bad),
    }
    return {"type": "context_actions", "elements": [element]}


def _thumb(button: Button) -> dict[str, Any]:
    return {
        "text": _plain(button.label, LABEL),
        "value": _carried(f"{button.action}:{button.value}", VALUE),
        "accessibility_label": _THUMBS[button.action],
    }


def _plain(text: str, most: int) -> dict[str, Any]:
    shown = _NOTHING if is_blank(text) else _shortened(text, most)
    return {"type": "plain_text", "text": shown, "emoji": True}


def _carried(text: str, most: int) -> str:
    if units(text) > most:
        raise ValueError(f"Slack carries no more than {most} characters there")
    return text
