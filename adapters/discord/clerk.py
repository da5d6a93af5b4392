"""Whatever people use is answered: first to Discord, which does not wait, and then to whoever used it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from adapters.discord.permissions import note_key
from adapters.discord.spots import Spot
from adapters.discord.whispers import Whisper, acknowledged
from bot import wording
from bot.asides import answered, obey
from bot.chat import Body
from bot.patience import patiently
from bot.records import Customs
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from adapters.discord.desk import Desk
    from adapters.discord.spots import Interaction

    Work: TypeAlias = Callable[[Spot, Whisper], Awaitable[Body | None]]
    """What is to be said in the end; None: nothing more than was whispered."""

logger = logging.getLogger(__name__)

INDEX = "Index this file"
LESSON = (
    "**How to use me**\n\n"
    "- **Ask:** mention me with a question, or use `/ask`, or write to me directly. I answer from the files "
    "of that channel only, and each [1] leads to the message with the file and to a place in it.\n"
    "- **Add files:** attach them to a message, or use `/upload`. For an older message choose "
    f"“{INDEX}” under “Apps” in its menu.\n"
    f"{wording.LESSON}"
)
OPTIONS = {"forget": "document"}
"""The commands with one option that takes all that follows their name."""

_NOWHERE = "I cannot be used in this kind of channel."


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashCustoms(Customs):
    """How commands are given where each part of them has a name."""

    def code(self, command: str) -> str:
        name, _, rest = command.partition(" ")
        option, _, value = rest.partition(" ")
        if rest and name in OPTIONS:
            rest = f"{OPTIONS[name]}:{rest}"
        elif value:
            rest = f"{option}:{value}"
        return f"`/{name} {rest}`" if rest else f"`/{name}`"


CUSTOMS = SlashCustoms(
    buttons=True,
    managers="those who may manage the channel or the server",
    lesson=f"{LESSON}\n\n**Commands**",
)
"""How commands are given in Discord, and what people should know about the bot there."""


class Clerk:
    """Looks after one person's request at a time."""

    def __init__(self, desk: Desk, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._desk = desk
        self._sleep = sleep

    async def serve(self, interaction: Interaction, work: Work, *, name: str) -> None:
        """Show whoever used something what *work* comes to, or why it failed, and nobody else."""
        begin = partial(interaction.response.defer, ephemeral=True, thinking=True)
        if await acknowledged(begin, partial(self.look, interaction)):
            self.start(self._answer(interaction, work), name=name)

    async def look(self, interaction: Interaction) -> int:
        """Return the message that answers *interaction*. Raises `ChatError` if Discord was told of none."""
        original = partial(self._desk.calls.call, interaction.original_response)
        return (await patiently(original, self._sleep)).id

    async def obey(self, interaction: Interaction, name: str, args: str = "") -> None:
        """Run a command."""

        async def run(spot: Spot, _: Whisper) -> Body:
            body = await obey(self._desk.platform.commands, name, spot.where, args, spot.asker)
            notes = await self.notes(spot, always=name == "status")
            return Body(text="\n\n".join([body.text, *notes]))

        await self.serve(interaction, run, name="command")

    async def notes(self, spot: Spot, *, always: bool = False) -> list[str]:
        """Return what the bot may not do at *spot*: when it is used there for the first time, or *always*."""
        said = spot.shortcomings
        return [said] if said is not None and (always or await self._is_first(spot)) else []

    async def _is_first(self, spot: Spot) -> bool:
        try:
            return await self._desk.first_time(note_key(spot.room.scope))
        except PipelineError as error:
            logger.info("whether something was said before is unknown: %s", type(error).__name__)
            return False

    def start(self, work: Any, *, name: str) -> None:
        """Do what Discord need not wait for."""
        self._desk.tasks.start(work, name=name)

    async def add(self, interaction: Interaction, text: str) -> None:
        """Show something below what was answered already, to whoever used something and nobody else."""
        await Whisper(interaction, self._desk.calls, self._sleep, begun=True).say(text)

    async def _answer(self, interaction: Interaction, work: Work) -> None:
        whisper = Whisper(interaction, self._desk.calls, self._sleep)
        spot = Spot.of(interaction)
        body = Body(text=_NOWHERE) if spot is None else await answered(work(spot, whisper))
        if body is not None:
            await whisper.say(body.text)
        await whisper.end()
