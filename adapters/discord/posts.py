"""The bot's own messages in Discord: posted once, replaced whole, taken back."""

from __future__ import annotations

import hashlib
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import discord

from adapters.discord.budgets import HOUR
from adapters.discord.buttons import view
from adapters.discord.calls import (
    ARCHIVED,
    NO_HISTORY,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    Gone,
    Refused,
    TooOld,
)
from adapters.discord.markdown import LONGEST, rendered
from adapters.discord.strays import Strays
from bot.chat import MessageGone, MessageRef, TooLong
from bot.controls import still_written
from bot.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.discord.calls import Calls
    from adapters.discord.places import Place, Places
    from bot.chat import Body, Thread

logger = logging.getLogger(__name__)

LONGEST_NONCE = 25

Result = TypeVar("Result")


class Posts:
    """Posts and changes messages; every method raises `ChatError`."""

    def __init__(
        self, client: discord.Client, calls: Calls, places: Places, wall: Callable[[], float]
    ) -> None:
        self._client = client
        self._calls = calls
        self._places = places
        self._wall = wall
        self._strays = Strays(client, calls, places, wall)
        self._refused: Recent[MessageRef, None] = Recent()
        """Messages that are too old to be edited as often as somebody wanted."""

    async def post(self, thread: Thread, body: Body) -> MessageRef:
        """Show a new message, unless it stands already although nobody knew."""
        content = _content(body)
        if (standing := await self._strays.find(thread, body, content)) is not None:
            return standing
        place = await self._places.open(thread)
        try:
            return await self._post_at(place, thread, body, content)
        except Gone as gone:  # somebody deleted the thread, and the question still stands
            if gone.code != UNKNOWN_CHANNEL or not self._places.give_up(thread, place):
                raise
        return await self._post_at(await self._places.open(thread), thread, body, content)

    async def replace(self, message: MessageRef, body: Body) -> None:
        """Let *message* show *body* and nothing else.

        A body that can be stopped is not the last one: such a call leaves room for those that are.
        """
        content, growing = _content(body), still_written(body)

        async def edit(shown: discord.PartialMessage) -> discord.Message:
            return await shown.edit(content=content, view=view(body.buttons), allowed_mentions=_nobody())

        try:
            await self._change(message, edit, edits=True, intermediate=growing)
        except TooOld:
            if growing or message not in self._refused:
                self._refused.note(message, None)
                raise
            await self._give_up(message)

    async def delete(self, message: MessageRef) -> None:
        """Take a message back."""
        await self._change(message, lambda shown: shown.delete())

    async def _post_at(self, place: Place, thread: Thread, body: Body, content: str) -> MessageRef:
        with self._strays.doubting(thread, body.nonce):
            message = await self._send(thread, place, body, content)
        ref = MessageRef(thread, str(message.id))
        self._note(ref, place)
        return ref

    async def _send(self, thread: Thread, place: Place, body: Body, content: str) -> discord.Message:
        """Send a message; where it answers another one, as its reply, if the bot may."""
        send = partial(self._send_once, place, body, content)
        try:
            return await send(_nonce(thread, body.nonce), answers=place.answers)
        except Refused as refused:
            if refused.code != NO_HISTORY:
                raise
            return await send(_nonce(thread, body.nonce))
        except Gone as gone:
            if gone.code != UNKNOWN_MESSAGE or body.nonce is None:
                raise
            # it had arrived, and was deleted: Discord does not take its nonce again
            return await send(_nonce(thread, f"{body.nonce} again"), answers=place.answers)

    async def _send_once(
        self, place: Place, body: Body, content: str, nonce: str | None, *, answers: int | None = None
    ) -> discord.Message:
        channel = self._client.get_partial_messageable(place.channel)
        more: dict[str, Any] = {} if nonce is None else {"nonce": nonce}
        if (buttons := view(body.buttons)) is not None:
            more["view"] = buttons
        if answers is not None:
            more["reference"] = discord.MessageReference(
                message_id=answers, channel_id=place.channel, fail_if_not_exists=False
            )
        return await self._calls.call(
            lambda: channel.send(content, allowed_mentions=_nobody(), suppress_embeds=True, **more),
            channel=place.channel,
            intermediate=still_written(body),
        )

    async def _change(
        self,
        message: MessageRef,
        work: Callable[[discord.PartialMessage], Awaitable[Result]],
        *,
        edits: bool = False,
        intermediate: bool = False,
    ) -> None:
        """Do something to a message; the last word counts more than that a thread is in the archive."""
        place = await self._places.find(message.thread)
        shown = self._client.get_partial_messageable(place.channel).get_partial_message(int(message.id))

        async def once() -> None:
            await self._calls.call(
                lambda: work(shown),
                channel=place.channel if edits else None,
                old=edits and self._age(shown) > HOUR,
                intermediate=intermediate,
            )

        try:
            await once()
        except Refused as refused:
            if refused.code != ARCHIVED or intermediate:
                raise
            await self._wake(place.channel)
            await once()
        self._note(message, place)

    async def _wake(self, thread: int) -> None:
        """Take a thread out of the archive, in which nothing can be changed."""
        await self._calls.call(lambda: self._client.http.edit_channel(thread, archived=False))

    async def _give_up(self, message: MessageRef) -> None:
        """Take back a message that Discord lets nobody edit for now, so that a new one replaces it."""
        logger.info("a message is too old to be edited; a new one takes its place")
        await self.delete(message)
        raise MessageGone

    def _note(self, message: MessageRef, place: Place) -> None:
        self._strays.know(message)
        self._places.settle(message.thread, place, int(message.id))

    def _age(self, message: discord.PartialMessage) -> float:
        return self._wall() - message.created_at.timestamp()


def _content(body: Body) -> str:
    content = rendered(body.text)
    if len(content) > LONGEST:
        raise TooLong
    return content


def _nobody() -> discord.AllowedMentions:
    """Return that nobody is to be pinged. Each call says so itself: some of discord.py's forget it."""
    return discord.AllowedMentions.none()


def _nonce(thread: Thread, nonce: str | None) -> str | None:
    """Return a nonce that no other conversation has, and that a later process knows too."""
    if nonce is None:
        return None
    return hashlib.sha256(f"{thread}/{nonce}".encode()).hexdigest()[:LONGEST_NONCE]
