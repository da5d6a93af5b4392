from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from adapters.markup.invisible import is_blank
from adapters.slack import blocks
from adapters.slack.neutral import JOINER, neutralise
from bot.chat import Body, Button, Form, TooLong
from bot.citations import block as citation_block
from bot.controls import BAD, FORGET, GOOD, NOTE, SOURCES, STOP, WHY, under_answer, while_writing
from pipeline.conversation import Citation
from tests.unit.adapters.slack.test_mrkdwn import PARTS
from tests.unit.adapters.slack.test_neutral import PIECES, live

QUESTION = "1700000000.000100"
EVERYTHING = [
    *(p * 900 for p in ("word ", "漢", "🎉", "&", "<", "`x` ", "@here ", "| a | b |\n", "- x\n")),
    "| a | b |\n|---|---|\n" + "| cell | other |\n" * 200,
    "```py\n" + "x = 1\n" * 600 + "```\n",
    "[link](https://e.org/a_b) " * 150,
]
texts = st.lists(st.sampled_from(PARTS + PIECES + EVERYTHING), max_size=9).map("".join) | st.text(
    max_size=200
)
labels = st.text(max_size=120)
actions = st.sampled_from([GOOD, BAD, FORGET, SOURCES, WHY, STOP])
buttons = st.lists(
    st.builds(Button, label=labels, action=actions, value=st.text(max_size=40)), max_size=30
).map(tuple)
bodies = st.builds(Body, text=texts, buttons=buttons, preview=st.none() | texts)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def check_text(text: dict[str, Any], most: int, *kinds: str) -> None:
    assert text["type"] in kinds
    assert not is_blank(text["text"])
    assert utf16(text["text"]) <= most


def check_button(button: dict[str, Any]) -> None:
    check_text(button["text"], 75, "plain_text")
    assert 0 < utf16(button.get("value", ".")) <= 2_000
    assert utf16(button.get("accessibility_label", "")) <= 75


def check_block(block: dict[str, Any]) -> None:
    """Fail where *block* breaks one of Slack's limits."""
    with warnings.catch_warnings(action="ignore"):
        parsed = Block.parse(block)
    assert parsed is not None
    parsed.to_dict()  # the SDK's own checks
    match block["type"]:
        case "markdown":
            assert not is_blank(block["text"])
            assert utf16(block["text"]) <= 12_000
        case "section":
            check_text(block["text"], 3_000, "mrkdwn")
            assert block["text"]["verbatim"] is True
        case "actions":
            assert 1 <= len(block["elements"]) <= 25
            for element in block["elements"]:
                assert element["type"] == "button"
                check_button(element)
        case "context_actions":
            (element,) = block["elements"]
            assert element["type"] == "feedback_buttons"
            check_button(element["positive_button"])
            check_button(element["negative_button"])
        case kind:
            pytest.fail(f"an unknown block: {kind}")


