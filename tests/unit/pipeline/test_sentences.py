"""Cutting text into sentences, and weighing words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.sentences import LONGEST, closeness, coverage, spans, split, weights


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One two. Three four! Five?", ["One two.", "Three four!", "Five?"]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("Dr. Smith pays 3.5 % in fees. See Fig. 3.", ["Dr. Smith pays 3.5 % in fees.", "See Fig. 3."]),
        ("The U.S. Army came. So do I. Fine.", ["The U.S. Army came.", "So do I.", "Fine."]),
        ("it was in 2019. the next year it ended.", ["it was in 2019. the next year it ended."]),
        ("refunds take days. cards take longer.", ["refunds take days.", "cards take longer."]),
        ("Bring pens, etc. They are free.", ["Bring pens, etc.", "They are free."]),
        ("Am 3. Mai 2024 gilt es. Vgl. Nr. 5.", ["Am 3. Mai 2024 gilt es.", "Vgl. Nr. 5."]),
        (
            "Der Umsatz stieg um 1,23 Mio. € auf 4 Mrd. Euro. Ende.",
            ["Der Umsatz stieg um 1,23 Mio. € auf 4 Mrd. Euro.", "Ende."],
        ),
        ("Das gilt z. B. für Kunden bzw. Firmen. Ende.", ["Das gilt z. B. für Kunden bzw. Firmen.", "Ende."]),
        (
            "退款需要五天。请联系客服！“好的。”他说。",
            ["退款需要五天。", "请联系客服！", "“好的。”", "他说。"],
        ),
        ("返金は五日です。カードは十日です。", ["返金は五日です。", "カードは十日です。"]),
        ("A line that was\nwrapped here. Next.", ["A line that was wrapped here.", "Next."]),
        ("First paragraph\n\nSecond one", ["First paragraph", "Second one"]),
        ("- one item\n- two\n  goes on\n* three", ["one item", "two goes on", "three"]),
        ("1. First step\n2. Second step", ["1. First step", "2. Second step"]),
        ("| Plan | Price |\n|---|---|\n| Pro | 12 |", ["| Plan | Price |", "| Pro | 12 |"]),
        ("## Title\nText below it.", ["Title", "Text below it."]),
        ("def f(x):\n    return x\n", ["def f(x):", "return x"]),
        ("```\na = 1\nb = 2\n```\nAfter.", ["a = 1", "b = 2", "After."]),
        ("```inline code``` says it.", ["```inline code``` says it."]),
        ("name: Foo\nprice: 12", ["name: Foo", "price: 12"]),
        ("Five days. [1] Ten days [2].", ["Five days. [1]", "Ten days [2]."]),
        (
            "Chapter 1 .......... 5\nChapter 2 .......... 9",
            ["Chapter 1 .......... 5", "Chapter 2 .......... 9"],
        ),
        ("Wait... what? Yes…", ["Wait... what?", "Yes…"]),
        ("---\n***", []),
        ("", []),
    ],
)
def test_sentences_of(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_text_without_stops_is_cut_at_a_gap() -> None:
    pieces = split("word " * 300)

    assert all(len(piece) <= LONGEST for piece in pieces)
    assert "".join(pieces).replace(" ", "") == "word" * 300


def test_text_without_gaps_is_cut_all_the_same() -> None:
    assert [len(piece) for piece in split("x" * 1200)] == [LONGEST, LONGEST, 200]


@given(st.text(alphabet=st.sampled_from('aB1 .!?。\n\t-|#[]:"é中')))
def test_spans_are_in_order_and_lose_no_word(text: str) -> None:
    found = spans(text)

    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(before[1] <= after[0] for before, after in pairwise(found))
    kept = "".join(text[start:end] for start, end in found)
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


@pytest.mark.parametrize("noise", [".", "!", "|", " ", "\t", "#", "-", "`", "[1]", ". ", "a.", "\n", "?!"])
def test_noise_is_cut_in_linear_time(noise: str) -> None:
    split(noise * 20_000)


def test_rare_words_weigh_more_than_common_ones() -> None:
    weight = weights([["the", "refund"], ["the", "card"], ["the"]])

    assert weight["refund"] > weight["the"]
    assert coverage(["the", "refund"], ["refund"], weight) > 0.5
    assert coverage(["refund"], ["refund", "the"], weight) == 1
    assert coverage(["refund"], ["card"], weight) == 0
    assert coverage([], ["card"], weight) == 0


def test_a_word_that_no_sentence_holds_counts_as_missing() -> None:
    assert coverage(["refund", "unheard"], ["refund"], {"refund": 1.0}) == 0.5


def test_closeness_is_one_for_the_same_sentence() -> None:
    assert closeness(1, 1) == pytest.approx(1)
    assert closeness(0, 0) == 0
