"""The chat contract, kept by the Discord adapter over its real client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from adapters.discord.events import Room, is_by_person, read_message
from bot.chat import ChatError, MessageGone, NotAllowed, RateLimited
from tests.contracts.chat import ChatContract
from tests.fakes.discord import ANNA, BEN, BOT, GENERAL, GUILD, rate_limited, refused, reset_before
from tests.integration.adapters.discord.speaking import Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from adapters.discord.adapter import DiscordAdapter
    from bot.chat import MessageRef, Thread
    from bot.incoming import Incoming
    from tests.contracts.chat import Saying
    from tests.fakes.discord import Fault

LIVE = re.compile(
    r"<(?:@[!&]?\d|#\d|/|a?:\w+:\d|t:-?\d|id:\w)|@(?:everyone|here)\b|discord\.gg/", re.IGNORECASE
)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
HOSTILE = [
    "@everyone",
    "@here",
    f"<@{ANNA}>",
    f"<@!{BEN}>",
    f"<@&{GUILD}>",
    f"<#{GENERAL}>",
    "</forget:123456789012345678>",
    "<:smile:123456789012345678>",
    "<t:1700000000:R>",
    "<id:customize>",
    f"`<@{ANNA}>`",
    "```\n@everyone\n```",
    "[a link](<@everyone>)",
]
FAULTS: dict[type[ChatError], Fault] = {
    RateLimited: rate_limited(2, via=False),
    NotAllowed: refused(50013),
    MessageGone: refused(10003),
}


class DiscordRoom:
    """A conversation in Discord, as the contract needs to see and move it."""

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    @property
    def adapter(self) -> DiscordAdapter:
        self._speaking.clock.advance(1.5)  # no budget is used up by a test of many calls
        return self._speaking.adapter

    @property
    def thread(self) -> Thread:
        return self._speaking.thread

    @property
    def hostile(self) -> Sequence[str]:
        return HOSTILE

    def harm(self) -> Sequence[str]:
        said = [moment.shown for one in self._speaking.replies() for moment in one.moments]
        live = [text for text in said if LIVE.search(CODE.sub("", text))]
        return [*live, *(str(ping.mentions) for ping in self._speaking.discord.pings)]

    async def visible(self) -> Sequence[str]:
        return [text.replace("\u200b", "") for text in self._speaking.shown()]

    async def vanish(self, message: MessageRef) -> None:
        self._speaking.discord.delete(self._speaking.message(message))

    async def breaks(self, error: ChatError) -> bool:
        self._speaking.discord.fail("send", FAULTS.get(type(error), reset_before()), times=2)
        return True

    async def hear(self, saying: Saying) -> Sequence[Incoming] | None:
        who, text = {
            "addressed": (ANNA, f"<@{BOT}> what is the refund policy?"),
            "own": (BOT, f"I am <@{BOT}>."),
            "elsewhere": (ANNA, "Write to help@footnote.example."),
        }[saying]
        said = self._speaking.discord.say(GENERAL, who, text)
        message = await self._speaking.client.get_partial_messageable(GENERAL).fetch_message(said.id)
        room = Room(id=GENERAL, scope=self.thread.scope)
        heard = read_message(message, room, BOT) if is_by_person(message) else None
        return [] if heard is None else [heard]


class TestDiscordAdapter(ChatContract):
    @pytest.fixture
    async def platform(self) -> AsyncIterator[DiscordRoom]:
        async with Speaking() as speaking:
            yield DiscordRoom(speaking)
