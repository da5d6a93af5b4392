"""Buttons under the bot's messages, and the forms that they open.

Each says by its custom id what it is for, so that it is understood after a restart and by every process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import ui

from adapters.discord.components import custom_id, parse_custom_id
from adapters.discord.spots import Spot
from adapters.discord.whispers import acknowledged, unseen
from bot import asides
from bot.chat import Body, Thread
from bot.controls import STOP
from bot.incoming import IncomingAction
from bot.judgement import NOTE_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from adapters.discord.clerk import Clerk
    from adapters.discord.desk import Desk
    from adapters.discord.spots import Interaction
    from adapters.discord.whispers import Whisper
    from bot.chat import Form

LONGEST_LABEL = 45
LONGEST_DESCRIPTION = 100

_TEXT = "text"


class Presses:
    """Does what people ask for at messages of ours."""

    def __init__(self, desk: Desk, clerk: Clerk) -> None:
        self._desk = desk
        self._clerk = clerk

    async def take(self, interaction: Interaction) -> None:
        """Take whatever was used, if it is a button or a form."""
        if interaction.type is discord.InteractionType.component:
            await self._press(interaction)
        elif interaction.type is discord.InteractionType.modal_submit:
            await self._clerk.serve(interaction, self._keep, name="form")

    async def _press(self, interaction: Interaction) -> None:
        action, value = parse_custom_id(interaction.custom_id or "") or ("", "")
        form = self._desk.platform.commands.form(action, value)
        if form is not None:  # it has to be the first answer, so it does not wait for what it is about
            if await acknowledged(lambda: interaction.response.send_modal(modal(form)), unseen):
                self._clerk.start(self._act_silently(interaction), name="press")
        elif action == STOP:
            if await acknowledged(interaction.response.defer):  # whoever wants it to stop is obeyed anyway
                self._clerk.start(self._act_silently(interaction), name="press")
        else:
            await self._clerk.serve(interaction, self._act, name="press")

    async def _act_silently(self, interaction: Interaction) -> None:
        if (spot := Spot.of(interaction)) is not None:
            await self._act(spot, None)

    async def _act(self, spot: Spot, _: Whisper | None) -> Body | None:
        platform, event = self._desk.platform, await self._event(spot)
        if event is None:
            return Body(text=asides.UNKNOWN)
        result = await asides.press(platform.commands, platform.conversation, event, spot.asker)
        return result if isinstance(result, Body) else None

    async def _keep(self, spot: Spot, _: Whisper) -> Body:
        event = await self._event(spot)
        if event is None:
            return Body(text=asides.UNKNOWN)
        return await asides.keep(self._desk.platform.commands, event)

    async def _event(self, spot: Spot) -> IncomingAction | None:
        """Return what was used; None: nobody knows it any more."""
        interaction = spot.interaction
        parsed = parse_custom_id(interaction.custom_id or "")
        if parsed is None:
            return None
        return IncomingAction(
            event_id=str(interaction.id),
            thread=await self._thread(spot, parsed[1]),
            author=spot.user,
            action=parsed[0],
            value=parsed[1],
            text=written(interaction.data),
            manages=spot.caller.manages,
        )

    async def _thread(self, spot: Spot, value: str) -> Thread:
        """Return the conversation that a message belongs to; in a channel itself, only the books know."""
        room, message = spot.room, spot.interaction.message
        if room.passing or message is None:
            return Thread(room.scope, str(room.id))
        found = await self._desk.platform.commands.question_of(room.scope, str(message.id))
        return found[0] if found is not None else Thread(room.scope, value or str(message.id))


def modal(form: Form) -> ui.Modal:
    """Return *form* as discord.py sends it; told that it is over, or it would keep each one for ever."""
    shown = ui.Modal(title=form.title, custom_id=custom_id(form.action, form.value))
    short = len(form.label) <= LONGEST_LABEL
    shown.add_item(
        ui.Label(
            text=form.label if short else form.title,
            description=None if short else form.label[:LONGEST_DESCRIPTION],
            component=ui.TextInput(
                style=discord.TextStyle.paragraph, custom_id=_TEXT, required=False, max_length=NOTE_LENGTH
            ),
        )
    )
    shown.stop()
    return shown


def written(data: Any) -> str:
    """Return what was written into a form; "" if there was none."""
    return next((str(part["value"]) for part in _parts(data or {}) if part.get("custom_id") == _TEXT), "")


def _parts(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a form, whatever they stand in."""
    inner = [*(data.get("components") or ()), *filter(None, [data.get("component")])]
    for part in inner:
        yield part
        yield from _parts(part)