def drawn(value: Any) -> list[str]:
    """All strings that might count."""
    if isinstance(value, dict):
        return [text for key, inner in value.items() if key != "type" for text in drawn(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in drawn(inner)]
    return [value] if isinstance(value, str) else []


def check_message(shape: dict[str, Any]) -> None:
    assert not is_blank(shape["text"])
    assert utf16(shape["text"]) <= 3_500
    assert 1 <= len(shape["blocks"]) <= 50
    for block in shape["blocks"]:
        check_block(block)
    assert sum(map(utf16, drawn(shape["blocks"]))) <= 13_200
    markdown = [block["text"] for block in shape["blocks"] if block["type"] == "markdown"]
    assert sum(map(utf16, markdown)) <= 12_000
    elements = [element for block in shape["blocks"] for element in block.get("elements", [])]
    ids = [element["action_id"] for element in elements]
    assert len(set(ids)) == len(ids)
    assert all(0 < len(one) <= 255 for one in ids)
    json.dumps(shape)


@settings(max_examples=60)
@given(bodies)
def test_a_message_is_within_every_limit_or_too_long(body: Body) -> None:
    for shaped in (blocks.message, blocks.simple_message):
        try:
            shape = shaped(body)
        except TooLong:
            assert len(body.text) > 3_000 or len(body.buttons) > 10
        else:
            check_message(shape)
            assert live(shape["text"]) == []
            for text in drawn([b for b in shape["blocks"] if b["type"] == "markdown"]):
                assert live(text) == []


@settings(max_examples=40)
@given(texts)
def test_sections_are_within_every_limit(text: str) -> None:
    for section in blocks.sections(text):
        check_block(section)


@pytest.mark.parametrize("length", [2_999, 3_000, 3_001, 6_001])
@pytest.mark.parametrize("piece", ["w", "漢", "🎉", "a ", "&", "`x`"])
def test_no_section_is_too_long(piece: str, length: int) -> None:
    for section in blocks.sections((piece * length)[:length]):
        check_block(section)


@pytest.mark.parametrize(
    "piece", ["w", "word ", "漢字。", "A line.\n", "| a | b |\n", "[1] **b** `c` ", "> q\n"]
)
def test_ordinary_text_of_the_most_characters_fits(piece: str) -> None:
    text = (piece * blocks.MAX_CHARS)[: blocks.MAX_CHARS]

    check_message(blocks.message(Body(text=text, buttons=under_answer(QUESTION))))


@pytest.mark.parametrize("text", ["w" * 12_001, "w" * 44_000, "🎉" * 6_001, "<!here" * 2_000])
def test_a_text_that_does_not_fit_is_too_long(text: str) -> None:
    with pytest.raises(TooLong):
        blocks.message(Body(text=text))


def test_buttons_that_leave_no_room_are_too_long() -> None:
    heavy = tuple(Button(label="x", action="forget", value="v" * 2_000) for _ in range(7))

    with pytest.raises(TooLong):
        blocks.message(Body(text="x", buttons=heavy))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "```\n```", "&nbsp;", "#", ">"])
def test_a_text_of_which_nothing_is_seen_is_never_sent(text: str) -> None:
    assert blocks.message(Body(text=text))["blocks"] == [{"type": "markdown", "text": "…"}]
    assert blocks.message(Body(text=text))["text"] == "…"
    assert blocks.sections(text)[0]["text"]["text"] == "…"


def test_markdown_goes_as_it_is_but_harmless() -> None:
    text = "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n**b** <!channel>"

    (block,) = blocks.message(Body(text=text))["blocks"]

    assert block == {"type": "markdown", "text": neutralise(text)}


def test_the_fallback_says_the_same_in_plain_words() -> None:
    shape = blocks.message(Body(text="**Refunds** take `5` days & more <!here> [1]."))

    assert shape["text"] == f"Refunds take 5 days &amp; more @{JOINER}here [1]."


def test_a_preview_goes_first_and_is_harmless_too() -> None:
    assert blocks.message(Body(text="x", preview="A <!here> & *b*"))["text"] == f"A @{JOINER}here &amp; *b*"
    assert blocks.message(Body(text="x", preview=" "))["text"] == "x"


def test_a_long_fallback_ends_between_words() -> None:
    text = blocks.message(Body(text="word " * 2_000))["text"]

    assert text.endswith("word…")
    assert len(text) <= 3_500


def test_a_long_fallback_ends_with_no_half_escape() -> None:
    assert blocks.message(Body(text="&" * 3_000))["text"].removesuffix("…").replace("&amp;", "") == ""


def test_previews_of_links_are_off_and_unknown_to_updates() -> None:
    shape = blocks.message(Body(text="https://e.org"))

    assert shape["unfurl_links"] is False
    assert shape["unfurl_media"] is False
    assert blocks.still(shape) == {"text": shape["text"], "blocks": shape["blocks"]}


def test_citations_keep_their_links_in_both_dialects() -> None:
    link = "https://team.slack.com/files/U1/F1/a_(b).pdf?x=1&y=2#page=3"
    citation = Citation(
        label="1",
        document_id="d",
        display_name="a.pdf",
        chunk_id="c",
        page=3,
        lines=None,
        section=None,
        url=link,
        quote=None,
    )
    body = Body(text=f"Yes [1].\n\n{citation_block([citation], 'Yes [1].')}")

    (markdown,) = blocks.message(body)["blocks"]
    (section,) = blocks.simple_message(body)["blocks"]

    assert f"([open](<{link}>))" in markdown["text"]
    assert f"(<{link.replace('&', '&amp;')}|open>)" in section["text"]["text"]


