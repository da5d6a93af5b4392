"""The server's end of the sockets over which the bot hears of everything."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from tests.fakes.discord.describing import joined_guild
from tests.fakes.discord.sessions import GUILDS, KNOWN, PRIVILEGED, Connection, Identify, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.fakes.discord.state import State
    from tests.fakes.discord.world import Guild

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, RESUME, RECONNECT, REQUEST_MEMBERS, INVALID, HELLO, ACK = (
    0, 1, 2, 3, 6, 7, 8, 9, 10, 11,
)  # fmt: skip
NOT_IDENTIFIED, BAD_TOKEN, TWICE, BAD_SEQUENCE, BAD_SHARD, BAD_INTENTS, DISALLOWED = (
    4003, 4004, 4005, 4007, 4010, 4013, 4014,
)  # fmt: skip
LEFT_FOR_GOOD = frozenset({1000, 1001})


class Gateway:
    """Sessions, and what may go wrong with them."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.sessions: dict[str, Session] = {}
        self.connections: list[Connection] = []
        self.identifies: list[Identify] = []
        self.resumes = 0
        self.frames: list[dict[str, Any]] = []
        """Everything that the bot sent."""
        self.accepting = True
        self.turned_away = 0
        self.shards = 1
        """How many are recommended."""
        self.starts_left = 1000
        self.heartbeat_seconds = 41.25
        self.acknowledging = True
        """Whether heartbeats are answered."""
        self.compressing = True
        self.copies = 1
        """How often each event is told."""
        self.rewind = 0
        """So many events that have arrived already are told again after a resume."""
        self.refused_resumes = 0
        """So many resumes to come are answered by “invalid session”."""
        self.lost: list[str] = []
        """The names of events that never arrived."""
        self.hidden: set[int] = set()
        """Guilds that a new session is not told of, although the bot is in them."""
        self._losing: list[tuple[str | None, int]] = []
        self._changed = asyncio.Condition()

    async def ready(self, number: int = 1, *, identified: int = 0, resumed: int = 0) -> None:
        """Wait until so many sessions are connected, and so often one began or was resumed over time."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: (
                    len(self.live()) >= number
                    and len(self.identifies) >= identified
                    and self.resumes >= resumed
                )
            )

    async def gone(self) -> None:
        """Wait until nobody is connected any more."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self.connections)

    def live(self) -> list[Session]:
        """Return the sessions with somebody at the other end."""
        return [one for one in self.sessions.values() if one.connection is not None]

    def lose(self, number: int = 1, event: str | None = None) -> None:
        """Let the next events (of one name) be told to nobody, and not be replayed either."""
        self._losing.append((event, number))

    def tell(self, name: str, data: Callable[[Session], dict[str, Any] | None]) -> None:
        """Tell each session of an event, as far as it may hear of it."""
        if self._loses(name):
            self.lost.append(name)
            return
        for session in list(self.sessions.values()):
            said = data(session)
            for _ in range(self.copies if said is not None else 0):
                session.push(name, said)

    async def settled(self) -> None:
        """Wait until everything told so far is on its way."""
        for connection in list(self.connections):
            await connection.outbox.join()

    def reconnect(self) -> None:
        """Ask the bot to connect anew, as Discord does before it restarts a machine."""
        for connection in self.connections:
            connection.send({"op": RECONNECT, "d": None})

    def invalidate(self, *, resumable: bool = False) -> None:
        """End every session; a resumable one only in appearance."""
        for connection in self.connections:
            if not resumable and connection.session is not None:
                self._end(connection.session)
            connection.send({"op": INVALID, "d": resumable})

    def close(self, code: int = 4000) -> None:
        """Close every connection with a code."""
        for connection in self.connections:
            connection.send(code)

    def drop(self) -> None:
        """Break every connection without a word; its session waits to be resumed."""
        for connection in list(self.connections):
            if connection.session is not None:
                connection.session.connection = None
            if connection.request.transport is not None:
                connection.request.transport.abort()

    def forget(self) -> None:
        """Forget every session, as after an hour of silence."""
        for session in list(self.sessions.values()):
            self._end(session)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Talk to the bot until one of the two leaves."""
        if not self.accepting:
            self.turned_away += 1
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        compress = self.compressing and request.query.get("compress") == "zlib-stream"
        connection = Connection(socket=socket, request=request, compress=compress)
        self.connections.append(connection)
        writer = asyncio.get_running_loop().create_task(connection.write())
        try:
            connection.send({"op": HELLO, "d": {"heartbeat_interval": int(self.heartbeat_seconds * 1000)}})
            await self._listen(connection)
        finally:
            writer.cancel()
            connection.forget()
            await self._left(connection)
        return socket

    async def stop(self) -> None:
        for connection in list(self.connections):
            await connection.socket.close(code=1001)

    async def _listen(self, connection: Connection) -> None:
        async for message in connection.socket:
            if message.type == WSMsgType.TEXT:
                frame = json.loads(message.data)
                self.frames.append(frame)
                self._heard(connection, frame)
                await self._notify()

    async def _left(self, connection: Connection) -> None:
        self.connections.remove(connection)
        session = connection.session
        if session is not None and session.connection is connection:
            session.connection = None
        if (
            session is not None
            and connection.socket.close_code in LEFT_FOR_GOOD
            and not connection.closed_here
        ):
            self._end(session)
        await self._notify()

    def _heard(self, connection: Connection, frame: dict[str, Any]) -> None:
        operation, data = frame["op"], frame.get("d") or {}
        if operation == HEARTBEAT:
            if self.acknowledging:
                connection.send({"op": ACK})
        elif operation == IDENTIFY:
            self._identified(connection, data)
        elif operation == RESUME:
            self._resumed(connection, data)
        elif connection.session is None:
            connection.send(NOT_IDENTIFIED)
        elif operation == REQUEST_MEMBERS:
            self._members(connection.session, data)

    def _identified(self, connection: Connection, data: dict[str, Any]) -> None:
        number, shards = data.get("shard") or (0, 1)
        asked = Identify(
            intents=data["intents"], shard=number, shards=shards, at=self._state.clock(), data=data
        )
        self.identifies.append(asked)
        refusal = self._refusal(connection, asked)
        if refusal is not None:
            connection.send(refusal)
            return
        session = Session(id=f"session-{self._state.number()}", asked=asked)
        self.sessions[session.id] = session
        session.attach(connection)
        guilds = list(self._guilds(session))
        session.push("READY", self._hello(session, guilds))
        for guild in guilds:
            if guild.available and session.intents & GUILDS:
                session.push("GUILD_CREATE", joined_guild(self._state, guild))

    def _refusal(self, connection: Connection, asked: Identify) -> int | None:
        if asked.data.get("token") != self._state.token:
            return BAD_TOKEN
        if connection.session is not None:
            return TWICE
        if not 0 <= asked.shard < asked.shards:
            return BAD_SHARD
        if asked.intents & ~KNOWN:
            return BAD_INTENTS
        return DISALLOWED if asked.intents & PRIVILEGED & ~self._state.privileged else None

    def _guilds(self, session: Session) -> Iterator[Guild]:
        for guild in self._state.guilds.values():
            hidden = guild.id in self.hidden
            if self._state.application in guild.members and session.hears(guild.id) and not hidden:
                yield guild

    def _hello(self, session: Session, guilds: list[Guild]) -> dict[str, Any]:
        application = {"id": str(self._state.application), "flags": application_flags(self._state)}
        return {
            "v": 10,
            "user": self._state.bot.described(),
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self._state.gateway_url,
            "session_type": "normal",
            "shard": [session.asked.shard, session.asked.shards],
            "application": application,
        }

    def _resumed(self, connection: Connection, data: dict[str, Any]) -> None:
        session = self.sessions.get(data["session_id"])
        if data.get("token") != self._state.token:
            connection.send(BAD_TOKEN)
        elif session is None or self.refused_resumes:
            self.refused_resumes = max(0, self.refused_resumes - 1)
            connection.send({"op": INVALID, "d": False})
        elif data["seq"] is None or data["seq"] > session.sequence:
            connection.send(BAD_SEQUENCE)
        else:
            session.attach(connection)
            session.replay(max(0, data["seq"] - self.rewind))
            self.resumes += 1
            session.push("RESUMED", {"_trace": []})

    def _members(self, session: Session, data: dict[str, Any]) -> None:
        guild = self._state.guilds.get(int(data["guild_id"]))
        if guild is None:
            return
        named = data.get("user_ids")
        wanted = {int(one) for one in ([named] if isinstance(named, str | int) else named or [])}
        found = [
            one
            for one in guild.members.values()
            if (one.user.id in wanted if wanted else one.user.name.startswith(data.get("query") or ""))
        ]
        chunk = {
            "guild_id": str(guild.id),
            "members": [one.described() for one in found],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [str(one) for one in wanted - {member.user.id for member in found}],
        }
        session.push("GUILD_MEMBERS_CHUNK", chunk | ({"nonce": data["nonce"]} if data.get("nonce") else {}))

    def _loses(self, name: str) -> bool:
        for index, (event, left) in enumerate(self._losing):
            if event in {None, name}:
                self._losing[index] = (event, left - 1)
                if left == 1:
                    del self._losing[index]
                return True
        return False

    def _end(self, session: Session) -> None:
        self.sessions.pop(session.id, None)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def application_flags(state: State) -> int:
    """Return which privileged intents are switched on, the way applications of few servers are told."""
    limited = {1 << 8: 1 << 13, 1 << 1: 1 << 15, 1 << 15: 1 << 19}
    return sum(flag for intent, flag in limited.items() if state.privileged & intent)
