"""The scorer weighs words, signs and meaning."""

from __future__ import annotations

import pytest

from pipeline.errors import ModelUnavailable
from pipeline.ingestion.tokens import analyze
from pipeline.verification.entailment import BAND, SignScorer, closest, read_facts, weighed, words_score
from pipeline.verification.mechanical import inspect, read_premise
from tests.fakes.models import ScriptedEmbedder

SOURCE = (
    "Refunds for monthly plans take five working days. Prices increase in January. "
    "Employees have thirty days of holiday. Requests for holiday go to the team lead."
)
PREMISE = read_premise(SOURCE, analyze)


@pytest.fixture
def scorer() -> SignScorer:
    return SignScorer(ScriptedEmbedder(dimension=512), analyze)


def by_words(claim: str) -> float:
    return words_score(PREMISE, claim, inspect(claim, PREMISE, analyze), analyze)


async def test_what_the_source_says_scores_above_the_band_and_other_things_below(
    scorer: SignScorer,
) -> None:
    low, high = BAND

    assert await scorer(PREMISE, "The refunds for monthly plans take five working days.") >= high
    assert await scorer(PREMISE, "Dinosaurs lived on several continents long before mammals.") < low


async def test_each_sign_against_a_statement_lowers_its_score(scorer: SignScorer) -> None:
    said = "In short, prices increase in January."

    assert await scorer(PREMISE, said) > await scorer(PREMISE, said.replace("increase", "decrease"))
    assert await scorer(PREMISE, said) > await scorer(PREMISE, said.replace("short", "1987"))


def test_words_alone_tell_as_much_in_their_measure() -> None:
    assert by_words("Employees have thirty days of holiday here.") >= BAND[1]
    assert by_words("Dinosaurs lived on several continents.") < BAND[0]


async def test_meaning_is_compared_with_a_few_sentences_only() -> None:
    embedder = ScriptedEmbedder()
    long = read_premise(" ".join(f"Sentence number {n} is about part {n}." for n in range(60)), analyze)

    await SignScorer(embedder, analyze)(long, "Sentence number 7 is about a part.")

    assert len(embedder.documents) == 7
    assert closest(long, "part 7", analyze)[0] == 7


async def test_an_embedder_that_fails_is_told_to_the_caller(scorer: SignScorer) -> None:
    broken = SignScorer(ScriptedEmbedder(error=ModelUnavailable("gone")), analyze)

    with pytest.raises(ModelUnavailable):
        await broken(PREMISE, "Refunds take five days.")


async def test_texts_that_are_no_passages_are_scored_alike(scorer: SignScorer) -> None:
    claim = "Employees have thirty days."

    assert await scorer.support(claim, [SOURCE]) == await scorer(PREMISE, claim)
    assert await scorer.support(claim, []) < BAND[1]


def test_signals_that_were_read_already_are_not_read_again() -> None:
    claim = "It costs 99 euros."

    assert read_facts(PREMISE, claim, [], analyze)["numbers"] == 0.0
    assert read_facts(PREMISE, claim, None, analyze)["numbers"] == 1.0


def test_a_score_is_a_chance() -> None:
    assert weighed({"bias": 1.0}, {"bias": 0.0}) == 0.5
    assert 0 <= weighed({"bias": 1.0}, {"bias": -50.0}) < weighed({"bias": 1.0}, {"bias": 50.0}) <= 1
