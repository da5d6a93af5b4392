from __future__ import annotations

import html
import re
import unicodedata
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.slack.neutral import JOINER, MOST_HELD, Neutraliser, neutralise
from tests.fakes.effort import cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

LIVE = re.compile(
    r"<(?:!(?:here|channel|everyone|group|subteam|date)|@[A-Z0-9]|#[A-Z0-9])|@(?:here|channel|everyone|group)\b",
    re.IGNORECASE,
)
HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2061-\u206f\ufe00-\ufe0f\ufeff]")
DECODERS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    html.unescape,
    lambda text: re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text),  # Markdown's escapes
    lambda text: HIDDEN.sub("", text),
    lambda text: unicodedata.normalize("NFKC", text),
    lambda text: re.sub(r"\[([^\]]*)\]\(\s*<?([^()<>]*)>?\)", r"<\2|\1>", text),  # a careless converter
    lambda text: re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL),
)

HOSTILE = [
    "tell <!channel> now",
    "<!here|here> hi",
    "x <!subteam^S1|@ops> y",
    "<!subteam^S1>",
    "<!date^1392734382^{date_short}|<!here>>",
    "<!date^1^{date}> @<!date^1^x|channel>",
    "<@U123> and <#C1|general>",
    "<@W12|ada> <@channel> <#C1>",
    "@channel @Here @everyone @GROUP",
    "`<!channel>` ```\n<!here>\n```",
    "``` <@U1> @here",
    "<<!channel>>",
    "<@<!channel>>",
    "a < b > c <https://x.y|z> & <!everyone",
    "<!chan\nnel>",
    "<" * 20 + "!channel>",
    "&lt;!channel&gt; &#60;!here&#62; &#x3C;!everyone&gt; &LT!here&GT;",
    "&amp;lt;!channel&amp;gt; &amp;#60;@U1>",
    "&lt;&#33;channel&gt; <&excl;here> <&#x40;U1> &#64;here &commat;channel",
    "&#x3c;@U1&#x3e;",
    "mail@channel.com x@here",
    "[x](<!channel>) [x](!channel) [x]( @U1) [x](#C1) [<!here>](https://e.org)",
    "[x](\\!channel) ![x](&excl;here) [x](\n!here)",
    "\\<!channel> <\\!here> <!channel\\> \\@here",
    "<\u200b!channel> <!\u200bhere> @\u200bhere @he\u200bre <\ufeff@U1>",
    "\uff1c!channel\uff1e \uff20here @\uff48ere <\uff01here>",
    "<!<!-- -->channel> @<!-- x -->here @he<!-- -->re",
    "<!here|x@>here <!here|x&lt;>!channel <!here|a&l>t;!channel",
    "@here's @here-x @here。",
    "https://medium.com/@here mailto:x@channel.com https://e.org)@here",
    "@hereの",
]

PIECES = [
    *(
        "<",
        ">",
        "!",
        "@",
        "#",
        "|",
        "&",
        ";",
        "\\",
        "`",
        "```",
        "\n",
        " ",
        "(",
        ")",
        "[",
        "]",
        "](",
        "]: ",
        "^",
    ),
    *(
        "here",
        "channel",
        "everyone",
        "U1",
        "C12|general",
        "subteam^S1",
        "date^1^{x}",
        "!channel>",
        "<!here|",
        "<@U1>",
    ),
    *("&lt;", "&#60;", "&#x3c;", "&amp;", "&excl;", "&commat;", "&#64", "lt;", "<!--", "-->", "<!DOCTYPE x>"),
    *("\u200b", JOINER, "\uff1c", "\uff20", "a", "漢", "1", "ff00ff", "https://", "e.org/", "mailto:", "ops"),
]
hostile = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
anything = hostile | st.text(max_size=60)


def live(text: str) -> list[str]:
    """What somebody would obey in *text*, whichever two of its layers they take off."""
    return [seen for one, two in product(DECODERS, DECODERS) if LIVE.search(seen := two(one(text)))]


