"""What the bot is told, and what it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.describing import censored, emoji_object, event_object, joined_guild
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.permissions import can_view
from tests.fakes.discord.sessions import (
    CONTENT,
    DIRECT_REACTIONS,
    DIRECTS,
    GUILDS,
    MESSAGES,
    REACTIONS,
    Session,
)
from tests.fakes.discord.state import State

if TYPE_CHECKING:
    from tests.fakes.discord.messages import Message
    from tests.fakes.discord.world import Channel, Guild


class Events(State):
    """Tells every session what its intents and the bot's permissions let it hear."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.gateway = Gateway(self)

    async def settled(self) -> None:
        """Wait until everything told so far is on its way to the bot."""
        await self.gateway.settled()

    def tell(self, name: str, data: dict[str, Any], guild: Guild | None, intent: int = 0) -> None:
        """Tell what happened in a guild."""
        if not self._in(guild):
            return
        number = guild.id if guild else None

        def said(session: Session) -> dict[str, Any] | None:
            heard = session.hears(number) and (not intent or session.intents & intent)
            return data if heard else None

        self.gateway.tell(name, said)

    def tell_of(self, name: str, channel: Channel, data: dict[str, Any], *, visible: bool = False) -> None:
        """Tell of a channel or a thread; threads that the bot cannot see are kept from it."""
        if channel.thread is None or visible or can_view(channel, self.application):
            self.tell(name, data, channel.guild, GUILDS)

    def tell_message(self, name: str, message: Message) -> None:
        """Tell of a message, without its content when the bot may not read that."""
        channel = message.channel
        if (
            message.seen_by is not None
            or not can_view(channel, self.application)
            or not self._in(channel.guild)
        ):
            return
        whole = event_object(self, message)
        guild = channel.guild

        def said(session: Session) -> dict[str, Any] | None:
            if guild is None:
                return whole if session.hears(None) and session.intents & DIRECTS else None
            if not session.hears(guild.id) or not session.intents & MESSAGES:
                return None
            return whole if session.intents & CONTENT else censored(whole, self.application)

        self.gateway.tell(name, said)

    def tell_deleted(self, messages: list[Message]) -> None:
        """Tell that messages of one channel are gone, together if they are several."""
        channel = messages[0].channel
        where = {"channel_id": str(channel.id), **channel.guild_field}
        ids = [str(message.id) for message in messages]
        name, data = (
            ("MESSAGE_DELETE", {"id": ids[0]}) if len(ids) == 1 else ("MESSAGE_DELETE_BULK", {"ids": ids})
        )
        if can_view(channel, self.application):
            self.tell(name, {**data, **where}, channel.guild, MESSAGES if channel.guild else DIRECTS)

    def tell_reaction(self, name: str, message: Message, emoji: str, user: int) -> None:
        channel, guild = message.channel, message.channel.guild
        if not can_view(channel, self.application):
            return
        data: dict[str, Any] = {
            "user_id": str(user),
            "channel_id": str(channel.id),
            "message_id": str(message.id),
            "emoji": emoji_object(emoji),
            "burst": False,
            "type": 0,
            **channel.guild_field,
        }
        if name == "MESSAGE_REACTION_ADD":
            data["message_author_id"] = str(message.author.id)
            if guild is not None and user in guild.members:
                data["member"] = guild.members[user].described()
        self.tell(name, data, guild, REACTIONS if guild else DIRECT_REACTIONS)

    def tell_guild(self, guild: Guild, *, again: bool = False) -> None:
        """Tell that the bot is in a guild, or that the guild is there *again*."""
        said = joined_guild(self, guild)
        if not again:
            del said["unavailable"]
        self.tell("GUILD_CREATE", said, guild, GUILDS)

    def _in(self, guild: Guild | None) -> bool:
        return guild is None or (guild.available and self.application in guild.members)
