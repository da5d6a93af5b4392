"""What people react with at the bot's messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adapters.reactions import react
from bot.controls import BAD, GOOD, STOP

if TYPE_CHECKING:
    import discord

    from adapters.discord.client import Client
    from adapters.discord.places import Places
    from bot.platform import Platform

THUMBS = {"👍": GOOD, "👎": BAD}
STOP_SIGNS = frozenset({"🛑", "⛔", "🚫"})
"""Emojis at a question or an answer that stop it from being written."""

_VARIANTS = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")
"""How it is drawn, and the tones of skins."""


class Reactions:
    """Takes a thumb for a judgement and a stop sign for a stop."""

    def __init__(self, platform: Platform, places: Places, client: Client) -> None:
        self._platform = platform
        self._places = places
        self._client = client

    async def take(self, reaction: discord.RawReactionActionEvent) -> None:
        """Do what a reaction stands for, if anything. Raises `ChatError` or `PipelineError`."""
        action = self._action(reaction)
        if action is None or self._is_by_program(reaction):
            return
        await react(
            self._platform,
            await self._places.scope(reaction.guild_id, reaction.channel_id),
            str(reaction.message_id),
            action=action,
            author=str(reaction.user_id),
            event_id=f"{reaction.message_id}/{reaction.user_id}/{action}",
        )

    def _action(self, reaction: discord.RawReactionActionEvent) -> str | None:
        emoji = _VARIANTS.sub("", reaction.emoji.name or "")
        if emoji in STOP_SIGNS:
            return STOP
        return THUMBS.get(emoji) if reaction.message_author_id == self._client.me else None

    def _is_by_program(self, reaction: discord.RawReactionActionEvent) -> bool:
        member = reaction.member
        return reaction.user_id == self._client.me or (member is not None and member.bot)
