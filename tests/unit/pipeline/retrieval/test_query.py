from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.errors import ModelUnavailable
from pipeline.ingestion.tokens import analyze
from pipeline.observability.trace import collect
from pipeline.retrieval.query import (
    SearchQuery,
    Topic,
    TopicGate,
    build_query,
    is_vague,
    leans,
    stands_alone,
)
from tests.fakes.embedding import WordEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SUMMARY = "The refund policy was discussed. Refunds for annual plans take five working days."


def gate(embedder: WordEmbedder | None = None) -> TopicGate:
    return TopicGate(analyze=analyze, embedder=embedder)


@pytest.mark.parametrize(
    "question",
    [
        "How long do refunds of annual plans take?",
        "Which pumps stop at error PANIC-0417?",
        "Are there fees for refunds of annual plans?",
        "How many countries are there in the European Union?",
        "Why do refunds of annual plans take so long?",
        "Wie lange dauert eine Rückzahlung für Jahresabos?",
        "年度套餐的退款需要多久？",
    ],
)
def test_a_full_question_stands_alone(question: str) -> None:
    assert stands_alone(question, analyze(question))


@pytest.mark.parametrize(
    "question",
    [
        "And for monthly plans bought abroad?",
        "How long does it take for annual plans?",
        "Why?",
        "What about customers from Switzerland?",
        "Which one of the plans is cheaper?",
        "What happens to customers there in winter?",
        "When was he born and raised?",
        "Und wie lange dauert die Rückzahlung dann?",
        "Gilt das auch für diese Jahresabos und Kunden?",
        "Est-ce que cela vaut pour les abonnements annuels ?",
        "¿Y cuánto tardan los reembolsos anuales?",
        "它需要多久才能到账？",
        "それはいつ届きますか、教えてください",
        "А сколько длится возврат денег?",
    ],
)
def test_a_question_that_leans_on_what_was_said_does_not_stand_alone(question: str) -> None:
    assert not stands_alone(question, analyze(question))


async def test_the_first_question_is_searched_as_it_is() -> None:
    query = await build_query("  ", " How long do refunds take? ", gate(WordEmbedder(dimension=2048)))

    assert query == SearchQuery(question="How long do refunds take?")
    assert query.text == "How long do refunds take?"


async def test_a_follow_up_is_searched_with_the_summary_before_it() -> None:
    query = await build_query(SUMMARY, "And for monthly plans?", gate(WordEmbedder(dimension=2048)))

    assert query.topic is Topic.SAME
    assert query.text == f"{SUMMARY}\nAnd for monthly plans?"


async def test_a_new_topic_is_searched_without_the_summary_and_says_so() -> None:
    with collect() as events:
        query = await build_query(
            SUMMARY, "Which valves close during pump maintenance?", gate(WordEmbedder(dimension=2048))
        )

    assert (query.topic, query.summary) == (Topic.CHANGED, "")
    [event] = [event for event in events if event["event"] == "retrieval.topic"]
    assert event["topic"] == "changed"
    assert event["alone"] is True
    assert event["cosine"] < 0.15


async def test_a_full_question_about_the_same_thing_keeps_the_summary() -> None:
    question = "How many working days do refunds for annual plans take?"

    query = await build_query(SUMMARY, question, gate(WordEmbedder(dimension=2048)))

    assert query.topic is Topic.SAME


async def test_a_pronoun_keeps_the_summary_however_far_the_words_are() -> None:
    query = await build_query(
        SUMMARY, "Where does it close pumps and valves?", gate(WordEmbedder(dimension=2048))
    )

    assert query.topic is Topic.SAME


@pytest.mark.parametrize("question", ["How do whales sleep?", "Who on earth wrote Hamlet?"])
async def test_a_short_question_that_shares_nothing_with_the_thread_is_a_new_topic(question: str) -> None:
    query = await build_query(SUMMARY, question, gate(WordEmbedder(dimension=2048)))

    assert (query.topic, query.summary) == (Topic.CHANGED, "")


@pytest.mark.parametrize(
    "question",
    [
        "Regional differences?",
        "What is the capital of it?",
        "And the capital of Mongolia?",
        "What is the refund of Mongolia?",
    ],
)
async def test_a_keyword_or_what_goes_on_from_the_thread_keeps_the_summary(question: str) -> None:
    query = await build_query(SUMMARY, question, gate(WordEmbedder(dimension=2048)))

    assert query.topic is Topic.SAME


@pytest.mark.parametrize("embedder", [None, WordEmbedder(failure=ModelUnavailable())])
async def test_without_vectors_a_short_question_keeps_the_summary(embedder: WordEmbedder | None) -> None:
    query = await build_query(SUMMARY, "What is the capital of Mongolia?", gate(embedder))

    assert query.topic is Topic.SAME


@pytest.mark.parametrize("embedder", [None, WordEmbedder(failure=ModelUnavailable())])
async def test_without_an_embedder_only_the_words_decide(embedder: WordEmbedder | None) -> None:
    changed = await build_query(SUMMARY, "Which valves close during pump maintenance?", gate(embedder))
    same = await build_query(SUMMARY, "Which annual maintenance contracts cover pump valves?", gate(embedder))

    assert (changed.topic, same.topic) == (Topic.CHANGED, Topic.SAME)


@pytest.mark.parametrize(
    ("question", "summary", "leaning"),
    [
        ("And for annual ones?", SUMMARY, True),
        ("How long do refunds of annual plans take?", SUMMARY, False),
        ("And for annual ones?", "", False),
    ],
)
def test_a_question_leans_on_a_summary_if_there_is_one(question: str, summary: str, leaning: bool) -> None:
    assert leans(SearchQuery(question=question, summary=summary), analyze) is leaning


@pytest.mark.parametrize(
    "question", ["Whom do I ask?", "How often do they come here?", "Where can I do that?"]
)
async def test_a_question_without_a_word_of_its_own_names_no_new_topic(question: str) -> None:
    query = await build_query(SUMMARY, question, gate(WordEmbedder()))

    assert query.topic is Topic.SAME


@pytest.mark.parametrize(
    ("question", "vague"),
    [
        ("When does it leave?", True),
        ("Whom do I ask?", True),
        ("And at night?", True),
        ("Und wann fährt er ab?", True),
        ("When does it leave for the airport in Potsdam?", False),
        ("May I work from home?", False),
        ("Refunds", True),
        ("Refunds for annual plans", False),
    ],
)
def test_what_says_next_to_nothing_alone_is_told_by_its_common_words(question: str, vague: bool) -> None:
    assert is_vague(question, analyze(question)) is vague


async def test_an_embedder_that_hangs_is_not_waited_for() -> None:
    class Sleeper(WordEmbedder):
        async def embed_query(self, text: str) -> NDArray[np.float32]:
            await asyncio.Event().wait()
            raise AssertionError

    hung = TopicGate(analyze=analyze, embedder=Sleeper(), patience_s=0.02)

    assert (await build_query(SUMMARY, "Which valves close during pump maintenance?", hung)).vectors == {}


async def test_the_vectors_made_for_the_gate_are_passed_on() -> None:
    query = await build_query(SUMMARY, "And for monthly plans?", gate(WordEmbedder(dimension=2048)))

    assert set(query.vectors) == {SUMMARY, "And for monthly plans?"}


async def test_the_trace_holds_no_words_of_the_thread() -> None:
    with collect() as events:
        await build_query(
            SUMMARY, "Which valves close during pump maintenance?", gate(WordEmbedder(dimension=2048))
        )

    values: list[Any] = [value for event in events for value in event.values()]
    assert not any("valve" in str(value) or "refund" in str(value).lower() for value in values)
