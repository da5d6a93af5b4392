"""What somebody may do where, by Discord's rules."""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fakes.discord.world import Channel, Guild


class Permission(IntFlag):
    """The bits that matter to a bot that reads, answers and manages what it wrote."""

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38


EVERYTHING = Permission(sum(Permission))
WITH_WRITING = Permission.EMBED_LINKS | Permission.ATTACH_FILES | Permission.MENTION_EVERYONE
"""What nobody may who may not write."""
INVITED = Permission(309237763136) & EVERYTHING
"""What the invitation of the bot asks for."""
USUAL = (
    WITH_WRITING
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.SEND_MESSAGES_IN_THREADS
    | Permission.READ_MESSAGE_HISTORY
    | Permission.ADD_REACTIONS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.CREATE_PRIVATE_THREADS
    | Permission.USE_APPLICATION_COMMANDS
)
"""What everybody may in a new guild, mentioning everybody included."""
MODERATING = (
    Permission.MANAGE_GUILD
    | Permission.MANAGE_CHANNELS
    | Permission.MANAGE_MESSAGES
    | Permission.MANAGE_THREADS
)


def in_guild(guild: Guild, user: int) -> Permission:
    """Return what *user* may in the whole guild."""
    member = guild.members.get(user)
    if member is None:
        return Permission(0)
    granted = guild.everyone.permissions
    for role in member.roles:
        granted |= guild.roles[role].permissions
    return EVERYTHING if user == guild.owner or granted & Permission.ADMINISTRATOR else granted


def in_channel(channel: Channel, user: int) -> Permission:
    """Return what *user* may in one channel; in a thread, what its channel and the thread allow."""
    guild = channel.guild
    if guild is None:
        return USUAL if user in {one.id for one in channel.recipients} else Permission(0)
    granted = in_guild(guild, user)
    if granted & Permission.ADMINISTRATOR:
        return granted
    place = channel.parent or channel
    granted = _overwritten(granted, place, user)
    if not granted & Permission.VIEW_CHANNEL or _shut_out(channel, user, granted):
        return Permission(0)
    talk = Permission.SEND_MESSAGES_IN_THREADS if channel.thread else Permission.SEND_MESSAGES
    return granted if granted & talk else granted & ~WITH_WRITING


def can_view(channel: Channel, user: int) -> bool:
    return bool(in_channel(channel, user) & Permission.VIEW_CHANNEL)


def _overwritten(granted: Permission, channel: Channel, user: int) -> Permission:
    guild = channel.guild
    if guild is None or user not in guild.members:
        return granted
    layers = [[guild.id], guild.members[user].roles, [user]]
    for layer in layers:
        found = [channel.overwrites[one] for one in layer if one in channel.overwrites]
        for overwrite in found:
            granted &= ~overwrite.deny
        for overwrite in found:
            granted |= overwrite.allow
    return granted


def _shut_out(channel: Channel, user: int, granted: Permission) -> bool:
    thread = channel.thread
    if thread is None or not thread.private:
        return False
    return user not in thread.members and not granted & Permission.MANAGE_THREADS
