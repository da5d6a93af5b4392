"""What discord.py tells becomes what the bot is told: who said what where, and whether it is for the bot.

Only what is in the event itself is used: nothing is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import discord

from adapters.discord.places import DIRECT, PLATFORM
from adapters.discord.text import Names, read
from bot.chat import Thread
from bot.incoming import IncomingMessage, MessageDeleted, MessageEdited
from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adapters.markup.spoken import Spoken

    Edited = MessageEdited | MessageDeleted

_SAID = frozenset({discord.MessageType.default, discord.MessageType.reply})
"""All other types tell that something happened: a thread began, a message was pinned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Where messages stand: a channel, a thread of one, or somebody's conversation with the bot alone."""

    id: int
    scope: Scope
    parent: int | None = None
    """The channel that it is a thread of."""

    @property
    def direct(self) -> bool:
        """Whether nobody but the bot and one person is there."""
        return self.scope.workspace == DIRECT

    @property
    def passing(self) -> bool:
        """Whether it is there for one conversation."""
        return self.direct or self.parent is not None

    @property
    def flat(self) -> bool:
        """Whether each question in it begins a conversation."""
        return not self.passing


def room_at(channel: object) -> Room | None:
    """Return the room that *channel* is; None: discord.py knows nothing but its id."""
    match channel:
        case discord.DMChannel():
            return Room(id=channel.id, scope=Scope(PLATFORM, DIRECT, str(channel.id)))
        case discord.Thread():
            home = channel.id if channel.is_private() else channel.parent_id
            scope = Scope(PLATFORM, str(channel.guild.id), str(home))
            return Room(id=channel.id, scope=scope, parent=channel.parent_id)
        case discord.abc.GuildChannel():
            return Room(id=channel.id, scope=Scope(PLATFORM, str(channel.guild.id), str(channel.id)))
        case _:
            return None


def is_by_person(message: discord.Message) -> bool:
    """Tell whether somebody wrote *message*, and no program: bots that answer bots never stop."""
    return message.type in _SAID and not message.author.bot and message.webhook_id is None


def files_of(message: discord.Message) -> list[discord.Attachment]:
    """Return the files that people see with *message*: its own, and those of a message that it forwards."""
    forwarded = (one for snapshot in message.message_snapshots for one in snapshot.attachments)
    return [*message.attachments, *forwarded]


def replies_to(message: discord.Message, user: int) -> bool:
    """Tell whether *message* replies to one that *user* wrote, or that nobody knows the author of."""
    reference = message.reference
    if message.type is not discord.MessageType.reply or reference is None or reference.message_id is None:
        return False
    answered = reference.resolved
    return not isinstance(answered, discord.Message) or answered.author.id == user


def read_message(
    message: discord.Message, room: Room, me: int, *, thread: Thread | None = None
) -> IncomingMessage | None:
    """Return *message* if it may be for the bot: comments on files and talk among others are not.

    A *thread* is the conversation that it goes on with, where that stands in the channel itself.
    """
    spoken = spoken_in(message, me)
    named = _is_named(message, room, me, spoken)
    if not (named or _follows(message, room, me, spoken, thread)) or _says_nothing(message, spoken, named):
        return None
    return IncomingMessage(
        event_id=str(message.id),
        message_id=str(message.id),
        thread=thread or thread_of(message, room),
        author=str(message.author.id),
        text=spoken.text,
        mentioned=named,
        midway=room.parent is not None and message.id != room.id,
    )


def read_edit(
    message: discord.Message, room: Room, me: int, *, whole: bool, thread: Thread | None = None
) -> Edited | None:
    """Return what became of a message that people changed, which may have been a question before.

    Unless the bot sees the *whole* of it, a message that does not name it any more shows nothing.
    """
    if message.edited_at is None:
        return None  # Discord added a preview, or a thread began with it
    spoken = spoken_in(message, me)
    named = _is_named(message, room, me, spoken)
    if not named and not whole and not message.content:
        return None
    event_id = f"{message.id}/{message.edited_at.timestamp()}"
    thread = thread or thread_of(message, room)
    if _says_nothing(message, spoken, named):
        return MessageDeleted(event_id=event_id, message_id=str(message.id), scope=thread.scope)
    return MessageEdited(
        event_id=event_id,
        message_id=str(message.id),
        thread=thread,
        author=str(message.author.id),
        text=spoken.text,
        mentioned=named,
    )


def names_bot(message: discord.Message, room: Room, me: int) -> bool:
    """Tell whether *message* was written to the bot."""
    return _is_named(message, room, me, spoken_in(message, me))


def read_deletion(message_ids: Iterable[int], scope: Scope) -> list[MessageDeleted]:
    """Return that messages were taken back."""
    return [
        MessageDeleted(event_id=f"{number}/deleted", message_id=str(number), scope=scope)
        for number in sorted(message_ids)
    ]


def place_of_message(guild: int | None, channel: int, message: int | None = None) -> str:
    """Return what the places of all files of a message begin with; None: of all messages of a channel."""
    start = f"{PLATFORM}:{guild or DIRECT}/{channel}/"
    return start if message is None else f"{start}{message}/"


def thread_of(message: discord.Message, room: Room) -> Thread:
    """Return the conversation of *message*; a question in a channel will have a thread with its own id."""
    return Thread(room.scope, str(message.id if room.flat else room.id))


def spoken_in(message: discord.Message, me: int) -> Spoken:
    """Return what *message* says, in plain words."""
    role = _own_role(message)
    names = Names(
        users={user.id: user.display_name for user in message.mentions},
        roles={one.id: one.name for one in message.role_mentions},
        channels={channel.id: channel.name for channel in message.channel_mentions},
    )
    spoken = read(message.content, me, names, role=None if role is None else role.id)
    return spoken if spoken.text or message.attachments else replace(spoken, text=_title(message))


def _title(message: discord.Message) -> str:
    """Return the title of a forum's post, which is what the first message says when it has no words."""
    post = message.channel
    return post.name if isinstance(post, discord.Thread) and post.id == message.id else ""


def _own_role(message: discord.Message) -> discord.Role | None:
    """Return the role that came with the bot; people pick it as easily as the bot itself."""
    return message.guild.self_role if message.guild is not None else None


def _is_named(message: discord.Message, room: Room, me: int, spoken: Spoken) -> bool:
    """Tell whether *message* names the bot, or replies to it with a ping; everybody's name is not the bot's.

    Discord tells of a role only where everybody may name it, so the text counts as well.
    """
    if room.direct or any(user.id == me for user in message.mentions):
        return True
    return spoken.mentioned or _own_role(message) in message.role_mentions


def _follows(message: discord.Message, room: Room, me: int, spoken: Spoken, thread: Thread | None) -> bool:
    """Tell whether *message* may follow up on what was asked in its conversation."""
    if message.attachments or message.message_snapshots or spoken.others_first:
        return False
    if thread is not None:
        return True
    replies = message.type is discord.MessageType.reply
    return room.parent is not None and (
        not replies or replies_to(message, me) or replies_to(message, message.author.id)
    )


def _says_nothing(message: discord.Message, spoken: Spoken, named: bool) -> bool:
    """Tell whether there is nothing to answer; naming the bot and nothing else is worth a sentence."""
    reply = message.type is discord.MessageType.reply
    carries = bool(message.attachments or message.message_snapshots)
    return not spoken.text.strip() and (reply or not named or carries)
