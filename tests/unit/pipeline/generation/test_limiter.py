"""Who may use a model server next."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.generation.limiter import BRIEF_BESIDE, Limiter, Limiters, Priority


class Caller:
    """Holds a slot until told to leave."""

    def __init__(self, limiter: Limiter, name: str, order: list[str], priority: Priority) -> None:
        self.places: list[int] = []
        self.leave = asyncio.Event()
        self.entered = asyncio.Event()
        self._limiter, self._name, self._order, self._priority = limiter, name, order, priority
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with self._limiter.slot(self._priority, waiting=self.places.append):
            self._order.append(self._name)
            self.entered.set()
            await self.leave.wait()

    async def finish(self) -> None:
        self.leave.set()
        await self.task

    async def cancel(self) -> None:
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_answers_go_before_background_work_and_each_in_order() -> None:
    limiter, order = Limiter(), list[str]()
    first = Caller(limiter, "first", order, Priority.ANSWER)
    await first.entered.wait()
    others = []
    for name, priority in [
        ("s1", Priority.BACKGROUND),
        ("s2", Priority.BACKGROUND),
        ("a1", Priority.ANSWER),
        ("a2", Priority.ANSWER),
    ]:
        others.append(Caller(limiter, name, order, priority))
        await settle()

    for caller in [first, *others]:
        caller.leave.set()
    await asyncio.gather(*(caller.task for caller in [first, *others]))

    assert order == ["first", "a1", "a2", "s1", "s2"]


async def test_callers_are_told_their_place_whenever_it_changes() -> None:
    limiter, order = Limiter(), list[str]()
    first = Caller(limiter, "first", order, Priority.ANSWER)
    await first.entered.wait()
    summary = Caller(limiter, "summary", order, Priority.BACKGROUND)
    await settle()
    answer = Caller(limiter, "answer", order, Priority.ANSWER)
    await settle()
    late = Caller(limiter, "late", order, Priority.ANSWER)
    await settle()
    await answer.cancel()

    assert first.places == []
    assert summary.places == [1, 2, 3, 2]
    assert answer.places == [1]
    assert late.places == [2, 1]
    for caller in (first, late, summary):
        await caller.finish()


async def test_so_many_run_at_a_time() -> None:
    limiter, order = Limiter(2), list[str]()
    callers = [Caller(limiter, str(number), order, Priority.ANSWER) for number in range(3)]
    await settle()

    assert order == ["0", "1"]
    for caller in callers:
        await caller.finish()


async def test_what_is_over_in_a_moment_is_let_through_beside_a_full_house_one_at_a_time() -> None:
    limiter, order = Limiter(), list[str]()
    answer = Caller(limiter, "answer", order, Priority.ANSWER)
    waiting = Caller(limiter, "waiting", order, Priority.ANSWER)
    await settle()
    first = Caller(limiter, "first", order, Priority.BRIEF)
    second = Caller(limiter, "second", order, Priority.BRIEF)
    await settle()

    assert order == ["answer", "first"]
    await first.finish()
    await settle()
    assert order == ["answer", "first", "second"]
    for caller in (second, answer, waiting):
        await caller.finish()
    assert order[-1] == "waiting"


async def test_a_caller_cancelled_while_it_waits_leaves_the_queue() -> None:
    limiter, order = Limiter(), list[str]()
    first = Caller(limiter, "first", order, Priority.ANSWER)
    await first.entered.wait()
    second = Caller(limiter, "second", order, Priority.ANSWER)
    third = Caller(limiter, "third", order, Priority.ANSWER)
    await settle()

    await second.cancel()
    await first.finish()
    await third.finish()

    assert order == ["first", "third"]


async def test_a_caller_cancelled_between_grant_and_delivery_passes_the_slot_on() -> None:
    limiter, order = Limiter(), list[str]()
    first = Caller(limiter, "first", order, Priority.ANSWER)
    await first.entered.wait()
    second = Caller(limiter, "second", order, Priority.ANSWER)
    third = Caller(limiter, "third", order, Priority.ANSWER)
    await settle()

    first.leave.set()
    await asyncio.sleep(0)  # first has left and granted, second has not run yet
    await second.cancel()
    await third.finish()

    assert order == ["first", "third"]


async def test_an_error_inside_frees_the_slot() -> None:
    limiter = Limiter()
    with pytest.raises(RuntimeError):
        async with limiter.slot(Priority.ANSWER):
            raise RuntimeError

    async with limiter.slot(Priority.ANSWER):
        pass


def test_a_limiter_outlives_the_loop_that_used_it() -> None:
    limiter = Limiter()

    async def use() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(hold(limiter))

    asyncio.run(use())
    asyncio.run(use())


async def hold(limiter: Limiter) -> None:
    async with limiter.slot(Priority.ANSWER):
        await asyncio.sleep(0)


@given(
    st.lists(st.tuples(st.sampled_from(Priority), st.booleans(), st.integers(0, 3)), max_size=12),
    st.integers(1, 3),
)
def test_no_slot_is_ever_lost(plans: list[tuple[Priority, bool, int]], concurrency: int) -> None:
    async def run() -> None:
        limiter = Limiter(concurrency)
        running = 0

        async def work(priority: Priority, turns: int) -> None:
            nonlocal running
            async with limiter.slot(priority):
                running += 1
                assert running <= concurrency + BRIEF_BESIDE
                for _ in range(turns):
                    await asyncio.sleep(0)
                running -= 1

        tasks = []
        for priority, cancelled, turns in plans:
            task = asyncio.create_task(work(priority, 0 if cancelled else turns))
            tasks.append(task)
            await asyncio.sleep(0)
            if cancelled:
                task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert not any(isinstance(result, AssertionError) for result in results)
        for _ in range(concurrency):
            await asyncio.wait_for(limiter.slot(Priority.ANSWER).__aenter__(), 1)

    asyncio.run(run())


def test_one_limiter_for_each_server() -> None:
    limiters = Limiters(2)

    assert limiters.of("http://a/") is limiters.of("http://a")
    assert limiters.of("http://a") is not limiters.of("http://b")


def test_a_limiter_lets_somebody_through() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Limiter(0)


async def test_a_waiter_that_is_cancelled_while_the_holder_leaves_does_not_disturb_the_holder() -> None:
    limiter = Limiter(1)
    leave = asyncio.Event()

    async def hold() -> str:
        async with limiter.slot(Priority.ANSWER):
            await leave.wait()
        return "answered"

    holder = asyncio.create_task(hold())
    await asyncio.sleep(0)
    waiters = [asyncio.create_task(hold()) for _ in range(2)]
    await asyncio.sleep(0)
    leave.set()
    waiters[0].cancel()

    assert await holder == "answered"
    assert await waiters[1] == "answered"
    assert waiters[0].cancelled()
