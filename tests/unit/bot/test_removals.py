from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from bot.incoming import ChannelLost, FileDeleted, FileRemoved, WorkspaceLost
from bot.removals import ATTEMPTS, GRACE, Removals
from pipeline.domain import Scope
from pipeline.errors import CatalogUnavailable, PipelineError, StorageError
from tests.fakes.clock import FakeClock
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from bot.incoming import Removal

SCOPE = Scope("slack", "T1", "C1")
SOURCE = "slack:T1/F1"
REMOVED = FileRemoved(event_id="e1", scope=SCOPE, source=SOURCE)


class Shelf:
    """What is asked of it, and how often it fails."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.done: list[tuple[str, ...]] = []
        self.tried = 0
        self.gate: asyncio.Event | None = None

    async def withdraw(self, scope: Scope, source: str) -> None:
        await self._do("withdraw", str(scope), source)

    async def withdraw_everywhere(self, platform: str, workspace: str, source: str) -> None:
        await self._do("withdraw everywhere", platform, workspace, source)

    async def drop(self, scope: Scope) -> None:
        await self._do("drop", str(scope))

    async def drop_workspace(self, platform: str, workspace: str) -> None:
        await self._do("drop workspace", platform, workspace)

    async def _do(self, *what: str) -> None:
        self.tried += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        self.done.append(what)


class Place:
    def __init__(self, *errors: Exception) -> None:
        self.clock = FakeClock()
        self.shelf = Shelf(*errors)
        self.removals = Removals(self.shelf, clock=self.clock)

    async def receive(self, *removals: Removal) -> None:
        for removal in removals:
            self.removals.receive(removal)
        await self.removals.settled()


async def test_everything_that_is_taken_away_is_removed_here() -> None:
    place = Place()

    await place.receive(
        REMOVED,
        FileDeleted(event_id="e2", platform="slack", workspace="T1", source=SOURCE),
        ChannelLost(event_id="e3", scope=SCOPE),
        WorkspaceLost(event_id="e4", platform="slack", workspace="T1"),
    )

    assert sorted(place.shelf.done) == [
        ("drop", "slack:T1:C1"),
        ("drop workspace", "slack", "T1"),
        ("withdraw", "slack:T1:C1", SOURCE),
        ("withdraw everywhere", "slack", "T1", SOURCE),
    ]


@pytest.mark.parametrize("error", [StorageError(), CatalogUnavailable()])
async def test_a_store_that_is_away_for_a_moment_is_waited_for(error: PipelineError) -> None:
    place = Place(error, error, error)

    await place.receive(REMOVED)

    assert place.shelf.done == [("withdraw", "slack:T1:C1", SOURCE)]
    assert place.clock.slept == [1, 2, 4]


async def test_a_removal_that_never_works_is_reported_and_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = Place(*[StorageError("postgres://secret")] * ATTEMPTS)

    await place.receive(REMOVED)
    await place.receive(REMOVED)

    assert place.shelf.tried == ATTEMPTS + 1
    assert len(place.shelf.done) == 1
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.getMessage() == "a removal failed, so something is kept: StorageError"
    assert "secret" not in caplog.text


async def test_a_fault_of_ours_is_reported_at_once(caplog: pytest.LogCaptureFixture) -> None:
    place = Place(KeyError("F1"))

    await place.receive(REMOVED)

    assert place.shelf.tried == 1
    assert "KeyError" in caplog.text


async def test_removals_do_not_wait_for_each_other() -> None:
    place = Place()
    place.shelf.gate = asyncio.Event()
    for _ in range(3):
        place.removals.receive(REMOVED)
    await until(lambda: place.shelf.tried == 3)
    place.shelf.gate.set()
    await place.removals.settled()

    assert len(place.shelf.done) == 3


async def test_stopping_lets_a_removal_end() -> None:
    place = Place()
    place.removals.receive(REMOVED)

    await place.removals.stop()

    assert len(place.shelf.done) == 1


async def test_stopping_breaks_off_what_does_not_end() -> None:
    place = Place()
    place.shelf.gate = asyncio.Event()
    place.removals.receive(REMOVED)

    await place.removals.stop()
    await place.removals.settled()

    assert place.shelf.done == []
    assert place.clock.monotonic() == GRACE
