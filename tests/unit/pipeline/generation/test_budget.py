"""What fits into a context window."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place, RankedChunk
from pipeline.generation.budget import (
    QUESTION_RESERVE,
    SUMMARY_SHARE,
    estimate_tokens,
    fit,
    least_tokens,
    refit,
    room,
    source_tokens,
)
from pipeline.observability import trace

SENTENCE = "Refunds take five days after the request has arrived. "


def ranked(text: str, number: int = 0) -> RankedChunk:
    chunk = Chunk(
        chunk_id=f"d-{number}",
        document_id="d",
        display_name="policy.pdf",
        source="",
        chunk_index=number,
        text=text,
        place=Place(page=1),
    )
    return RankedChunk(chunk=chunk, score=1.0)


# what vocabularies of 100,000 entries and more make of such text: a token for each common English word and
# mark, about one and a half for a German word, about one for a Chinese character
@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog and runs away.", 12, 20),
        ("Die Rückerstattung erfolgt innerhalb von fünf Werktagen nach Eingang.", 14, 32),
        ("退款需要五个工作日，请联系客服。", 8, 20),
        ("返金には五営業日かかります。", 7, 20),
        ("def refund(days: int) -> bool:\n    return days <= 5\n", 12, 32),
        ("1234567890", 3, 12),
        ("", 0, 1),
    ],
)
def test_an_estimate_is_high_but_not_absurd(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most
    assert least_tokens(text) <= estimate_tokens(text)


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_is_never_fewer_tokens(first: str, second: str) -> None:
    assert estimate_tokens(first + second) >= estimate_tokens(first)
    assert least_tokens(first) <= estimate_tokens(first)


def test_what_fits_is_kept_whole_and_in_order() -> None:
    found = [ranked(SENTENCE * 3, number) for number in range(3)]
    fitted = fit(found, summary="Refunds.", question="How long?", budget=4000)

    assert fitted.kept == tuple(found)
    assert fitted.dropped == ()
    assert not fitted.trimmed
    assert fitted.summary == "Refunds."


def test_the_lowest_ranks_are_left_out_first() -> None:
    found = [ranked(SENTENCE * 10, number) for number in range(6)]
    cost = source_tokens(found[0])
    fitted = fit(found, summary="", question="How long?", budget=cost * 2 + 50)

    assert fitted.kept == tuple(found[:2])
    assert fitted.dropped == tuple(found[2:])
    assert fitted.tokens <= cost * 2 + 50


def test_the_last_source_may_lose_its_last_sentences() -> None:
    found = [ranked(SENTENCE * 10, number) for number in range(3)]
    cost = source_tokens(found[0])
    fitted = fit(found, summary="", question="How long?", budget=int(cost * 1.8))

    assert fitted.trimmed
    assert len(fitted.kept) == 2
    text = fitted.kept[1].chunk.text
    assert found[1].chunk.text.startswith(text)
    assert text.endswith("arrived.")
    assert fitted.dropped == (found[2],)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 40), max_size=6), st.integers(0, 3000))
def test_fitting_what_was_fitted_changes_and_records_nothing(lengths: list[int], budget: int) -> None:
    found = [ranked(SENTENCE * length, number) for number, length in enumerate(lengths)]
    once = fit(found, summary=SENTENCE, question="How long?", budget=budget)
    with trace.collect() as events:
        twice = refit(once.kept, summary=once.summary, question="How long?", budget=budget)

    assert twice.kept == once.kept
    assert twice.summary == once.summary
    assert events == []


def test_labelled_sources_can_be_fitted_as_well() -> None:
    source = CitedSource(label="1", chunk=ranked(SENTENCE * 20).chunk)
    fitted = fit([source], summary="", question="", budget=200)

    assert fitted.kept[0].label == "1"
    assert fitted.trimmed


def test_a_long_question_takes_from_the_sources() -> None:
    found = [ranked(SENTENCE * 10, number) for number in range(4)]
    budget = source_tokens(found[0]) * 4

    short = fit(found, summary="", question="How long?", budget=budget)
    long = fit(found, summary="", question="word " * 1200, budget=budget)

    assert len(long.kept) < len(short.kept)


def test_a_summary_takes_no_more_than_its_share() -> None:
    fitted = fit([ranked(SENTENCE)], summary=SENTENCE * 100, question="", budget=400)

    assert 0 < estimate_tokens(fitted.summary) <= 400 * SUMMARY_SHARE
    assert fitted.kept


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 40), max_size=6),
    st.integers(0, 3000),
    st.text(max_size=300),
    st.integers(0, 3000),
)
def test_the_budget_is_never_exceeded(lengths: list[int], budget: int, summary: str, question: int) -> None:
    found = [ranked(SENTENCE * length, number) for number, length in enumerate(lengths)]
    text = "q" * question
    fitted = fit(found, summary=summary, question=text, budget=budget)

    excess = max(0, estimate_tokens(text) - QUESTION_RESERVE)
    assert fitted.tokens <= max(0, budget - excess)
    assert len(fitted.kept) + len(fitted.dropped) == len(found)
    used = sum(source_tokens(item) for item in fitted.kept)
    assert used <= max(0, budget - excess)


def test_what_was_left_out_is_reported_without_its_text() -> None:
    with trace.collect() as events:
        fit([ranked(SENTENCE * 50, n) for n in range(3)], summary="", question="", budget=700)

    (event,) = events
    assert event["event"] == "generation.budget"
    assert event["kept"] + event["dropped"] == 3
    assert "Refunds" not in str(event)


def test_room_is_what_prompt_question_and_answer_leave() -> None:
    assert room(num_ctx=8192, num_predict=512, prompt_tokens=300) > 7000
    assert room(num_ctx=256, num_predict=512, prompt_tokens=300) == 0
