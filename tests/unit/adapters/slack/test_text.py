from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.text import read
from tests.fakes.effort import cpu_seconds

BOT = "UBOT"
NAMES = {"U2": "Ada", "C2": "random"}


def said(text: str) -> str:
    return read(text, BOT, NAMES).text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<@UBOT> how long do refunds take?", "how long do refunds take?"),
        ("<@UBOT|footnote> how long?", "how long?"),
        ("how long, <@UBOT>?", "how long?"),
        ("thanks, <@UBOT>", "thanks"),
        ("hey <@UBOT>, what is new", "hey, what is new"),
        ("does <@UBOT> know", "does know"),
        ("(<@UBOT> please)", "(please)"),
        ("<@UBOT>: why", "why"),
        ("<@UBOT> :wave: hello", ":wave: hello"),
        ("<@UBOT> <@UBOT> twice", "twice"),
        ("你好<@UBOT> 退款", "你好 退款"),
        ("first\n<@UBOT> second", "first\nsecond"),
        ("<@UBOT>\n```\n  x = 1\n```", "```\n  x = 1\n```"),
        ("&gt; quoted\n<@UBOT> why", "> quoted\nwhy"),
    ],
)
def test_the_bots_name_is_taken_out_and_the_words_around_it_joined(text: str, words: str) -> None:
    spoken = read(text, BOT, NAMES)

    assert spoken.text == words
    assert spoken.mentioned


@pytest.mark.parametrize(
    "text", ["<@UBOT>", " <@UBOT|footnote> ", "<@UBOT>\n", "<@UBOT>:", "<@UBOT> <@UBOT>"]
)
def test_naming_the_bot_and_nothing_else_says_nothing(text: str) -> None:
    spoken = read(text, BOT, NAMES)

    assert spoken.text == ""
    assert spoken.mentioned


@pytest.mark.parametrize(
    "text",
    [
        "how does `<@UBOT>` work",
        "```\n<@UBOT> hello\n```",
        "write to x<@UBOT>.com",
        "see https://example.org/<@UBOT>",
        "<mailto:x@footnote.com|x@footnote.com>",
        "<https://example.org/?to=UBOT|about <@UBOT>>",
        "&lt;@UBOT&gt;",
        "<@UBOT2>",
        "<@U2>",
        "<!here>",
        "",
    ],
)
def test_code_addresses_and_other_people_do_not_name_the_bot(text: str) -> None:
    assert not read(text, BOT, NAMES).mentioned


def test_a_backtick_that_nobody_closed_begins_no_code() -> None:
    assert read("a ``` b ` <@UBOT>", BOT, NAMES).mentioned


def test_nobody_is_named_where_the_bot_is_unknown() -> None:
    spoken = read("<@> hello <@U2>", "", NAMES)

    assert not spoken.mentioned


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ask <@U2> or <@U3|grace> or <@U4>", "ask @Ada or @grace or @U4"),
        ("<#C1|general> <#C2> <#C2|> <#C3>", "#general #random #random #C3"),
        ("<!here> <!channel|channel> <!everyone>", "@here @channel @everyone"),
        ("<!subteam^S1|@ops> <!subteam^S2>", "@ops @S2"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
        ("<https://example.org>", "https://example.org"),
        ("<https://example.org|example.org> <http://e.org/|e.org>", "example.org e.org"),
        ("<https://e.org/a?b=1&amp;c=2|the &lt;docs&gt;>", "the <docs> (https://e.org/a?b=1&c=2)"),
        ("<mailto:a@b.org|a@b.org> <mailto:a@b.org|Ada> <tel:123|123>", "a@b.org Ada (a@b.org) 123"),
        ("a &lt; b &amp;&amp; c &gt; d &amp;lt; &quot;", "a < b && c > d &lt; &quot;"),
        ("`a &lt; <https://e.org>` ```<@U2> &amp;```", "`a < https://e.org` ```@Ada &```"),
        ("a < b > c <", "a < b > c <"),
    ],
)
def test_what_slack_marks_is_put_into_words(text: str, words: str) -> None:
    assert said(text) == words


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("<@U2> can you look?", True),
        ("  <@U2|ada> can you look?", True),
        ("<!subteam^S1|@ops> look", True),
        ("<!here> look", True),
        ("<@U2> <@UBOT> what do you say?", True),
        ("<@UBOT> <@U2> asks", False),
        ("is <@U2> right?", False),
        ("<#C1|general> is full", False),
        ("<!date^1^{date}|Feb 18> is when?", False),
        ("", False),
    ],
)
def test_a_message_that_begins_with_somebody_else_is_for_them(text: str, others: bool) -> None:
    assert read(text, BOT, NAMES).others_first is others


pieces = st.sampled_from(
    [
        "<@UBOT>",
        "<@U2>",
        "<",
        ">",
        "|",
        "`",
        "```",
        "\n",
        " ",
        ",",
        "&lt;",
        "&amp;",
        "<https://",
        "e.org",
        "\0",
        "word",
    ]
)


@given(st.lists(pieces, max_size=20).map("".join) | st.text())
def test_nothing_is_left_to_be_trimmed(text: str) -> None:
    spoken = read(text, BOT, NAMES)

    assert spoken.text == spoken.text.strip()
    assert "\0" not in spoken.text


@given(st.text(alphabet=st.characters(exclude_characters="<>&`\0")))
def test_plain_words_stay_as_they_are(text: str) -> None:
    assert said(text) == text.strip()


@pytest.mark.parametrize("piece", ["<a:|", " ", "`", "```", "<@", "<@UBOT>", "&amp;", ",", "x://"])
def test_it_is_fast_for_every_kind_of_text(piece: str) -> None:
    text = piece * (40_000 // len(piece))

    assert cpu_seconds(lambda: read(text, BOT, NAMES)) < 2


@pytest.mark.parametrize(
    "text",
    [
        "hi, <@U0BOT>" + " " * 400_000 + "x",
        "hi," + " " * 400_000 + "<@U0BOT> x",
        "<@U0BOT>" + "." * 400_000 + "x",
        "<a:" * 100_000,
        "`a" * 100_000,
    ],
    ids=["blanks behind", "blanks before", "dots", "addresses", "code"],
)
def test_a_long_message_takes_no_longer_than_its_length_deserves(text: str) -> None:
    # a pattern that tries every way to cut it would take hours, and pytest's timeout ends it
    read(text, "U0BOT", {})
