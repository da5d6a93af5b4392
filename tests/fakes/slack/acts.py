"""What people do with messages and files, and the events that tell the bot."""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import uuid4

from tests.fakes.slack.chat import changed, removed
from tests.fakes.slack.deliveries import Deliverer
from tests.fakes.slack.shared_files import File
from tests.fakes.slack.world import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.fakes.slack.world import Channel, Workspace


class Acts(Deliverer):
    """People say, upload, change and delete things."""

    def say(
        self,
        channel: str,
        user: str,
        text: str,
        thread_ts: str | None = None,
        files: Sequence[File] = (),
        *,
        events: Sequence[str] | None = None,
        attempt: int = 0,
        copies: int | None = None,
        **fields: Any,
    ) -> Message:
        """Let *user* post a message; *fields* are added to its events.

        *events* tell the bot of it, in order, by kind: ``message``, ``app_mention``, ``file_shared``.
        With an *attempt* of 1 only the first redelivery arrives.
        """
        place, space = self.channel(channel), self.home_of(channel)
        message = self._posted(place, user, text, thread_ts, files)
        if space.bot not in place.members or not space.installed:
            return message
        for kind in self._kinds(place, space, message) if events is None else events:
            for event in self._telling(kind, place, message):
                self.event({**event, **fields}, space, attempt=attempt, copies=copies)
        return message

    def make_file(self, channel: str, user: str, name: str, content: bytes | str, **changes: Any) -> File:
        """Return a file that *user* is about to share in *channel*."""
        space, kind = self.home_of(channel), mimetypes.guess_type(name)[0]
        number, now = f"F{self.number():07d}", int(self.wall())
        origin = self.base_url.removesuffix("api/")
        slug = quote(name.lower().replace(" ", "_"))
        known: dict[str, Any] = {
            "id": number,
            "team": space.id,
            "name": name,
            "content": content.encode() if isinstance(content, str) else content,
            "mimetype": "text/markdown" if name.endswith(".md") else kind or "text/plain",
            "user": user,
            "created": now,
            "updated": now,
            "url": f"{origin}files-pri/{space.id}-{number}/{slug}",
            "download_url": f"{origin}files-pri/{space.id}-{number}/download/{slug}",
            "permalink": f"{space.url}files/{user}/{number}/{slug}",
            "connect": self.channel(channel).shared,
        }
        file = File(**(known | changes))
        space.files[number] = file
        return file

    def upload(
        self,
        channel: str,
        user: str,
        name: str,
        content: bytes | str,
        text: str = "",
        thread_ts: str | None = None,
        *,
        events: Sequence[str] | None = None,
        attempt: int = 0,
        copies: int | None = None,
        **changes: Any,
    ) -> File:
        """Let *user* share a new file; *changes* are fields of the `File`."""
        file = self.make_file(channel, user, name, content, **changes)
        self.say(channel, user, text, thread_ts, files=[file], events=events, attempt=attempt, copies=copies)
        return file

    def share(self, file: File, channel: str, user: str, text: str = "") -> Message:
        """Share a file that exists already in another channel."""
        return self.say(channel, user, text, files=[file])

    def edit_message(self, message: Message, text: str, *, events: Sequence[str] = ("message",)) -> None:
        """Let its author change what a message says."""
        before, channel = message.described(), self.channel(message.channel)
        message.text, message.edited = text, self.ts()
        message.note()
        for kind in events:
            if kind == "message":
                self.event(changed(message, before, channel, message.edited), self.home_of(channel.id))
            else:
                self.event({**self._mention(message), "edited": message.edited}, self.home_of(channel.id))

    def unfurl(self, message: Message) -> None:
        """Let Slack put a link preview below a message: it changes, its text does not."""
        before, channel = message.described(), self.channel(message.channel)
        message.attachments.append({"id": 1, "title": "A page", "from_url": "https://example.com/"})
        self.event(changed(message, before, channel, self.ts()), self.home_of(channel.id))

    def delete_message(self, message: Message) -> None:
        """Let its author delete a message."""
        channel = self.channel(message.channel)
        event = removed(message, channel, self.ts())
        message.deleted = True
        self.event(event, self.home_of(channel.id))

    def change_file(self, file: File, content: bytes | str) -> None:
        """Upload a new version of a file, or edit a snippet."""
        file.content = content.encode() if isinstance(content, str) else content
        file.updated = max(file.updated + 1, int(self.wall()))
        self._file_event("file_change", file)

    def delete_file(self, file: File, *, told: bool = True) -> None:
        """Delete a file; retention policies do it without telling (not *told*)."""
        channels = list(file.shares)
        file.deleted = True
        file.shares.clear()
        if told:
            self._file_event("file_deleted", file, channel_ids=channels)

    def unshare_file(self, file: File, channel: str) -> None:
        """Take a file out of one channel."""
        file.shares.pop(channel, None)
        file.kinds.pop(channel, None)
        self._file_event("file_unshared", file, channel_id=channel, user_id=file.user)

    def react(self, message: Message, name: str, user: str) -> None:
        """Put a reaction on a message."""
        message.reactions.setdefault(name, []).append(user)
        self._reaction("reaction_added", message, name, user)

    def unreact(self, message: Message, name: str, user: str) -> None:
        """Take a reaction back."""
        message.reactions[name].remove(user)
        self._reaction("reaction_removed", message, name, user)

    def _posted(
        self, channel: Channel, user: str, text: str, thread_ts: str | None, files: Sequence[File]
    ) -> Message:
        person = self.user(user)
        message = Message(
            channel=channel.id,
            ts=self.ts(),
            user=user,
            text=text,
            thread_ts=thread_ts,
            files=list(files),
            team=person.team,
            client_msg_id=None if person.bot_id else str(uuid4()),
            bot_id=person.bot_id,
            subtype="file_share" if files else "bot_message" if person.bot_id else None,
        )
        for file in files:
            file.shares[channel.id], file.kinds[channel.id] = message.ts, channel.kind
        channel.messages[message.ts] = message
        message.note()
        return message

    def _kinds(self, channel: Channel, workspace: Workspace, message: Message) -> list[str]:
        kinds = ["file_shared"] if message.files else []
        mentioned = f"<@{workspace.bot}>" in message.text or f"<@{workspace.bot}|" in message.text
        return [*kinds, "message", *(["app_mention"] if mentioned and channel.kind != "im" else [])]

    def _telling(self, kind: str, channel: Channel, message: Message) -> list[dict[str, Any]]:
        if kind == "file_shared":
            return [
                {
                    "type": "file_shared",
                    "file_id": file.id,
                    "file": {"id": file.id},
                    "user_id": message.user,
                    "channel_id": channel.id,
                    "event_ts": message.ts,
                }
                for file in message.files
            ]
        if kind == "app_mention":
            return [self._mention(message)]
        return [self._message(channel, message)]

    def _message(self, channel: Channel, message: Message) -> dict[str, Any]:
        said = message.described() | {
            "channel": channel.id,
            "channel_type": channel.type,
            "event_ts": message.ts,
        }
        if channel.shared:
            said |= {"user_team": message.team, "source_team": message.team}
        if message.thread_ts in channel.messages:
            said["parent_user_id"] = channel.messages[message.thread_ts].user
        return said

    def _mention(self, message: Message) -> dict[str, Any]:
        said = self._message(self.channel(message.channel), message) | {"type": "app_mention"}
        for key in ("subtype", "channel_type", "parent_user_id"):
            said.pop(key, None)
        return said

    def _file_event(self, kind: str, file: File, **fields: Any) -> None:
        space = self.workspaces[file.team]
        event = {"type": kind, "file_id": file.id, "file": {"id": file.id}, "event_ts": self.ts(), **fields}
        self.event(event, space)

    def _reaction(self, kind: str, message: Message, name: str, user: str) -> None:
        item = {"type": "message", "channel": message.channel, "ts": message.ts}
        event = {"type": kind, "user": user, "reaction": name, "item": item, "item_user": message.user}
        self.event(event | {"event_ts": self.ts()}, self.home_of(message.channel))
