"""What the bot must be permitted, and what Discord calls it in the settings of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discord.abc import GuildChannel

    from pipeline.domain import Scope

NAMES: Mapping[str, str] = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "create_public_threads": "Create Public Threads",
    "read_message_history": "Read Message History",
    "add_reactions": "Add Reactions",
    "embed_links": "Embed Links",
    "attach_files": "Attach Files",
}
LEAST = discord.Permissions(**dict.fromkeys(NAMES, True))
"""What the bot asks for when it is invited."""

READING = ("view_channel", "read_message_history")
"""What it needs to fetch a file."""

GRANT = "Whoever manages the server can permit it to my role, in the channel's settings under “Permissions”."

_NOT_IN_THREADS = frozenset({"send_messages", "create_public_threads"})


def missing(granted: discord.Permissions, *, thread: bool = False) -> list[str]:
    """Return what the bot lacks in a server or channel, or in a *thread*, in Discord's words."""
    return lacking(granted, [name for name in NAMES if not (thread and name in _NOT_IN_THREADS)])


def lacking(granted: discord.Permissions, needed: Sequence[str]) -> list[str]:
    """Return which of *needed* are not among the *granted* ones, in Discord's words."""
    return [NAMES[name] for name in needed if not getattr(granted, name)]


def shortcomings(granted: discord.Permissions, *, thread: bool) -> str | None:
    """Return what the bot may not do in a channel, or in a *thread*, in a sentence; None: it may do all."""
    names = missing(granted, thread=thread)
    return f"Here I am not permitted: {listed(names)}. {GRANT}" if names else None


def shortcomings_at(channel: GuildChannel | discord.Thread) -> str | None:
    """Return what the bot may not do in a channel or thread, in a sentence to be said there.

    None: it may do all, nobody knows, or it may not even say so.
    """
    me: discord.Member | None = channel.guild.me
    thread = isinstance(channel, discord.Thread)
    try:
        granted = None if me is None else channel.permissions_for(me)
    except discord.ClientException:  # the thread of a channel that nobody knows
        granted = None
    if granted is None or lacking(granted, speaking(thread=thread)):
        return None
    return shortcomings(granted, thread=thread)


def invitation(application: int | None) -> str:
    """Return the link by which somebody who manages a server lets the bot into it."""
    scopes = ("bot", "applications.commands")
    return discord.utils.oauth_url(application or 0, permissions=LEAST, scopes=scopes)


def note_key(scope: Scope) -> str:
    """Return by what it is remembered that this was said in a channel; once is enough."""
    return f"discord:lacks:{scope.key}"


def manages(granted: discord.Permissions) -> bool:
    """Tell whether somebody with these permissions manages the channel that they are for."""
    return granted.administrator or granted.manage_channels or granted.manage_guild


def speaking(*, thread: bool) -> Sequence[str]:
    """Return what the bot needs to answer in a channel, or in a *thread*."""
    return ("view_channel", "send_messages_in_threads") if thread else ("view_channel", "send_messages")


def listed(names: Sequence[str]) -> str:
    """Return names of permissions for a sentence in Markdown."""
    return ", ".join(f"**{name}**" for name in names)
