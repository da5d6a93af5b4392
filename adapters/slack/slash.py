"""The command ``/footnote`` and the shortcut “Index this”."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adapters.slack.clerk import Clerk, scope_at
from adapters.slack.happenings import FileShared
from adapters.slack.interactions import read_command, read_shortcut
from adapters.slack.manifest import COMMAND, SHORTCUT
from bot.chat import Body
from bot.commands import GUARDED
from bot.records import Caller

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slack_bolt.async_app import AsyncApp
    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.slack.interactions import Picked, Spot, Typed
    from adapters.slack.listeners import Desk
    from bot.incoming import IncomingFile

OPEN = frozenset({"help"})
"""Commands that tell nothing of a channel."""

_INVITE = (
    "As far as Slack tells me, I am not a member of this channel. Invite me with `/invite`, and I answer "
    "from the files that are shared here."
)
_STRANGER = (
    "I show a channel's documents to its members only, and Slack does not tell me that you are one. "
    "Join the channel, or try again in a minute."
)
_GONE = "There is nothing left of the file in this message."
_NO_FILE = "This message carries no file, so there is nothing to index."


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
        commands, spot = self._desk.platform.commands, typed.spot
        tells = typed.name in commands.names and typed.name not in OPEN
        if tells and (refusal := await self._refusal(team, spot)) is not None:
            return Body(text=refusal)
        guarded = typed.name in GUARDED and bool(typed.args)
        caller = await self._clerk.caller(team, spot) if guarded else Caller(author=spot.user)
        return await commands.run(typed.name, scope_at(team, spot), typed.args, caller)

    async def _index(self, team: str, picked: Picked) -> Body | None:
        """Hand the files on under ids that were not seen before; the uploads say what becomes of them."""
        if not picked.files:
            return Body(text=_NO_FILE)
        if (refusal := await self._refusal(team, picked.spot)) is not None:
            return Body(text=refusal)
        found = [file for file_id in picked.files for file in await self._look_up(team, picked, file_id)]
        for file in found:
            self._desk.platform.uploads.receive(replace(file, file_id=f"{file.file_id}@{picked.event_id}"))
        return None if found else Body(text=_GONE)

    async def _look_up(self, team: str, picked: Picked, file_id: str) -> Sequence[IncomingFile]:
        return await self._desk.files.incoming(
            FileShared(
                event_id=picked.event_id,
                team=team,
                channel=picked.spot.channel,
                file_id=file_id,
                user=picked.spot.user,
                ts=picked.ts,
                thread_ts=picked.thread_ts,
            )
        )

    async def _refusal(self, team: str, spot: Spot) -> str | None:
        """Return why whoever is at *spot* is told nothing of the channel; None: they may know."""
        people = self._desk.people
        identity = await self._desk.workspaces.identity(team)
        if not await people.is_member(team, spot.channel, identity.user_id):
            return _INVITE
        return None if await people.is_member(team, spot.channel, spot.user) else _STRANGER
