from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.text import Names, read
from tests.fakes.effort import cpu_seconds

BOT = 100000000000000001
ROLE = 100000000000000002
NAMES = Names(
    users={200000000000000001: "Ada"},
    roles={300000000000000001: "helpers"},
    channels={400000000000000001: "random"},
)
ME, MINE = f"<@{BOT}>", f"<@&{ROLE}>"


def said(text: str) -> str:
    return read(text, BOT, NAMES, role=ROLE).text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{ME} how long do refunds take?", "how long do refunds take?"),
        (f"<@!{BOT}> how long?", "how long?"),
        (f"{MINE} how long?", "how long?"),
        (f"{ME} {MINE} twice", "twice"),
        (f"how long, {ME}?", "how long?"),
        (f"hey {ME}, what is new", "hey, what is new"),
        (f"does {ME} know", "does know"),
        (f"{ME}: why", "why"),
        (f"你好{ME} 退款", "你好 退款"),
        (f"first\n{ME} second", "first\nsecond"),
        (f"{ME}\n```\n  x = 1\n```", "```\n  x = 1\n```"),
        (f"a ` b {ME}", "a ` b"),
        (rf"\`{ME}\`", r"\`\`"),
        (f"see https://example.org/{ME}", "see https://example.org/"),
    ],
)
def test_the_bots_name_is_taken_out_and_the_words_around_it_joined(text: str, words: str) -> None:
    spoken = read(text, BOT, NAMES, role=ROLE)

    assert spoken.text == words
    assert spoken.mentioned


@pytest.mark.parametrize("text", [ME, f" {MINE} ", f"{ME}\n", f"{ME}:", f"{ME} {ME}"])
def test_naming_the_bot_and_nothing_else_says_nothing(text: str) -> None:
    spoken = read(text, BOT, NAMES, role=ROLE)

    assert spoken.text == ""
    assert spoken.mentioned


@pytest.mark.parametrize(
    "text",
    [
        f"how does `{ME}` work",
        f"how does ``a {ME}`` work",
        f"```\n{ME} hello\n```",
        f"```py\n`{ME}\n```",
        "x@footnote.com",
        "<@200000000000000001>",
        f"<@{BOT}0>",
        f"<@ {BOT}>",
        f"<#{BOT}> <@&{BOT}>",
        "@everyone @here",
        "",
    ],
)
def test_code_addresses_and_other_people_do_not_name_the_bot(text: str) -> None:
    assert not read(text, BOT, NAMES, role=ROLE).mentioned


def test_no_role_names_a_bot_that_has_none() -> None:
    assert not read(MINE, BOT, NAMES).mentioned
    assert not read("<@&None>", BOT, NAMES).mentioned


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ask <@200000000000000001> or <@!200000000000000001> or <@5>", "ask @Ada or @Ada or @5"),
        ("<@&300000000000000001> <@&5>", "@helpers @5"),
        ("in <#400000000000000001> and <#5>", "in #random and #5"),
        ("</rag ask:900000000000000001>", "/rag ask"),
        ("<:party_blob:900000000000000001> <a:wave:900000000000000001>", ":party_blob: :wave:"),
        ("<t:1392734382>", "2014-02-18 14:39 UTC"),
        ("<t:1392734382:R> <t:1392734382:F>", "2014-02-18 14:39 UTC 2014-02-18 14:39 UTC"),
        ("<t:1392734382:D> <t:1392734382:t>", "2014-02-18 14:39 UTC"),
        ("<t:99999999999999999>", "<t:99999999999999999>"),
        ("<t:-1>", "1969-12-31 23:59 UTC"),
        ("<id:customize> <id:linked-roles:900000000000000001>", "#customize #linked-roles"),
        ("<https://example.org/a_(b)?c=d> <mailto:a@b.org>", "https://example.org/a_(b)?c=d a@b.org"),
        ("[the docs](<https://example.org>)", "[the docs](https://example.org)"),
        ("`<@200000000000000001>` ```<t:1>```", "`<@200000000000000001>` ```<t:1>```"),
        ("a < b > c <", "a < b > c <"),
        ("List<String> <b>x</b> <t:x> <@ada>", "List<String> <b>x</b> <t:x> <@ada>"),
    ],
)
def test_what_discord_marks_is_put_into_words(text: str, words: str) -> None:
    assert said(text) == words


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("<@200000000000000001> can you look?", True),
        ("  <@!5> can you look?", True),
        ("<@&300000000000000001> look", True),
        ("@everyone look", True),
        ("@here look", True),
        (f"<@5> {ME} what do you say?", True),
        (f"{ME} <@5> asks", False),
        (f"{MINE} <@5> asks", False),
        ("is <@5> right?", False),
        ("<#400000000000000001> is full", False),
        ("<t:1> is when?", False),
        ("@hereabouts", False),
        ("", False),
    ],
)
def test_a_message_that_begins_with_somebody_else_is_for_them(text: str, others: bool) -> None:
    assert read(text, BOT, NAMES, role=ROLE).others_first is others


pieces = st.sampled_from(
    [
        ME,
        MINE,
        "<@5>",
        "<t:",
        "1",
        ":R>",
        "<",
        ">",
        "`",
        "```",
        "\n",
        " ",
        ",",
        "\\",
        "\0",
        "word",
        "https://",
    ]
)


@given(st.lists(pieces, max_size=20).map("".join) | st.text())
def test_nothing_is_left_to_be_trimmed(text: str) -> None:
    spoken = read(text, BOT, NAMES, role=ROLE)

    assert spoken.text == spoken.text.strip()
    assert "\0" not in spoken.text


@given(st.text(alphabet=st.characters(exclude_characters="<\0"), max_size=100))
def test_text_without_tokens_is_what_was_said(text: str) -> None:
    assert said(text) == text.strip()


@pytest.mark.parametrize("piece", [ME, "<", "`", "``", "```", "<t:1", "</a", "<id:a", "\0", " \0", "\\`"])
def test_it_is_fast_for_every_kind_of_text(piece: str) -> None:
    text = piece * (4_000 // len(piece))

    assert cpu_seconds(lambda: read(text, BOT, NAMES, role=ROLE)) < 1
