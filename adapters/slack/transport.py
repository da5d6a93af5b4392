"""Socket Mode: connections that this program opens to Slack, kept alive as long as it runs.

The SDK reconnects by itself, and most of the time that is enough. What it does not do is done here: a token
that Slack refuses ends the program instead of being tried for ever, and a connection that stays dead (its
ticket ran out, its session is broken) is replaced as a whole.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

from adapters.slack.calls import FAILURES, Refused, translate
from adapters.slack.remedies import APP, explained
from adapters.slack.workspaces import is_direct
from bot.chat import ChatError, NotAllowed, Unreachable
from bot.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp.web import AbstractRouteDef
    from slack_bolt.async_app import AsyncApp

    from bot.pacing import Clock

logger = logging.getLogger(__name__)

PING_S = 5.0
"""A connection that leaves four pings unanswered is dead."""
OPEN_S = 15.0
"""How long opening a connection may take."""
CLOSE_S = 3.0
CHECK_S = 5.0
QUIET_S = 60.0
"""A complaint that comes again sooner is not logged."""
PATIENCE_S = 45.0
"""How long the SDK may try to reconnect before its connection is replaced."""

NO_CONNECTION = "Slack's Web API answers, but no connection for Socket Mode comes about; check the network."
_TICKET = re.compile(r"(ticket=)[^&\s'\"]+")


class Discreet(logging.Filter):
    """Keeps what opens a connection out of the log, and a complaint that comes every few seconds as well."""

    def __init__(self) -> None:
        super().__init__()
        self._last = ("", 0.0)

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _TICKET.sub(r"\1…", record.getMessage()), ()
        record.exc_info = None  # its text holds the address of the connection
        message, at = self._last
        if record.msg == message and record.created - at < QUIET_S:
            return False
        self._last = (record.msg, record.created)
        return True


_sdk = logging.getLogger(f"{__name__}.sdk")
_sdk.setLevel(logging.WARNING)  # below that the SDK quotes what people write
_sdk.addFilter(Discreet())


class SocketMode:
    """So many connections to Slack; each event comes over one of them."""

    routes: Sequence[AbstractRouteDef] = ()
    """What a web server must serve for it."""

    def __init__(
        self, app: AsyncApp, app_token: str, *, clock: Clock, connections: int = 1, ping: float = PING_S
    ) -> None:
        self._app = app
        self._token = app_token
        self._clock = clock
        self._number = connections
        self._ping = ping
        self._open: list[AsyncSocketModeHandler] = []
        self._dead: dict[AsyncSocketModeHandler, float] = {}

    def __str__(self) -> str:
        return f"Socket Mode, {counted(self._number, 'connection')}"

    async def connect(self) -> None:
        """Open all connections. Raises `NotAllowed`, with what to do, or `Unreachable`."""
        while len(self._open) < self._number:
            self._open.append(await self._connection())

    async def alive(self) -> int:
        """Return how many connections work."""
        return sum([await handler.client.is_connected() for handler in self._open])

    async def watch(self) -> None:
        """Replace connections that stay dead, until cancelled. Raises `NotAllowed` if Slack gives none."""
        while True:
            await self._clock.sleep(CHECK_S)
            for handler in list(self._open):
                if await handler.client.is_connected():
                    self._dead.pop(handler, None)
                    continue
                since = self._dead.setdefault(handler, self._clock.monotonic())
                if self._clock.monotonic() - since >= PATIENCE_S:
                    await self._replace(handler)

    async def close(self) -> None:
        """Take no more events."""
        await asyncio.gather(*(_shut(handler) for handler in self._open))
        self._open.clear()
        self._dead.clear()

    async def _replace(self, old: AsyncSocketModeHandler) -> None:
        await _shut(old)
        try:
            new = await self._connection()
        except NotAllowed:
            raise
        except ChatError as error:
            logger.warning("Slack is still not reached: %s", type(error).__name__)
            return
        logger.warning("a connection to Slack stayed dead and was replaced")
        self._open[self._open.index(old)] = new
        del self._dead[old]

    async def _connection(self) -> AsyncSocketModeHandler:
        address = await self._address()
        handler = AsyncSocketModeHandler(self._app, self._token, logger=_sdk, ping_interval=self._ping)
        client = handler.client
        client.wss_uri = address
        if is_direct(self._app.client.base_url):
            client.proxy = None  # the SDK takes it from the environment, whatever NO_PROXY says
        client.message_listeners.append(_counted)
        try:
            async with asyncio.timeout(OPEN_S):
                await handler.connect_async()  # type: ignore[no-untyped-call] # as the SDK has it
        except BaseException as error:
            await _shut(handler)
            if isinstance(error, TimeoutError):
                raise Unreachable(NO_CONNECTION) from error
            raise
        return handler

    async def _address(self) -> str:
        """Ask for the address of a new connection: the SDK itself would ask for ever."""
        try:
            async with asyncio.timeout(OPEN_S):
                answer = await self._app.client.apps_connections_open(app_token=self._token)
            return str(answer["url"])
        except FAILURES as failure:
            raise _explained(translate(failure), self._app.client.base_url) from failure


def _explained(error: ChatError, base_url: str) -> ChatError:
    """Put into words what Slack says to an app token."""
    if isinstance(error, Refused) and error.code not in APP:
        return NotAllowed(
            f"Slack refuses Socket Mode ({error.code}); turn it on in the app's settings, or unset "
            "FOOTNOTE_SLACK__APP_TOKEN and let events come over HTTP."
        )
    said = explained("", base_url, error, APP)
    if isinstance(error, NotAllowed):
        return NotAllowed(f"The app token cannot be used. {said.message} To mend it, {said.remedy}.")
    return Unreachable(f"{said.message} To mend it, {said.remedy}.")


async def _counted(_: Any, message: dict[str, Any], raw: str | None = None) -> None:
    """Note how many connections Slack sees: those of others with the same token take events away."""
    if message.get("type") == "hello":
        logger.info("connected to Slack, which counts %s connections", message.get("num_connections"))


async def _shut(handler: AsyncSocketModeHandler) -> None:
    """Close a connection, whatever state it is in, and wait for the SDK's tasks to end."""
    client = handler.client
    with suppress(TimeoutError, *FAILURES):
        async with asyncio.timeout(CLOSE_S):
            await handler.close_async()  # type: ignore[no-untyped-call] # as the SDK has it
    await client.aiohttp_client_session.close()
    tasks = [
        task
        for task in (client.message_processor, client.current_session_monitor, client.message_receiver)
        if task is not None
    ]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
