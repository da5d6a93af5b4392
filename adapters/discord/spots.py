"""Who uses what the bot offers, where, and what they may do there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.discord import permissions
from adapters.discord.events import room_at
from adapters.discord.permissions import GRANT, READING, lacking, listed, speaking
from bot.asides import Asker
from bot.chat import Thread
from bot.records import Caller

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import discord

    from adapters.discord.client import Client
    from adapters.discord.events import Room
    from pipeline.domain import Scope

    Interaction: TypeAlias = discord.Interaction[Client]

_STRANGER = (
    "I am not a member of this server, so I know nothing of it. Whoever manages it can invite me as a bot."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Somebody who uses something, and the room that they are in."""

    interaction: Interaction
    room: Room

    @classmethod
    def of(cls, interaction: Interaction) -> Spot | None:
        """Return where *interaction* came about; None: in no channel that the bot knows to deal with."""
        room = room_at(interaction.channel)
        return None if room is None else cls(interaction=interaction, room=room)

    @property
    def user(self) -> str:
        """The id of whoever it is."""
        return str(self.interaction.user.id)

    @property
    def where(self) -> Thread | Scope:
        """The thread, or the channel at large."""
        room = self.room
        return Thread(room.scope, str(room.id)) if room.passing else room.scope

    @property
    def asker(self) -> Asker:
        """Whoever it is, with what they may do and know."""
        return Asker(author=self.user, caller=self._caller, refusal=self._refusal)

    @property
    def caller(self) -> Caller:
        """Whoever it is, as far as Discord says what they may do. Nobody there is a guest."""
        return Caller(author=self.user, manages=manages(self.interaction))

    @property
    def closed(self) -> str | None:
        """Why the bot tells nothing of the channel: it is not let in any more; None: it is."""
        interaction = self.interaction
        if self.room.direct:
            return None
        if interaction.client.get_guild(interaction.guild_id or 0) is None:
            return _STRANGER
        if not interaction.app_permissions.view_channel:
            return self._lacks(["View Channel"], "look into this channel, so I know nothing of it")
        return None

    @property
    def speechless(self) -> str | None:
        """Why the bot cannot answer here where all can read it; None: it can."""
        return self.closed or self._unless(speaking(thread=self.room.parent is not None), "answer here")

    @property
    def unreadable(self) -> str | None:
        """Why the bot cannot fetch files from here; None: it can."""
        return self.closed or self._unless(READING, "fetch files from here")

    @property
    def shortcomings(self) -> str | None:
        """What the bot may not do here although it should, in a sentence; None: nothing."""
        if self.room.direct:
            return None
        granted = self.interaction.app_permissions
        return permissions.shortcomings(granted, thread=self.room.parent is not None)

    def _unless(self, needed: Sequence[str], what: str) -> str | None:
        names = [] if self.room.direct else lacking(self.interaction.app_permissions, needed)
        return self._lacks(names, what) if names else None

    @staticmethod
    def _lacks(names: list[str], what: str) -> str:
        return f"I may not {what}: I am not permitted {listed(names)}. {GRANT}"

    async def _caller(self) -> Caller:
        return self.caller

    async def _refusal(self) -> str | None:
        return self.closed


def manages(interaction: Interaction) -> bool:
    """Tell whether somebody manages the channel: by their permissions there, or as the server's owner.

    Discord says with each use what they may. In a direct conversation everything is theirs.
    """
    if interaction.guild_id is None:
        return True
    owner = interaction.guild is not None and interaction.guild.owner_id == interaction.user.id
    return owner or permissions.manages(interaction.permissions)
