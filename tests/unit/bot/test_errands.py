from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from bot.errands import Errands

if TYPE_CHECKING:
    import pytest


async def test_only_so_many_run_at_the_same_time_and_the_others_wait_in_order() -> None:
    errands, gate, began = Errands(at_once=2), asyncio.Event(), list[int]()

    async def work(number: int) -> None:
        began.append(number)
        await gate.wait()

    for number in range(5):
        errands.start(work(number), name="work")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (began, len(errands)) == ([0, 1], 5)

    gate.set()
    await errands.settled()
    assert (began, len(errands)) == ([0, 1, 2, 3, 4], 0)


async def test_one_that_fails_is_logged_without_its_text_and_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    errands, done = Errands(), list[str]()

    async def fail() -> None:
        raise ValueError("somebody's secret")

    async def work() -> None:
        done.append("work")

    caplog.set_level(logging.INFO)
    errands.start(fail(), name="failing")
    errands.start(work(), name="working")
    await errands.settled()

    assert done == ["work"]
    assert "'failing' failed: ValueError" in caplog.text
    assert "secret" not in caplog.text


async def test_to_stop_breaks_off_what_runs_and_what_waits() -> None:
    errands, ended = Errands(at_once=1), list[str]()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    errands.start(work(), name="running")
    errands.start(work(), name="waiting")
    await asyncio.sleep(0)
    await errands.stop()

    assert (ended, len(errands)) == (["ended"], 0)
