from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.discord.neutral import SPACE, neutralise
from adapters.markup.invisible import HIDDEN
from tests.fakes.effort import cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

ID = "123456789012345678"
LIVE = re.compile(
    r"<@[!&]?\d+>|<#\d+>|</[^<>\n]+:\d+>|<t:-?\d+(?::\w)?>|<a?:\w+:\d+>|<id:[\w\-:]+>|<sound:\d+:\d+>"
    r"|@everyone\b|@here\b"
)
DECODERS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    lambda text: re.sub(f"(?!{SPACE})[{HIDDEN}]", "", text),
    lambda text: re.sub(r"\\([^0-9A-Za-z\s])", r"\1", text),
)

HOSTILE = [
    f"ask <@{ID}> now",
    f"<@!{ID}> <@&{ID}> <#{ID}>",
    f"</rag ask:{ID}> </über-uns x:{ID}>",
    "<t:1392734382> <t:1392734382:R> <t:-1:F>",
    f"<:party_blob:{ID}> <a:wave:{ID}>",
    f"<id:customize> <id:browse> <id:guide> <id:linked-roles:{ID}>",
    f"<sound:{ID}:{ID}>",
    "@everyone @here",
    "mail@here.com x@everyone",
    f"`<@{ID}>` ```\n@everyone <#{ID}>\n``` `@here`",
    f"<<@{ID}>> <@<@{ID}>>",
    f"<@\u2060{ID}> <\u00ad@{ID}> <@{ID[:5]}\ufeff{ID[5:]}> <@{ID}\u2060>",
    "@\u2060everyone @every\u00adone @h\x00ere",
    f"\\<@{ID}> <\\@{ID}> \\@everyone",
    f"<@{ID}><#{ID}>@everyone@here",
    f"[x](<@{ID}>) [@here](https://e.org) [x](https://e.org/@everyone)",
    f"https://e.org/<@{ID}> https://e.org/@here",
    "@everyones @hereの @here's @everyone。",
    "@" * 20 + "here",
    "<" * 20 + f"@{ID}>",
]
PIECES = [
    *(
        "<",
        ">",
        "@",
        "#",
        "&",
        "!",
        ":",
        "/",
        "t:",
        "a:",
        "id:",
        "sound:",
        "1",
        ID,
        "rag ask",
        "customize",
        ":R",
    ),
    *(
        "everyone",
        "here",
        f"@{ID}>",
        f"<#{ID}",
        f"<:x:{ID}>",
        "\\",
        "`",
        "```",
        "\n",
        " ",
        "(",
        ")",
        "](",
        "[x]",
    ),
    *("\u200b", "\u2060", "\u00ad", "\x00", "e", "漢", "https://", "e.org/", "bob@", ".org"),
]
hostile = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
anything = hostile | st.text(max_size=60)


def live(text: str) -> list[str]:
    """What Discord would obey in *text*, whatever two of these things it does before."""
    return [found for one, two in product(DECODERS, DECODERS) for found in LIVE.findall(two(one(text)))]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_dead(text: str) -> None:
    assert LIVE.search(re.sub(f"[{HIDDEN}]", "", text)) or "\\" in text
    assert live(neutralise(text)) == []


@settings(max_examples=500)
@given(anything)
def test_nothing_live_is_left(text: str) -> None:
    assert live(neutralise(text)) == []


@settings(max_examples=300)
@given(anything)
@example("<@1>")
def test_doing_it_twice_is_doing_it_once(text: str) -> None:
    assert neutralise(neutralise(text)) == neutralise(text)


@given(anything)
def test_only_what_nobody_sees_is_added(text: str) -> None:
    shown = neutralise(text)

    assert shown.replace(SPACE, "").replace("%40", "@") == text.replace(SPACE, "").replace("%40", "@")


@given(st.text(alphabet=st.characters(exclude_characters="<@"), max_size=200))
def test_text_without_signs_comes_out_as_it_is(text: str) -> None:
    assert neutralise(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a < b and b > c, a <= b, a << 2, x <- y, <br>, <b>bold</b>, </p>, <10 items, <#1 in the charts",
        "Write to ada.lovelace+x@example.com or bob@heresy.org.",
        "List<String> Map<String, List<T>> List<@NonNull String> std::vector<a::b> <t:tag> <a:b> </x:y>",
        "#general @ada <@ada> <#general> 5 @ 3 10:30:45 :smile: <id> <id:>",
        "# Heading\n- [ ] task\n> quote\n||spoiler|| -# small",
        "https://medium.com/@ada/x https://e.org/?a=<b> <https://e.org/x>",
        "[1] a.pdf, page 3 — “quote”  \n[2] b.pdf ([open](<https://e.org/f_(1).pdf#page=2>))",
    ],
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"<@{ID}>", f"<{SPACE}@{ID}>"),
        ("@everyone", f"@{SPACE}everyone"),
        ("https://medium.com/@here/x", "https://medium.com/%40here/x"),
        (f"`<@{ID}>`", f"`<{SPACE}@{ID}>`"),
    ],
)
def test_a_sign_is_parted_from_what_follows(text: str, shown: str) -> None:
    assert neutralise(text) == shown


@pytest.mark.parametrize(
    "piece", [*PIECES, "<@1", "<a:x", "</a:", "<t:1:", "@\u2060", "<\u2060", "@e\u2060v", "https://@"]
)
def test_it_is_fast_for_every_kind_of_text(piece: str) -> None:
    text = piece * (12_000 // len(piece))

    assert cpu_seconds(lambda: neutralise(text)) < 1
