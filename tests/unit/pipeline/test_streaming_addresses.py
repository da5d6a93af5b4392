"""Foreign addresses are left out of an answer, wherever the stream cuts it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.guardrails.links import LEFT_OUT, Held
from pipeline.streaming import Sanitizer, sanitized

LABELS = frozenset({"1"})
HELD = Held(("See https://own.example/a for more.",))
HOSTILE = (
    "Nine bar [1]. ![chart](https://collector.example/i.png?q=nine) See https://own.example/a, www.x.example!"
)
CLEAN = f"Nine bar [1]. ![chart]({LEFT_OUT}) See https://own.example/a, {LEFT_OUT}!"


def shown(pieces: list[str]) -> tuple[str, int]:
    sanitizer = Sanitizer(labels=LABELS, held=HELD)
    text = "".join([*map(sanitizer.feed, pieces), sanitizer.finish()])
    return text, sanitizer.foreign


@pytest.mark.parametrize("cut", range(len(HOSTILE)))
def test_a_cut_lets_no_address_through(cut: int) -> None:
    assert shown([HOSTILE[:cut], HOSTILE[cut:]]) == (CLEAN, 2)


def test_character_by_character_it_is_the_same() -> None:
    assert shown(list(HOSTILE)) == (CLEAN, 2)
    assert sanitized(HOSTILE, LABELS, HELD).foreign == 2


def test_code_stays_because_nothing_in_it_is_a_link() -> None:
    text = "Run `curl https://any.example/x` or\n```\nwget https://any.example/y\n```\n[1]"

    assert shown([text]) == (text, 0)


PIECES = [
    *["http", "s:", "//", "own.example", "/a", "evil.example", "?q=1", "www.", "mailto:"],
    *["(", ")", "[", "]", "[1]", "x", "`", "。"],
]


@given(st.lists(st.sampled_from([*PIECES, " ", "\n"]), max_size=30))
def test_the_result_does_not_depend_on_the_cuts(pieces: list[str]) -> None:
    assert shown(pieces) == shown(["".join(pieces)])


def test_without_sources_to_compare_with_every_address_stays() -> None:
    assert sanitized(HOSTILE, LABELS).text == HOSTILE
