from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.domain import RankedChunk, Retrieval
from pipeline.ingestion.tokens import analyze
from pipeline.observability.trace import collect
from pipeline.retrieval.sufficiency import judge, limits_for
from tests.fakes.stored import chunk_of


def found(
    text: str,
    *,
    cosine: float | None,
    coverage: float = 0.5,
    weight: float = 0.5,
    dense_rank: int | None = 1,
    sparse_rank: int | None = 1,
) -> Retrieval:
    ranked = RankedChunk(
        chunk=chunk_of("d1", 0, text),
        score=1,
        dense_rank=dense_rank,
        sparse_rank=sparse_rank,
        cosine=cosine,
        coverage=coverage,
        weight=weight,
    )
    return Retrieval(ranked=(ranked,))


def why(question: str, retrieval: Retrieval) -> str:
    return judge(question, retrieval, analyze).why


def score(*chunks: Retrieval) -> float:
    ranked = tuple(each for found in chunks for each in found.ranked)
    value = judge("Who won?", Retrieval(ranked=ranked), analyze).signals["score"]
    assert value is not None
    return value


def test_nothing_found_is_not_enough() -> None:
    verdict = judge("refunds?", Retrieval(ranked=()), analyze)

    assert (verdict.sufficient, verdict.why) == (False, "nothing_found")
    assert verdict.signals["score"] is None


def test_a_close_chunk_is_enough() -> None:
    verdict = judge("How long do refunds take?", found("Refunds take five days.", cosine=0.7), analyze)

    assert verdict.sufficient
    assert verdict.signals == {
        "chunks": 1,
        "cosine": 0.7,
        "coverage": 0.5,
        "near": 0.9,
        "agreed": 1.0,
        "rare": 0.5,
        "score": pytest.approx(-4.6 + 4.9 * 0.9 + 1.1 + 0.28 * 0.5),
    }


@pytest.mark.parametrize(
    ("cosine", "coverage", "dense_rank"),
    [
        (0.05, 0.0, 1),
        (0.137, 0.214, 9),  # "Who won the world cup in 1998?" to a company's handbook
        (0.292, 0.278, 12),  # "What is the dress code?" to the same
        (0.3, 0.3, None),
        (None, 0.1, None),
    ],
)
def test_a_far_chunk_that_shares_few_words_is_not_enough(
    cosine: float | None, coverage: float, dense_rank: int | None
) -> None:
    retrieval = found("Refunds.", cosine=cosine, coverage=coverage, dense_rank=dense_rank)

    assert why("Who won the cup?", retrieval) == "unrelated"


@pytest.mark.parametrize(
    ("cosine", "coverage"),
    [
        (0.264, 0.597),  # "mileage rate for my own car"
        (0.449, 0.252),  # "Does the firm give money when a baby is born?"
        (0.15, 0.9),
        (0.55, 0.0),
        (None, 0.2),
    ],
)
def test_closeness_and_words_make_up_for_each_other(cosine: float | None, coverage: float) -> None:
    assert why("Who won the cup?", found("The cup", cosine=cosine, coverage=coverage)) == "found"


def test_a_chunk_that_is_near_in_meaning_and_in_words_says_more_than_two_that_share_this() -> None:
    words, meaning = found("The cup", cosine=0.1, coverage=0.8), found("Prizes", cosine=0.6, coverage=0.0)
    both = found("The cup", cosine=0.6, coverage=0.8)

    assert score(both, found("x", cosine=0.1, coverage=0.0)) > score(words, meaning)


def test_it_counts_that_the_best_of_one_arm_is_high_in_the_other() -> None:
    ranks = (1, 2, 50, None)
    scores = [score(found("The cup", cosine=0.4, dense_rank=rank)) for rank in ranks]

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(ranks)

    first, second = found("A cup", cosine=0.4, dense_rank=None), found("The cup", cosine=0.4, sparse_rank=2)
    assert score(second, first) == scores[-1]
    assert score(second) == scores[0]  # the first was a copy of it


def test_rare_words_that_are_there_count_beside_their_share() -> None:
    one, three = found("cup", cosine=0.4, weight=0.3), found("FIFA cup Paris", cosine=0.4, weight=1.8)

    assert score(three) > score(one)


