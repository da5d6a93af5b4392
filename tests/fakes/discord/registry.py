"""Application commands that the bot registered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.fakes.discord.errors import ApiError, Problem
from tests.fakes.discord.rest import Call, route

if TYPE_CHECKING:
    from tests.fakes.discord.rooms import Rooms

EVERYWHERE = "/applications/{application}/commands"
IN_GUILD = "/applications/{application}/guilds/{guild}/commands"
SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
SUBCOMMAND, SUBCOMMANDS = 1, 2
MOST = {SLASH: 100, USER_MENU: 15, MESSAGE_MENU: 15}
_NAME = re.compile(r"[-_'\w]{1,32}")


@route("commands", "GET", EVERYWHERE)
@route("guild commands", "GET", IN_GUILD)
def listed(server: Rooms, call: Call) -> list[dict[str, Any]]:
    return _commands(server, call)


@route("register commands", "PUT", EVERYWHERE)
@route("register guild commands", "PUT", IN_GUILD)
def replace_all(server: Rooms, call: Call) -> list[dict[str, Any]]:
    before = {(one["type"], one["name"]): one["id"] for one in _commands(server, call)}
    made = [_made(server, call, number, one, before) for number, one in enumerate(call.payload)]
    for kind, most in MOST.items():
        if sum(1 for one in made if one["type"] == kind) > most:
            raise ApiError(30032)
    server.commands[_guild(call)] = made
    return made


@route("register command", "POST", EVERYWHERE)
@route("register guild command", "POST", IN_GUILD)
def add(server: Rooms, call: Call) -> dict[str, Any]:
    commands = _commands(server, call)
    made = _made(server, call, 0, call.body, {})
    commands[:] = [one for one in commands if (one["type"], one["name"]) != (made["type"], made["name"])]
    commands.append(made)
    return made


@route("drop command", "DELETE", EVERYWHERE + "/{command}")
@route("drop guild command", "DELETE", IN_GUILD + "/{command}")
def drop(server: Rooms, call: Call) -> None:
    commands = _commands(server, call)
    if call.ids["command"] not in {one["id"] for one in commands}:
        raise ApiError(10063)
    commands[:] = [one for one in commands if one["id"] != call.ids["command"]]


def _commands(server: Rooms, call: Call) -> list[dict[str, Any]]:
    if call.id("application") != server.application:
        raise ApiError(50001)
    return server.commands.setdefault(_guild(call), [])


def _guild(call: Call) -> int | None:
    return call.id("guild") if "guild" in call.ids else None


def _made(
    server: Rooms, call: Call, number: int, wanted: dict[str, Any], before: dict[tuple[int, str], str]
) -> dict[str, Any]:
    kind = int(wanted.get("type") or SLASH)
    _check(str(number), kind, wanted)
    name = str(wanted["name"])
    made = {
        "description": "",
        "options": [],
        "default_member_permissions": None,
        "contexts": None,
        "integration_types": [0],
        **wanted,
        "type": kind,
        "id": before.get((kind, name)) or str(server.snowflake()),
        "application_id": str(server.application),
        "version": str(server.snowflake()),
    }
    guild = _guild(call)
    return made if guild is None else made | {"guild_id": str(guild)}


def _check(place: str, kind: int, wanted: dict[str, Any]) -> None:
    name = str(wanted.get("name") or "")
    if kind == SLASH:
        _check_texts(place, wanted)
        _check_options(f"{place}.options", wanted.get("options") or [])
    elif not 1 <= len(name) <= 32:
        raise Problem(f"{place}.name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 32 in length.")
    elif wanted.get("description"):
        message = "Context menu commands cannot have description"
        raise Problem(f"{place}.description", "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION", message)


def _check_texts(place: str, wanted: dict[str, Any]) -> None:
    name = str(wanted.get("name") or "")
    if not _NAME.fullmatch(name) or name != name.lower():
        raise Problem(f"{place}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if not 1 <= len(str(wanted.get("description") or "")) <= 100:
        raise Problem(f"{place}.description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")


def _check_options(place: str, options: list[dict[str, Any]]) -> None:
    if len(options) > 25:
        raise Problem(place, "BASE_TYPE_BAD_LENGTH", "Must be between 0 and 25 in length.")
    optional = False
    for number, option in enumerate(options):
        _check_texts(f"{place}.{number}", option)
        _check_options(f"{place}.{number}.options", option.get("options") or [])
        if option["type"] in {SUBCOMMAND, SUBCOMMANDS}:
            continue
        if option.get("required") and optional:
            message = "Required options must be placed before non-required options"
            raise Problem(f"{place}.{number}", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", message)
        optional = optional or not option.get("required")
        if len(option.get("choices") or []) > 25:
            raise Problem(
                f"{place}.{number}.choices", "BASE_TYPE_BAD_LENGTH", "Must be 25 or fewer in length."
            )
