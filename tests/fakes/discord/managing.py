"""What changes about guilds: channels, roles, members, and whether they are there at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.acts import Acts
from tests.fakes.discord.permissions import Permission, can_view
from tests.fakes.discord.sessions import GUILDS, MEMBERS
from tests.fakes.discord.world import (
    FORUM_TYPE,
    TYPES,
    Channel,
    ChannelKind,
    Guild,
    Member,
    Overwrite,
    Role,
    Tag,
    User,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTHING = Permission(0)


class Managing(Acts):
    """Those who run a guild arrange it."""

    def add_user(self, user: int, name: str, *, bot: bool = False) -> User:
        made = self.users[user] = User(id=user, name=name, bot=bot)
        return made

    def add_member(self, guild: Guild, user: int, *, roles: Sequence[int] = ()) -> Member:
        """Let somebody join a guild."""
        made = guild.members[user] = Member(user=self.users[user], roles=list(roles))
        self.tell("GUILD_MEMBER_ADD", made.described() | {"guild_id": str(guild.id)}, guild, MEMBERS)
        return made

    def add_role(self, guild: Guild, name: str, permissions: Permission = NOTHING, **fields: Any) -> Role:
        role = Role(id=self.snowflake(), name=name, permissions=permissions, **fields)
        guild.roles[role.id] = role
        self.tell("GUILD_ROLE_CREATE", {"guild_id": str(guild.id), "role": role.described()}, guild, GUILDS)
        return role

    def change_role(self, guild: Guild, role: Role, permissions: Permission) -> None:
        """Let a role allow something else."""
        role.permissions = permissions
        self.tell("GUILD_ROLE_UPDATE", {"guild_id": str(guild.id), "role": role.described()}, guild, GUILDS)

    def give_role(self, guild: Guild, user: int, role: int) -> None:
        """Give somebody a role; a bot without the members intent hears of it only for itself."""
        member = guild.members[user]
        member.roles.append(role)
        intent = GUILDS if user == self.application else MEMBERS
        self.tell("GUILD_MEMBER_UPDATE", member.described() | {"guild_id": str(guild.id)}, guild, intent)

    def add_channel(
        self,
        name: str,
        kind: ChannelKind = "text",
        *,
        id: int | None = None,  # noqa: A002 (it is an id everywhere)
        guild: Guild | None = None,
        overwrites: dict[int, Overwrite] | None = None,
        tags: Sequence[str] = (),
        **fields: Any,
    ) -> Channel:
        """Add a channel to a guild, the first one unless said otherwise."""
        place = guild or next(iter(self.guilds.values()))
        made = Channel(
            id=id or self.snowflake(),
            type=TYPES[kind],
            name=name,
            guild=place,
            position=len(place.channels),
            overwrites=overwrites or {},
            **fields,
        )
        if made.type == FORUM_TYPE:
            made.tags = [Tag(id=self.snowflake(), name=one) for one in tags]
        place.channels[made.id] = made
        self.tell_of("CHANNEL_CREATE", made, made.described(self.application))
        return made

    def overwrite(
        self, channel: Channel | int, target: int, *, allow: Permission = NOTHING, deny: Permission = NOTHING
    ) -> None:
        """Let a role or somebody do more, or less, in one channel."""
        place = self.channel(channel)
        could = can_view(place, self.application)
        place.overwrites[target] = Overwrite(allow=allow, deny=deny)
        self.tell_of("CHANNEL_UPDATE", place, place.described(self.application))
        if not could and can_view(place, self.application):
            self._sync(place)

    def hide(self, channel: Channel | int, target: int | None = None) -> None:
        """Keep a channel from somebody, from the bot unless said otherwise."""
        self.overwrite(channel, target or self.application, deny=Permission.VIEW_CHANNEL)

    def show(self, channel: Channel | int, target: int | None = None) -> None:
        """Let somebody, or the bot, see a channel."""
        self.overwrite(channel, target or self.application, allow=Permission.VIEW_CHANNEL)

    def rename(self, channel: Channel | int, name: str) -> None:
        place = self.channel(channel)
        place.name = name
        event = "THREAD_UPDATE" if place.thread else "CHANNEL_UPDATE"
        self.tell_of(event, place, place.described(self.application))

    def delete_channel(self, channel: Channel | int) -> None:
        """Delete a channel with everything in it, or a thread."""
        self.close_channel(self.channel(channel))

    def remove_bot(self, guild: Guild | None = None) -> None:
        """Remove the bot from a guild, the first one unless said otherwise."""
        self.expel(guild or next(iter(self.guilds.values())))

    def become(self, application: int, name: str = "another") -> None:
        """Be asked by the bot of another application, which is in no guild, from now on."""
        self.users[application] = User(id=application, name=name, bot=True)
        self.application = application

    def invite_bot(self, guild: Guild) -> None:
        """Let the bot in, while it runs or not."""
        guild.invite(self.bot, self.snowflake())
        self.tell_guild(guild)

    def outage(self, guild: Guild | None = None) -> None:
        """Let a guild be out of reach: nothing is told of it, and it is not gone."""
        place = guild or next(iter(self.guilds.values()))
        place.available = False
        gone = {"id": str(place.id), "unavailable": True}
        self.gateway.tell("GUILD_DELETE", lambda session: gone if session.hears(place.id) else None)

    def recover(self, guild: Guild | None = None) -> None:
        """End an outage."""
        place = guild or next(iter(self.guilds.values()))
        place.available = True
        self.tell_guild(place, again=True)

    def _sync(self, channel: Channel) -> None:
        bot, guild = self.application, channel.guild
        active = [one for one in self.threads(channel) if one.thread and not one.thread.archived]
        seen = [one for one in active if can_view(one, bot)]
        members = [one.membership(bot) for one in seen if one.thread and bot in one.thread.members]
        data = {
            **channel.guild_field,
            "channel_ids": [str(channel.id)],
            "threads": [one.described(bot) for one in seen],
            "members": members,
        }
        self.tell("THREAD_LIST_SYNC", data, guild, GUILDS)
