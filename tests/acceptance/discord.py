"""``footnote discord`` as people run it, between a Discord and a model server on this machine."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.acceptance.model import REFUNDS, Model
from tests.acceptance.program import CURSOR, STOP, Service, words
from tests.fakes.discord import ANNA, GENERAL, DiscordServer, Message
from tests.fakes.discord.messages import CODE, TYPED_BY_PEOPLE
from tests.fakes.discord.sessions import CONTENT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.discord import Channel, Interaction

LIMIT = 2_000
WORKING, DONE, FAILED = "⏳", "✅", "❌"
"""The signs at a message that carries files."""
INDEX = "Index this file"

PING = re.compile(r"@(?:everyone|here)\b|<(?:@[!&]?|#)\d+>|</\w+:\d+>")
"""What Discord would take for a mention of somebody or something."""


class Bot(Service[Message]):
    """The program on one data folder, and the Discord that it is connected to."""

    COMMAND, READY = "discord", "Discord: connected"

    def __init__(self, discord: DiscordServer, model: Model, folder: Path, **settings: str) -> None:
        super().__init__(discord, model, folder, **settings)
        self.discord = discord

    def key(self, message: Message) -> str:
        return str(message.id)

    def ask(self, text: str, channel: Channel | int = GENERAL, user: int = ANNA, **how: Any) -> Message:
        """Let somebody mention the bot."""
        return self.discord.say(channel, user, mention(self, text), **how)

    def replies(self, message: Message) -> list[Message]:
        """Return what the bot said in the thread of *message*, or where it stands.

        In a channel only what replies to it counts.
        """
        place = message.thread or message.channel
        said = [
            one for one in self.discord.replies(place) if one is not message and one.type in TYPED_BY_PEOPLE
        ]
        threaded = place.thread is not None or place.guild is None
        return said if threaded else [one for one in said if one.answered is message]

    async def told(
        self, name: str, user: int = ANNA, channel: Channel | int = GENERAL, **options: Any
    ) -> str:
        """Return what a slash command shows, to whoever typed it and nobody else."""
        return await self.whispered(self.discord.slash(user, channel, name, **options))

    async def whispered(self, interaction: Interaction) -> str:
        """Return what is shown in answer to *interaction*, to whoever used it and nobody else."""
        await self.discord.until(lambda: interaction.response)
        assert interaction.latency is not None and interaction.latency < self.discord.interaction_seconds
        await self.discord.until(lambda: interaction.shown not in {"", "…"})
        assert interaction.hidden
        return "\n".join(one.shown for one in interaction.answers)

    def share(
        self,
        name: str = "refunds.md",
        content: bytes | str = REFUNDS,
        channel: Channel | int = GENERAL,
        user: int = ANNA,
        **how: Any,
    ) -> Message:
        """Let somebody upload a file without a word; *how* are fields of the `Attachment`."""
        file = self.discord.make_file(channel, name, content, **how)
        return self.discord.say(channel, user, files=[file])

    def signs(self, message: Message) -> set[str]:
        """Return the reactions that the bot has put to a message."""
        bot = self.discord.application
        return {emoji for emoji, users in message.reactions.items() if bot in users}

    async def signed(self, message: Message, sign: str = DONE, seconds: float = 40.0) -> None:
        """Wait until people see at *message* how its files stand."""
        await self.discord.until(lambda: self.signs(message) == {sign}, seconds)

    async def upload(
        self,
        name: str = "refunds.md",
        content: bytes | str = REFUNDS,
        channel: Channel | int = GENERAL,
        **how: Any,
    ) -> Message:
        """Let somebody upload a file, wait until it is ready, and return its message."""
        message = self.share(name, content, channel, **how)
        await self.signed(message)
        await self.shows(message, "is ready")
        return message


@asynccontextmanager
async def running(folder: Path, *, privileged: int = CONTENT, **settings: str) -> AsyncIterator[Bot]:
    """Run the program for the length of the block, and look at all it has done in the end.

    *privileged* are the intents that are switched on for it.
    """
    async with DiscordServer() as discord, Model() as model:
        discord.privileged = privileged
        bot = Bot(discord, model, folder, **settings)
        async with bot.served():
            yield bot
        assert_well_behaved(discord)


def mention(bot: Bot, text: str) -> str:
    """Return a message that begins with the bot's name."""
    return f"{bot.discord.bot.mention} {text}"


def assert_well_behaved(discord: DiscordServer) -> None:
    """Whatever was asked, nothing half-finished stands anywhere, and nobody was pinged or shown a token."""
    own = [one for channel in discord.channels() for one in discord.replies(channel)]
    assert not [one.shown for one in own if CURSOR in one.shown or STOP in one.buttons]
    assert not [one.shown for one in own if one.previews]
    assert not [one.mentions for one in discord.pings if one.mentions.users != (discord.application,)]
    assert discord.unguarded() == []
    said = [text for call in discord.calls for text in words(call.payload)]
    assert not [text for text in said if discord.token in text]
    assert not [text for one in own for text in one.history if PING.search(CODE.sub(" ", text))]
    assert not [call.path for call in discord.called("unknown")]
    assert not [interaction.name for interaction in discord.interactions if interaction.failed]
    assert not [one.path for one in discord.downloads if "Authorization" in one.headers]
