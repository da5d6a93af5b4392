"""Looking again for what was not there."""

from __future__ import annotations

import asyncio

from pipeline.errors import ModelError, ModelMisconfigured
from pipeline.generation.lookout import EVERY_S, Lookout
from tests.fakes.clock import FakeClock
from tests.fakes.waiting import until


class Sea:
    """Something that comes into sight one day."""

    def __init__(self) -> None:
        self.ship: str | None = None
        self.looks = 0
        self.fog = asyncio.Event()
        self.fog.set()
        self.error: ModelError | None = None

    async def look(self) -> str | None:
        self.looks += 1
        await self.fog.wait()
        if self.error is not None:
            raise self.error
        return self.ship


async def test_what_was_found_is_kept_and_not_looked_for_again() -> None:
    sea, clock = Sea(), FakeClock()
    lookout = Lookout(sea.look, found="ship", clock=clock.monotonic)
    clock.advance(10 * EVERY_S)

    assert lookout.now() == "ship"
    await asyncio.sleep(0)
    assert sea.looks == 0


async def test_what_is_missing_is_looked_for_about_once_a_minute_and_nobody_waits_for_it() -> None:
    sea, clock = Sea(), FakeClock()
    sea.fog.clear()
    sea.ship = "ship"
    lookout = Lookout(sea.look, clock=clock.monotonic)

    assert lookout.now() is None
    await asyncio.sleep(0)
    assert sea.looks == 0

    clock.advance(EVERY_S)
    assert [lookout.now(), lookout.now()] == [None, None]
    await until(lambda: sea.looks)
    clock.advance(EVERY_S)
    assert lookout.now() is None
    assert sea.looks == 1, "one look at a time"

    sea.fog.set()
    await until(lambda: lookout.now())
    assert sea.looks == 1


async def test_a_look_that_fails_is_repeated_later() -> None:
    sea, clock = Sea(), FakeClock()
    sea.error = ModelMisconfigured("no")
    lookout = Lookout(sea.look, clock=clock.monotonic)
    clock.advance(EVERY_S)
    lookout.now()
    await until(lambda: sea.looks)
    sea.error, sea.ship = None, "ship"

    clock.advance(EVERY_S / 2)
    assert lookout.now() is None
    clock.advance(EVERY_S / 2)
    await until(lambda: lookout.now())
