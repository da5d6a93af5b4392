"""What people press, fill in and react with at the bot's messages, and what comes of it."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from adapters.reactions import react
from adapters.slack import blocks
from adapters.slack.addressing import PLATFORM, workspace_of
from adapters.slack.clerk import Clerk, thread_at
from adapters.slack.interactions import note_form, read_form, read_press, read_reaction
from adapters.slack.slash import Slash
from bot import asides
from bot.chat import Body, ChatError, Form
from bot.controls import BAD, GOOD, STOP
from bot.incoming import IncomingAction
from pipeline.domain import Scope

if TYPE_CHECKING:
    from slack_bolt.async_app import AsyncApp
    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.slack.interactions import Filled, Press, Reacted
    from adapters.slack.listeners import Desk

logger = logging.getLogger(__name__)

THUMBS = {"+1": GOOD, "thumbsup": GOOD, "-1": BAD, "thumbsdown": BAD}
STOP_SIGNS = frozenset({"octagonal_sign", "stop_sign", "no_entry", "no_entry_sign"})
"""Emojis at a question or an answer that stop it from being written."""

_OURS = re.compile("footnote:")
_UNASKED = "Thank you, I noted that this answer did not help."
"""Said where the form that asks for more could not be opened."""


def register_actions(app: AsyncApp, desk: Desk) -> None:
    """Let *app* hand buttons, forms, reactions, the command and the shortcut to *desk*.

    Each listener acknowledges first: Slack waits three seconds, and what is asked for may take longer.
    """
    actions = Actions(desk)

    async def pressed(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        if (press := read_press(body)) is not None:
            desk.tasks.start(actions.press(press), name="press")

    async def sent(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        if (filled := read_form(body)) is not None:
            desk.tasks.start(actions.fill(filled), name="form")

    async def reacted(body: dict[str, Any]) -> None:
        if (reaction := read_reaction(body)) is not None:
            desk.tasks.start(actions.react(workspace_of(body), reaction), name="reaction")

    app.action(_OURS)(pressed)
    app.view(_OURS)(sent)
    app.event("reaction_added")(reacted)
    Slash(desk).register(app)


class Actions:
    """Does what people ask for at messages of ours."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._clerk = Clerk(desk)

    async def press(self, press: Press) -> None:
        """Do what a button stands for, and say so to whoever pressed it."""
        team = await self._clerk.workspace(press.spot)
        pressed = blocks.pressed(press.action_id, press.value)
        if team is None or pressed is None:
            return
        event = IncomingAction(
            event_id=press.event_id,
            thread=thread_at(team, press.spot),
            author=press.spot.user,
            action=pressed[0],
            value=pressed[1],
        )
        await self._clerk.answer(team, press.spot, self._act(team, press, event))

    async def fill(self, filled: Filled) -> None:
        """Keep what was written into a form."""
        team = await self._clerk.workspace(filled.spot)
        if team is None:
            return
        event = IncomingAction(
            event_id=filled.event_id,
            thread=thread_at(team, filled.spot),
            author=filled.spot.user,
            action=filled.action,
            value=filled.value,
            text=filled.text,
        )
        await self._clerk.answer(team, filled.spot, asides.keep(self._desk.platform.commands, event))

    async def react(self, team: str, reaction: Reacted) -> None:
        """Take a thumb for a judgement and a stop sign for a stop; without a word, for both are seen."""
        emoji = reaction.emoji.partition("::")[0]  # behind it may be the tone of a skin
        action = STOP if emoji in STOP_SIGNS else THUMBS.get(emoji)
        if action is None or (action != STOP and not await self._is_own(team, reaction.author)):
            return
        await react(
            self._desk.platform,
            Scope(PLATFORM, team, reaction.channel),
            reaction.ts,
            action=action,
            author=reaction.user,
            event_id=reaction.event_id,
        )

    async def _act(self, team: str, press: Press, event: IncomingAction) -> Body | None:
        platform, asker = self._desk.platform, self._clerk.asker(team, press.spot)
        result = await asides.press(platform.commands, platform.conversation, event, asker)
        return await self._open(team, press, result) if isinstance(result, Form) else result

    async def _open(self, team: str, press: Press, form: Form) -> Body | None:
        """Open a form, which is the answer then; without it, say what is known already."""
        carried = note_form(press.spot, team, form.action, form.value)
        try:
            await self._desk.adapter.calls.call(
                team, "views.open", trigger_id=press.trigger_id, view=blocks.modal(form, carried)
            )
        except ChatError as error:
            logger.info("a form could not be opened: %s", type(error).__name__)
            return Body(text=_UNASKED)
        return None

    async def _is_own(self, team: str, author: str | None) -> bool:
        try:
            identity = await self._desk.workspaces.identity(team)
        except ChatError:
            return False
        return author == identity.user_id
