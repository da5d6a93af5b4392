from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pipeline.conversation import Delta, GenerationResponse, Memory, Progress, Reason, Stage
from pipeline.delivery import StreamedAnswer
from pipeline.observability import trace

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


ANSWER = GenerationResponse(success=True, answer="Five days.")


STOPPED = GenerationResponse(success=False, reason=Reason.CANCELLED, answer="Fi")


async def remember(response: GenerationResponse) -> Memory | None:
    return Memory(summary=response.answer, accepted=True)


def streamed(
    run: Callable[[Callable[[Progress | Delta], None]], Coroutine[None, None, GenerationResponse]],
) -> StreamedAnswer:
    return StreamedAnswer(run, stopped=lambda: STOPPED, remember=remember)


async def test_stages_and_text_arrive_in_order_and_then_the_outcome() -> None:
    async def run(emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        emit(Progress(Stage.SEARCHING))
        await asyncio.sleep(0)
        emit(Delta("Five "))
        emit(Delta("days."))
        return ANSWER

    stream = streamed(run)
    events = [event async for event in stream]

    assert events == [Progress(Stage.SEARCHING), Delta("Five "), Delta("days.")]
    assert stream.response is ANSWER
    assert await stream.remember() == Memory(summary="Five days.", accepted=True)


async def test_a_rejected_request_is_a_stream_without_text() -> None:
    async def run(emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        return GenerationResponse(success=False, reason=Reason.EMPTY_QUERY)

    stream = streamed(run)

    assert [event async for event in stream] == []
    assert stream.response.reason is Reason.EMPTY_QUERY


async def test_the_outcome_is_not_to_be_had_before_the_end() -> None:
    async def run(emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        await asyncio.Event().wait()
        return ANSWER

    stream = streamed(run)
    with pytest.raises(RuntimeError, match="not drained"):
        _ = stream.response
    await stream.aclose()


@pytest.mark.parametrize("started", [False, True])
async def test_closing_ends_the_stream_as_cancelled(started: bool) -> None:
    async def run(emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        emit(Delta("Fi"))
        await asyncio.Event().wait()
        return ANSWER

    stream = streamed(run)
    if started:
        await asyncio.sleep(0)
    await stream.aclose()

    assert [event async for event in stream] == [Delta("Fi")] * started
    assert stream.response is STOPPED


async def test_closing_a_finished_stream_keeps_its_outcome() -> None:
    async def run(emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        return ANSWER

    stream = streamed(run)
    _ = [event async for event in stream]
    await stream.aclose()

    assert stream.response is ANSWER


async def test_two_streams_do_not_see_each_others_trace() -> None:
    async def run(emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        with trace.collect() as events:
            trace.record("begun")
            await asyncio.sleep(0)
            trace.record("ended")
        return GenerationResponse(success=True, trace=tuple(events))

    streams = [streamed(run) for _ in range(3)]
    for stream in streams:
        _ = [event async for event in stream]

    assert [[e["event"] for e in s.response.trace] for s in streams] == [["begun", "ended"]] * 3
