"""What people said in Discord, as plain words: without the bot's own name, and with names for all numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from adapters.markup.spoken import HERE, Spoken, joined

if TYPE_CHECKING:
    from collections.abc import Mapping

_CODE = re.compile(r"(?<!\\)(```.+?```|``.+?``|`[^`]+`)", re.DOTALL)
_TOKEN = re.compile(
    r"""
      <@!?(?P<user>\d{1,20})>
    | <@&(?P<role>\d{1,20})>
    | <\#(?P<channel>\d{1,20})>
    | </(?P<command>[^<>\n:]{1,120}):\d{1,20}>
    | <t:(?P<time>-?\d{1,17})(?::(?P<style>[A-Za-z]))?>
    | <a?:(?P<emoji>\w{1,40}):\d{1,20}>
    | <id:(?P<page>[a-z\-]{1,40})(?::\d{1,20})?>
    | <(?P<address>(?:https?|mailto|tel|discord|steam):[^<>\s]+)>
    """,
    re.VERBOSE,
)
_OTHERS = re.compile(r"\s*(?:<@!?(?P<user>\d{1,20})>|<@&(?P<role>\d{1,20})>|@(?:everyone|here)\b)")
_FORMS = {"command": "/{}", "emoji": ":{}:", "page": "#{}"}
_WHEN = {**dict.fromkeys("dD", "%Y-%m-%d"), **dict.fromkeys("tT", "%H:%M UTC")}
_WHOLE = "%Y-%m-%d %H:%M UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What the numbers in a message stand for; one that is missing stays a number."""

    users: Mapping[int, str] = field(default_factory=dict)
    roles: Mapping[int, str] = field(default_factory=dict)
    channels: Mapping[int, str] = field(default_factory=dict)


def read(text: str, bot: int, names: Names, *, role: int | None = None) -> Spoken:
    """Read the content of a message; *role* is the one that Discord made for the bot on this server."""
    words = _Words(bot, role, names)
    pieces = _CODE.split(text.replace(HERE, ""))
    pieces[::2] = [_TOKEN.sub(words.put, piece) for piece in pieces[::2]]
    said = "".join(pieces)
    first = _OTHERS.match(text)
    others = first is not None and not words.name_me(first)
    return Spoken(text=joined(said), mentioned=HERE in said, others_first=others)


class _Words:
    """Puts what stands in pointed brackets into words."""

    def __init__(self, bot: int, role: int | None, names: Names) -> None:
        self._me = {"user": str(bot), "role": str(role)}
        self._names = {"user": names.users, "role": names.roles, "channel": names.channels}

    def put(self, found: re.Match[str]) -> str:
        """Return what a token says, and a mark where it names the bot."""
        if self.name_me(found):
            return HERE
        kind = "time" if found.lastgroup == "style" else str(found.lastgroup)
        said = found[kind]
        match kind:
            case "user" | "role" | "channel":
                return ("#" if kind == "channel" else "@") + (self._names[kind].get(int(said)) or said)
            case "time":
                return _moment(found)
            case "address":
                return said.removeprefix("mailto:").removeprefix("tel:")
            case _:
                return _FORMS[kind].format(said)

    def name_me(self, found: re.Match[str]) -> bool:
        """Tell whether a mention is one of the bot."""
        kind = found.lastgroup
        return kind is not None and found[kind] == self._me.get(kind)


def _moment(found: re.Match[str]) -> str:
    """Return a time as everybody reads it, since nobody's own time is known; an impossible one as it is."""
    try:
        return datetime.fromtimestamp(int(found["time"]), UTC).strftime(_WHEN.get(found["style"], _WHOLE))
    except (OverflowError, OSError, ValueError):
        return found[0]
