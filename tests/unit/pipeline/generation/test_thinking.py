"""Reasoning stays out of the answer, however the pieces were cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.generation.thinking import ReasoningFilter, without_reasoning

CASES = [
    ("Five days [1].", "Five days [1]."),
    ("<think>The user asks.</think>Five days [1].", "Five days [1]."),
    ("<think>\nx\n</think>\n\nFive days [1].", "Five days [1]."),
    ("<THINK>x</THINK>Five days.", "Five days."),
    ("<thinking>x</thinking>Five days.", "Five days."),
    ("[THINK]x[/THINK]Five days.", "Five days."),
    ("Okay, the user asks about it.</think>\n\nFive days [1].", "Five days [1]."),
    ("好的，用户问退款。</think>五天 [1]。", "五天 [1]。"),
    ("Let me see what it says. It says: five.", "Let me see what it says. It says: five."),
    ("Five days [1]. <think>Was that all?</think>Ten by card [2].", "Five days [1]. Ten by card [2]."),
    ("<think>never closed", ""),
    ("Use the `<think>` tag to reason [1].", "Use the `<think>` tag to reason [1]."),
    ("If a < b and b > c, then [1].", "If a < b and b > c, then [1]."),
    ("A list[0] of <thinkpads> [1].", "A list[0] of <thinkpads> [1]."),
    ("", ""),
]


def cut(text: str, places: list[int]) -> list[str]:
    bounds = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def shown(pieces: list[str], *, aloud: bool = False, cut_off: bool = False) -> str:
    reasoning = ReasoningFilter(aloud=aloud)
    return "".join([reasoning.feed(piece) for piece in pieces]) + reasoning.finish(cut=cut_off)


@pytest.mark.parametrize(("text", "answer"), CASES)
@settings(max_examples=40)
@given(places=st.lists(st.integers(0, 80), max_size=8))
def test_only_the_answer_is_shown_however_it_was_cut(text: str, answer: str, places: list[int]) -> None:
    assert shown(cut(text, places)) == answer


@pytest.mark.parametrize(("text", "answer"), CASES)
def test_the_whole_answer_is_cleaned_alike(text: str, answer: str) -> None:
    assert without_reasoning(text) == answer


@given(st.text(alphabet=st.sampled_from("<>/[]thinkT `a.◁▷"), max_size=40), st.lists(st.integers(0, 40)))
def test_text_without_a_whole_tag_loses_nothing(text: str, places: list[int]) -> None:
    lower = text.lower()
    if not any(tag in lower for tag in ("think>", "think]", "think▷")):
        assert shown(cut(text, places)) == text.lstrip()


@given(
    st.text(alphabet=st.sampled_from("abc <[`"), max_size=60),
    st.text(alphabet=st.sampled_from("abc ."), max_size=30),
    st.lists(st.integers(0, 120), max_size=10),
)
def test_what_a_model_that_reasons_aloud_thinks_is_never_shown(
    thought: str, answer: str, places: list[int]
) -> None:
    text = f"{thought} </think>{answer}"

    assert shown(cut(text, places), aloud=True) == answer.lstrip()


def test_an_ordinary_answer_grows_while_it_comes() -> None:
    reasoning = ReasoningFilter()
    words = ["Refunds ", "take ", "five ", "days ", "after ", "the ", "request ", "[1]."]
    grown = [reasoning.feed(word) for word in words]

    assert sum(bool(piece) for piece in grown) >= 3


def test_what_looks_like_reasoning_is_held_until_the_end() -> None:
    reasoning = ReasoningFilter()

    assert reasoning.feed("Okay, so the user asks how long refunds take, and ") == ""
    assert reasoning.finish().startswith("Okay, so")


def test_reasoning_cut_off_by_the_limit_is_no_answer() -> None:
    assert shown(["The question is about refunds, and"], aloud=True, cut_off=True) == ""
    assert shown(["Five days [1]."], aloud=True, cut_off=False) == "Five days [1]."
    assert without_reasoning("The question is", aloud=True, cut=True) == ""


def test_a_lone_closing_tag_is_remembered() -> None:
    reasoning = ReasoningFilter()
    reasoning.feed("Refunds are mentioned in the first source.")
    reasoning.feed("</think>Five days.")

    assert reasoning.met_lone_closer
