"""The command ``/footnote`` and the shortcut “Index this”."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.slack.clerk import Clerk, scope_at
from adapters.slack.happenings import FileShared
from adapters.slack.interactions import read_command, read_shortcut
from adapters.slack.manifest import COMMAND, SHORTCUT
from bot.asides import obey
from bot.chat import Body
from bot.wording import NO_FILE

if TYPE_CHECKING:
    from slack_bolt.async_app import AsyncApp
    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.slack.interactions import Picked, Typed
    from adapters.slack.listeners import Desk

_GONE = "There is nothing left of the file in this message."


class Slash:
    """Does what people ask for beside the conversation."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._clerk = Clerk(desk)

    def register(self, app: AsyncApp) -> None:
        """Listen for the command and the shortcut; each is acknowledged first."""

        async def typed(ack: AsyncAck, body: dict[str, Any]) -> None:
            await ack()
            self._desk.tasks.start(self.run(read_command(body)), name="command")

        async def picked(ack: AsyncAck, body: dict[str, Any]) -> None:
            await ack()
            if (message := read_shortcut(body)) is not None:
                self._desk.tasks.start(self.index(message), name="shortcut")

        app.command(COMMAND)(typed)
        app.message_shortcut(SHORTCUT)(picked)

    async def run(self, typed: Typed) -> None:
        """Run a command and show what it comes to."""
        team = await self._clerk.workspace(typed.spot)
        if team is not None:
            await self._clerk.answer(team, typed.spot, self._command(team, typed), directly=True)

    async def index(self, picked: Picked) -> None:
        """Index the files of a message, whether they were known before or not."""
        team = await self._clerk.workspace(picked.spot)
        if team is not None:
            await self._clerk.answer(team, picked.spot, self._index(team, picked))

    async def _command(self, team: str, typed: Typed) -> Body:
        where, asker = scope_at(team, typed.spot), self._clerk.asker(team, typed.spot)
        return await obey(self._desk.platform.commands, typed.name, where, typed.args, asker)

    async def _index(self, team: str, picked: Picked) -> Body | None:
        """Hand the files on, whether they were known before or not; the uploads say what becomes of them."""
        if not picked.files:
            return Body(text=NO_FILE)
        if (refusal := await self._clerk.refusal(team, picked.spot)) is not None:
            return Body(text=refusal)
        found = [await self._hand_on(team, picked, file_id) for file_id in picked.files]
        return None if any(found) else Body(text=_GONE)

    async def _hand_on(self, team: str, picked: Picked, file_id: str) -> bool:
        return await self._desk.arrivals.wanted(
            FileShared(
                event_id=picked.event_id,
                team=team,
                channel=picked.spot.channel,
                file_id=file_id,
                user=picked.spot.user,
                ts=picked.ts,
                thread_ts=picked.thread_ts,
                wanted=True,
            )
        )
