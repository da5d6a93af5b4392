from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from bot.platform import BEAT_S, stay_alive
from pipeline.errors import StorageError
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.pipeline import answer
from tests.fakes.room import Room, gated
from tests.fakes.waiting import until

if TYPE_CHECKING:
    import pytest


class Nothing:
    """A part that takes nothing up."""

    resumes = False

    async def resume(self) -> None:
        raise AssertionError


async def test_a_process_shows_that_it_is_alive_as_long_as_it_is() -> None:
    clock, ledger = FakeClock(), FakeLedger()
    alive = asyncio.create_task(stay_alive(ledger, [Nothing()], clock))

    await until(lambda: ledger.renewed == 10)

    assert set(clock.slept) == {BEAT_S}
    alive.cancel()
    await asyncio.gather(alive, return_exceptions=True)


async def test_a_ledger_that_is_away_for_a_while_is_told_of_life_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock, ledger = FakeClock(), FakeLedger()
    ledger.error = StorageError()
    with caplog.at_level(logging.WARNING):
        alive = asyncio.create_task(stay_alive(ledger, [Nothing()], clock))
        await until(lambda: len(clock.slept) > 3)

    ledger.error = None
    await until(lambda: ledger.renewed)

    assert "StorageError" in caplog.text
    alive.cancel()
    await asyncio.gather(alive, return_exceptions=True)


async def test_what_a_replica_leaves_is_answered_by_one_that_resumes() -> None:
    here = Room(gated("Never."))
    there = Room(answer("Answer."), chat=here.chat, ledger=here.ledger.other("two"))
    await there.conversation.resume()
    alive = asyncio.create_task(stay_alive(there.ledger, [there.conversation], there.clock))
    here.say("a")
    await here.until("_")

    await here.crash()
    await until(lambda: there.chat.texts() == ["Answer."])

    alive.cancel()
    await asyncio.gather(alive, return_exceptions=True)
    await there.settled()
