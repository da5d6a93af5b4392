"""``/channels/…/messages``: what the bot posts, changes and deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.components import COMPONENTS_V2
from tests.fakes.discord.describing import message_object
from tests.fakes.discord.drafting import (
    check,
    draft,
    new_attachments,
    read_content,
    read_embeds,
)
from tests.fakes.discord.errors import ApiError, Problem
from tests.fakes.discord.messages import (
    COMMAND,
    CONTEXT_MENU,
    REPLY,
    SUPPRESS_EMBEDS,
    TYPED_BY_PEOPLE,
    Message,
)
from tests.fakes.discord.permissions import Permission, in_channel
from tests.fakes.discord.rates import EDITS, MESSAGES, OLD_EDITS
from tests.fakes.discord.rest import Call, route
from tests.fakes.discord.world import CATEGORY, FORUM_TYPE, Channel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.discord.rooms import Rooms
    from tests.fakes.discord.state import State

HOUR, TWO_WEEKS, FRESH = 3600.0, 14 * 24 * 3600.0, 10.0
MESSAGE = "/channels/{channel}/messages/{message}"
ANSWERABLE = TYPED_BY_PEOPLE | {COMMAND, CONTEXT_MENU}


def _deletes(server: State, call: Call) -> str:
    age = server.wall() - server.born(call.id("message"))
    return "fresh deletes" if age <= FRESH else "old deletes" if age >= TWO_WEEKS else "deletes"


@route("send", "POST", "/channels/{channel}/messages", limit=MESSAGES)
def send(server: Rooms, call: Call) -> dict[str, Any]:
    channel = writable(server, call.id("channel"))
    if channel.type in {FORUM_TYPE, CATEGORY}:
        raise ApiError(50008)
    made = draft(server, channel, call.body, call.files)
    require(server, channel, needed(made.fields))
    if (known := _sent_before(server, channel, call.body)) is not None:
        return message_object(server, known)
    answered = _answered(server, channel, call.body.get("message_reference"))
    message = Message(
        id=server.snowflake(),
        channel=channel,
        author=server.bot,
        at=server.wall(),
        type=REPLY if answered else 0,
        nonce=_nonce(call.body),
        reference=reference_to(answered) if answered else None,
        answered=answered,
        payload=call.body,
        **made.fields,
    )
    return message_object(server, server.add(message, made.allowed))


@route("edit", "PATCH", MESSAGE, limit=EDITS)
def edit(server: Rooms, call: Call) -> dict[str, Any]:
    message = standing(server, call)
    channel, body = message.channel, call.body
    active(channel)
    if channel.thread and channel.thread.locked and not _may(server, channel, Permission.MANAGE_THREADS):
        raise ApiError(160005)
    if message.author is not server.bot:
        return message_object(server, _suppressed(server, message, body))
    if server.wall() - message.at > HOUR:
        _old_edit(server, channel)
    fields = changed(server, message, body, call)
    return message_object(server, server.change(message, body.get("allowed_mentions"), **fields))


@route("delete", "DELETE", MESSAGE, limit=_deletes)
def delete(server: Rooms, call: Call) -> None:
    message = standing(server, call)
    if message.author is not server.bot:
        require(server, message.channel, Permission.MANAGE_MESSAGES)
    server.remove([message])


@route("delete many", "POST", "/channels/{channel}/messages/bulk-delete", limit="deletes")
def delete_many(server: Rooms, call: Call) -> None:
    channel = readable(server, call.id("channel"))
    require(server, channel, Permission.MANAGE_MESSAGES)
    ids = [int(one) for one in call.body.get("messages") or []]
    if not 2 <= len(ids) <= 100:
        raise ApiError(50016)
    if any(server.wall() - server.born(one) > TWO_WEEKS for one in ids):
        raise ApiError(50034)
    found = [message for message in channel.standing if message.id in ids]
    if found:
        server.remove(found)


def readable(server: State, channel: int) -> Channel:
    """Return a channel that the bot can see. Raises `ApiError` otherwise."""
    found = server.find_channel(channel)
    if found is None:
        raise ApiError(10003)
    if not in_channel(found, server.application) & Permission.VIEW_CHANNEL:
        raise ApiError(50001)
    return found


def writable(server: State, channel: int) -> Channel:
    """Return a channel that the bot may write in. Raises `ApiError` otherwise."""
    found = readable(server, channel)
    if found.guild is None and not all(one.takes_direct_messages for one in found.recipients):
        raise ApiError(50007)
    thread = found.thread
    if thread is not None and thread.locked and not _may(server, found, Permission.MANAGE_THREADS):
        raise ApiError(160005)
    talk = Permission.SEND_MESSAGES_IN_THREADS if thread is not None else Permission.SEND_MESSAGES
    require(server, found, talk)
    return found


def standing(server: State, call: Call) -> Message:
    """Return the message of a path. Raises `ApiError` when it is gone or out of sight."""
    channel = readable(server, call.id("channel"))
    message = channel.messages.get(call.id("message"))
    if message is None or message.deleted:
        raise ApiError(10008)
    return message


def active(channel: Channel) -> None:
    """Raise `ApiError` when a thread is in the archive."""
    if channel.thread is not None and channel.thread.archived:
        raise ApiError(50083)


def require(server: State, channel: Channel, permission: Permission) -> None:
    if in_channel(channel, server.application) & permission != permission:
        raise ApiError(50013)


def needed(fields: Mapping[str, Any]) -> Permission:
    """Return what one must be allowed to for these parts of a message."""
    wanted = Permission.EMBED_LINKS if fields["embeds"] else Permission(0)
    return wanted | (Permission.ATTACH_FILES if fields["attachments"] else Permission(0))


def changed(server: State, message: Message, body: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Return the fields of *message* after a change. Raises `ApiError` when it must not be so."""
    fields: dict[str, Any] = {
        "content": read_content(body["content"]) if "content" in body else message.content,
        "embeds": read_embeds(body["embeds"]) if "embeds" in body else message.embeds,
        "components": (body["components"] or []) if "components" in body else message.components,
        "flags": _flags(message.flags, body.get("flags")),
        "attachments": _kept(message, body),
    }
    fields["attachments"] += new_attachments(server, message.channel, body.get("attachments"), call.files)
    check(fields, body.get("allowed_mentions"))
    return fields


