"""What happens in channels, whoever does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.errors import ApiError
from tests.fakes.discord.events import Events
from tests.fakes.discord.mentioning import DEFAULT, mentions
from tests.fakes.discord.messages import HAS_THREAD, THREAD_CREATED, THREAD_STARTER, Message, Ping
from tests.fakes.discord.permissions import can_view
from tests.fakes.discord.sessions import GUILDS
from tests.fakes.discord.world import (
    ANNOUNCEMENT_THREAD,
    ANNOUNCEMENTS,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    Channel,
    Thread,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.fakes.discord.world import Guild


class Rooms(Events):
    """Messages and threads come, change and go, and the bot is told."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.threads_wake_late = True
        """A message that takes its thread out of the archive is told before the thread is."""

    def add(
        self, message: Message, allowed: Mapping[str, Any] | None, *, default: Mapping[str, Any] = DEFAULT
    ) -> Message:
        """Let a message stand in its channel."""
        channel = message.channel
        message.mentions = mentions(message, allowed, default=default)
        channel.messages[message.id] = message
        message.note(self.wall())
        self._joined(channel, message)
        sleeping = channel.thread is not None and channel.thread.archived
        if sleeping and not self.threads_wake_late:
            self.archive(channel, archived=False)
        self._pinged(message)
        self.tell_message("MESSAGE_CREATE", message)
        if sleeping and self.threads_wake_late:
            self.archive(channel, archived=False)
        return message

    def change(
        self,
        message: Message,
        allowed: Mapping[str, Any] | None,
        *,
        default: Mapping[str, Any] = DEFAULT,
        **fields: Any,
    ) -> Message:
        """Let a message say something else."""
        before = message.attachments
        for name, value in fields.items():
            setattr(message, name, value)
        for attachment in before:
            attachment.gone = attachment not in message.attachments
        message.mentions = mentions(message, allowed, default=default)
        message.edited = self.wall()
        message.note(message.edited)
        self._pinged(message, edited=True)
        self.tell_message("MESSAGE_UPDATE", message)
        return message

    def remove(self, messages: Sequence[Message]) -> None:
        """Delete messages of one channel, and the files on them."""
        for message in messages:
            message.deleted = True
            for attachment in message.attachments:
                attachment.gone = True
        self.tell_deleted(list(messages))

    def open_thread(
        self,
        parent: Channel,
        owner: int,
        name: str,
        *,
        start: Message | None = None,
        private: bool = False,
        forum: bool = False,
        auto_archive: int = 1440,
        tags: Sequence[int] = (),
    ) -> Channel:
        """Begin a thread. Its id is the one of the message that it starts from."""
        guild = parent.guild
        if guild is None:
            raise ApiError(50024)
        active = sum(1 for one in guild.channels.values() if one.thread and not one.thread.archived)
        if active >= self.most_threads:
            raise ApiError(160006)
        now = self.wall()
        kind = PRIVATE_THREAD if private else PUBLIC_THREAD
        thread = Channel(
            id=start.id if start else self.snowflake(),
            type=ANNOUNCEMENT_THREAD if parent.type == ANNOUNCEMENTS else kind,
            name=name,
            guild=guild,
            parent=parent,
            thread=Thread(
                owner=owner,
                members=[owner],
                private=private,
                auto_archive=auto_archive,
                changed=now,
                created=now,
                tags=list(tags),
            ),
        )
        guild.channels[thread.id] = thread
        self.tell_of("THREAD_CREATE", thread, thread.described(self.application) | {"newly_created": True})
        if start is not None:
            self._started(thread, start)
        elif not private and not forum:
            self._announced(thread, owner)
        return thread

    def archive(self, thread: Channel, *, archived: bool = True, locked: bool | None = None) -> None:
        """Put a thread into the archive, or take it out; and lock it, or not."""
        if thread.thread is None:
            raise LookupError(f"{thread.id} is no thread")
        thread.thread.archived, thread.thread.changed = archived, self.wall()
        if locked is not None:
            thread.thread.locked = locked
        self.tell_of("THREAD_UPDATE", thread, thread.described(self.application))

    def join_thread(self, thread: Channel, user: int) -> None:
        """Add somebody to a thread; the bot is told that it can see it now."""
        if thread.thread is None or user in thread.thread.members:
            return
        visible = can_view(thread, self.application)
        thread.thread.members.append(user)
        if user == self.application and not visible:
            self.tell_of("THREAD_CREATE", thread, thread.described(self.application))
        members = {
            "id": str(thread.id),
            **thread.guild_field,
            "member_count": len(thread.thread.members),
            "added_members": [thread.membership(user)],
        }
        # without the members intent a bot hears only of itself
        if user == self.application:
            self.tell_of("THREAD_MEMBERS_UPDATE", thread, members)

    def leave_thread(self, thread: Channel, user: int) -> None:
        if thread.thread is None or user not in thread.thread.members:
            return
        thread.thread.members.remove(user)
        gone = {"id": str(thread.id), "member_count": len(thread.thread.members)}
        gone |= {**thread.guild_field, "removed_member_ids": [str(user)]}
        if user == self.application:
            self.tell_of("THREAD_MEMBERS_UPDATE", thread, gone, visible=True)

    def close_channel(self, channel: Channel) -> None:
        """Delete a channel with its threads, or one thread; nothing is told of the threads of a channel."""
        guild = channel.guild
        if guild is None:
            raise ApiError(50024)
        visible = can_view(channel, self.application)
        for one in [channel, *self.threads(channel)]:
            guild.channels.pop(one.id, None)
            for message in one.messages.values():
                message.deleted = True
                for attachment in message.attachments:
                    attachment.gone = True
        if channel.thread is None:
            self.tell_of("CHANNEL_DELETE", channel, channel.described(self.application))
        elif visible:
            parent = str(channel.parent.id) if channel.parent else None
            data = {"id": str(channel.id), "parent_id": parent, "type": channel.type, **channel.guild_field}
            self.tell("THREAD_DELETE", data, guild, GUILDS)

    def expel(self, guild: Guild) -> None:
        """Remove the bot from a guild."""
        del guild.members[self.application]
        gone = {"id": str(guild.id)}
        self.gateway.tell("GUILD_DELETE", lambda session: gone if session.hears(guild.id) else None)

    def _joined(self, channel: Channel, message: Message) -> None:
        thread = channel.thread
        if thread is None or message.type == THREAD_STARTER:
            return
        self.join_thread(channel, message.author.id)
        if thread.private:
            for user in message.mentions.users:
                self.join_thread(channel, user)

    def _pinged(self, message: Message, *, edited: bool = False) -> None:
        if message.author is self.bot and message.seen_by is None and message.mentions:
            ping = Ping(message=message, mentions=message.mentions, edited=edited, silent=message.silent)
            self.pings.append(ping)

    def _started(self, thread: Channel, start: Message) -> None:
        start.thread, start.flags = thread, start.flags | HAS_THREAD
        self.tell_message("MESSAGE_UPDATE", start)
        reference = {"message_id": str(start.id), "channel_id": str(start.channel.id), "type": 0}
        starter = Message(
            id=self.snowflake(),
            channel=thread,
            author=start.author,
            at=self.wall(),
            type=THREAD_STARTER,
            reference=reference | start.channel.guild_field,
            answered=start,
        )
        self.add(starter, {"parse": []})

    def _announced(self, thread: Channel, owner: int) -> None:
        if thread.parent is None:
            return
        announcement = Message(
            id=self.snowflake(),
            channel=thread.parent,
            author=self.users[owner],
            at=self.wall(),
            content=thread.name,
            type=THREAD_CREATED,
            reference={"channel_id": str(thread.id), "type": 0, **thread.guild_field},
        )
        self.add(announcement, {"parse": []})
