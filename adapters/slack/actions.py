"""What people press, fill in and react with at the bot's messages, and what comes of it."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from adapters.slack import blocks
from adapters.slack.addressing import PLATFORM, workspace_of
from adapters.slack.clerk import Clerk, thread_at
from adapters.slack.interactions import note_form, read_form, read_press, read_reaction
from adapters.slack.slash import Slash
from bot.chat import Body, ChatError, Form
from bot.controls import BAD, FORGET, GOOD, STOP
from bot.incoming import IncomingAction, StopRequested
from pipeline.domain import Scope

if TYPE_CHECKING:
    from slack_bolt.async_app import AsyncApp
    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.slack.interactions import Filled, Press, Reacted, Spot
    from adapters.slack.listeners import Desk

logger = logging.getLogger(__name__)

THUMBS = {"+1": GOOD, "thumbsup": GOOD, "-1": BAD, "thumbsdown": BAD}
STOP_SIGNS = frozenset({"octagonal_sign", "stop_sign", "no_entry", "no_entry_sign"})
"""Emojis at a question or an answer that stop it from being written."""

_OURS = re.compile("footnote:")
_UNKNOWN = "I do not know this button any more."
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
        action, value = pressed
        if action == STOP:
            self._desk.platform.conversation.receive(StopRequested(thread=thread_at(team, press.spot)))
        elif action == FORGET:
            await self._clerk.answer(team, press.spot, self._forget(team, press.spot, value))
        else:
            await self._clerk.answer(team, press.spot, self._act(team, press, action, value))

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
        await self._clerk.answer(team, filled.spot, self._keep(event))

    async def react(self, team: str, reaction: Reacted) -> None:
        """Take a thumb for a judgement and a stop sign for a stop; without a word, for both are seen."""
        emoji = reaction.emoji.partition("::")[0]  # behind it may be the tone of a skin
        verdict, stops = THUMBS.get(emoji), emoji in STOP_SIGNS
        if not stops and (verdict is None or not await self._is_own(team, reaction.author)):
            return
        scope = Scope(PLATFORM, team, reaction.channel)
        found = await self._desk.platform.commands.question_of(scope, reaction.ts)
        if found is None:
            return
        thread, question = found
        if stops:
            self._desk.platform.conversation.receive(StopRequested(thread=thread))
        elif verdict is not None:
            await self._desk.platform.commands.act(
                IncomingAction(
                    event_id=reaction.event_id,
                    thread=thread,
                    author=reaction.user,
                    action=verdict,
                    value=question,
                )
            )

    async def _forget(self, team: str, spot: Spot, document_id: str) -> Body:
        caller = await self._clerk.caller(team, spot)
        return await self._desk.platform.commands.run(FORGET, thread_at(team, spot), document_id, caller)

    async def _act(self, team: str, press: Press, action: str, value: str) -> Body | None:
        event = IncomingAction(
            event_id=press.event_id,
            thread=thread_at(team, press.spot),
            author=press.spot.user,
            action=action,
            value=value,
        )
        result = await self._desk.platform.commands.act(event)
        if isinstance(result, Form):
            return await self._open(team, press, result)
        return result or Body(text=_UNKNOWN)

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

    async def _keep(self, event: IncomingAction) -> Body:
        result = await self._desk.platform.commands.act(event)
        return result if isinstance(result, Body) else Body(text=_UNKNOWN)

    async def _is_own(self, team: str, author: str | None) -> bool:
        try:
            identity = await self._desk.workspaces.identity(team)
        except ChatError:
            return False
        return author == identity.user_id
