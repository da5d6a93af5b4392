"""Whom a message would ping, by Discord's rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.fakes.discord.components import COMPONENTS_V2, texts
from tests.fakes.discord.errors import Problem
from tests.fakes.discord.messages import CODE, Mentions
from tests.fakes.discord.permissions import Permission, in_channel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.discord.messages import Message

_USER, _ROLE = re.compile(r"<@!?(\d{15,20})>"), re.compile(r"<@&(\d{15,20})>")
_EVERYONE = re.compile(r"@(everyone|here)\b")
KINDS = ("users", "roles", "everyone")
DEFAULT: dict[str, Any] = {"parse": [*KINDS], "replied_user": True}
DEFAULT_OF_INTERACTIONS: dict[str, Any] = {"parse": ["users"], "replied_user": True}


def check(allowed: Any) -> None:
    """Raise `Problem` when ``allowed_mentions`` are contradictory."""
    if allowed is None:
        return
    parse = allowed.get("parse") or []
    if unknown := [one for one in parse if one not in KINDS]:
        raise Problem("allowed_mentions.parse", "BASE_TYPE_CHOICES", f"Value {unknown[0]!r} is not allowed")
    for kind in ("users", "roles"):
        named = allowed.get(kind) or []
        if named and kind in parse:
            message = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            raise Problem("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)
        if len(named) > 100:
            raise Problem(
                f"allowed_mentions.{kind}", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length."
            )


def mentions(
    message: Message, allowed: Mapping[str, Any] | None, *, default: Mapping[str, Any] = DEFAULT
) -> Mentions:
    """Return whom *message*, as it stands now, names with effect."""
    rules = default if allowed is None else allowed
    parse = rules.get("parse") or []
    said = "\n".join(texts(message.components)) if message.flags & COMPONENTS_V2 else message.content
    said = CODE.sub(" ", said)
    users = [one for one in map(int, _USER.findall(said)) if _listed(rules, parse, "users", one)]
    if message.answered is not None and rules.get("replied_user"):
        users.append(message.answered.author.id)
    return Mentions(
        users=tuple(dict.fromkeys(one for one in users if _there(message, one))),
        roles=tuple(dict.fromkeys(_roles(message, said, rules, parse))),
        everyone="everyone" in parse and bool(_EVERYONE.search(said)) and _may_call_everyone(message),
    )


def _roles(message: Message, said: str, rules: Mapping[str, Any], parse: list[str]) -> list[int]:
    guild = message.channel.guild
    if guild is None:
        return []
    named = [one for one in map(int, _ROLE.findall(said)) if one in guild.roles]
    return [
        one
        for one in named
        if _listed(rules, parse, "roles", one)
        and (guild.roles[one].mentionable or _may_call_everyone(message))
    ]


def _listed(rules: Mapping[str, Any], parse: list[str], kind: str, one: int) -> bool:
    return kind in parse or str(one) in map(str, rules.get(kind) or [])


def _there(message: Message, user: int) -> bool:
    guild = message.channel.guild
    if guild is None:
        return user in {one.id for one in message.channel.recipients}
    return user in guild.members


def _may_call_everyone(message: Message) -> bool:
    if message.channel.guild is None:
        return False
    return bool(in_channel(message.channel, message.author.id) & Permission.MENTION_EVERYONE)
