"""What people give to commands and forms, in the shape that the bot gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord.components import INPUT, LABEL, ROW, TEXT, UPLOAD
from tests.fakes.discord.describing import attachment_object, channel_for
from tests.fakes.discord.drafting import attach
from tests.fakes.discord.registry import SUBCOMMAND, SUBCOMMANDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.fakes.discord.state import State
    from tests.fakes.discord.world import Channel

RADIO, CHECKBOX = 21, 23
USER, CHANNEL, ROLE, MENTIONABLE, FILE = 6, 7, 8, 9, 11


class Options:
    """Collects values, and everything that they refer to."""

    def __init__(self, state: State, channel: Channel) -> None:
        self._state, self._channel = state, channel
        self.resolved: dict[str, dict[str, Any]] = {}

    def given(
        self, command: Mapping[str, Any], path: Sequence[str], given: Mapping[str, Any], focused: str | None
    ) -> list[dict[str, Any]]:
        """Return the options of a command, under its subcommands."""
        known = {one["name"]: one for one in command.get("options") or []}
        if path:
            step = known.get(path[0])
            if step is None or step["type"] not in {SUBCOMMAND, SUBCOMMANDS}:
                raise LookupError(f"there is no subcommand {path[0]!r}")
            inner = self.given(step, path[1:], given, focused)
            return [{"name": path[0], "type": step["type"], "options": inner}]
        if unknown := given.keys() - known.keys():
            raise LookupError(f"there are no options {sorted(unknown)}, only {sorted(known)}")
        missing = {name for name, one in known.items() if one.get("required")} - given.keys()
        if missing and focused is None:
            raise LookupError(f"the options {sorted(missing)} have to be given")
        return [self._option(known[name], value, focused) for name, value in given.items()]

    def filled(self, component: dict[str, Any], values: Mapping[str, Any], label: str = "") -> dict[str, Any]:
        """Return one part of a form as it was filled in."""
        kind = component["type"]
        if kind == ROW:
            parts = [self.filled(one, values, str(one.get("label") or "")) for one in component["components"]]
            return {"type": ROW, "id": component.get("id", 1), "components": parts}
        if kind == LABEL:
            inner = self.filled(component["component"], values, str(component.get("label") or ""))
            return {"type": LABEL, "id": component.get("id", 1), "component": inner}
        said: dict[str, Any] = {"type": kind, "id": component.get("id", 1)}
        if kind == TEXT:
            return said
        name = component["custom_id"]
        value = values.get(name, values.get(label))
        if value is None and component.get("required", True):
            raise LookupError(f"the field {label or name!r} has to be filled in")
        return said | {"custom_id": name} | self._value(kind, component, value)

    def _value(self, kind: int, component: Mapping[str, Any], value: Any) -> dict[str, Any]:
        if kind == UPLOAD:
            return {"values": [self._file(*one) for one in value or []]}
        if kind in {RADIO, CHECKBOX}:
            return {"value": value}
        if kind != INPUT:
            return {"values": list(value or [])}
        said = str(value or "")
        if len(said) > int(component.get("max_length") or 4_000):
            raise LookupError("this is more than fits into the field")
        return {"value": said}

    def _option(self, known: Mapping[str, Any], value: Any, focused: str | None) -> dict[str, Any]:
        said: dict[str, Any] = {"name": known["name"], "type": known["type"], "value": value}
        if known["type"] == FILE:
            said["value"] = self._file(*value)
        elif known["type"] in {USER, CHANNEL, ROLE, MENTIONABLE}:
            said["value"] = self._referred(known["type"], int(value))
        elif known.get("choices"):
            labels = {one["name"]: one["value"] for one in known["choices"]}
            said["value"] = labels.get(value, value)
        return said | ({"focused": True} if known["name"] == focused else {})

    def _referred(self, kind: int, target: int) -> str:
        guild = self._channel.guild
        if kind == CHANNEL:
            place = channel_for(self._state, self._state.channel(target), self._state.application)
            self._resolve("channels", target, place)
        elif guild is not None and target in guild.roles:
            self._resolve("roles", target, guild.roles[target].described())
        else:
            self._resolve("users", target, self._state.users[target].described())
            if guild is not None and target in guild.members:
                member = guild.members[target].described(user=False) | {"permissions": "0"}
                self._resolve("members", target, member)
        return str(target)

    def _file(self, name: str, content: bytes | str) -> str:
        data = content.encode() if isinstance(content, str) else content
        made = attach(self._state, self._channel, name, data, ephemeral=True)
        self._resolve("attachments", made.id, attachment_object(self._state, made))
        return str(made.id)

    def _resolve(self, kind: str, target: int, said: dict[str, Any]) -> None:
        self.resolved.setdefault(kind, {})[str(target)] = said
