"""What the bot looks up: messages, channels, guilds, people and itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.describing import censored, guild_object, message_object
from tests.fakes.discord.errors import ApiError, Problem
from tests.fakes.discord.gateway import application_flags
from tests.fakes.discord.permissions import Permission, can_view, in_channel
from tests.fakes.discord.posting import readable, standing
from tests.fakes.discord.rest import Call, route
from tests.fakes.discord.sessions import CONTENT, MEMBERS

if TYPE_CHECKING:
    from tests.fakes.discord.messages import Message
    from tests.fakes.discord.rooms import Rooms
    from tests.fakes.discord.state import State
    from tests.fakes.discord.world import Channel, Guild

HISTORY = Permission.READ_MESSAGE_HISTORY


@route("fetch", "GET", "/channels/{channel}/messages/{message}", limit="fetch")
def fetch(server: Rooms, call: Call) -> dict[str, Any]:
    message = standing(server, call)
    if not in_channel(message.channel, server.application) & HISTORY:
        raise ApiError(50001)
    return _seen(server, message)


@route("history", "GET", "/channels/{channel}/messages", limit="history")
def history(server: Rooms, call: Call) -> list[dict[str, Any]]:
    channel = readable(server, call.id("channel"))
    limit = int(call.query.get("limit", 50))
    if not 1 <= limit <= 100:
        raise Problem("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
    if not in_channel(channel, server.application) & HISTORY:
        return []
    return [_seen(server, one) for one in _page(channel.standing, call.query, limit)]


@route("channel", "GET", "/channels/{channel}")
def channel_info(server: Rooms, call: Call) -> dict[str, Any]:
    return readable(server, call.id("channel")).described(server.application)


@route("open direct", "POST", "/users/@me/channels")
def open_direct(server: Rooms, call: Call) -> dict[str, Any]:
    user = int(call.body["recipient_id"])
    if user not in server.users:
        raise ApiError(10013)
    return server.direct(user).described(server.application)


@route("me", "GET", "/users/@me")
def me(server: Rooms, _: Call) -> dict[str, Any]:
    return server.bot.described() | {"verified": True, "mfa_enabled": False, "locale": "en-US"}


@route("my guilds", "GET", "/users/@me/guilds")
def my_guilds(server: Rooms, _: Call) -> list[dict[str, Any]]:
    return [guild_object(one) for one in server.guilds.values() if server.application in one.members]


@route("leave guild", "DELETE", "/users/@me/guilds/{guild}")
def leave_guild(server: Rooms, call: Call) -> None:
    server.expel(_guild(server, call))


@route("user", "GET", "/users/{user}")
def user_info(server: Rooms, call: Call) -> dict[str, Any]:
    found = server.users.get(call.id("user"))
    if found is None:
        raise ApiError(10013)
    return found.described()


@route("application", "GET", "/oauth2/applications/@me")
def application(server: Rooms, _: Call) -> dict[str, Any]:
    return {
        "id": str(server.application),
        "name": server.bot.name,
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": application_flags(server),
        "owner": next(iter(server.users.values())).described(),
        "team": None,
        "approximate_guild_count": len(server.guilds),
    }


@route("gateway", "GET", "/gateway", open=True)
def gateway(server: Rooms, _: Call) -> dict[str, Any]:
    return {"url": server.gateway_url}


@route("gateway bot", "GET", "/gateway/bot")
def gateway_bot(server: Rooms, _: Call) -> dict[str, Any]:
    limit = {
        "total": 1000,
        "remaining": server.gateway.starts_left,
        "reset_after": 86_400_000,
        "max_concurrency": 1,
    }
    return {"url": server.gateway_url, "shards": server.gateway.shards, "session_start_limit": limit}


@route("guild", "GET", "/guilds/{guild}")
def guild_info(server: Rooms, call: Call) -> dict[str, Any]:
    guild = _guild(server, call)
    counts = {"approximate_member_count": len(guild.members), "approximate_presence_count": 1}
    return guild_object(guild) | (counts if call.query.get("with_counts") in {"1", "true"} else {})


@route("guild channels", "GET", "/guilds/{guild}/channels")
def guild_channels(server: Rooms, call: Call) -> list[dict[str, Any]]:
    channels = _guild(server, call).channels.values()
    return [one.described(server.application) for one in channels if one.thread is None]


@route("roles", "GET", "/guilds/{guild}/roles")
def roles(server: Rooms, call: Call) -> list[dict[str, Any]]:
    return [role.described() for role in _guild(server, call).roles.values()]


@route("member", "GET", "/guilds/{guild}/members/{user}")
def member(server: Rooms, call: Call) -> dict[str, Any]:
    guild, user = _guild(server, call), call.id("user")
    if user not in guild.members:
        raise ApiError(10007 if user in server.users else 10013)
    return guild.members[user].described()


@route("members", "GET", "/guilds/{guild}/members")
def members(server: Rooms, call: Call) -> list[dict[str, Any]]:
    guild = _guild(server, call)
    if not server.privileged & MEMBERS:
        raise ApiError(50001)
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
    found = sorted(
        (one for one in guild.members.values() if one.user.id > after), key=lambda one: one.user.id
    )
    return [one.described() for one in found[:limit]]


@route("active threads", "GET", "/guilds/{guild}/threads/active")
def active_threads(server: Rooms, call: Call) -> dict[str, Any]:
    return _listed(server, [one for one in _visible(server, _guild(server, call)) if not _sleeps(one)])


@route("archived threads", "GET", "/channels/{channel}/threads/archived/public")
def archived_threads(server: Rooms, call: Call) -> dict[str, Any]:
    return _archive(server, call, private=False)


@route("archived private threads", "GET", "/channels/{channel}/threads/archived/private")
def archived_private_threads(server: Rooms, call: Call) -> dict[str, Any]:
    channel = readable(server, call.id("channel"))
    if not in_channel(channel, server.application) & Permission.MANAGE_THREADS:
        raise ApiError(50013)
    return _archive(server, call, private=True)


@route("joined archived threads", "GET", "/channels/{channel}/users/@me/threads/archived/private")
def joined_archived_threads(server: Rooms, call: Call) -> dict[str, Any]:
    return _archive(server, call, private=True)


def _archive(server: Rooms, call: Call, *, private: bool) -> dict[str, Any]:
    channel = readable(server, call.id("channel"))
    found = [
        one
        for one in server.threads(channel)
        if one.thread and one.thread.archived and one.thread.private == private
        if can_view(one, server.application)
    ]
    found.sort(key=lambda one: one.thread.changed if one.thread else 0.0, reverse=True)
    before, limit = call.query.get("before"), int(call.query.get("limit", 50))
    if before is not None:
        found = [one for one in found if _archived_at(server, one) < before]
    return _listed(server, found[:limit]) | {"has_more": len(found) > limit}


def _archived_at(server: State, channel: Channel) -> str:
    return str(channel.described(server.application)["thread_metadata"]["archive_timestamp"])


def _listed(server: State, threads: list[Channel]) -> dict[str, Any]:
    bot = server.application
    joined = [one.membership(bot) for one in threads if one.thread and bot in one.thread.members]
    return {"threads": [one.described(bot) for one in threads], "members": joined}


def _visible(server: State, guild: Guild) -> list[Channel]:
    return [one for one in guild.channels.values() if one.thread and can_view(one, server.application)]


def _sleeps(channel: Channel) -> bool:
    return channel.thread is not None and channel.thread.archived


def _page(messages: list[Message], query: dict[str, str], limit: int) -> list[Message]:
    ordered = sorted(messages, key=lambda one: one.id, reverse=True)
    if (after := query.get("after")) is not None:
        return [one for one in ordered if one.id > int(after)][-limit:]
    if (around := query.get("around")) is not None:
        older = [one for one in ordered if one.id < int(around)][: limit // 2]
        newer = [one for one in ordered if one.id >= int(around)]
        return newer[-(limit - len(older)) :] + older
    before = query.get("before")
    return [one for one in ordered if before is None or one.id < int(before)][:limit]


def _seen(server: State, message: Message) -> dict[str, Any]:
    said = message_object(server, message)
    open_to_all = message.channel.guild is None or server.privileged & CONTENT
    return said if open_to_all else censored(said, server.application)


def _guild(server: State, call: Call) -> Guild:
    guild = server.guilds.get(call.id("guild"))
    if guild is None or server.application not in guild.members:
        raise ApiError(10004)
    return guild