def reference_to(message: Message) -> dict[str, Any]:
    """Return the reference of a reply."""
    where = {"channel_id": str(message.channel.id), **message.channel.guild_field}
    return {"type": 0, "message_id": str(message.id), **where}


def _flags(now: int, wanted: int | None) -> int:
    if wanted is None:
        return now
    return (now & ~SUPPRESS_EMBEDS) | (wanted & (SUPPRESS_EMBEDS | COMPONENTS_V2))


def _kept(message: Message, body: Mapping[str, Any]) -> list[Any]:
    if "attachments" not in body:
        return list(message.attachments)
    kept = {str(one.get("id")) for one in body["attachments"] or []}
    return [one for one in message.attachments if str(one.id) in kept]


def _suppressed(server: Rooms, message: Message, body: Mapping[str, Any]) -> Message:
    if set(body) - {"flags", "allowed_mentions", "components", "tts"} or "flags" not in body:
        raise ApiError(50005)
    require(server, message.channel, Permission.MANAGE_MESSAGES)
    message.flags = _flags(message.flags, body["flags"])
    server.tell_message("MESSAGE_UPDATE", message)
    return message


def _old_edit(server: Rooms, channel: Channel) -> None:
    verdict = server.rates.take(OLD_EDITS, str(channel.id), everywhere=False)
    if verdict.refused:
        raise ApiError(30046, retry_after=verdict.reset_after)


def _sent_before(server: State, channel: Channel, body: Mapping[str, Any]) -> Message | None:
    nonce = _nonce(body)
    if not nonce or not body.get("enforce_nonce"):
        return None
    for message in reversed(channel.messages.values()):
        if message.nonce == nonce and server.wall() - message.at < server.nonce_seconds:
            if message.deleted:
                raise ApiError(10008)
            return message
    return None


def _nonce(body: Mapping[str, Any]) -> str | None:
    nonce = body.get("nonce")
    if nonce is not None and len(str(nonce)) > 25:
        raise Problem("nonce", "NONCE_TYPE_TOO_LONG", "Must be 25 or fewer characters long.")
    return None if nonce is None else str(nonce)


def _answered(server: State, channel: Channel, reference: Any) -> Message | None:
    if not reference:
        return None
    if not _may(server, channel, Permission.READ_MESSAGE_HISTORY):
        raise ApiError(160002)
    if int(reference.get("channel_id") or channel.id) != channel.id:
        message = "Cannot reply to a message in a different channel"
        raise Problem("message_reference", "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", message)
    found = channel.messages.get(int(reference["message_id"]))
    if found is None or found.deleted:
        if reference.get("fail_if_not_exists", True):
            raise Problem("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        return None
    if found.type not in ANSWERABLE:
        message = "Cannot reply to a system message"
        raise Problem("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", message)
    return found


def _may(server: State, channel: Channel, permission: Permission) -> bool:
    return bool(in_channel(channel, server.application) & permission)
