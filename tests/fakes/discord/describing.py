"""The objects of events and answers, as the bot sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.messages import LOADING
from tests.fakes.discord.permissions import can_view, in_channel
from tests.fakes.discord.world import when

if TYPE_CHECKING:
    from tests.fakes.discord.messages import Attachment, Message
    from tests.fakes.discord.state import State
    from tests.fakes.discord.world import Channel, Guild

HIDDEN_WITHOUT_INTENT: dict[str, Any] = {"content": "", "embeds": [], "attachments": [], "components": []}
SNAPSHOT = (
    "type",
    "content",
    "embeds",
    "attachments",
    "timestamp",
    "edited_timestamp",
    "flags",
    "mentions",
    "mention_roles",
    "components",
)
SPOILER = 1 << 3


def message_object(state: State, message: Message, *, referenced: bool = True) -> dict[str, Any]:
    """Return a message with everything in it."""
    said: dict[str, Any] = {
        "id": str(message.id),
        "channel_id": str(message.channel.id),
        "author": message.author.described(),
        "content": "" if message.flags & LOADING else message.content,
        "timestamp": when(message.at),
        "edited_timestamp": None if message.edited is None else when(message.edited),
        "tts": False,
        "mention_everyone": message.mentions.everyone,
        "mentions": [_mentioned(state, message, user) for user in message.mentions.users],
        "mention_roles": [str(role) for role in message.mentions.roles],
        "attachments": [attachment_object(state, one) for one in message.attachments],
        "embeds": message.embeds,
        "components": message.components,
        "pinned": message.pinned,
        "type": message.type,
        "flags": message.flags,
    }
    optional = {
        "nonce": message.nonce,
        "message_reference": message.reference,
        "reactions": _reactions(state, message),
        "thread": message.thread.described(state.application) if message.thread else None,
        "interaction_metadata": message.interaction,
    }
    said |= {key: value for key, value in optional.items() if value}
    if message.interaction is not None:
        said |= {"application_id": str(state.application), "webhook_id": str(state.application)}
    if message.webhook is not None:
        said["webhook_id"] = str(message.webhook)
    if message.forwarded is not None:
        said["message_snapshots"] = [{"message": _snapshot(state, message.forwarded)}]
    return said | (_referenced(state, message) if referenced else {})


def event_object(state: State, message: Message) -> dict[str, Any]:
    """Return the message of an event: with where it is, and who the author is there."""
    guild = message.channel.guild
    said = message_object(state, message) | message.channel.guild_field
    if guild is not None and message.author.id in guild.members and "webhook_id" not in said:
        said["member"] = guild.members[message.author.id].described(user=False)
    return said | {"channel_type": message.channel.type}


def censored(said: dict[str, Any], bot: int) -> dict[str, Any]:
    """Return *said* the way a bot gets it that may not read everything."""
    if said.get("referenced_message"):
        said = said | {"referenced_message": censored(said["referenced_message"], bot)}
    readable = int(said["author"]["id"]) == bot or any(int(one["id"]) == bot for one in said["mentions"])
    if readable:
        return said
    snapshots: dict[str, Any] = {"message_snapshots": []} if "message_snapshots" in said else {}
    return said | HIDDEN_WITHOUT_INTENT | snapshots


def attachment_object(state: State, attachment: Attachment) -> dict[str, Any]:
    address = state.links.address(attachment)
    said = {
        "id": str(attachment.id),
        "filename": attachment.filename,
        "size": attachment.declared,
        "url": f"{state.origin}{address}",
        "proxy_url": f"{state.origin}/proxy{address}",
        "flags": SPOILER if attachment.spoiler else 0,
    }
    optional = {
        "title": attachment.title,
        "description": attachment.description,
        "content_type": attachment.content_type,
        "ephemeral": attachment.ephemeral,
    }
    return said | {key: value for key, value in optional.items() if value}


def guild_object(guild: Guild) -> dict[str, Any]:
    """Return what is the same over REST and in events."""
    return {
        "id": str(guild.id),
        "name": guild.name,
        "icon": None,
        "owner_id": str(guild.owner),
        "roles": [role.described() for role in guild.roles.values()],
        "emojis": [],
        "stickers": [],
        "features": [],
        "premium_tier": 0,
        "preferred_locale": "en-US",
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "system_channel_flags": 0,
        "system_channel_id": str(guild.system_channel) if guild.system_channel else None,
        "afk_timeout": 300,
    }


def joined_guild(state: State, guild: Guild) -> dict[str, Any]:
    """Return the guild of ``GUILD_CREATE``: without the members intent, only the bot is in it."""
    bot = state.application
    threads = [
        one.described(bot)
        for one in guild.channels.values()
        if one.thread and not one.thread.archived and can_view(one, bot)
    ]
    channels = [one.described(bot) for one in guild.channels.values() if one.thread is None]
    return guild_object(guild) | {
        "joined_at": when(1_600_000_000),
        "large": False,
        "unavailable": False,
        "member_count": len(guild.members),
        "members": [guild.members[bot].described()],
        "channels": [{key: value for key, value in one.items() if key != "guild_id"} for one in channels],
        "threads": threads,
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def channel_for(state: State, channel: Channel, user: int) -> dict[str, Any]:
    """Return the channel of an interaction, with what *user* may there."""
    permissions = str(int(in_channel(channel, user)))
    return channel.described(state.application) | {"permissions": permissions}


def emoji_object(emoji: str) -> dict[str, Any]:
    name, _, number = emoji.partition(":")
    return {"id": number, "name": name} if number.isdigit() else {"id": None, "name": emoji}


def _snapshot(state: State, message: Message) -> dict[str, Any]:
    whole = message_object(state, message, referenced=False)
    return {key: whole[key] for key in SNAPSHOT}


def _mentioned(state: State, message: Message, user: int) -> dict[str, Any]:
    guild = message.channel.guild
    said = state.users[user].described()
    if guild is not None and user in guild.members:
        said["member"] = guild.members[user].described(user=False)
    return said


def _reactions(state: State, message: Message) -> list[dict[str, Any]]:
    return [
        {
            "emoji": emoji_object(emoji),
            "count": len(users),
            "count_details": {"burst": 0, "normal": len(users)},
            "me": state.application in users,
            "me_burst": False,
            "burst_colors": [],
        }
        for emoji, users in message.reactions.items()
        if users
    ]


def _referenced(state: State, message: Message) -> dict[str, Any]:
    answered = message.answered
    if answered is None:
        return {}
    return {
        "referenced_message": None if answered.deleted else message_object(state, answered, referenced=False)
    }