def test_a_follow_up_that_leans_on_what_was_said_is_held_to_a_lower_limit() -> None:
    far = found("Annual plans: fifteen days.", cosine=0.29, coverage=0.24, weight=0.3, dense_rank=5)
    nothing = found("Annual plans: fifteen days.", cosine=0.1, coverage=0.0, weight=0)
    unseen = found("Annual plans: fifteen days.", cosine=None, coverage=0.0)

    assert judge("And for annual ones?", far, analyze, leaning=True).sufficient
    assert not judge("And for annual ones?", far, analyze).sufficient
    assert judge("zzyzx qwertz?", nothing, analyze, leaning=True).why == "unrelated"
    assert judge("Why?", unseen, analyze, leaning=True).sufficient
    assert judge("And PANIC-0999?", found("x", cosine=0.4), analyze, leaning=True).why == "code_not_found"


def test_words_that_could_not_be_looked_at_do_not_count_against_a_chunk() -> None:
    unseen = replace(
        found("The cup", cosine=0.3, coverage=0.0, weight=0, sparse_rank=None),
        degraded=("sparse:unavailable",),
    )

    assert why("Who won the cup?", unseen) == "found"
    assert why("Who won the cup?", replace(unseen, degraded=())) == "unrelated"


def test_with_the_words_arm_off_closeness_and_coverage_decide() -> None:
    alone = replace(
        found("The cup", cosine=0.39, coverage=0.24, weight=0.2, sparse_rank=None), degraded=("sparse:off",)
    )

    assert why("Who won the cup?", alone) == "found"
    assert why("Who won the cup?", replace(alone, degraded=())) == "unrelated"


def test_an_embedder_whose_cosines_were_not_measured_gets_careful_limits() -> None:
    weak = found("The cup", cosine=0.25, coverage=0.2, dense_rank=None)

    for name in ("embedded:all-minilm-l6-v2-int8", "ollama:all-minilm"):
        assert not judge("Who won?", weak, analyze, limits_for(name)).sufficient
    assert judge("Who won?", weak, analyze, limits_for("openai:text-embedding-3-large")).sufficient
    assert judge("Who won?", weak, analyze, limits_for("openai:any"), leaning=True).sufficient


def test_in_another_language_than_the_models_the_words_alone_decide() -> None:
    said = found("Erstattungen dauern fünf Tage.", cosine=0.1, coverage=0.3, dense_rank=None)
    close = found("Erstattungen dauern fünf Tage.", cosine=0.45, coverage=0.15)
    very_close = found("Erstattungen dauern fünf Tage.", cosine=0.6, coverage=0.0)

    assert why("Wie lange dauert eine Erstattung?", said) == "found"
    assert why("How long does an Erstattung take?", said) == "unrelated"
    assert why("Wie lange dauert eine Erstattung?", close) == "unrelated"
    assert why("Wie lange dauert eine Erstattung?", very_close) == "found"
    bound = limits_for("openai:text-embedding-3-large")
    assert judge("Wie lange dauert eine Erstattung?", close, analyze, bound).sufficient


def test_a_code_that_no_chunk_holds_is_not_enough() -> None:
    assert why("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=0.3)) == "code_not_found"
    assert why("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=None)) == "code_not_found"


def test_a_code_that_a_chunk_or_its_file_name_holds_is_enough() -> None:
    assert why("What does PANIC-0417 mean?", found("panic-0417: pump.", cosine=0.3)) == "found"
    assert why("summarise release v2.13.4", found("see notes 2.13.4", cosine=0.3)) == "found"


def test_a_code_may_be_spelled_otherwise() -> None:
    assert why("What does PANIC-0999 mean?", found("Panic number 999: fan.", cosine=0.4)) == "found"
    assert why("What does PANIC-0999 mean?", found("Panics of all kinds: fan.", cosine=0.8)) == "found"


def test_a_chunk_about_another_code_of_the_same_kind_is_not_enough() -> None:
    other = found("API-4031: the key has expired. INV-2026-1001 was paid.", cosine=0.5)

    assert why("What does API-4999 mean?", other) == "code_not_found"
    assert why("Who got INV-2026-1002?", other) == "code_not_found"
    assert why("What changed in 4.0.31?", found("4, 0 and 31 pumps", cosine=0.5)) == "code_not_found"


@pytest.mark.parametrize(
    "question", ["the 20th century", "the 1990s", "a 50mb file", "42 pumps", "Q3 results", "60-minute calls"]
)
def test_amounts_and_ordinals_are_no_codes(question: str) -> None:
    assert why(question, found("something close", cosine=0.3)) == "found"


def test_the_verdict_is_traced_without_words() -> None:
    with collect() as events:
        verdict = judge("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=0.3), analyze)

    assert events == [
        {"event": "retrieval.sufficiency", "why": "code_not_found", "leaning": False, **verdict.signals}
    ]
    assert all(value is None or isinstance(value, int | float) for value in verdict.signals.values())
