"""The gateway: the connection over which Discord tells what happens, kept as long as the program runs.

discord.py resumes and reconnects by itself, and most of the time that is enough. What it does not do is done
here: a token that Discord refuses ends the program with a sentence; without the intent to read everything the
bot connects again and reads less; and a connection that stays dead is replaced, for discord.py pauses for up
to a quarter of an hour between two attempts.
"""

from __future__ import annotations

import asyncio
import logging
from math import ceil
from typing import TYPE_CHECKING

import discord

from adapters.discord.calls import FAILURES, translate
from adapters.discord.sessions import RESERVE, Restless
from bot.chat import ChatError, NotAllowed, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.discord.client import Client
    from bot.pacing import Clock

logger = logging.getLogger(__name__)

LOGIN_S = 20.0
"""How long introducing the bot may take; discord.py tries for a while when Discord has trouble."""
OPEN_S = 60.0
"""How long a connection may take to come about; where there are several, the next one."""
AGAIN_S = 1.0
CHECK_S = 5.0
PATIENCE_S = 60.0
"""How long discord.py may try to reconnect before its connection is replaced; twice as long each time."""
LONGEST_S = 600.0
"""Each connection may begin a session, and with the thousandth of a day Discord changes the token."""

NOBODY = (
    "No Discord bot is set; set FOOTNOTE_DISCORD__TOKEN to the token of its application. "
    "docs/discord.md shows how."
)
REFUSED = (
    "Discord does not accept the token in FOOTNOTE_DISCORD__TOKEN; set it to the one that the Bot page of "
    "the application shows after “Reset Token”. docs/discord.md shows how."
)
NO_DISCORD = "Discord cannot be reached; check the network, and FOOTNOTE_DISCORD__API_BASE_URL if it is set."
SENT_AWAY = "Discord turns this address away for a while, because too much came from it; wait for an hour."
NO_GATEWAY = (
    "Discord's API answers, but no connection to its gateway comes about; check the network, and "
    "FOOTNOTE_DISCORD__GATEWAY_URL if it is set."
)
SHARDS = (
    "The bot is in so many servers that Discord wants several connections; "
    "set FOOTNOTE_DISCORD__SHARDED=true."
)
TOO_OFTEN = (
    "The bot began almost as many sessions as Discord allows in a day; with one too many, Discord changes "
    "its token. Whatever starts it again and again must stop; within {hours} h it can be started again."
)
REDUCED = (
    "Discord: the message content intent is off for this bot, so it only reads messages that mention it, "
    "replies to it and direct messages; docs/discord.md shows how to turn it on."
)

_TOKEN, _SHARDING = 4004, 4011
_FINAL = frozenset({_TOKEN, 4010, _SHARDING, 4012, 4013, 4014})
"""What a gateway closes with that wants no more of it."""


async def introduce(client: Client, token: str) -> None:
    """Log in, which asks Discord who the bot is. Raises `NotAllowed`, with what to do, or `Unreachable`."""
    try:
        async with asyncio.timeout(LOGIN_S):
            await client.login(token)
    except FAILURES as failure:
        await client.http.close()
        client.http.connector = discord.utils.MISSING  # with the session, its connector is closed too
        raise _unknown(failure) from failure