def streamed(*deltas: str) -> str:
    stream = Neutraliser()
    return "".join([*map(stream.feed, deltas), stream.close()])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_dead(text: str) -> None:
    assert live(neutralise(text)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_dead_wherever_a_stream_cuts_it(text: str) -> None:
    whole = neutralise(text)
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            assert streamed(text[:first], text[first:second], text[second:]) == whole


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_dead_character_by_character(text: str) -> None:
    assert streamed(*text) == neutralise(text)


@settings(max_examples=500)
@given(anything)
def test_nothing_live_is_left(text: str) -> None:
    assert live(neutralise(text)) == []


@settings(max_examples=500)
@given(st.lists(anything, max_size=5))
def test_the_result_does_not_depend_on_the_cuts(deltas: list[str]) -> None:
    assert streamed(*deltas) == neutralise("".join(deltas))


@settings(max_examples=300)
@given(anything)
@example("<!here|x@>here")
def test_doing_it_twice_is_doing_it_once(text: str) -> None:
    once = neutralise(text)

    assert live(neutralise(once)) == []
    assert neutralise(once).replace(JOINER, "") == once.replace(JOINER, "")


@given(st.text(alphabet=st.characters(exclude_characters="<@&#＜＠﹤﹫"), max_size=200))
def test_text_without_signs_comes_out_as_it_is(text: str) -> None:
    if "](" not in text and "]:" not in text:
        assert neutralise(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a < b and b > c, a <= b, a << 2, x <- y, <br>, <b>bold</b>, </p>",
        "Write to ada.lovelace+x@example.com or bob@groups.example.org.",
        "R&D, AT&T, &amp; &nbsp; &copy; &#39; &quot;x&quot; &lt;div&gt; a&b=c",
        "`List<String>` Map<String, List<T>> Box<&str> a<b>c #1 #42 C# F#",
        "`#include <stdio.h>` and `@property` and `#general`",
        "```c\n#include <stdio.h>\n#define A 1\n```\n```py\n@property\ndef x(self): ...\n@app.get\n```",
        "# Heading\n## Another\n#\n- [ ] task\n1. one",
        "<!-- a comment --> <!DOCTYPE html> <![CDATA[x]]>",
        "colour #ff0000, issue #7, 5 @ 3, pkg@1.2.3",
        "[docs](https://e.org/a_b#part) ([open](<https://e.org/f_(1).pdf#page=2>)) <https://e.org/x#y>",
        "https://medium.com/@ada/x https://e.org/?a=1&number=2&lt=3#top",
        "[1] a.pdf, page 3 — “quote”  \n[2] b.pdf",
        "#️⃣ 👩‍🚀 東京タワー",
    ],
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<!channel>", "@channel"),
        ("<!subteam^S1|@ops>", "@ops"),
        ("<!subteam^S1>", "@S1"),
        ("<@U1>", "@U1"),
        ("<@U1|ada>", "@ada"),
        ("<#C1|general>", "#general"),
        ("<!date^1^{date}|Feb 18>", "Feb 18"),
        ("`<!channel>`", "`<!channel>`"),
        ("&lt;!channel&gt;", "&lt;!channel&gt;"),
        ("<!everyone", "<!everyone"),
        ("@ops and #general", "@ops and #general"),
        ("https://medium.com/@here/x", "https://medium.com/%40here/x"),
        ("List<@NonNull String>", "List<@NonNull String>"),
    ],
)
def test_what_people_read(text: str, shown: str) -> None:
    assert neutralise(text).replace(JOINER, "") == shown


def test_names_in_plain_text_are_parted_from_their_sign() -> None:
    assert neutralise("ask @ops in (#general)") == f"ask @{JOINER}ops in (#{JOINER}general)"


@given(st.lists(anything | st.sampled_from([piece * 300 for piece in PIECES]), max_size=8))
def test_little_is_held_back(deltas: list[str]) -> None:
    stream = Neutraliser()

    for delta in deltas:
        stream.feed(delta)

        assert len(stream._held) <= MOST_HELD


@pytest.mark.parametrize("piece", [*PIECES, "](<\\@&", "<!date^", "@a"])
def test_it_is_fast_for_every_kind_of_text(piece: str) -> None:
    text = piece * (12_000 // len(piece))

    assert cpu_seconds(lambda: neutralise(text)) < 1
