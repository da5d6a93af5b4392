"""Where a conversation stands in Discord: in its thread, or where there can be none, in its channel."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import discord

from adapters.discord.calls import THREAD_EXISTS, Refused, TooSlow, Turns
from bot.chat import MessageGone, NotAllowed, Thread
from bot.recent import Pauses, Recent
from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.discord.calls import Calls

logger = logging.getLogger(__name__)

PLATFORM, DIRECT = "discord", "direct"
LONGEST_NAME = 100
ARCHIVED_AFTER: Literal[1440] = 1440
"""Minutes without a word after which Discord archives a thread."""
UNNAMED = "Question"
OPENING = 15.0
"""Seconds that an answer waits for its thread; Discord limits how many are opened, and may for minutes."""

_HALF = LONGEST_NAME // 2
_REST = 60.0
_STEPS = 20
"""Replies that are followed back to the question with which a conversation began."""

Channel: TypeAlias = discord.abc.GuildChannel | discord.Thread | discord.abc.PrivateChannel


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a conversation's messages stand."""

    channel: int
    answers: int | None = None
    """The message that is replied to, where the conversation has no thread of its own."""


@dataclass(frozen=True, slots=True)
class _Question:
    message: int
    name: str


class Places:
    """Finds and opens threads. What it has forgotten, or never knew, it asks Discord."""

    def __init__(
        self,
        client: discord.Client,
        calls: Calls,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        opening: float = OPENING,
    ) -> None:
        self._client = client
        self._calls = calls
        self._opening = opening
        self._turns = Turns()
        self._full: Pauses[int] = Pauses(monotonic, _REST)
        """Channels in which Discord lets no more threads be opened for now."""
        self._known: Recent[Thread, Place] = Recent()
        self._absent: Recent[Thread, None] = Recent()
        """Conversations without a thread, which may get one as soon as there is something to say."""
        self._questions: Recent[Thread, _Question] = Recent()
        self._answers: Recent[int, Thread] = Recent()
        """Whose conversation a reply of ours in a channel belongs to."""
        self._scopes: Recent[int, Scope] = Recent()
        self._forums: Recent[int, bool] = Recent()

    def note_question(self, thread: Thread, name: str, message: discord.abc.Snowflake) -> None:
        """Keep in mind who asked last in a conversation, and what its thread is to be named after.

        Without it, the name is what Discord says that the first message reads.
        """
        self._questions.note(thread, _Question(message.id, title(name)))

    async def open(self, thread: Thread) -> Place:
        """Return where to say something; a thread that is missing is opened first. Raises `ChatError`."""
        question = self._questions.get(thread)
        asks_first = question is not None and str(question.message) == thread.key
        if (place := self._at_hand(thread)) is not None:
            return place
        if not asks_first and (place := await self._fetched(thread)) is not None:
            return place
        return await self._opened(thread)

    async def find(self, thread: Thread) -> Place:
        """Return where a conversation's messages stand; nothing is opened. Raises `ChatError`."""
        return self._at_hand(thread) or await self._fetched(thread) or self._without(thread)

    async def where(self, thread: Thread, message_id: str) -> int:
        """Return the channel in which a message of people's stands. Raises `ChatError`."""
        parent = int(thread.scope.channel)
        if message_id == thread.key != thread.scope.channel and not await self._is_forum(parent):
            return parent  # a thread begins with a message that stands outside of it
        return (await self.find(thread)).channel

    def settle(self, thread: Thread, place: Place, message_id: int) -> None:
        """Note that a message of ours stands in *place*: the conversation stays there."""
        if place.answers is not None:
            self._keep(thread, place)
            self._answers.note(message_id, thread)

    def give_up(self, thread: Thread, place: Place) -> bool:
        """Note that *place* was deleted. False: with it, the conversation is gone; True: it has another."""
        if place.channel == int(thread.scope.channel):
            return False
        self._keep(thread, self._without(thread))
        return True

    def answered(self, message_id: int) -> Thread | None:
        """Return the conversation of an answer that stands in a channel, as far as is known here."""
        return self._answers.get(message_id)

    async def scope(self, guild: int | None, channel: int) -> Scope:
        """Return where the files of a channel or thread belong: a thread shares its channel's.

        A private thread has its own. Raises `ChatError`.
        """
        if guild is None:
            return Scope(PLATFORM, DIRECT, str(channel))
        if (scope := self._scopes.get(channel)) is None:
            found = await self.channel(channel)
            shared = isinstance(found, discord.Thread) and not found.is_private()
            home = found.parent_id if isinstance(found, discord.Thread) and shared else channel
            scope = Scope(PLATFORM, str(guild), str(home))
            self._scopes.note(channel, scope)
        return scope

    async def channel(self, channel: int) -> Channel:
        """Return a channel or thread, whether discord.py has it in its cache or not. Raises `ChatError`."""
        found = self._client.get_channel(channel)
        if found is None:
            found = await self._calls.call(lambda: self._client.fetch_channel(channel))
        return found

    async def continued(self, scope: Scope, message: discord.Message) -> Thread | None:
        """Return the conversation that goes on with *message*, a reply to an answer in a channel.

        None: it replies to nothing of ours. Raises `ChatError`.
        """
        asked = message
        for _ in range(_STEPS):
            reference = asked.reference
            known = self._answers.get(reference.message_id or 0) if reference is not None else None
            if known is not None:
                return known
            answer = await self._replied_to(asked)
            if answer is None or answer.reference is None or not self._is_ours(answer):
                break
            question = await self._replied_to(answer)
            if question is None:
                return Thread(scope, str(answer.reference.message_id))
            asked = question
        return None if asked is message else Thread(scope, str(asked.id))

    def _at_hand(self, thread: Thread) -> Place | None:
        if thread.key == thread.scope.channel:
            return Place(channel=int(thread.key))
        known = self._known.get(thread)
        if known is not None and known.answers is not None:
            return self._without(thread)
        if known is None and self._client.get_channel(int(thread.key)) is not None:
            known = Place(channel=int(thread.key))
        return known

    def _without(self, thread: Thread) -> Place:
        """Return the place of a conversation without a thread."""
        question = self._questions.get(thread)
        asked = int(thread.key) if question is None else question.message
        return Place(channel=int(thread.scope.channel), answers=asked)

    async def _fetched(self, thread: Thread) -> Place | None:
        if thread in self._absent:
            return None
        return await self._looked_up(thread)

    async def _looked_up(self, thread: Thread) -> Place | None:
        try:
            await self._calls.call(lambda: self._client.fetch_channel(int(thread.key)))
        except MessageGone:
            self._absent.note(thread, None)
            return None
        return self._keep(thread, Place(channel=int(thread.key)))

    async def _opened(self, thread: Thread) -> Place:
        channel = int(thread.scope.channel)
        if not self._may_speak_in_threads(channel):
            return self._without(thread)
        name = await self._name(thread)
        async with self._turns.of(channel):
            if channel in self._full:
                return self._without(thread)
            return await self._started(thread, name)

    def _may_speak_in_threads(self, channel: int) -> bool:
        """Tell whether the bot may write in what it opens: Discord grants the one without the other."""
        found = self._client.get_channel(channel)
        if not isinstance(found, discord.abc.GuildChannel):
            return True  # nobody knows
        me: discord.Member | None = found.guild.me
        return me is None or found.permissions_for(me).send_messages_in_threads

    async def _started(self, thread: Thread, name: str) -> Place:
        channel, message = int(thread.scope.channel), int(thread.key)
        start = self._client.http.start_thread_with_message
        try:
            await self._calls.call(
                lambda: start(channel, message, name=name, auto_archive_duration=ARCHIVED_AFTER),
                seconds=self._opening,
            )
        except Refused as refused:
            if refused.code != THREAD_EXISTS:
                logger.info("no thread can be opened in channel %s: %s", channel, refused.code)
                return self._keep(thread, self._without(thread))
        except TooSlow:  # discord.py also waits after a call that was the last one for a while
            self._full.begin(channel)
            if (place := await self._looked_up(thread)) is None:
                logger.info("no thread can be opened in channel %s for now", channel)
                place = self._keep(thread, self._without(thread))
            return place
        return self._keep(thread, Place(channel=message))

    def _keep(self, thread: Thread, place: Place) -> Place:
        self._known.note(thread, place)
        self._absent.forget(thread)
        return place

    async def _name(self, thread: Thread) -> str:
        question = self._questions.get(thread)
        if question is not None:
            return question.name
        try:
            first = await self._message(int(thread.scope.channel), int(thread.key))
        except NotAllowed:
            return UNNAMED
        text = first.clean_content
        for user in first.mentions:
            if user == self._client.user:
                text = text.replace(f"@{user.display_name}", "")
        return title(" ".join([text, *(attachment.filename for attachment in first.attachments)]))

    async def _is_forum(self, channel: int) -> bool:
        if (forum := self._forums.get(channel)) is None:
            forum = isinstance(await self.channel(channel), discord.ForumChannel)
            self._forums.note(channel, forum)
        return forum

    def _is_ours(self, message: discord.Message) -> bool:
        return self._client.user is not None and message.author.id == self._client.user.id

    async def _replied_to(self, message: discord.Message) -> discord.Message | None:
        """Return the message that *message* replies to; None: there is none, or not any more."""
        reference = message.reference
        if reference is None or reference.message_id is None:
            return None
        if isinstance(reference.resolved, discord.Message):
            return reference.resolved
        try:
            return await self._message(reference.channel_id, reference.message_id)
        except MessageGone:
            return None

    async def _message(self, channel: int, message: int) -> discord.Message:
        place = self._client.get_partial_messageable(channel)
        return await self._calls.call(lambda: place.fetch_message(message))


def title(text: str) -> str:
    """Return the name of a thread that begins with *text*: one line, cut between words where it is long."""
    line = " ".join(text.split())
    if len(line) > LONGEST_NAME:
        cut = line[: LONGEST_NAME - 1]
        line = cut[: cut.rfind(" ")] if " " in cut[_HALF:] else cut
        line = line.rstrip() + "…"
    return line or UNNAMED