class Gateway:
    """The connection of a client that is logged in."""

    def __init__(self, client: Client, *, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self._begun = 0.0
        self._pause = CHECK_S
        """Before the next connection, when one ended that was not to end."""
        self._dead: float | None = None
        """Since when it has been dead."""
        self._patience = PATIENCE_S

    def alive(self) -> bool:
        """Return whether events come in."""
        return self._client.is_ready() and not self._client.is_closed() and self._client.connected

    async def connect(self, say: Callable[[str], None]) -> None:
        """Let events come. Raises `NotAllowed`, with what to do, or `Unreachable`."""
        begun = self._clock.monotonic()
        await self._begin()
        while not await self._came_about():
            error = _error_of(self._task)
            if not self._can_do_with_less(error, say):
                if (refused := _refused(error)) is not None:
                    raise refused from error
                if isinstance(error, Restless) or self._clock.monotonic() - begun > OPEN_S:
                    raise Unreachable(NO_GATEWAY) from error
                # discord.py's own second attempt wants to resume, and fails where no first one succeeded
                await self._clock.sleep(AGAIN_S)
            await self._begin()

    async def watch(self, say: Callable[[str], None]) -> None:
        """Replace a connection that stays dead, until cancelled. Raises `NotAllowed` if none is to be had."""
        while True:
            await self._clock.sleep(CHECK_S)
            if self._task is None or self._task.done():
                await self._begin_again(say)
            elif self.alive():
                self._dead, self._patience = None, PATIENCE_S
            else:
                await self._bear()

    async def close(self) -> None:
        """Take no more events."""
        if self._task is not None:
            await _end(self._task)
            self._task = None
        await self._client.hang_up()

    async def _begin(self) -> None:
        """Connect. Raises `NotAllowed` before the last sessions of a day are used up."""
        await self.close()
        await self._client.renew()
        left = await self._client.sessions_left()
        if left is not None and left[0] < RESERVE:
            raise NotAllowed(TOO_OFTEN.format(hours=ceil(left[1] / 3600)))
        self._begun = self._clock.monotonic()
        self._task = asyncio.create_task(self._client.connect(), name="gateway")

    async def _came_about(self) -> bool:
        """Wait until the servers are known; False: the connection ended before. Raises `Unreachable`."""
        ready = asyncio.create_task(self._client.wait_until_ready())
        waiting = {ready} if self._task is None else {ready, self._task}
        opened = -1
        try:
            while opened < self._client.opened:
                opened = self._client.opened
                done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=OPEN_S)
                if done:
                    return ready in done
        finally:
            ready.cancel()
        raise Unreachable(NO_GATEWAY)

    async def _begin_again(self, say: Callable[[str], None]) -> None:
        """Connect once more, unless discord.py gave up for a reason that stays."""
        error = _error_of(self._task)
        if isinstance(error, Restless):
            logger.warning("sessions end as soon as they begin; the next one waits for %d s", error.seconds)
            await self._clock.sleep(error.seconds)
        elif not self._can_do_with_less(error, say):
            if (refused := _refused(error)) is not None:
                raise refused from error
            logger.warning("the connection to Discord ended and is opened again: %s", type(error).__name__)
            lasted = self._clock.monotonic() - self._begun
            self._pause = CHECK_S if lasted > LONGEST_S else min(self._pause * 2, LONGEST_S)
            await self._clock.sleep(self._pause)
        await self._begin()

    async def _bear(self) -> None:
        """Wait for discord.py's own attempts, as long as there is patience left."""
        now = self._clock.monotonic()
        if self._dead is None:
            self._dead = now
        if now - self._dead >= self._patience:
            logger.warning("the connection to Discord stayed dead and is replaced")
            self._dead, self._patience = now, min(self._patience * 2, LONGEST_S)
            await self._begin()

    def _can_do_with_less(self, error: BaseException | None, say: Callable[[str], None]) -> bool:
        """Tell whether Discord only does not show the bot everything, and *say* so."""
        wants_less = isinstance(error, discord.PrivilegedIntentsRequired) and self._client.reads_everything
        if wants_less:
            self._client.read_less()
            say(REDUCED)
        return wants_less


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel *task* until it has ended: Python 3.11's `wait_for` loses a cancellation that meets a failure.

    discord.py then pauses before its next attempt, for minutes.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=AGAIN_S)
    _error_of(task)  # looked at, so that nobody complains that nobody did


def _error_of(task: asyncio.Task[None] | None) -> BaseException | None:
    return None if task is None or task.cancelled() else task.exception()


def _refused(error: BaseException | None) -> NotAllowed | None:
    """Put into words why Discord's gateway wants no more of the bot; None: it does."""
    if not isinstance(error, discord.ConnectionClosed) or error.code not in _FINAL:
        return None
    if error.code == _TOKEN:
        return NotAllowed(REFUSED)
    if error.code == _SHARDING:
        return NotAllowed(SHARDS)
    return NotAllowed(f"Discord's gateway refuses the bot ({error.code}); the program may be too old for it.")


def _unknown(failure: BaseException | None) -> ChatError:
    """Put into words why Discord does not say who the bot is, or does not let events come."""
    if isinstance(failure, discord.LoginFailure):
        return NotAllowed(REFUSED)
    if isinstance(failure, discord.HTTPException) and failure.status == 429:
        return Unreachable(SENT_AWAY)
    if isinstance(failure, FAILURES) and isinstance(translate(failure), NotAllowed):
        return NotAllowed(REFUSED)
    return Unreachable(NO_DISCORD)
