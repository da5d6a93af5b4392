"""What people type, press, choose and fill in."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from tests.fakes.discord import components
from tests.fakes.discord.describing import channel_for, message_object
from tests.fakes.discord.managing import Managing
from tests.fakes.discord.options import Options
from tests.fakes.discord.permissions import Permission, can_view, in_channel
from tests.fakes.discord.registry import MESSAGE_MENU, SLASH
from tests.fakes.discord.using import COMPLETING, PRESSED, SUBMITTED, USED, Interaction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.fakes.discord.messages import Message
    from tests.fakes.discord.world import Channel

IN_GUILD, IN_DIRECT = 0, 1


class Interacting(Managing):
    """People use what the bot offers them."""

    def slash(self, user: int, channel: Channel | int, /, *path: str, **options: Any) -> Interaction:
        """Use a command such as ``slash(ANNA, GENERAL, "ask", question="When?")``.

        A file is given as name and content.
        """
        place = self.channel(channel)
        data = self._command(user, place, path, options)
        return self._use(USED, user, place, path[0], data)

    def autocomplete(
        self, user: int, channel: Channel | int, /, *path: str, focused: str, **options: Any
    ) -> Interaction:
        """Type the first letters of one option, the *focused* one."""
        place = self.channel(channel)
        data = self._command(user, place, path, options, focused=focused)
        return self._use(COMPLETING, user, place, path[0], data)

    def context_menu(self, user: int, message: Message, name: str) -> Interaction:
        """Choose a command from the menu of a message, which comes with all its content."""
        command = self._registered(message.channel, MESSAGE_MENU, name, user)
        resolved = {"messages": {str(message.id): message_object(self, message)}}
        data = {
            "id": command["id"],
            "name": name,
            "type": MESSAGE_MENU,
            "target_id": str(message.id),
            "resolved": resolved,
        }
        return self._use(USED, user, message.channel, name, data, message=message)

    def press(self, message: Message, button: str, user: int) -> Interaction:
        """Press a button, named by its label or its custom id."""
        self._must_see(message, user)
        found = components.button(message.components, button)
        data = {
            "custom_id": found["custom_id"],
            "component_type": components.BUTTON,
            "id": found.get("id", 1),
        }
        return self._use(PRESSED, user, message.channel, found["custom_id"], data, message=message)

    def choose(self, message: Message, custom_id: str, values: Sequence[str], user: int) -> Interaction:
        """Choose from a menu below a message."""
        self._must_see(message, user)
        found = components.select(message.components, custom_id)
        data = {"custom_id": custom_id, "component_type": found["type"], "values": list(values)}
        return self._use(PRESSED, user, message.channel, custom_id, data, message=message)

    def submit(self, interaction: Interaction, values: Mapping[str, Any]) -> Interaction:
        """Fill in the form that *interaction* opened, by custom id or label, and send it."""
        modal = interaction.modal
        if modal is None:
            raise LookupError("no form was opened")
        options = Options(self, interaction.channel)
        parts = [options.filled(one, values) for one in modal["components"]]
        data = {"custom_id": modal["custom_id"], "components": parts, "resolved": options.resolved}
        return self._use(
            SUBMITTED,
            interaction.user,
            interaction.channel,
            modal["custom_id"],
            data,
            message=interaction.message,
            begun_by=interaction,
        )

    def _command(
        self,
        user: int,
        channel: Channel,
        path: Sequence[str],
        given: dict[str, Any],
        focused: str | None = None,
    ) -> dict[str, Any]:
        command = self._registered(channel, SLASH, path[0], user)
        options = Options(self, channel)
        data: dict[str, Any] = {"id": command["id"], "name": command["name"], "type": SLASH}
        if "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        data["options"] = options.given(command, path[1:], given, focused)
        return data | ({"resolved": options.resolved} if options.resolved else {})

    def _registered(self, channel: Channel, kind: int, name: str, user: int) -> dict[str, Any]:
        guild = channel.guild
        known = [*(self.commands.get(guild.id, []) if guild else []), *self.commands[None]]
        place = IN_DIRECT if guild is None else IN_GUILD
        for command in known:
            if (command["type"], command["name"]) != (kind, name):
                continue
            if command["contexts"] is not None and place not in command["contexts"]:
                raise LookupError(f"{name!r} is not offered here")
            # in a direct conversation nobody needs any
            needed = Permission(int(command["default_member_permissions"] or 0) if guild else 0)
            needed |= Permission.USE_APPLICATION_COMMANDS
            if in_channel(channel, user) & needed != needed:
                raise PermissionError(f"{self.users[user].name} is not offered {name!r}")
            return command
        raise LookupError(f"no command {name!r} was registered, only {[one['name'] for one in known]}")

    def _must_see(self, message: Message, user: int) -> None:
        unseen = message.seen_by not in {None, user} or not can_view(message.channel, user)
        if message.deleted or unseen:
            raise PermissionError(f"{self.users[user].name} does not see the message")

    def _use(
        self,
        kind: int,
        user: int,
        channel: Channel,
        name: str,
        data: dict[str, Any],
        *,
        message: Message | None = None,
        begun_by: Interaction | None = None,
    ) -> Interaction:
        number, token = self.snowflake(), secrets.token_urlsafe(32)
        payload = {
            **self._interaction(number, token, kind, user, channel),
            "data": data,
            **({"message": message_object(self, message)} if message and _is_on(kind, begun_by) else {}),
        }
        made = Interaction(
            id=number,
            token=token,
            kind=kind,
            user=user,
            channel=channel,
            name=name,
            payload=payload,
            clock=self.clock,
            at=self.clock(),
            deadline=self.clock() + self.interaction_seconds,
            message=message,
            begun_by=begun_by,
        )
        self.interactions.append(made)
        guild = channel.guild.id if channel.guild else None
        self.gateway.tell("INTERACTION_CREATE", lambda session: payload if session.hears(guild) else None)
        return made

    def _interaction(self, number: int, token: str, kind: int, user: int, channel: Channel) -> dict[str, Any]:
        guild = channel.guild
        said: dict[str, Any] = {
            "id": str(number),
            "application_id": str(self.application),
            "type": kind,
            "token": token,
            "version": 1,
            "channel_id": str(channel.id),
            "channel": channel_for(self, channel, user),
            "app_permissions": str(int(in_channel(channel, self.application))),
            "locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(guild.id) if guild else "0"},
            "context": IN_DIRECT if guild is None else IN_GUILD,
            "attachment_size_limit": self.file_limit,
        }
        if guild is None:
            return said | {"user": self.users[user].described()}
        member = guild.members[user].described() | {"permissions": str(int(in_channel(channel, user)))}
        place = {"id": str(guild.id), "locale": "en-US", "features": []}
        return said | {"guild_id": str(guild.id), "guild": place, "guild_locale": "en-US", "member": member}


def _is_on(kind: int, begun_by: Interaction | None) -> bool:
    return kind == PRESSED or (begun_by is not None and begun_by.kind == PRESSED)
