"""The command that asks a question where all can read it, as a mention of the bot does."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import discord

from adapters.discord.recital import shown
from adapters.discord.spots import Spot
from adapters.discord.text import Names, read
from adapters.discord.whispers import acknowledged
from bot.chat import Body, ChatError, Thread
from bot.incoming import IncomingMessage

if TYPE_CHECKING:
    from adapters.discord.clerk import Clerk
    from adapters.discord.desk import Desk
    from adapters.discord.spots import Interaction
    from adapters.discord.whispers import Whisper

logger = logging.getLogger(__name__)

MOST = 1_500
"""Characters of a question; it is shown in one message."""
_NOWHERE = "I cannot answer questions in this kind of channel."


class Asking:
    """Shows a question in its channel, and hands it on as if it had been said there."""

    def __init__(self, desk: Desk, clerk: Clerk) -> None:
        self._desk = desk
        self._clerk = clerk

    async def ask(self, interaction: Interaction, question: str) -> None:
        """Ask *question* in the name of whoever uses the command."""
        spot = Spot.of(interaction)
        refusal = _NOWHERE if spot is None else spot.speechless
        if spot is None or refusal is not None:
            await self._clerk.serve(interaction, partial(_refuse, refusal or ""), name="question")
            return
        text = self._read(interaction, question)
        message = await self._show(interaction, text)
        if message is not None:
            self._hand_on(spot, text, message)
            self._clerk.start(self._note(spot), name="note what is not permitted")

    def _read(self, interaction: Interaction, question: str) -> str:
        server = interaction.guild
        role = server.self_role if server is not None else None
        names = Names(
            users={interaction.user.id: interaction.user.display_name},
            roles={one.id: one.name for one in server.roles} if server is not None else {},
            channels={one.id: one.name for one in server.channels} if server is not None else {},
        )
        return read(question, self._desk.client.me, names, role=None if role is None else role.id).text

    async def _show(self, interaction: Interaction, text: str) -> int | None:
        """Return the message that shows the question; None: Discord did not take it."""
        content, told = shown(interaction.user.display_name, text), []

        async def show() -> None:
            nobody = discord.AllowedMentions.none()
            told.append(
                await interaction.response.send_message(
                    content, allowed_mentions=nobody, suppress_embeds=True
                )
            )

        look = partial(self._clerk.look, interaction)
        if not await acknowledged(show, look):
            return None
        known = next((one.message_id for one in told if one.message_id is not None), None)
        try:
            return known if known is not None else await look()
        except ChatError as error:
            logger.warning("a question was shown and is not found: %s", type(error).__name__)
            return None

    def _hand_on(self, spot: Spot, text: str, message: int) -> None:
        room = spot.room
        thread = Thread(room.scope, str(message if room.flat else room.id))
        if room.flat:
            self._desk.places.note_question(thread, text, discord.Object(message))
        self._desk.platform.words.receive(
            IncomingMessage(
                event_id=str(spot.interaction.id),
                message_id=str(message),
                thread=thread,
                author=spot.user,
                text=text,
                midway=room.parent is not None,
            )
        )

    async def _note(self, spot: Spot) -> None:
        for note in await self._clerk.notes(spot):
            await self._clerk.add(spot.interaction, note)


async def _refuse(refusal: str, _: Spot, __: Whisper) -> Body:
    return Body(text=refusal)
