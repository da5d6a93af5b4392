"""What people do in channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.discord.drafting import attach
from tests.fakes.discord.messages import REPLY, SAID, Attachment, Message
from tests.fakes.discord.permissions import Permission, in_channel
from tests.fakes.discord.posting import reference_to
from tests.fakes.discord.rooms import Rooms
from tests.fakes.discord.world import CATEGORY, FORUM_TYPE, Channel

FORWARD = 1

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    File = Attachment | tuple[str, bytes | str]
    Place = Channel | int


class Acts(Rooms):
    """People, and other bots, talk, change their mind and tidy up."""

    def make_file(self, channel: Place, name: str, content: bytes | str, **changes: Any) -> Attachment:
        """Return a file that somebody is about to post; *changes* are fields of the `Attachment`."""
        data = content.encode() if isinstance(content, str) else content
        return attach(self, self.channel(channel), name, data, **changes)

    def say(
        self,
        channel: Place,
        user: int,
        text: str = "",
        *,
        files: Iterable[File] = (),
        reply_to: Message | None = None,
        ping: bool = True,
        type: int | None = None,  # noqa: A002 (Discord's word)
        **fields: Any,
    ) -> Message:
        """Let *user* say something; a reply without *ping* does not name the one it answers."""
        place = self.channel(channel)
        self._may_write(place, user)
        message = Message(
            id=self.snowflake(),
            channel=place,
            author=self.users[user],
            at=self.wall(),
            content=text,
            type=type if type is not None else REPLY if reply_to else SAID,
            attachments=[self._file(place, one) for one in files],
            answered=reply_to,
            **({"reference": reference_to(reply_to)} if reply_to else {}) | fields,
        )
        return self.add(message, {"parse": ["users", "roles", "everyone"], "replied_user": ping})

    def forward(self, message: Message, channel: Place, user: int) -> Message:
        """Let *user* pass a message on, with its files and without a word."""
        reference = reference_to(message) | {"type": FORWARD}
        return self.say(channel, user, reference=reference, forwarded=message)

    def edit(self, message: Message, text: str) -> None:
        """Let its author change what a message says."""
        self.change(message, None, content=text)

    def remove_file(self, message: Message, filename: str) -> None:
        """Let its author take one file off a message; the message stays."""
        self.change(
            message, None, attachments=[one for one in message.attachments if one.filename != filename]
        )

    def unfurl(self, message: Message, url: str = "https://example.com/") -> None:
        """Let Discord put a link preview below a message: it changes, its text does not."""
        message.embeds = [*message.embeds, {"type": "link", "url": url, "title": "A page"}]
        message.note(self.wall())
        self.tell_message("MESSAGE_UPDATE", message)

    def pin(self, message: Message) -> None:
        """Pin a message: it is told as a change, and nothing that it says changed."""
        message.pinned = True
        self.tell_message("MESSAGE_UPDATE", message)

    def delete(self, *messages: Message) -> None:
        """Delete messages; several of them together, as moderators do."""
        self.remove(messages)

    def react(self, message: Message, emoji: str, user: int) -> None:
        """Put a reaction on a message."""
        users = message.reactions.setdefault(emoji, [])
        if user not in users:
            users.append(user)
            self.tell_reaction("MESSAGE_REACTION_ADD", message, emoji, user)

    def unreact(self, message: Message, emoji: str, user: int) -> None:
        """Take a reaction back."""
        message.reactions[emoji].remove(user)
        self.tell_reaction("MESSAGE_REACTION_REMOVE", message, emoji, user)

    def start_thread(
        self,
        channel: Place,
        user: int,
        name: str,
        *,
        start: Message | None = None,
        private: bool = False,
        members: Sequence[int] = (),
    ) -> Channel:
        """Begin a thread, from a message or without one; private ones are seen by *members* only."""
        place = self.channel(channel)
        thread = self.open_thread(place, user, name, start=start, private=private)
        for one in members:
            self.join_thread(thread, one)
        return thread

    def start_post(
        self,
        forum: Place,
        user: int,
        title: str,
        text: str = "",
        *,
        files: Iterable[File] = (),
        tags: Sequence[int] = (),
    ) -> Channel:
        """Open a post of a forum: a thread, and its first message with the same id."""
        place = self.channel(forum)
        thread = self.open_thread(place, user, title, forum=True, tags=tags)
        author, attachments = self.users[user], [self._file(thread, one) for one in files]
        first = Message(
            id=thread.id, channel=thread, author=author, at=self.wall(), content=text, attachments=attachments
        )
        self.add(first, None)
        return thread

    def _may_write(self, channel: Channel, user: int) -> None:
        thread = channel.thread
        allowed = in_channel(channel, user)
        talk = Permission.SEND_MESSAGES_IN_THREADS if thread else Permission.SEND_MESSAGES
        locked = thread is not None and thread.locked and not allowed & Permission.MANAGE_THREADS
        if channel.type in {FORUM_TYPE, CATEGORY} or locked or not allowed & talk:
            raise PermissionError(f"{self.users[user].name} cannot write in {channel.name or channel.id}")

    def _file(self, channel: Channel, file: File) -> Attachment:
        if isinstance(file, Attachment):
            file.channel = channel.id
            return file
        name, content = file
        return self.make_file(channel, name, content)
