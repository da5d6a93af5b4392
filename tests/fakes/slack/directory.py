"""``conversations.*``, ``users.*``, ``files.info`` and ``reactions.*``: what there is, and who is where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.slack.chat import conversation, direct
from tests.fakes.slack.web_api import ApiError, Caller, method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.fakes.slack.state import State
    from tests.fakes.slack.world import Channel, Message

READ = "channels:read|groups:read|im:read|mpim:read"
HISTORY = "channels:history|groups:history|im:history|mpim:history"


@method("conversations.info", scope=READ)
def info(_: State, caller: Caller) -> dict[str, Any]:
    channel = conversation(caller)
    member = caller.workspace.bot in channel.members
    return {"channel": {**channel.described(), "is_member": member, "context_team_id": caller.workspace.id}}


@method("conversations.members", scope=READ)
def members(_: State, caller: Caller) -> dict[str, Any]:
    page, more = _page(conversation(caller).members, caller)
    return {"members": page, **more}


@method("conversations.open", scope="im:write|mpim:write")
def open_direct(state: State, caller: Caller) -> dict[str, Any]:
    (users,) = caller.need("users")
    if users not in caller.workspace.users:
        raise ApiError("user_not_found")
    return {"channel": {"id": direct(state, caller.workspace, users).id}}


@method("conversations.history", scope=HISTORY)
def history(_: State, caller: Caller) -> dict[str, Any]:
    channel = _readable(caller)
    roots = [one for one in _standing(channel, caller) if one.thread_ts is None]
    page, more = _page([*reversed(roots)], caller)
    return {"messages": [_with_metadata(one, caller) for one in page], **more}


@method("conversations.replies", scope=HISTORY)
def replies(_: State, caller: Caller) -> dict[str, Any]:
    channel = _readable(caller)
    (ts,) = caller.need("ts")
    named = channel.messages.get(ts)
    thread = named.thread if named is not None else ts
    found = [one for one in _standing(channel, caller) if one.thread == thread]
    if not found:
        raise ApiError("thread_not_found")
    page, more = _page(found, caller)
    return {"messages": [_with_metadata(one, caller) for one in page], **more}


@method("users.info", scope="users:read")
def user_info(state: State, caller: Caller) -> dict[str, Any]:
    (user,) = caller.need("user")
    for workspace in state.workspaces.values():
        if user in workspace.users:
            return {"user": workspace.users[user].described(caller.workspace.id)}
    raise ApiError("user_not_found")


@method("users.conversations", scope=READ)
def user_conversations(_: State, caller: Caller) -> dict[str, Any]:
    space = caller.workspace
    user = caller.arguments.get("user") or space.bot
    kinds = str(caller.arguments.get("types") or "public_channel").split(",")
    named = {"public": "public_channel", "private": "private_channel", "mpim": "mpim", "im": "im"}
    found = [
        channel
        for channel in space.channels.values()
        if user in channel.members
        and named[channel.kind] in kinds
        and (channel.kind == "public" or space.bot in channel.members)
        and not (channel.archived and caller.flag("exclude_archived"))
    ]
    page, more = _page(found, caller)
    return {"channels": [channel.described() for channel in page], **more}


@method("files.info", scope="files:read")
def file_info(state: State, caller: Caller) -> dict[str, Any]:
    (named,) = caller.need("file")
    file = next((space.files[named] for space in state.workspaces.values() if named in space.files), None)
    if file is None:
        raise ApiError("file_not_found")
    if file.deleted:
        raise ApiError("file_deleted")
    bot, channels = caller.workspace.bot, caller.workspace.channels
    if not any(one in channels and bot in channels[one].members for one in file.shares):
        raise ApiError("file_not_found")
    return {"file": file.described(whole=True), "comments": []}


@method("reactions.add", scope="reactions:write")
def react(_: State, caller: Caller) -> dict[str, Any]:
    name, users = _reaction(caller)
    if caller.workspace.bot in users:
        raise ApiError("already_reacted")
    if not name:
        raise ApiError("invalid_name")
    users.append(caller.workspace.bot)
    return {}


@method("reactions.remove", scope="reactions:write")
def unreact(_: State, caller: Caller) -> dict[str, Any]:
    users = _reaction(caller)[1]
    if caller.workspace.bot not in users:
        raise ApiError("no_reaction")
    users.remove(caller.workspace.bot)
    return {}


def _reaction(caller: Caller) -> tuple[str, list[str]]:
    channel = conversation(caller)
    name, ts = caller.need("name", "timestamp")
    if channel.archived:
        raise ApiError("is_archived")
    message = channel.messages.get(ts)
    if message is None or message.deleted:
        raise ApiError("message_not_found")
    if not name.replace("_", "").replace("-", "").replace("+", "").isalnum():
        raise ApiError("invalid_name")
    return name, message.reactions.setdefault(name, [])


def _readable(caller: Caller) -> Channel:
    channel = conversation(caller)
    if caller.workspace.bot not in channel.members:
        raise ApiError("not_in_channel")
    return channel


def _standing(channel: Channel, caller: Caller) -> list[Message]:
    oldest = str(caller.arguments.get("oldest") or "0")
    latest = str(caller.arguments.get("latest") or "9")
    return [
        one
        for one in channel.messages.values()
        if not one.deleted
        and (oldest < one.ts < latest or (caller.flag("inclusive") and one.ts in {oldest, latest}))
    ]


def _with_metadata(message: Message, caller: Caller) -> dict[str, Any]:
    return message.described(metadata=caller.flag("include_all_metadata"))


def _page(things: Sequence[Any], caller: Caller) -> tuple[list[Any], dict[str, Any]]:
    limit = int(caller.arguments.get("limit") or 100)
    try:
        start = int(caller.arguments.get("cursor") or 0)
    except ValueError:
        raise ApiError("invalid_cursor") from None
    more = start + limit < len(things)
    cursor = str(start + limit) if more else ""
    page = list(things[start : start + limit])
    return page, {"has_more": more, "response_metadata": {"next_cursor": cursor}}
