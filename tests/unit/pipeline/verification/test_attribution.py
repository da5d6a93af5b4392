"""Which sentence of which source stands behind a sentence of the answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import REGISTRY

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.errors import ModelUnavailable
from pipeline.ingestion.tokens import analyze
from pipeline.observability import trace
from pipeline.verification.attribution import (
    IN_ALL,
    LONGEST_QUOTE,
    Attributor,
    Evidence,
    Support,
    claim_spans,
    clear_winner,
    clip,
    gather,
    insert_markers,
    numbers_occur,
)
from tests.fakes.models import ScriptedEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

REFUNDS = "We value customers. Refunds take five days after the request. Cards are accepted everywhere."
HOLIDAYS = "Employees have thirty days of holiday. Holiday requests go to the team lead."


def source(text: str, label: str = "1") -> CitedSource:
    chunk = Chunk(
        chunk_id=f"d-{label}",
        document_id=f"d{label}",
        display_name="policy.md",
        source="",
        chunk_index=0,
        text=text,
        place=Place(),
    )
    return CitedSource(label=label, chunk=chunk)


SOURCES = [source(REFUNDS), source(HOLIDAYS, "2")]


@pytest.fixture
def attributor() -> Attributor:
    return Attributor(ScriptedEmbedder(dimension=256), analyze)


async def test_the_quote_is_the_sentence_that_says_it(attributor: Attributor) -> None:
    quote = await attributor.choose_quote(
        SOURCES[0].chunk, "How long do refunds take?", "Refunds take five days [1]."
    )

    assert quote == "Refunds take five days after the request."


async def test_each_cited_source_gets_a_quote(attributor: Attributor) -> None:
    answer = "Refunds take five days [1]. Employees have thirty days of holiday [2]."
    quotes = await attributor.choose_quotes(answer, SOURCES, "What are the rules?")

    assert {label: quote.text for label, quote in quotes.items()} == {
        "1": "Refunds take five days after the request.",
        "2": "Employees have thirty days of holiday.",
    }


async def test_a_source_that_nothing_cites_is_compared_with_the_question(attributor: Attributor) -> None:
    quotes = await attributor.choose_quotes("", SOURCES, "How long do refunds take?")

    assert quotes["1"].text == "Refunds take five days after the request."


async def test_a_source_without_words_has_no_quote(attributor: Attributor) -> None:
    assert await attributor.choose_quote(source("***").chunk, "Refunds?", "Five days.") is None
    assert await attributor.choose_quotes("Five days [1].", [source("***")], "Refunds?") == {}


async def test_a_missing_marker_is_added_where_one_source_clearly_says_it(attributor: Attributor) -> None:
    repaired = await attributor.repair_markers(
        "Refunds take five days after the request. Employees have thirty days of holiday.",
        SOURCES,
        "What are the rules?",
    )

    assert repaired.text == (
        "Refunds take five days after the request [1]. Employees have thirty days of holiday [2]."
    )
    assert (repaired.added, repaired.uncited) == (2, 0)


async def test_what_has_a_marker_is_left_alone(attributor: Attributor) -> None:
    answer = "Refunds take five days after the request [2]."
    repaired = await attributor.repair_markers(answer, SOURCES, "Refunds?")

    assert repaired.text == answer
    assert repaired.added == 0


@pytest.mark.parametrize(
    "answer",
    [
        "The moon is made of green cheese and old stories.",
        "Refunds take ten days after the request, says paragraph 7.",
        "Here is what the documents say:",
        "Shall I look further into the refunds?",
        "Yes.",
        "```\nRefunds take five days after the request.\n```",
        "",
    ],
)
async def test_nothing_is_guessed(attributor: Attributor, answer: str) -> None:
    repaired = await attributor.repair_markers(answer, SOURCES, "How long do refunds take?")

    assert repaired.text == answer
    assert repaired.added == 0


async def test_two_sources_that_say_much_the_same_leave_it_open(attributor: Attributor) -> None:
    sources = [
        source("Refunds take five days after the request."),
        source("Refunds take five days after approval.", "2"),
    ]
    repaired = await attributor.repair_markers("Refunds take five days.", sources, "Refunds?")

    assert repaired.added == 0
    assert repaired.uncited == 1


async def test_two_sources_with_the_same_sentence_are_no_rivals(attributor: Attributor) -> None:
    sources = [source(REFUNDS), source(REFUNDS, "2")]
    repaired = await attributor.repair_markers(
        "Refunds take five days after the request.", sources, "Refunds?"
    )

    assert repaired.text == "Refunds take five days after the request [1]."


async def test_without_sources_nothing_is_added(attributor: Attributor) -> None:
    repaired = await attributor.repair_markers("Refunds take five days.", [], "Refunds?")

    assert (repaired.text, repaired.added, repaired.uncited) == ("Refunds take five days.", 0, 1)


async def test_without_an_embedder_words_decide() -> None:
    def counted() -> float:
        part = {"part": "attribution:words_only"}
        return REGISTRY.get_sample_value("footnote_degraded_total", part) or 0.0

    before = counted()
    attributor = Attributor(ScriptedEmbedder(error=ModelUnavailable("no")), analyze)
    with trace.collect() as events:
        quote = await attributor.choose_quote(SOURCES[0].chunk, "Refunds?", "Refunds take five days.")

    assert quote == "Refunds take five days after the request."
    assert {"event": "attribution.degraded", "reason": "embedder"} in events
    assert counted() == before + 1


async def test_a_slow_embedder_is_not_waited_for() -> None:
    class Slow(ScriptedEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            await asyncio.Event().wait()
            return await super().embed_documents(texts)

    attributor = Attributor(Slow(), analyze, patience_s=0.02)

    assert await attributor.choose_quote(SOURCES[0].chunk, "Refunds?", "Refunds take five days.")


async def test_nothing_of_the_texts_is_traced(attributor: Attributor) -> None:
    with trace.collect() as events:
        await attributor.repair_markers("Refunds take five days after the request.", SOURCES, "Refunds?")

    assert events == [{"event": "attribution.repaired", "added": 1, "uncited": 0}]


def test_every_source_keeps_a_sentence_however_many_there_are() -> None:
    long = " ".join(f"Sentence number {number} is about refunds." for number in range(60))
    chunks = [source(long, str(label)).chunk for label in range(20)]
    evidence, _ = gather(chunks, ["refund"], analyze)

    assert len(evidence) <= IN_ALL
    assert {one.source for one in evidence} == set(range(20))


def support(number: int, score: float, words: str) -> Support:
    evidence = Evidence(source=number, text=words, tokens=frozenset(words.split()))
    return Support(source=number, score=score, evidence=evidence)


def test_a_winner_supports_well_and_leads_clearly() -> None:
    assert clear_winner([]) is None
    assert clear_winner([support(0, 0.9, "a b"), support(1, 0.5, "c d")]) == 0
    assert clear_winner([support(0, 0.9, "a b"), support(1, 0.88, "c d")]) is None
    assert clear_winner([support(0, 0.9, "a b"), support(1, 0.9, "a b")]) == 0
    assert clear_winner([support(0, 0.3, "a b")]) is None


@pytest.mark.parametrize(
    ("claim", "text", "occur"),
    [
        ("It costs 1,200 euros.", "The price is 1200 euros.", True),
        ("It costs 1.300 euros.", "The price is 1200 euros.", False),
        ("It costs much.", "The price is 1200 euros.", True),
        ("In 2024 and 2025.", "From 2024 to 2025.", True),
    ],
)
def test_numbers_of_a_claim_must_stand_in_the_source(claim: str, text: str, *, occur: bool) -> None:
    assert numbers_occur(claim, text) is occur


@pytest.mark.parametrize(
    ("sentence", "marked"),
    [
        ("Five days.", "Five days [1]."),
        ("Five days", "Five days [1]"),
        ('He said "five."', 'He said "five [1]."'),
        ("**Five days.**", "**Five days [1].**"),
        ("Five days (or six)", "Five days (or six) [1]"),
        ("五天。", "五天 [1]。"),
        ("Wait...", "Wait [1]..."),
    ],
)
def test_a_marker_stands_before_the_end_mark(sentence: str, marked: str) -> None:
    ((_, end),) = claim_spans(sentence)

    assert insert_markers(sentence, [(end, "1")]) == marked


@given(st.text(alphabet=st.sampled_from("aB .!\n[1]`。-|"), max_size=80))
def test_markers_are_only_added_never_anything_taken(answer: str) -> None:
    places = [(end, "7") for _, end in claim_spans(answer)]

    assert insert_markers(answer, places).replace(" [7]", "") == answer


def test_a_quote_fits_under_an_answer() -> None:
    assert clip("short") == "short"
    assert len(clip("word " * 200)) <= LONGEST_QUOTE + 2
    assert clip("word " * 200).endswith("word …")
    assert len(clip("x" * 1000)) <= LONGEST_QUOTE + 2
