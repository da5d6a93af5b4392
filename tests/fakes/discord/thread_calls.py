"""Threads and posts of forums that the bot begins, changes and joins; reactions and typing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tests.fakes.discord.describing import message_object
from tests.fakes.discord.drafting import draft
from tests.fakes.discord.errors import ApiError, Problem
from tests.fakes.discord.messages import Message
from tests.fakes.discord.permissions import Permission, in_channel
from tests.fakes.discord.posting import active, needed, readable, require, standing, writable
from tests.fakes.discord.rest import Call, route
from tests.fakes.discord.state import Typing
from tests.fakes.discord.world import ANNOUNCEMENTS, FORUM_TYPE, PRIVATE_THREAD, TEXT, Channel

if TYPE_CHECKING:
    from tests.fakes.discord.rooms import Rooms

DURATIONS = frozenset({60, 1440, 4320, 10080})
REACTION = "/channels/{channel}/messages/{message}/reactions/{emoji}"


@route("thread", "POST", "/channels/{channel}/messages/{message}/threads", limit="threads", status=201)
def start_from_message(server: Rooms, call: Call) -> dict[str, Any]:
    message = standing(server, call)
    channel = message.channel
    if channel.type not in {TEXT, ANNOUNCEMENTS}:
        raise ApiError(50024)
    require(server, channel, Permission.CREATE_PUBLIC_THREADS)
    name, duration = _wishes(call)
    if message.thread is not None:
        raise ApiError(160004)
    thread = server.open_thread(channel, server.application, name, start=message, auto_archive=duration)
    return thread.described(server.application)


@route("new thread", "POST", "/channels/{channel}/threads", limit="threads", status=201)
def start(server: Rooms, call: Call) -> dict[str, Any]:
    channel = readable(server, call.id("channel"))
    if channel.type == FORUM_TYPE:
        return _start_post(server, channel, call)
    if channel.type not in {TEXT, ANNOUNCEMENTS}:
        raise ApiError(50024)
    private = int(call.body.get("type") or PRIVATE_THREAD) == PRIVATE_THREAD
    kind = Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS
    require(server, channel, kind)
    name, duration = _wishes(call)
    thread = server.open_thread(channel, server.application, name, private=private, auto_archive=duration)
    return thread.described(server.application)


@route("change channel", "PATCH", "/channels/{channel}")
def change(server: Rooms, call: Call) -> dict[str, Any]:
    channel, body = readable(server, call.id("channel")), call.body
    thread = channel.thread
    if thread is None:
        require(server, channel, Permission.MANAGE_CHANNELS)
    else:
        _may_change(server, channel, body)
    channel.name = body.get("name", channel.name)
    channel.topic = body.get("topic", channel.topic)
    if thread is None:
        server.tell_of("CHANNEL_UPDATE", channel, channel.described(server.application))
    else:
        thread.auto_archive = body.get("auto_archive_duration", thread.auto_archive)
        server.archive(channel, archived=body.get("archived", thread.archived), locked=body.get("locked"))
    return channel.described(server.application)


@route("delete channel", "DELETE", "/channels/{channel}")
def delete(server: Rooms, call: Call) -> dict[str, Any]:
    channel = readable(server, call.id("channel"))
    require(server, channel, Permission.MANAGE_THREADS if channel.thread else Permission.MANAGE_CHANNELS)
    said = channel.described(server.application)
    server.close_channel(channel)
    return said


@route("join thread", "PUT", "/channels/{channel}/thread-members/@me")
def join(server: Rooms, call: Call) -> None:
    channel = _thread(server, call)
    active(channel)
    server.join_thread(channel, server.application)


@route("leave thread", "DELETE", "/channels/{channel}/thread-members/@me")
def leave(server: Rooms, call: Call) -> None:
    server.leave_thread(_thread(server, call), server.application)


@route("add to thread", "PUT", "/channels/{channel}/thread-members/{user}")
def add(server: Rooms, call: Call) -> None:
    server.join_thread(_thread(server, call), call.id("user"))


@route("typing", "POST", "/channels/{channel}/typing", limit="typing")
def typing(server: Rooms, call: Call) -> None:
    channel = writable(server, call.id("channel"))
    server.typings.append(Typing(channel=channel.id, at=server.clock()))


@route("react", "PUT", REACTION + "/@me", limit="reactions")
def react(server: Rooms, call: Call) -> None:
    message, emoji = standing(server, call), _emoji(call)
    active(message.channel)
    require(server, message.channel, Permission.READ_MESSAGE_HISTORY)
    if not message.reactions.get(emoji):
        require(server, message.channel, Permission.ADD_REACTIONS)
    users = message.reactions.setdefault(emoji, [])
    if server.application not in users:
        users.append(server.application)
        server.tell_reaction("MESSAGE_REACTION_ADD", message, emoji, server.application)


@route("unreact", "DELETE", REACTION + "/@me", limit="reactions")
def unreact(server: Rooms, call: Call) -> None:
    _take_back(server, call, server.application)


@route("unreact other", "DELETE", REACTION + "/{user}", limit="reactions")
def unreact_other(server: Rooms, call: Call) -> None:
    require(server, standing(server, call).channel, Permission.MANAGE_MESSAGES)
    _take_back(server, call, call.id("user"))


@route("reactions", "GET", REACTION)
def reactions(server: Rooms, call: Call) -> list[dict[str, Any]]:
    users = standing(server, call).reactions.get(_emoji(call), [])
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 25))
    return [server.users[one].described() for one in sorted(users) if one > after][:limit]


def _take_back(server: Rooms, call: Call, user: int) -> None:
    message, emoji = standing(server, call), _emoji(call)
    active(message.channel)
    if user in message.reactions.get(emoji, []):
        message.reactions[emoji].remove(user)
        server.tell_reaction("MESSAGE_REACTION_REMOVE", message, emoji, user)


def _start_post(server: Rooms, forum: Channel, call: Call) -> dict[str, Any]:
    require(server, forum, Permission.SEND_MESSAGES)
    name, duration = _wishes(call)
    tags = [int(tag) for tag in call.body.get("applied_tags") or []]
    if forum.tag_required and not tags:
        raise ApiError(40067)
    made = draft(server, forum, call.body.get("message") or {}, call.files)
    require(server, forum, needed(made.fields))
    thread = server.open_thread(forum, server.application, name, forum=True, auto_archive=duration, tags=tags)
    for attachment in made.fields["attachments"]:
        attachment.channel = thread.id
    message = Message(
        id=thread.id, channel=thread, author=server.bot, at=server.wall(), payload=call.body, **made.fields
    )
    server.add(message, made.allowed)
    return thread.described(server.application) | {"message": message_object(server, message)}


def _wishes(call: Call) -> tuple[str, int]:
    name = str(call.body.get("name") or "").strip()
    if not 1 <= len(name) <= 100:
        raise Problem("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    duration = int(call.body.get("auto_archive_duration") or 1440)
    if duration not in DURATIONS:
        message = f"Value must be one of {tuple(sorted(DURATIONS))}."
        raise Problem("auto_archive_duration", "BASE_TYPE_CHOICES", message)
    return name, duration


def _may_change(server: Rooms, channel: Channel, body: dict[str, Any]) -> None:
    thread = channel.thread
    if thread is None or in_channel(channel, server.application) & Permission.MANAGE_THREADS:
        return
    waking = body.get("archived") is False and server.application in thread.members
    if thread.locked or "locked" in body or not (thread.owner == server.application or waking):
        raise ApiError(50013)
    if thread.archived and body.get("archived") is not False:
        raise ApiError(50083)


def _thread(server: Rooms, call: Call) -> Channel:
    channel = readable(server, call.id("channel"))
    if channel.thread is None:
        raise ApiError(50024)
    return channel


def _emoji(call: Call) -> str:
    emoji = unquote(call.ids["emoji"])
    if emoji.isascii() and ":" not in emoji:
        raise ApiError(10014)
    return emoji
