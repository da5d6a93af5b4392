"""Objects of discord.py, made from what Discord would send; nobody is connected to anything."""

from __future__ import annotations

from typing import Any

import discord
from discord.raw_models import RawMessageUpdateEvent

from adapters.discord.client import Client

_FIRST = 10**17
"""Numbers of Discord's have so many digits."""
ANNA, BEN, ROBOT, BOT = (_FIRST + number for number in (101, 102, 103, 150))
SERVER, GENERAL, FORUM, VOICE, CATEGORY = (_FIRST + number for number in (200, 301, 302, 303, 304))
BOT_ROLE, STAFF_ROLE = _FIRST + 401, _FIRST + 402
THREAD, SECRET, POST = (_FIRST + number for number in (501, 502, 503))
DIRECT = _FIRST + 601
SAID, PINNED, REPLY, STARTER = 0, 6, 19, 21
WHEN = "2026-05-04T12:00:00+00:00"
EVERYTHING = str((1 << 40) - 1)


def user(number: int, name: str, *, bot: bool = False) -> dict[str, Any]:
    return {"id": str(number), "username": name, "discriminator": "0", "avatar": None, "bot": bot}


PEOPLE = {
    ANNA: user(ANNA, "anna"),
    BEN: user(BEN, "ben"),
    ROBOT: user(ROBOT, "robot", bot=True),
    BOT: user(BOT, "footnote", bot=True),
}


def role(number: int, name: str, **more: Any) -> dict[str, Any]:
    known = {"id": str(number), "name": name, "permissions": EVERYTHING, "position": 1, "color": 0}
    known |= {"hoist": False, "managed": False, "mentionable": True, "colors": {"primary_color": 0}}
    return known | more


def channel(number: int, name: str, kind: int = 0, **more: Any) -> dict[str, Any]:
    known = {"id": str(number), "name": name, "type": kind, "position": 0, "permission_overwrites": []}
    known |= {"bitrate": 64_000, "user_limit": 0} if kind == 2 else {}
    return known | more


def thread(number: int, parent: int, *, private: bool = False, **more: Any) -> dict[str, Any]:
    metadata = {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": WHEN, "locked": False}
    known: dict[str, Any] = {"id": str(number), "parent_id": str(parent), "guild_id": str(SERVER)}
    known |= {
        "owner_id": str(ANNA),
        "name": "a thread",
        "type": 12 if private else 11,
        "thread_metadata": metadata,
    }
    return known | {"message_count": 0, "member_count": 1, "rate_limit_per_user": 0} | more


def server(**more: Any) -> dict[str, Any]:
    known = {
        "id": str(SERVER),
        "name": "Acme",
        "owner_id": str(ANNA),
        "roles": [
            role(SERVER, "@everyone"),
            role(BOT_ROLE, "footnote", managed=True, tags={"bot_id": str(BOT)}),
            role(STAFF_ROLE, "staff"),
        ],
        "channels": [
            channel(GENERAL, "general"),
            channel(FORUM, "help", 15, available_tags=[]),
            channel(VOICE, "lounge", 2),
            channel(CATEGORY, "all", 4),
        ],
        "threads": [thread(THREAD, GENERAL), thread(SECRET, GENERAL, private=True), thread(POST, FORUM)],
        "members": [{"user": PEOPLE[BOT], "roles": [str(BOT_ROLE)], "joined_at": WHEN, "flags": 0}],
        "emojis": [],
        "stickers": [],
        "features": [],
        "premium_tier": 0,
        "member_count": 4,
    }
    return known | more


class World:
    """A client that knows a server."""

    def __init__(self, **more: Any) -> None:
        self.client = Client(content=True)
        self._state = self.client._connection
        self._state.user = discord.ClientUser(state=self._state, data=PEOPLE[BOT])  # type: ignore[arg-type]
        self.server = self._state._add_guild_from_data(server(**more))  # type: ignore[arg-type]

    def payload(self, where: int = GENERAL, text: str = "", by: int = ANNA, **more: Any) -> dict[str, Any]:
        """Return a message as Discord sends it; it names those whose numbers stand in its text."""
        place = {} if where == DIRECT else {"guild_id": str(SERVER)}
        named = [PEOPLE[number] for number in PEOPLE if f"<@{number}>" in text]
        known = {"id": "900", "channel_id": str(where), "author": PEOPLE[by], "content": text, "type": SAID}
        known |= {"mentions": named, "mention_roles": [], "attachments": [], "embeds": [], "timestamp": WHEN}
        known |= {"edited_timestamp": None, "mention_everyone": False, "tts": False, "pinned": False}
        return known | place | more

    def message(self, where: int = GENERAL, text: str = "", by: int = ANNA, **more: Any) -> discord.Message:
        """Return a message as discord.py reads it."""
        data: Any = self.payload(where, text, by, **more)
        place, _ = self._state._get_guild_channel(data)
        return discord.Message(state=self._state, channel=place, data=data)  # type: ignore[arg-type]

    def reply(self, to: discord.Message | None, text: str = "", *, ping: bool = True) -> discord.Message:
        """Return Ben's reply to a message; None: to one that was deleted."""
        where = GENERAL if to is None else to.channel.id
        answered: Any = None
        if to is not None:
            answered = self.payload(where, to.content, to.author.id, id=str(to.id))
        named = [PEOPLE[to.author.id]] if ping and to is not None else []
        reference = {"message_id": "800" if to is None else str(to.id), "channel_id": str(where)}
        more = {"message_reference": reference, "referenced_message": answered, "mentions": named}
        return self.message(where, text, BEN, id="901", type=REPLY, **more)

    def edit(self, before: discord.Message | None, **after: Any) -> RawMessageUpdateEvent:
        """Return that a message is different now; *before*, if discord.py knew it."""
        message = self.message(**({"edited_timestamp": "2026-05-04T12:05:00+00:00"} | after))
        edit = RawMessageUpdateEvent(data={}, message=message)  # type: ignore[typeddict-item]
        edit.cached_message = before
        return edit


def file(number: int, name: str = "plan.md") -> dict[str, Any]:
    """Return an attachment as Discord sends it."""
    address = f"https://cdn.example/{number}/{name}"
    return {"id": str(number), "filename": name, "size": 6, "url": address, "proxy_url": address}


def forwarding(*files: dict[str, Any], text: str = "") -> dict[str, Any]:
    """Return what makes a message one that forwards another, which has a *text* and *files*."""
    whole = {"type": SAID, "content": text, "embeds": [], "attachments": list(files), "timestamp": WHEN}
    reference = {"type": 1, "message_id": "700", "channel_id": str(FORUM)}
    snapshot = {"message": whole | {"edited_timestamp": None, "flags": 0}}
    return {"message_reference": reference, "message_snapshots": [snapshot]}
