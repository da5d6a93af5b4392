"""Socket Mode: the server's end of the sockets that the bot opens."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aiohttp import WSMsgType, web

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.slack.deliveries import Deliverer, Delivery

MOST = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Connection:
    """One open socket."""

    socket: web.WebSocketResponse
    request: web.Request

    @property
    def alive(self) -> bool:
        transport = self.request.transport
        return not self.socket.closed and transport is not None and not transport.is_closing()


class SocketMode:
    """Hands each payload to one of the connections and waits for the acknowledgement."""

    def __init__(self, state: Deliverer) -> None:
        self._state = state
        self.connections: list[Connection] = []
        self.opened = 0
        """How many connections there were, over time."""
        self.accepting = True
        self.choose: Callable[[list[Connection]], Connection] = self._in_turn
        self.lose_acks = 0
        """So many acknowledgements to come never arrive."""
        self.late_acks = 0
        """Acknowledgements of envelopes that were given up before."""
        self._turn = 0
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._changed = asyncio.Condition()

    async def connected(self, number: int = 1, *, opened: int = 0) -> None:
        """Wait until so many connections are open, and so many were opened over time."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self._alive()) >= number and self.opened >= opened)

    async def link(self, request: web.Request) -> web.StreamResponse:
        """Open one connection; each ticket does that once."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._state.tickets or not self.accepting:
            return web.Response(status=403)
        self._state.tickets.discard(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        connection = Connection(socket=socket, request=request)
        if len(self.connections) >= MOST:
            await socket.send_json(_goodbye("too_many_websockets"))
            await socket.close()
            return socket
        self.connections.append(connection)
        try:
            await socket.send_json(self._hello())
            self.opened += 1
            await self._notify()
            await self._listen(socket)
        finally:
            self.connections.remove(connection)
            await self._notify()
        return socket

    async def attempt(self, delivery: Delivery, retry: int) -> bool:
        """Send *delivery* once. Says whether it was acknowledged in time."""
        envelope, clock = str(uuid4()), self._state.clock
        future = self._waiting[envelope] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._state.ack_seconds):
                connection = await self._next()
                sent = clock()
                await connection.socket.send_json(_frame(delivery, envelope, retry))
                delivery.answer = await future
        except (TimeoutError, ConnectionError):
            return False
        finally:
            del self._waiting[envelope]
        delivery.latency = clock() - sent
        return True

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask the bot to leave each connection, as Slack does every few hours."""
        for connection in self._alive():
            await connection.socket.send_json(_goodbye(reason))

    def drop(self) -> None:
        """Break every connection without a word."""
        for connection in self._alive():
            if connection.request.transport is not None:
                connection.request.transport.abort()

    async def close(self) -> None:
        for connection in list(self.connections):
            await connection.socket.close()

    def _hello(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "connection_info": {"app_id": self._state.app_id},
            "debug_info": {"host": "fake", "approximate_connection_time": 3600},
        }

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                self._acknowledged(json.loads(message.data))

    def _acknowledged(self, body: dict[str, Any]) -> None:
        if self.lose_acks:
            self.lose_acks -= 1
            return
        future = self._waiting.get(str(body.get("envelope_id")))
        if future is None:
            self.late_acks += 1
        elif not future.done():
            future.set_result(body.get("payload"))

    async def _next(self) -> Connection:
        async with self._changed:
            await self._changed.wait_for(self._alive)
        return self.choose(self._alive())

    def _in_turn(self, connections: list[Connection]) -> Connection:
        self._turn += 1
        return connections[self._turn % len(connections)]

    def _alive(self) -> list[Connection]:
        return [connection for connection in self.connections if connection.alive]

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def _frame(delivery: Delivery, envelope: str, retry: int) -> dict[str, Any]:
    frame = {
        "envelope_id": envelope,
        "type": delivery.kind,
        "payload": delivery.payload,
        "accepts_response_payload": delivery.kind != "events_api",
    }
    if delivery.kind == "events_api":
        frame |= {"retry_attempt": retry, "retry_reason": "timeout" if retry else ""}
    return frame


def _goodbye(reason: str) -> dict[str, Any]:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "fake"}}
