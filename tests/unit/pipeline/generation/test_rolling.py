"""A thread's memory without a language model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.generation.rolling import LONGEST_SENTENCE, ExtractiveSummarizer
from pipeline.guardrails.summary import check_summary
from pipeline.ingestion.tokens import analyze
from pipeline.sentences import split


async def summarize(previous: str, question: str, answer: str) -> str:
    text, usage = await ExtractiveSummarizer(analyze).summarize(previous, question, answer)
    assert usage is None
    return text


async def test_the_question_and_the_answer_s_key_sentence_are_kept() -> None:
    text = await summarize("", "How long do refunds take?", "We are fast. Refunds take five days [1].")

    assert text == "How long do refunds take? Refunds take five days."


async def test_the_subject_survives_a_follow_up_that_does_not_name_it() -> None:
    first = await summarize("", "What is the Aurora project?", "The Aurora project builds a new archive [1].")
    second = await summarize(first, "Who leads the project?", "Maria Lopez leads the project [2].")
    third = await summarize(second, "And when does it end?", "The project ends in June 2027 [1].")

    assert "Maria Lopez" in second
    assert "Aurora" in second
    assert "June 2027" in third
    assert len(split(third)) <= 3


async def test_a_new_subject_leaves_the_old_one_behind() -> None:
    text = await summarize(
        "How long do refunds take? Refunds take five days.",
        "Where is the office?",
        "The office is in Lisbon [1].",
    )

    assert text == "Where is the office? The office is in Lisbon."


async def test_markers_of_any_form_are_taken_out() -> None:
    text = await summarize("", "What about [2]?", "五天【1】。 Five days [1, 2].")

    assert check_summary(text) is None


@pytest.mark.parametrize("answer", ["", "[1]", "..."])
async def test_an_answer_of_nothing_leaves_the_question(answer: str) -> None:
    assert await summarize("", "How long do refunds take?", answer) == "How long do refunds take?"


@given(st.text(max_size=900), st.text(max_size=900), st.text(max_size=900))
async def test_a_summary_is_short_and_without_markers(previous: str, question: str, answer: str) -> None:
    text = await summarize(previous, question, answer)

    assert len(text) <= 3 * (LONGEST_SENTENCE + 2)
    assert check_summary(text) not in {"too_long", "markers"}