def test_a_long_table_keeps_its_frame_in_every_section() -> None:
    table = "| a | b |\n|---|---|\n" + "| cell | other |\n" * 400

    shown = blocks.sections(table)

    assert len(shown) > 1
    for section in shown:
        assert section["text"]["text"].startswith("```\n")
        assert section["text"]["text"].endswith("\n```")


def test_a_judgement_becomes_two_thumbs_under_the_other_buttons() -> None:
    row, judgement = blocks.controls(under_answer(QUESTION))

    assert [element["text"]["text"] for element in row["elements"]] == ["Sources", "Why this answer"]
    (element,) = judgement["elements"]
    assert judgement["type"] == "context_actions"
    assert element["type"] == "feedback_buttons"
    assert element["positive_button"]["accessibility_label"]
    assert element["negative_button"]["accessibility_label"]


@given(buttons)
def test_what_is_pressed_is_what_was_given(given_buttons: tuple[Button, ...]) -> None:
    found = []
    for block in blocks.controls(given_buttons):
        for element in block["elements"]:
            thumbs = [element.get("positive_button"), element.get("negative_button")]
            values = [one["value"] for one in thumbs if one] or [element.get("value", "")]
            found += [blocks.pressed(element["action_id"], value) for value in values]

    assert sorted(found, key=str) == sorted(((b.action, b.value) for b in given_buttons), key=str)


def test_one_thumb_alone_is_an_ordinary_button() -> None:
    (row,) = blocks.controls([Button(label="👍", action=GOOD, value=QUESTION)])

    assert row["elements"][0]["action_id"] == "footnote:good:0"


def test_stop_looks_dangerous() -> None:
    (row,) = blocks.controls(while_writing(QUESTION))

    assert row["elements"][0]["style"] == "danger"


def test_no_buttons_are_no_blocks() -> None:
    assert blocks.controls([]) == []


@pytest.mark.parametrize(
    "button",
    [Button(label="x", action=FORGET, value="v" * 2_001), Button(label="x", action="a" * 201)],
)
def test_a_button_that_carries_too_much_is_refused(button: Button) -> None:
    with pytest.raises(ValueError, match="characters"):
        blocks.controls([button])


@pytest.mark.parametrize(
    ("action_id", "action"),
    [
        ("footnote:forget:0", "forget"),
        ("footnote:forget:12", "forget"),
        ("footnote:note", "note"),
        ("footnote:a:b:3", "a:b"),
        ("footnote:feedback", blocks.FEEDBACK),
        ("footnote:", None),
        ("other:forget:0", None),
        ("", None),
    ],
)
def test_an_action_is_read_from_its_id(action_id: str, action: str | None) -> None:
    assert blocks.parse_action(action_id) == action


def test_a_form_is_within_its_limits() -> None:
    form = Form(
        title="What was wrong with this answer?", label="Tell us", submit="Send", action=NOTE, value="v"
    )

    modal = blocks.modal(form, '{"v": 1}')

    assert modal["callback_id"] == "footnote:note"
    assert blocks.parse_action(modal["callback_id"]) == NOTE
    assert modal["private_metadata"] == '{"v": 1}'
    for key in ("title", "submit", "close"):
        check_text(modal[key], 24, "plain_text")
    (field,) = modal["blocks"]
    assert field["element"]["multiline"] is True


def test_a_form_cannot_carry_everything() -> None:
    form = Form(title="t", label="l", submit="s", action=NOTE)

    with pytest.raises(ValueError, match="3000"):
        blocks.modal(form, "x" * 3_001)


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ({"values": {"form": {"text": {"type": "plain_text_input", "value": "Too short."}}}}, "Too short."),
        ({"values": {"form": {"text": {"type": "plain_text_input", "value": None}}}}, ""),
        ({"values": {}}, ""),
        ({}, ""),
    ],
)
def test_what_was_written_is_read(state: dict[str, Any], text: str) -> None:
    assert blocks.modal_text(state) == text
