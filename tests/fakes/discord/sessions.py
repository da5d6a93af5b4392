"""A session of the bot, and the connection that carries it for a while."""

from __future__ import annotations

import asyncio
import contextlib
import json
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiohttp import web

GUILDS, MEMBERS, PRESENCES, MESSAGES, REACTIONS, DIRECTS, DIRECT_REACTIONS, CONTENT = (
    1 << bit for bit in (0, 1, 8, 9, 10, 12, 13, 15)
)
KNOWN = (1 << 26) - 1
PRIVILEGED = MEMBERS | PRESENCES | CONTENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Identify:
    """How a session was asked for."""

    intents: int
    shard: int
    shards: int
    at: float
    data: dict[str, Any]


@dataclass(slots=True, eq=False)
class Connection:
    """One open socket; what is sent leaves in order."""

    socket: web.WebSocketResponse
    request: web.Request
    compress: bool
    session: Session | None = None
    closed_here: bool = False
    outbox: asyncio.Queue[str | int] = field(default_factory=asyncio.Queue)

    def send(self, said: dict[str, Any] | str | int) -> None:
        """Put a frame in the queue, or the code to close with."""
        self.outbox.put_nowait(json.dumps(said) if isinstance(said, dict) else said)

    async def write(self) -> None:
        """Send what is in the queue."""
        deflate = zlib.compressobj() if self.compress else None
        while True:
            said = await self.outbox.get()
            try:
                # whoever left will resume and hear it then
                with contextlib.suppress(ConnectionError, RuntimeError):
                    await self._write(said, deflate)
            finally:
                self.outbox.task_done()

    async def _write(self, said: str | int, deflate: Any) -> None:
        if isinstance(said, int):
            self.closed_here = True
            await self.socket.close(code=said)
        elif deflate is None:
            await self.socket.send_str(said)
        else:
            await self.socket.send_bytes(deflate.compress(said.encode()) + deflate.flush(zlib.Z_SYNC_FLUSH))

    def forget(self) -> None:
        """Give up what is still in the queue."""
        while not self.outbox.empty():
            self.outbox.get_nowait()
            self.outbox.task_done()


@dataclass(slots=True, eq=False, kw_only=True)
class Session:
    """What the bot is told, with numbers, whether somebody listens or not."""

    id: str
    asked: Identify
    connection: Connection | None = None
    told: list[tuple[str, str]] = field(default_factory=list)
    """The name and the whole frame of every event; the first has the number 1."""

    @property
    def intents(self) -> int:
        return self.asked.intents

    @property
    def sequence(self) -> int:
        return len(self.told)

    @property
    def names(self) -> list[str]:
        """The names of the events so far."""
        return [name for name, _ in self.told]

    def hears(self, guild: int | None) -> bool:
        """Say whether *guild* belongs to this shard; direct conversations belong to the first."""
        return (0 if guild is None else (guild >> 22) % self.asked.shards) == self.asked.shard

    def attach(self, connection: Connection) -> None:
        if self.connection is not None:
            self.connection.send(4000)
        self.connection, connection.session = connection, self

    def push(self, name: str, data: Any) -> None:
        """Tell an event now, or as soon as somebody resumes."""
        frame = json.dumps({"op": 0, "t": name, "s": self.sequence + 1, "d": data})
        self.told.append((name, frame))
        if self.connection is not None:
            self.connection.send(frame)

    def replay(self, sequence: int) -> None:
        """Tell everything after the event of that number once more."""
        if self.connection is not None:
            for _, frame in self.told[sequence:]:
                self.connection.send(frame)
