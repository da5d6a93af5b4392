"""An answer without a language model."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import pytest

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.errors import ModelUnavailable
from pipeline.generation.extractive import (
    EXTRACTIVE,
    IN_ALL,
    PER_SOURCE,
    WORDS_ONLY,
    ExtractiveReader,
    candidates,
    choose,
)
from pipeline.generation.lists import ITEMS
from pipeline.generation.quoting import phrase
from pipeline.generation.response import build_response
from pipeline.ingestion.tokens import analyze
from pipeline.observability.trace import collect
from tests.fakes.models import ScriptedEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pipeline.generation.extractive import ExtractiveReading

REFUNDS = "We value customers. Refunds take five days after the request. Cards are accepted everywhere."
HOLIDAYS = "Employees have thirty days of holiday. Holiday requests go to the team lead."


def source(text: str, label: str = "1", name: str = "policy.md") -> CitedSource:
    chunk = Chunk(
        chunk_id=f"d-{label}",
        document_id=f"d{label}",
        display_name=name,
        source="",
        chunk_index=0,
        text=text,
        place=Place(),
    )
    return CitedSource(label=label, chunk=chunk)


async def no_sleep(_: float) -> None:
    await asyncio.sleep(0)


def read(
    question: str, *sources: CitedSource, summary: str = "", embedder: ScriptedEmbedder | None = None
) -> ExtractiveReading:
    reader = ExtractiveReader(embedder or ScriptedEmbedder(), analyze, sleep=no_sleep)
    return reader.read(question, sources, summary, waiting=lambda _: None)


async def answer(question: str, *sources: CitedSource, summary: str = "") -> str:
    return "".join([word async for word in read(question, *sources, summary=summary)])


async def test_the_best_sentences_are_quoted_with_their_markers() -> None:
    text = await answer("How long do refunds take?", source(REFUNDS), source(HOLIDAYS, "2"))

    assert text.startswith("Refunds take five days after the request [1].")


async def test_the_source_is_named_by_its_label_not_its_place_in_the_list() -> None:
    text = await answer("How many days of holiday?", source(REFUNDS, "1"), source(HOLIDAYS, "2"))

    assert "Employees have thirty days of holiday [2]." in text


async def test_the_answer_grows_word_by_word_and_its_message_holds_it_all() -> None:
    reading = read("How long do refunds take?", source(REFUNDS))
    assert reading.message is None
    words = [word async for word in reading]

    assert len(words) > 5
    response = build_response(reading.message, [source(REFUNDS)])
    assert response.answer == "".join(words)
    assert response.finish_reason == "stop"
    assert response.token_usage is None


async def test_words_come_at_the_given_pace() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    reader = ExtractiveReader(ScriptedEmbedder(), analyze, pace=0.25, sleep=sleep)
    words = [w async for w in reader.read("Refunds?", [source(REFUNDS)], "", waiting=lambda _: None)]

    assert pauses == [0.25] * len(words)


async def test_a_follow_up_is_understood_through_the_memory() -> None:
    sources = [source("Apples cost two euros. Pears cost three euros.")]
    text = await answer("How much do they cost?", *sources, summary="They asked about pears.")

    assert text.startswith("Pears cost three euros [1].") or "Pears cost three euros [1]." in text


async def test_unrelated_text_is_still_quoted() -> None:
    assert "[1]" in await answer("What is the capital of France?", source(HOLIDAYS))


async def test_sources_without_words_give_no_answer() -> None:
    reading = read("Anything?", source("--- ***"))

    assert [word async for word in reading] == []
    assert build_response(reading.message, ()).answer == ""


async def test_without_its_embedder_words_alone_choose_the_sentences_and_it_is_said() -> None:
    embedder = ScriptedEmbedder(error=ModelUnavailable("no"))
    reading = read("How long do refunds take?", source(HOLIDAYS), source(REFUNDS, "2"), embedder=embedder)
    with collect() as events:
        text = "".join([word async for word in reading])

    assert text.startswith("Refunds take five days after the request [2].")
    assert build_response(reading.message, ()).degraded == (EXTRACTIVE, WORDS_ONLY)
    assert events[-1]["by_words"]


async def test_an_embedder_that_hangs_is_not_waited_for() -> None:
    class Sleeper(ScriptedEmbedder):
        async def embed_query(self, text: str) -> NDArray[np.float32]:
            await asyncio.Event().wait()
            raise AssertionError

    reader = ExtractiveReader(Sleeper(), analyze, patience_s=0.02, sleep=no_sleep)
    reading = reader.read("How long do refunds take?", [source(REFUNDS)], "", waiting=lambda _: None)

    assert "[1]" in "".join([word async for word in reading])


def test_few_sentences_are_embedded_however_long_the_sources_are() -> None:
    long = " ".join(f"Sentence number {number} is about refunds." for number in range(200))
    found = candidates("refunds?", "", [source(long, str(label)) for label in range(1, 9)], analyze)

    assert len(found) <= IN_ALL
    assert max(sum(one.source == rank for one in found) for rank in range(8)) <= PER_SOURCE


def test_a_second_sentence_that_only_repeats_the_first_is_left_out() -> None:
    found = candidates(
        "refunds?", "", [source("Refunds take five days."), source("Refunds take five days.", "2")], analyze
    )
    chosen = choose(found, [1.0] * len(found))

    assert [one.label for one in chosen] == ["1"]


def test_two_sentences_of_one_source_stand_in_its_order() -> None:
    found = candidates(
        "five days request", "", [source("The request is filed. It takes five days.")], analyze
    )
    chosen = choose(found, [0.9 if "five" in one.text else 0.8 for one in found])

    assert [one.position for one in chosen] == [0, 1]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Refunds take five days.", "Refunds take five days [1]."),
        ("Is it free?", "Is it free [1]?"),
        ("退款需要五天。", "退款需要五天 [1]。"),
        ("five days", "five days [1]"),
        ('He said "no."', 'He said "no." [1]'),
        ("as shown before [12] and [3].", "as shown before (12) and (3) [1]."),
        ("x = rows[0];", "`x = rows[0];` [1]"),
        ("def refund(days):", "`def refund(days):` [1]"),
        ("| Pro | 12 |", "Pro; 12 [1]"),
    ],
)
def test_a_quote_keeps_its_words_and_gets_its_marker(text: str, quoted: str) -> None:
    found = candidates("anything", "", [source(text)], analyze)

    assert phrase(found) == quoted


@pytest.mark.parametrize(
    "table",
    [
        "Plan | Price\nPro | 12 euros\nBasic | free",
        "| Plan | Price |\n|---|---|\n| Pro | 12 euros |\n| Basic | free |",
    ],
)
async def test_a_row_of_a_table_is_quoted_with_the_names_of_its_columns(table: str) -> None:
    text = await answer("What is the price of Pro?", source(f"Our plans:\n\n{table}\n\nAsk us."))

    assert "Plan: Pro; Price: 12 euros [1]" in text


STEPS = """\
We deploy twice a day.

