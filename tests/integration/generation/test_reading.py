"""The chat model's reader against a server that speaks Ollama's protocol over loopback."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

import pytest
from prometheus_client import REGISTRY

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.errors import ModelMisconfigured, ModelNotFound, ModelTimeout, ModelUnavailable
from pipeline.generation.budget import DROPPED
from pipeline.generation.chain import TRUNCATED, Limits, ModelReader, ModelSummarizer
from pipeline.generation.choice import ModelChoice
from pipeline.generation.clients import chat_model
from pipeline.generation.limiter import Limiter
from pipeline.generation.response import build_response
from pipeline.observability import trace
from tests.fakes.ollama import Answer, FakeOllama

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from pipeline.generation.chain import ModelReading

TEXT = "Refunds take five days after the request. Card payments take ten days."


def source(label: str = "1", text: str = TEXT) -> CitedSource:
    chunk = Chunk(
        chunk_id=f"d-{label}",
        document_id="d",
        display_name="policy.pdf",
        source="file:///policy.pdf",
        chunk_index=0,
        text=text,
        place=Place(page=3),
    )
    return CitedSource(label=label, chunk=chunk)


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as server:
        yield server


def choice_for(ollama: FakeOllama, **values: Any) -> ModelChoice:
    return ModelChoice(provider="ollama", base_url=ollama.url, **values)


def reader_for(
    ollama: FakeOllama,
    *,
    first_token_s: float = 5,
    total_s: float = 10,
    limiter: Limiter | None = None,
    **values: Any,
) -> ModelReader:
    choice = choice_for(ollama, **values)
    server = choice.server("chat")
    limits = Limits(
        num_ctx=choice.num_ctx, num_predict=choice.num_predict, first_token_s=first_token_s, total_s=total_s
    )
    model = chat_model(choice, server, num_predict=choice.num_predict)
    return ModelReader(
        model, server, name=f"ollama:{server.model}", limits=limits, limiter=limiter or Limiter()
    )


def read(
    reader: ModelReader, *sources: CitedSource, question: str = "How long?", summary: str = ""
) -> ModelReading:
    return reader.read(question, sources or (source(),), summary, waiting=lambda _: None)


async def drain(reading: ModelReading) -> list[str]:
    return [piece async for piece in reading]


async def test_an_answer_streams_and_its_message_carries_usage_and_reason(ollama: FakeOllama) -> None:
    reading = read(reader_for(ollama))

    pieces = await drain(reading)

    assert "".join(pieces) == "Refunds take five days [1]."
    response = build_response(reading.message, [source()])
    assert response.answer == "Refunds take five days [1]."
    assert response.finish_reason == "stop"
    assert response.token_usage is not None
    assert response.token_usage.input > 100
    assert response.token_usage.output == 2
    assert response.degraded == ()


async def test_policy_is_in_the_system_message_and_documents_are_in_the_human_message(
    ollama: FakeOllama,
) -> None:
    await drain(read(reader_for(ollama), question="And cards?", summary="They spoke about refunds."))

    (body,) = ollama.chats()
    system, human = body["messages"]
    assert (system["role"], human["role"]) == ("system", "user")
    assert "never instructions" in system["content"]
    assert TEXT not in system["content"]
    assert '<source id="1" file="policy.pdf" place="page 3">' in human["content"]
    assert "<history>\nThey spoke about refunds.\n</history>" in human["content"]
    assert human["content"].endswith("<question>\nAnd cards?\n</question>")


async def test_limits_are_sent_and_sampling_is_left_to_the_model(ollama: FakeOllama) -> None:
    await drain(read(reader_for(ollama, num_ctx=4096, num_predict=300)))

    (body,) = ollama.chats()
    assert body["options"] == {"num_ctx": 4096, "num_predict": 300}
    assert body["think"] is False
    assert "temperature" not in str(body)


async def test_braces_in_people_s_text_are_text(ollama: FakeOllama) -> None:
    await drain(read(reader_for(ollama), source(text="Use {human} and {0}."), question="What is {x}?"))

    assert "Use {human} and {0}." in ollama.chats()[0]["messages"][1]["content"]


async def test_a_missing_model_is_not_found_and_the_message_says_how_to_get_it(ollama: FakeOllama) -> None:
    with pytest.raises(ModelNotFound, match="ollama pull qwen3:4b"):
        await drain(read(reader_for(ollama, model="qwen3:4b")))


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_failing_server_is_unavailable(ollama: FakeOllama, status: int) -> None:
    ollama.answers = [Answer(status=status)]

    with pytest.raises(ModelUnavailable, match=str(status)):
        await drain(read(reader_for(ollama)))


async def test_a_refused_key_is_the_operator_s_to_correct(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(status=401)]

    with pytest.raises(ModelMisconfigured, match="key"):
        await drain(read(reader_for(ollama, api_key="wrong")))


async def test_a_stopped_server_is_unavailable(ollama: FakeOllama) -> None:
    reader = reader_for(ollama)
    await ollama.stop()

    with pytest.raises(ModelUnavailable):
        await drain(read(reader))


async def test_a_slow_first_token_is_a_timeout(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(gate=asyncio.Event())]

    with pytest.raises(ModelTimeout):
        await drain(read(reader_for(ollama, first_token_s=0.5)))
    await ollama.until(hung_up=1)


async def test_an_answer_that_does_not_end_in_time_is_a_timeout_after_its_partial_text(
    ollama: FakeOllama,
) -> None:
    ollama.answers = [
        Answer(pieces=["This is the beginning of an answer ", "never"], step=asyncio.Semaphore(1))
    ]
    reading = read(reader_for(ollama, total_s=1.0))

    with pytest.raises(ModelTimeout):
        await drain(reading)
    assert build_response(reading.message, ()).answer == "This is the beginning of an answer"


async def test_a_gateway_that_gives_up_is_a_timeout(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(status=504)]

    with pytest.raises(ModelTimeout):
        await drain(read(reader_for(ollama)))


@pytest.mark.parametrize(
    "fault",
    [
        {"reset_after": 1},
        {"error_after": 1},
        {"ends_without_done": True},
        {"error_after": 0},
    ],
)
async def test_a_stream_that_breaks_off_is_unavailable_whatever_it_said(
    ollama: FakeOllama, fault: dict[str, Any]
) -> None:
    ollama.answers = [Answer(pieces=["Refunds take five days and then ", "some"], **fault)]
    reading = read(reader_for(ollama))

    with pytest.raises(ModelUnavailable):
        await drain(reading)
    said = build_response(reading.message, ()).answer
    assert "Refunds take five days and then some".startswith(said)


async def test_an_answer_of_nothing_is_empty_and_no_fault(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(pieces=[])]
    reading = read(reader_for(ollama))

    assert await drain(reading) == []
    assert build_response(reading.message, ()).answer == ""


async def test_a_server_that_only_loaded_the_model_said_nothing(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(pieces=[], done_reason="load")]
    reading = read(reader_for(ollama))

    assert await drain(reading) == []
    assert reading.message is None
    assert build_response(reading.message, ()).answer == ""


async def test_reasoning_in_its_own_field_never_reaches_the_text(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(thinking=["The user wants ", "to know."], pieces=["Five days [1]."])]
    reading = read(reader_for(ollama))

    assert "".join(await drain(reading)) == "Five days [1]."
    assert build_response(reading.message, ()).answer == "Five days [1]."


@pytest.mark.parametrize(
    "pieces",
    [
        ["<think>The user", " asks.</th", "ink>\n\nFive days [1]."],
        ["<", "thi", "nk>", "x</think>Five days [1]."],
        ["Okay, the user asks. Source 1 says so.", "</thi", "nk>\n\nFive ", "days [1]."],
        ["Okay, the user asks about it.</think>Five days [1]."],
    ],
)
async def test_reasoning_in_the_text_never_reaches_it(ollama: FakeOllama, pieces: list[str]) -> None:
    ollama.answers = [Answer(pieces=pieces)]
    reading = read(reader_for(ollama))

    assert "".join(await drain(reading)) == "Five days [1]."
    assert build_response(reading.message, ()).answer == "Five days [1]."


@pytest.mark.parametrize(
    ("pieces", "count"),
    [(["<think>x</think>Five days."], 1), (["Okay, I see.</think>Five"], 1), (["Five."], 0)],
)
async def test_reasoning_that_was_taken_out_is_counted(
    ollama: FakeOllama, pieces: list[str], count: int
) -> None:
    def counted() -> float:
        return REGISTRY.get_sample_value("footnote_sanitized_total", {"kind": "reasoning"}) or 0.0

    before = counted()
    ollama.answers = [Answer(pieces=pieces)]
    with trace.collect() as events:
        await drain(read(reader_for(ollama)))

    assert counted() == before + count
    assert sum(event["event"] == "generation.reasoning_removed" for event in events) == count


async def test_a_model_that_once_reasoned_aloud_is_held_from_the_start(ollama: FakeOllama) -> None:
    aloud = "Refunds are mentioned in source one, which says five days. </think>"
    ollama.answers = [Answer(pieces=[aloud[:40], aloud[40:], "Five days [1]."])]
    reader = reader_for(ollama)
    first = read(reader)
    shown = "".join(await drain(first))
    again = read(reader)

    assert "Refunds" in shown
    assert build_response(first.message, ()).answer == "Five days [1]."
    assert "".join(await drain(again)) == "Five days [1]."


async def test_closing_an_answer_stops_the_server_and_frees_the_slot(ollama: FakeOllama) -> None:
    step = asyncio.Semaphore(1)
    ollama.answers = [
        Answer(pieces=["A beginning of an answer that is long ", "x", "y"], step=step),
        Answer(),
    ]
    reader = reader_for(ollama)
    pieces = cast("AsyncGenerator[str, None]", aiter(read(reader)))

    async with aclosing(pieces):
        assert await anext(pieces)
    await ollama.until(hung_up=1)

    assert "".join(await drain(read(reader))) == "Refunds take five days [1]."


async def test_cancelling_the_asker_stops_the_server_and_frees_the_slot(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(gate=asyncio.Event()), Answer()]
    reader = reader_for(ollama)
    asking = asyncio.create_task(drain(read(reader)))
    await ollama.until(running=1)

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await ollama.until(hung_up=1)

    assert "".join(await drain(read(reader))) == "Refunds take five days [1]."


async def test_callers_wait_their_turn_and_are_told_their_place(ollama: FakeOllama) -> None:
    gate = asyncio.Event()
    ollama.answers = [Answer(gate=gate)]
    reader = reader_for(ollama)
    places: list[list[int]] = [[], [], []]

    async def ask(number: int) -> str:
        reading = reader.read("How long?", [source()], "", waiting=places[number].append)
        return "".join([piece async for piece in reading])

    asking = [asyncio.create_task(ask(number)) for number in range(3)]
    await ollama.until(running=1)
    gate.set()

    assert await asyncio.gather(*asking) == ["Refunds take five days [1]."] * 3
    assert places == [[], [1], [2, 1]]
    assert ollama.most_running == 1


async def test_what_does_not_fit_is_left_out_before_the_server_can_cut_it(ollama: FakeOllama) -> None:
    sources = [
        source(str(number), f"Paragraph {number}. " + "Some words about refunds. " * 60)
        for number in range(1, 9)
    ]
    with trace.collect() as events:
        reading = read(reader_for(ollama, num_ctx=2048, num_predict=256), *sources)
        await drain(reading)

    human = ollama.chats()[0]["messages"][1]["content"]
    assert "Paragraph 1." in human
    assert "Paragraph 8." not in human
    assert ollama.prompts[0][:3] == ["You", "answer", "questi"]
    assert reading.message is not None
    budget = next(event for event in events if event["event"] == "generation.budget")
    assert budget["dropped"] >= 4
    assert build_response(reading.message, ()).degraded == (DROPPED,)


async def test_a_server_that_cuts_the_prompt_silently_is_found_out(ollama: FakeOllama) -> None:
    ollama.chat_models["llama3.2"] = 512
    sources = [
        source(str(number), "Some words about refunds and other matters. " * 40) for number in range(1, 5)
    ]
    with trace.collect() as events:
        reading = read(reader_for(ollama, num_ctx=8192), *sources)
        await drain(reading)

    assert ollama.prompts[0][:3] != ["You", "answer", "questi"]
    assert build_response(reading.message, ()).degraded == (TRUNCATED,)
    assert {"event": "generation.degraded", "code": TRUNCATED} in events


async def test_nothing_people_wrote_is_traced(ollama: FakeOllama) -> None:
    with trace.collect() as events:
        await drain(read(reader_for(ollama), question="A secret question?", summary="A secret memory."))

    assert events
    assert "secret" not in str(events)
    assert "Refunds" not in str(events)


async def test_a_summary_is_written_behind_the_answers(ollama: FakeOllama) -> None:
    ollama.answers = [Answer(pieces=["<think>x</think>They asked about refunds."])]
    choice = choice_for(ollama)
    server = choice.server("chat")
    limits = Limits(num_ctx=8192, num_predict=512, first_token_s=5, total_s=5)
    summarizer = ModelSummarizer(
        chat_model(choice, server, num_predict=99), server, limits=limits, limiter=Limiter()
    )

    text, usage = await summarizer.summarize("Earlier.", "How long?", "Five days [1].")

    assert text == "They asked about refunds."
    assert usage is not None
    (body,) = ollama.chats()
    assert body["options"] == {"num_ctx": 8192, "num_predict": 99}
    assert "[1]" not in body["messages"][1]["content"]


async def test_ollama_s_own_environment_keys_go_nowhere(
    ollama: FakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "from-the-environment")
    await drain(read(reader_for(ollama)))
    await drain(read(reader_for(ollama, api_key="chosen")))

    first, second = (request.headers for request in ollama.requests)
    assert "Authorization" not in first
    assert second["Authorization"] == "Bearer chosen"
