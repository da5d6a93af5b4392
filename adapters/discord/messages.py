"""Messages: written, changed and taken back, and the files that they carry, handed on in their order.

discord.py runs a task for each event, in the order of the events up to where the first one waits. So here
nothing waits: what must be asked first is asked in a row of its channel, behind which the others line up.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import discord

from adapters.discord.catchup import Talk
from adapters.discord.events import (
    files_of,
    is_by_person,
    place_of_message,
    read_deletion,
    read_edit,
    read_message,
    replies_to,
    room_at,
)
from adapters.discord.permissions import shortcomings_at
from adapters.discord.places import DIRECT, PLATFORM
from adapters.discord.recital import recited
from adapters.discord.reduced import Reminder
from adapters.discord.rows import Rows, guarded
from adapters.discord.unheard import Unheard
from bot.chat import ChatError, Thread
from bot.incoming import FileRemoved, MessageDeleted
from bot.patience import patiently
from bot.recent import Recent
from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection
    from datetime import datetime

    from adapters.discord.catchup import Catchup
    from adapters.discord.client import Deleted
    from adapters.discord.departures import Departures
    from adapters.discord.desk import Desk
    from adapters.discord.events import Room
    from adapters.discord.rows import Work
    from bot.incoming import IncomingMessage, MessageEdited

    Edit = discord.RawMessageUpdateEvent

logger = logging.getLogger(__name__)

_IN_SERVERS = (discord.abc.GuildChannel, discord.Thread)


class Messages:
    """Hands messages to whom they concern."""

    def __init__(
        self,
        desk: Desk,
        catchup: Catchup,
        departures: Departures,
        *,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._desk = desk
        self._catchup = catchup
        self._departures = departures
        self._sleep = sleep
        self._reminder = Reminder(desk.adapter, desk.platform.conversation, desk.first_time)
        self._rows = Rows()
        self._unheard = Unheard(catchup, self._take_late, sleep=sleep)
        self._edits: Recent[int, datetime] = Recent()
        """The last change of a message; Discord may tell an earlier one again."""
        self._askers: Recent[tuple[Thread, str], None] = Recent()
        """Who asked in a conversation that stands in a channel itself."""

    def said(self, message: discord.Message) -> None:
        """Take a new message."""
        self._rows.join(message.channel.id, partial(self._hear, message))

    def edited(self, edit: Edit) -> None:
        """Take a message that has changed."""
        if is_by_person(edit.message):
            self._rows.join(edit.channel_id, partial(self._reconsider, edit))

    def deleted(self, deleted: Deleted) -> None:
        """Take back messages that are gone."""
        self._rows.join(deleted.channel_id, partial(self._withdraw, deleted))

    async def read_up(self, channel: Talk) -> None:
        """Take what was said in *channel* while nobody listened, and whatever comes meanwhile after it."""
        room = room_at(channel)
        if room is not None:
            await self._rows.joined(channel.id, partial(self._catch_up, channel, room))

    async def settled(self) -> None:
        """Return when everything so far was handed on."""
        await self._rows.settled()

    async def stop(self) -> None:
        """Break off; what was not handed on is read up by the next start."""
        await self._unheard.stop()
        await self._rows.stop()

    def _hear(self, message: discord.Message) -> Work | None:
        room = room_at(message.channel)
        if not is_by_person(message):
            if room is not None and recited(message, room, self._desk.client.me) is None:
                self._catchup.note(room, message.id)  # else it is noted with the next, when it is asked
            return None
        if room is None or not self._catchup.is_heard(room.id) or self._continues(message, room):
            return partial(self._hear_out, message)
        self._hand_on(message, room, None)
        return None

    async def _hear_out(self, message: discord.Message) -> None:
        """Take a message for which something must be asked, behind what was missed before it."""
        channel = await self._channel(message.channel)
        room = room_at(channel)
        if channel is None or room is None:
            self._catchup.doubt(message.channel.id)
            return
        message.channel = channel
        await self._catch_up(channel, room, message.id)
        await self._take(message, room)

    async def _catch_up(self, channel: Talk, room: Room, before: int | None = None) -> None:
        await self._take_all(room, await self._unheard.before(room, channel, before))

    def _take_late(self, channel: Talk, room: Room, missed: list[discord.Message]) -> None:
        self._rows.join(channel.id, lambda: partial(self._take_all, room, missed))

    async def _take_all(self, room: Room, missed: list[discord.Message]) -> None:
        for message in missed:
            await guarded(partial(self._take, message, room))

    async def _take(self, message: discord.Message, room: Room) -> None:
        self._hand_on(message, room, await self._conversation(message, room))

    def _hand_on(self, message: discord.Message, room: Room, thread: Thread | None) -> None:
        desk = self._desk
        if is_by_person(message):
            for file in desk.files.incoming(message):
                desk.platform.uploads.receive(file)
            question = read_message(message, room, desk.client.me, thread=thread)
            if question is not None:
                self._note(question, message, room)
                desk.platform.words.receive(question)
                self._explain(question, message, room)
        elif (asked := recited(message, room, desk.client.me)) is not None:
            self._note(asked, message, room)
            desk.platform.words.receive(asked)
        self._catchup.note(room, message.id)

    def _reconsider(self, edit: Edit) -> Work | None:
        room = room_at(edit.message.channel)
        if room is None or self._continues(edit.message, room):
            return partial(self._reconsider_later, edit)
        self._hand_on_edit(edit, room, None)
        return None

    async def _reconsider_later(self, edit: Edit) -> None:
        channel = await self._channel(edit.message.channel)
        room = room_at(channel)
        if channel is not None and room is not None:
            edit.message.channel = channel
            self._hand_on_edit(edit, room, await self._conversation(edit.message, room))

    def _hand_on_edit(self, edit: Edit, room: Room, thread: Thread | None) -> None:
        desk, message = self._desk, edit.message
        self._compare_files(edit, room)
        whole = desk.client.reads_everything or room.direct
        edited = read_edit(message, room, desk.client.me, whole=whole, thread=thread)
        if edited is not None and self._is_news(message):
            if not isinstance(edited, MessageDeleted):
                self._note(edited, message, room)
            desk.platform.words.receive(edited)

    def _is_news(self, message: discord.Message) -> bool:
        last = self._edits.get(message.id)
        if message.edited_at is None or (last is not None and message.edited_at <= last):
            return False
        self._edits.note(message.id, message.edited_at)
        return True

    def _compare_files(self, edit: Edit, room: Room) -> None:
        """Take back what was removed from a message, and take in what was added."""
        desk, message = self._desk, edit.message
        if desk.files.shares.hides(edit.guild_id, message):
            return  # what nobody shows may be there
        after = {attachment.id for attachment in files_of(message)}
        if edit.cached_message is None:
            if message.edited_at is not None:
                left = self._departures.of_message(edit.guild_id, edit.channel_id, message.id, after)
                desk.tasks.start(left, name="take back the files of a message")
            return
        before = {attachment.id for attachment in files_of(edit.cached_message)}
        start = place_of_message(edit.guild_id, edit.channel_id, message.id)
        for gone in sorted(before - after):
            removed = FileRemoved(event_id=f"{gone}/removed", scope=room.scope, source=f"{start}{gone}")
            desk.platform.removals.receive(removed)
        if after - before:
            for file in desk.files.incoming(message):
                desk.platform.uploads.receive(file)

    def _withdraw(self, deleted: Deleted) -> Work | None:
        messages, carriers = _concerned(deleted)
        if carriers:
            gone = self._departures.of_messages(deleted.guild_id, deleted.channel_id, carriers)
            self._desk.tasks.start(gone, name="take back the files of messages")
        if deleted.guild_id is None:
            self._forget(messages, Scope(PLATFORM, DIRECT, str(deleted.channel_id)))
            return None
        room = room_at(self._desk.client.get_channel(deleted.channel_id))
        if room is None:
            return partial(self._withdraw_later, deleted, messages)
        self._forget(messages, room.scope)
        return None

    async def _withdraw_later(self, deleted: Deleted, messages: Collection[int]) -> None:
        scope = self._desk.places.scope
        try:
            found = await patiently(lambda: scope(deleted.guild_id, deleted.channel_id), self._sleep)
        except ChatError as error:
            logger.info("where messages were deleted is unknown: %s", type(error).__name__)
            return
        self._forget(messages, found)

    def _forget(self, messages: Collection[int], scope: Scope) -> None:
        for deletion in read_deletion(messages, scope):
            self._desk.platform.words.receive(deletion)

    def _note(self, asked: IncomingMessage | MessageEdited, message: discord.Message, room: Room) -> None:
        """Let the thread of a question be named after it; where it gets none, let it be replied to.

        Somebody who never asked anything in the conversation talks to the others, as far as is known here.
        """
        asker = asked.thread, asked.author
        if room.flat and (asked.mentioned or asker in self._askers):
            self._askers.note(asker, None)
            self._desk.places.note_question(asked.thread, asked.text, message)

    def _explain(self, question: IncomingMessage, message: discord.Message, room: Room) -> None:
        """Let people know, once, what Discord does not show the bot there, and what it does not let it do."""
        if not question.mentioned or room.direct:
            return
        blind = not self._desk.client.reads_everything
        lacks = shortcomings_at(message.channel) if isinstance(message.channel, _IN_SERVERS) else None
        if blind or lacks is not None:
            self._desk.tasks.start(
                self._reminder.remind(question.thread, blind=blind, lacks=lacks), name="explain"
            )

    def _continues(self, message: discord.Message, room: Room) -> bool:
        """Tell whether a message may go on with a conversation that stands in the channel itself."""
        return room.flat and is_by_person(message) and replies_to(message, self._desk.client.me)

    async def _conversation(self, message: discord.Message, room: Room) -> Thread | None:
        if not self._continues(message, room):
            return None
        places = self._desk.places
        try:
            return await patiently(lambda: places.continued(room.scope, message), self._sleep)
        except ChatError as error:
            logger.info("which conversation goes on is unknown: %s", type(error).__name__)
            return None

    async def _channel(self, channel: object) -> Talk | None:
        """Return a channel that messages stand in; None: it is gone, or nobody knows."""
        found, places = channel, self._desk.places
        if isinstance(channel, discord.PartialMessageable):
            number = channel.id
            try:
                found = await patiently(lambda: places.channel(number), self._sleep)
            except ChatError as error:
                logger.warning("where a message stands is unknown: %s", type(error).__name__)
        return found if isinstance(found, Talk) else None


def _concerned(deleted: Deleted) -> tuple[set[int], set[int]]:
    """Return the messages that were deleted, and those of them that may have carried files.

    The bot's own are among them: it shows what was asked, or uploaded, by a command.
    """
    if isinstance(deleted, discord.RawMessageDeleteEvent):
        numbers, known = {deleted.message_id}, [deleted.cached_message]
    else:
        numbers, known = set(deleted.message_ids), [*deleted.cached_messages]
    return numbers, numbers - {one.id for one in known if one is not None and not files_of(one)}