To deploy the service, follow these steps:

1. Merge your branch. Then push it.
2. Wait for the build.

Roll back if it fails."""


async def test_a_list_is_quoted_with_what_leads_in_to_it_and_all_its_items() -> None:
    text = await answer("What are the steps to deploy the service?", source(STEPS))

    assert (
        "To deploy the service, follow these steps: [1]\n"
        "1. Merge your branch. Then push it [1].\n"
        "2. Wait for the build [1]."
    ) in text


async def test_an_item_that_answers_alone_is_quoted_alone() -> None:
    text = await answer("Wait for the build?", source(STEPS))

    assert text.startswith("2. Wait for the build [1].")
    assert "Merge" not in text


def test_a_list_is_quoted_once_and_up_to_a_bound() -> None:
    items = "\n".join(f"- thing number {number}" for number in range(40))
    found = candidates("These are the things", "", [source(f"These are the things:\n{items}")], analyze)

    lines = phrase(found).splitlines()
    assert lines[0] == "These are the things: [1]"
    assert len(lines) == ITEMS + 2
    assert lines[-1] == "- …"


def test_what_stands_around_a_list_is_a_paragraph_of_its_own() -> None:
    found = candidates("deploy the service steps twice fails", "", [source(STEPS)], analyze)
    chosen = [one for one in found if one.text.startswith(("We deploy", "To deploy", "Roll back"))]

    assert phrase(sorted(chosen, key=lambda one: one.position)).split("\n\n") == [
        "We deploy twice a day [1].",
        "To deploy the service, follow these steps: [1]\n"
        "1. Merge your branch. Then push it [1].\n"
        "2. Wait for the build [1].",
        "Roll back if it fails [1].",
    ]


def test_two_numbered_steps_bring_the_others_and_two_other_items_do_not() -> None:
    text = "1. Merge it.\n2. Ask.\n3. Wait for it."
    numbered = candidates("merge wait", "", [source(text)], analyze)
    bullets = candidates("merge wait", "", [source(re.sub(r"\d\.", "-", text))], analyze)

    assert phrase(numbered[:2]) == "1. Merge it [1].\n2. Ask [1].\n3. Wait for it [1]."
    assert phrase(bullets[:2]) == "Merge it [1]. Wait for it [1]."


@pytest.mark.parametrize(
    ("name", "text", "quoted"),
    [
        (
            "a.yaml",
            "server:\n  tls: true\ndatabase:\n  pool:\n    size: 12\n",
            "`database > pool > size: 12` [1]",
        ),
        ("a.json", '{"database": {"pool": {"size": 12}}, "port": 3}', "`database > pool > size: 12` [1]"),
        ("a.ini", "[database]\npool size = 12\n\n[server]\nport = 3", "`database > pool size = 12` [1]"),
    ],
)
async def test_a_value_is_quoted_with_its_key_and_the_keys_above_it(
    name: str, text: str, quoted: str
) -> None:
    assert quoted in await answer("What is the size of the database pool?", source(text, name=name))


def test_a_long_quote_is_cut_between_words() -> None:
    found = candidates("word", "", [source("word " * 90 + "end.")], analyze)

    text = phrase(found[:1])
    assert len(text) < 370
    assert text.endswith("word … [1]")
