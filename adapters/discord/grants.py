"""What the bot lacks in a server, put into one line however many channels there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import discord

from adapters.discord.permissions import missing
from bot.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from discord.abc import GuildChannel

NAMED = 3
"""Channels that one line names."""
_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcoming:
    """What the bot may not do in a server."""

    message: str
    only_in_channels: bool
    """Whether it may do it in the rest of the server."""


def shortcoming(name: str, me: discord.Member, channels: Sequence[GuildChannel]) -> Shortcoming | None:
    """Return what the bot may not do in the server *name*, or in channels that it sees; None: nothing."""
    everywhere = missing(me.guild_permissions)
    visible = [one for one in channels if _is_for_talk(one) and one.permissions_for(me).view_channel]
    faults = list(_faults(me, visible, everywhere))
    parts = [f"nowhere permitted: {', '.join(everywhere)}"] if everywhere else []
    if not visible:
        parts.append("it sees no channel")
    if faults:
        more = f", and in {counted(len(faults) - NAMED, 'channel')} more" if len(faults) > NAMED else ""
        parts.append(f"not permitted in {', '.join(faults[:NAMED])}{more}")
    if not parts:
        return None
    message = f"{printable(name)}: {'; '.join(parts)}."
    return Shortcoming(message=message, only_in_channels=not everywhere)


def printable(name: str) -> str:
    """Return a name as it may be shown in a terminal."""
    return "".join(sign for sign in name if sign.isprintable())[:_LONGEST]


def _is_for_talk(channel: GuildChannel) -> bool:
    return isinstance(channel, discord.TextChannel | discord.ForumChannel)


def _faults(me: discord.Member, channels: Sequence[GuildChannel], known: Sequence[str]) -> Iterator[str]:
    """Name each channel with what is lacking there and not in the whole server."""
    for channel in channels:
        posts = isinstance(channel, discord.ForumChannel)
        lacks = [one for one in missing(channel.permissions_for(me), thread=posts) if one not in known]
        if lacks:
            yield f"#{printable(channel.name)} ({', '.join(lacks)})"
