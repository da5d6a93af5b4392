from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.domain import RankedChunk, Retrieval
from pipeline.ingestion.tokens import analyze
from pipeline.observability.trace import collect
from pipeline.retrieval.sufficiency import judge, limits_for
from tests.fakes.stored import chunk_of


def found(text: str, *, cosine: float | None, coverage: float = 0.5) -> Retrieval:
    chunk = chunk_of("d1", 0, text)
    ranked = RankedChunk(chunk=chunk, score=1, dense_rank=1, sparse_rank=1, cosine=cosine, coverage=coverage)
    return Retrieval(ranked=(ranked,))


def why(question: str, retrieval: Retrieval) -> str:
    return judge(question, retrieval, analyze).why


def test_nothing_found_is_not_enough() -> None:
    verdict = judge("refunds?", Retrieval(ranked=()), analyze)

    assert (verdict.sufficient, verdict.why) == (False, "nothing_found")


def test_a_close_chunk_is_enough() -> None:
    verdict = judge("How long do refunds take?", found("Refunds take five days.", cosine=0.7), analyze)

    assert verdict.sufficient
    assert verdict.signals == {"chunks": 1, "cosine": 0.7, "coverage": 0.5, "agreed": 1}


@pytest.mark.parametrize(
    ("cosine", "coverage"),
    [
        (0.05, 0.0),
        (0.137, 0.213),  # "Who won the world cup in 1998?" to a company's handbook
        (0.292, 0.283),  # "What is the dress code?" to the same
        (0.05, 0.6),
        (0.45, 0.0),
        (None, 0.1),
    ],
)
def test_a_far_chunk_that_shares_few_words_is_not_enough(cosine: float | None, coverage: float) -> None:
    assert why("Who won the cup?", found("Refunds.", cosine=cosine, coverage=coverage)) == "unrelated"


@pytest.mark.parametrize(
    ("cosine", "coverage"),
    [
        (0.264, 0.599),
        (0.43, 0.25),
        (0.15, 0.9),
        (0.55, 0.0),
        (None, 0.2),
    ],  # the first: "mileage rate for my own car"
)
def test_closeness_and_words_make_up_for_each_other(cosine: float | None, coverage: float) -> None:
    assert why("Who won the cup?", found("The cup", cosine=cosine, coverage=coverage)) == "found"


def test_a_follow_up_that_leans_on_what_was_said_is_called_unrelated_only_where_nothing_fits() -> None:
    far = found("Annual plans: fifteen days.", cosine=0.29, coverage=0.32)
    nothing = found("Annual plans: fifteen days.", cosine=0.1, coverage=0.0)
    unseen = found("Annual plans: fifteen days.", cosine=None, coverage=0.0)

    assert judge("And for annual ones?", far, analyze, leaning=True).sufficient
    assert not judge("And for annual ones?", far, analyze).sufficient
    assert judge("zzyzx qwertz?", nothing, analyze, leaning=True).why == "unrelated"
    assert judge("Why?", unseen, analyze, leaning=True).sufficient
    assert judge("And PANIC-0999?", far, analyze, leaning=True).why == "code_not_found"


def test_words_that_could_not_be_looked_at_do_not_count_against_a_chunk() -> None:
    unseen = replace(found("The cup", cosine=0.3, coverage=0.0), degraded=("sparse:unavailable",))

    assert why("Who won the cup?", unseen) == "found"
    assert why("Who won the cup?", replace(unseen, degraded=())) == "unrelated"


def test_an_embedder_whose_cosines_were_not_measured_gets_careful_limits() -> None:
    weak = found("The cup", cosine=0.25, coverage=0.2)

    for name in ("embedded:all-minilm-l6-v2-int8", "ollama:all-minilm"):
        assert not judge("Who won?", weak, analyze, limits_for(name)).sufficient
    assert judge("Who won?", weak, analyze, limits_for("openai:text-embedding-3-large")).sufficient


def test_a_code_that_no_chunk_holds_is_not_enough() -> None:
    assert why("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=0.3)) == "code_not_found"
    assert why("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=None)) == "code_not_found"


def test_a_code_that_a_chunk_or_its_file_name_holds_is_enough() -> None:
    assert why("What does PANIC-0417 mean?", found("panic-0417: pump.", cosine=0.3)) == "found"
    assert why("summarise release v2.13.4", found("see notes 2.13.4", cosine=0.3)) == "found"


def test_a_code_may_be_spelled_otherwise_in_a_very_close_chunk() -> None:
    assert why("What does PANIC-0999 mean?", found("Panic number 999: fan.", cosine=0.8)) == "found"


@pytest.mark.parametrize(
    "question", ["the 20th century", "the 1990s", "a 50mb file", "42 pumps", "Q3 results"]
)
def test_amounts_and_ordinals_are_no_codes(question: str) -> None:
    assert why(question, found("something close", cosine=0.3)) == "found"


def test_the_verdict_is_traced_without_words() -> None:
    with collect() as events:
        judge("What does PANIC-0999 mean?", found("PANIC-0417: pump.", cosine=0.3), analyze)

    assert events == [
        {
            "event": "retrieval.sufficiency",
            "why": "code_not_found",
            "chunks": 1,
            "cosine": 0.3,
            "coverage": 0.5,
            "agreed": 1,
            "leaning": False,
        }
    ]
