"""What the bot says when it is let into a server."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import discord

from adapters.discord.clerk import CUSTOMS, INDEX
from adapters.discord.markdown import rendered
from adapters.discord.permissions import listed, missing
from adapters.discord.places import PLATFORM
from bot.chat import ChatError
from bot.wording import THEN_ASK

if TYPE_CHECKING:
    from adapters.discord.desk import Desk

logger = logging.getLogger(__name__)

GREETING = (
    "Thank you for inviting me! I answer questions from the files of the channel where I am asked.\n\n"
    f"- Attach a file to a message, and I say when it is ready. “{INDEX}” under “Apps” in the menu of an "
    "older message adds its files too.\n"
    f"{THEN_ASK}\n"
    f"- {CUSTOMS.code('help')} lists what else I can do.\n\n"
    "When a message with a file is deleted, or I am removed from the server, I forget what I had indexed."
)


class Greeting:
    """Greets a server once each time that it lets the bot in, where it wants such messages to stand."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def greet(self, server: discord.Guild) -> None:
        """Say one thing, or nothing where that is not welcome. Raises `PipelineError`."""
        channel, me = server.system_channel, server.me
        if channel is None or me is None:
            return
        granted = channel.permissions_for(me)
        if not (granted.view_channel and granted.send_messages):
            logger.info("the server %s is not greeted: the bot may not write there", server.id)
            return
        joined = me.joined_at.timestamp() if me.joined_at is not None else 0
        if not await self._desk.first_time(f"greeted:{PLATFORM}:{server.id}:{joined}"):
            return
        lacks = missing(me.guild_permissions)
        note = f"\n\nI am not permitted: {listed(lacks)}. Please permit it to my role." if lacks else ""
        content, nobody = rendered(GREETING + note), discord.AllowedMentions.none()
        try:
            await self._desk.calls.call(
                lambda: channel.send(content, allowed_mentions=nobody, suppress_embeds=True),
                channel=channel.id,
            )
        except ChatError as error:
            logger.info("a server was not greeted: %s", type(error).__name__)
