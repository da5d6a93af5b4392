"""How far everything was heard in each channel, kept so that the next start knows what it missed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from discord.utils import time_snowflake

from adapters.discord.places import PLATFORM
from bot.ledger import Book
from pipeline.domain import Scope
from pipeline.entries import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.ledger import Ledger

KIND = "cursor"
KEPT = timedelta(days=7)
"""What is older than this is not read up: nobody waits for its answer any more."""
WEEKS = 4
"""The ledger forgets an entry a month after it was opened, so each week has one of its own."""

SKEW = timedelta(hours=1)
"""Discord's clock, which ids are made by, and ours may differ by as much."""

_EVERYWHERE = "-"
"""Stands for the channel of an entry that is about all channels."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Positions:
    """The last message that was heard in each channel and thread of a server, by their ids."""

    channels: dict[int, int] = field(default_factory=dict)
    """All that the bot sees, whether anything was ever said there or not."""
    threads: dict[int, int] = field(default_factory=dict)
    """And direct conversations. There are ever more of them, so what is silent for long is dropped."""
    until: int | None = None
    """What is younger came since; None: nothing is known of the server."""
    changed: bool = False
    """Since it was noted for the ledger."""

    def start(self, channel: int, parent: int | None = None) -> int | None:
        """Return the message after which *channel* was not heard; None: it is heard from now on.

        What had been said in a channel before the bot was let into it was not said to the bot.
        """
        known = self.channels.get(channel, self.threads.get(channel))
        if known is not None or self.until is None:
            return known
        if channel > self.until:
            return channel - 1  # a forum's thread has the id of its first message
        return 0 if parent in self.channels else None

    def note(self, channel: int, message: int, *, passing: bool) -> None:
        """Keep that everything up to *message* was heard; *passing*: in a thread or a direct conversation."""
        places = self.threads if passing else self.channels
        if message > places.get(channel, -1):
            places[channel] = message
            self.changed = True

    def drop(self, channel: int) -> None:
        """Forget a channel that is gone."""
        for places in (self.channels, self.threads):
            self.changed |= places.pop(channel, None) is not None


class Cursors:
    """The positions in all servers: in memory, and with some delay in the ledger.

    What was heard a moment ago may not be in anybody's books yet. So one `flush` notes the positions, and the
    next one writes them; whatever is written was heard at least that long ago.
    """

    def __init__(self, ledger: Ledger, clock: Callable[[], datetime] = _utc_now) -> None:
        self._book = Book(ledger, KIND)
        self._clock = clock
        self._servers: dict[str, Positions] = {}
        self._noted: dict[str, dict[str, Any]] = {}
        """What is written next."""

    @property
    def oldest(self) -> int:
        """What all messages that are worth reading up come after."""
        return time_snowflake(self._clock() - KEPT)

    def known(self, server: str) -> Positions | None:
        """Return the positions in a server, if they were read already."""
        return self._servers.get(server)

    async def of(self, server: str) -> Positions:
        """Return the positions in a server."""
        if server not in self._servers:
            kept = await self._find(server)
            # another message may have asked for it meanwhile
            self._servers.setdefault(server, kept)
        return self._servers[server]

    async def begin(self, server: str) -> None:
        """Write at once where the channels of a new server stand: nothing in them was heard before."""
        positions = self._servers[server]
        positions.changed = False
        await self._write({server: self._told(positions)})

    async def flush(self, *, at_once: bool = False) -> None:
        """Write what was noted the last time; *at_once*: what there is now as well."""
        await self._write_noted()
        for server, positions in self._servers.items():
            if positions.changed:
                positions.changed = False
                self._noted[server] = self._told(positions)
        if at_once:
            await self._write_noted()

    def forget(self, server: str) -> None:
        """Drop what is known of a server that the bot has left."""
        self._servers.pop(server, None)
        self._noted.pop(server, None)

    def _told(self, positions: Positions) -> dict[str, Any]:
        """Return how *positions* stand, for the ledger."""
        positions.until = max(positions.until or 0, time_snowflake(self._clock() - SKEW))
        oldest = self.oldest
        fresh = {thread: last for thread, last in positions.threads.items() if last > oldest}
        positions.threads = fresh
        return {
            "until": positions.until,
            "channels": {str(channel): last for channel, last in positions.channels.items()},
            "threads": {str(thread): last for thread, last in fresh.items()},
        }

    async def _write_noted(self) -> None:
        noted, self._noted = self._noted, {}
        await self._write(noted)

    async def _write(self, noted: Mapping[str, dict[str, Any]]) -> None:
        for server, payload in noted.items():
            scope, key = _scope(server), self._weeks()[0]
            saved = await self._book.save(scope, key, payload=payload)
            if saved is None:
                self._noted.setdefault(server, payload)
            elif not saved:
                entry = Entry(
                    kind=KIND, scope=scope, id=key, thread="", author="", payload=payload, state="done"
                )
                await self._book.open(entry)

    async def _find(self, server: str) -> Positions:
        for key in self._weeks():
            entry = await self._book.find(_scope(server), key)
            if entry is not None:
                kept = entry.payload
                return Positions(
                    channels=_numbers(kept["channels"]),
                    threads=_numbers(kept["threads"]),
                    until=kept["until"],
                )
        return Positions()

    def _weeks(self) -> list[str]:
        """Return the names of this week's entry and of those before it."""
        weeks = (self._clock() - timedelta(weeks=back) for back in range(WEEKS + 1))
        return [week.strftime("%G-%V") for week in weeks]


def _numbers(kept: Mapping[str, int]) -> dict[int, int]:
    return {int(channel): last for channel, last in kept.items()}


def _scope(server: str) -> Scope:
    return Scope(PLATFORM, server, _EVERYWHERE)
