from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pipeline.ask import SEARCHES_AT_ONCE, Pipeline
from pipeline.catalog import Holdings
from pipeline.conversation import Question, Reason, Summary
from pipeline.domain import Filters, Retrieval, Scope
from pipeline.lookup import Found
from pipeline.memory import ThreadMemory
from pipeline.verification.attribution import Attributor
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedEmbedder, ScriptedReader

if TYPE_CHECKING:
    from pipeline.conversation import GenerationResponse, Memory

SCOPE = Scope("terminal", "local", "test")


class NoMemory(ThreadMemory):
    """Remembers nothing of any thread."""

    def __init__(self) -> None:
        """Need no database."""

    async def recall(self, question: Question) -> Summary:
        return Summary()

    async def remember(self, question: Question, response: GenerationResponse) -> Memory | None:
        return None


class Crowded:
    """A search that finds nothing, and counts how many are at it together."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.present = 0
        self.most = 0
        self.asked = 0

    async def __call__(self, question: Question, summary: str) -> Found:
        self.asked += 1
        self.present += 1
        self.most = max(self.most, self.present)
        try:
            await self._clock.sleep(1)
        finally:
            self.present -= 1
        return Found(retrieval=Retrieval(ranked=()), sufficient=False, summary="")


async def holdings(scope: Scope, filters: Filters) -> Holdings:
    return Holdings(ready=1, pending=0, failed=0)


def pipeline_of(search: Crowded, clock: FakeClock) -> Pipeline:
    return Pipeline(
        holdings=holdings,
        search=search,
        reader=ScriptedReader("Five days [1]."),
        attributor=Attributor(ScriptedEmbedder(), str.split),
        memory=NoMemory(),
        clock=clock.monotonic,
        sleep=clock.sleep,
    )


async def test_a_crowd_is_searched_for_a_few_at_a_time_and_nobody_is_left_out() -> None:
    clock = FakeClock()
    search = Crowded(clock)
    pipeline = pipeline_of(search, clock)
    responses = await asyncio.gather(
        *(
            pipeline.ask(Question(text=f"How long does part {number} take?", scope=SCOPE))
            for number in range(50)
        )
    )

    assert (search.asked, search.most) == (50, SEARCHES_AT_ONCE)
    assert {response.reason for response in responses} == {Reason.NO_RELEVANT_CONTEXT}


async def test_a_question_that_is_stopped_makes_room_for_the_next() -> None:
    clock = FakeClock()
    search = Crowded(clock)
    pipeline = pipeline_of(search, clock)
    stopped = [
        pipeline.ask_stream(Question(text="How long does it take?", scope=SCOPE))
        for _ in range(2 * SEARCHES_AT_ONCE)
    ]
    for stream in stopped:
        await stream.aclose()
    response = await pipeline.ask(Question(text="How long does it take?", scope=SCOPE))

    assert response.reason is Reason.NO_RELEVANT_CONTEXT
    assert {stream.response.reason for stream in stopped} == {Reason.CANCELLED}
