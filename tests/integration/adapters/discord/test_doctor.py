"""Each thing that can be wrong with a Discord bot has a line, and a remedy, over the local Discord server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from adapters.discord import doctor
from adapters.discord.doctor import COMMANDS, examine_discord
from bot.doctor import examine
from bot.owners import Owners
from bot.settings import Settings
from pipeline.domain import Scope
from tests.fakes.discord import (
    BOT,
    GUILD,
    DiscordServer,
    Fault,
    Overwrite,
    Permission,
    http,
    rate_limited,
    slow,
)
from tests.fakes.discord.listener import pointed_at
from tests.fakes.library import FakeChoices
from tests.integration.adapters.discord.using import Using

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.doctor import Check
    from bot.stores import Stores

SERVER = f"discord server {GUILD}"
LINK = "permissions=309237763136"
UNREACHED = "http://127.0.0.1:9/api"


class Clinic:
    """The doctor's room: settings that fit the server, and a bot in order."""

    def __init__(self, server: DiscordServer) -> None:
        self.discord = server
        self.said: list[str] = []
        self.stores: Stores | None = None
        guild = server.guild
        for channel in [*guild.channels.values()]:
            if BOT in channel.overwrites:
                del guild.channels[channel.id]
        server.commands[None] = [{"name": name, "type": 1, "id": "1"} for name in sorted(COMMANDS)]

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "token": self.discord.token,
            "api_base_url": self.discord.api_base_url,
            "gateway_url": self.discord.gateway_url,
        }

    async def examined(self, **changes: Any) -> dict[str, Check]:
        settings = Settings(_env_file=None, discord={**self.settings, **changes})
        checks = [check async for check in examine_discord(settings, self.stores)]
        self.said += [f"{check.name} {check.message} {check.remedy}" for check in checks]
        assert all(check.remedy for check in checks if check.status != "ok")
        return {check.name: check for check in checks}

    def has_application(self, **changes: Any) -> None:
        """Let Discord tell something else about the application."""
        about = {
            "id": str(BOT),
            "name": "footnote",
            "icon": None,
            "description": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "0" * 64,
            "flags": 1 << 19,
            "owner": self.discord.bot.described(),
            "team": None,
        }
        self.discord.fail("application", Fault(status=203, body={**about, **changes}))


@pytest.fixture
async def clinic() -> AsyncIterator[Clinic]:
    async with DiscordServer() as server:
        server.rates.lift()
        with pointed_at(server):
            room = Clinic(server)
            yield room
    assert not [said for said in room.said if server.token in said]


async def test_a_bot_in_order_has_a_line_for_each_part(clinic: Clinic) -> None:
    checks = await clinic.examined()

    assert list(checks) == [
        "discord token",
        "discord message content",
        "discord gateway",
        "discord servers",
        "discord commands",
    ]
    assert {check.status for check in checks.values()} == {"ok"}
    assert f"@footnote's, of the application {BOT}" in checks["discord token"].message
    assert "in 1 server," in checks["discord servers"].message


async def test_files_that_another_application_took_in_are_named(clinic: Clinic) -> None:
    choices, gone = FakeChoices(), Scope("discord", "77", "1")
    held = [
        Scope("discord", str(GUILD), "1"),
        Scope("discord", "direct", "1"),
        gone,
        Scope("slack", "T", "C"),
    ]

    async def scopes() -> list[Scope]:
        return held

    clinic.stores = cast("Any", SimpleNamespace(choices=choices, generations=SimpleNamespace(scopes=scopes)))
    assert "discord files" not in await clinic.examined()

    await Owners(choices, "discord").note(gone.workspace, "4711")
    check = (await clinic.examined())["discord files"]

    assert check.status == "warn"
    assert check.message == "The files of 1 server were taken in by another application (4711)."


async def test_to_look_begins_no_session(clinic: Clinic) -> None:
    await clinic.examined()

    assert clinic.discord.gateway.identifies == []
    assert {call.method for call in clinic.discord.calls} == {"GET"}
    await clinic.discord.gateway.gone()


async def test_without_a_token_nothing_is_asked(clinic: Clinic) -> None:
    checks = await clinic.examined(token=None)

    assert checks["discord token"].status == "fail"
    assert "Reset Token" in str(checks["discord token"].remedy)
    assert clinic.discord.calls == []


async def test_a_token_that_discord_does_not_know_is_the_only_line(clinic: Clinic) -> None:
    checks = await clinic.examined(token="another.secret.token")

    assert list(checks) == ["discord token"]
    assert "does not accept" in checks["discord token"].message
    assert not [said for said in clinic.said if "another" in said]


async def test_a_discord_that_cannot_be_reached_fails_with_a_remedy(clinic: Clinic) -> None:
    clinic.discord.fail("me", http(503))
    first = await clinic.examined()
    away = await clinic.examined(api_base_url=UNREACHED)

    for checks in (first, away):
        assert list(checks) == ["discord token"]
        assert "127.0.0.1 cannot be reached" in checks["discord token"].message
        assert "FOOTNOTE_DISCORD__API_BASE_URL" in str(checks["discord token"].remedy)


async def test_a_discord_that_does_not_answer_is_not_waited_for(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PATIENCE", 0.05)
    clinic.discord.fail("me", slow(30))

    checks = await clinic.examined()

    assert checks["discord token"].status == "fail"


async def test_an_address_that_was_sent_away_is_told_for_how_long(clinic: Clinic) -> None:
    clinic.discord.fail("me", rate_limited(7, via=False))

    checks = await clinic.examined()

    assert "in 7 seconds" in str(checks["discord token"].remedy)


async def test_one_address_without_the_other_is_warned_of(clinic: Clinic) -> None:
    checks = await clinic.examined(gateway_url=None)

    assert checks["discord addresses"].status == "warn"
    assert "FOOTNOTE_DISCORD__GATEWAY_URL is not" in checks["discord addresses"].message
    assert checks["discord token"].status == "ok"


async def test_a_message_content_intent_that_is_off_names_what_does_not_work(clinic: Clinic) -> None:
    clinic.discord.privileged = 0
    off = (await clinic.examined())["discord message content"]
    chosen = (await clinic.examined(message_content=False))["discord message content"]

    assert off.status == "warn"
    assert "follow-ups" in off.message and "not indexed" in off.message
    assert f"{BOT}/bot" in str(off.remedy)
    assert chosen.status == "ok"
    assert "not asked for" in chosen.message


async def test_settings_of_the_application_that_keep_a_bot_from_working_are_found(clinic: Clinic) -> None:
    clinic.has_application(
        interactions_endpoint_url="https://elsewhere.example/", bot_require_code_grant=True
    )
    settings = Settings(_env_file=None, discord=clinic.settings)

    found = [check async for check in examine_discord(settings, None) if check.name == "discord application"]

    assert [check.status for check in found] == ["fail", "warn"]
    assert "Interactions Endpoint URL" in str(found[0].remedy)
    assert "Code Grant" in str(found[1].remedy)


async def test_a_gateway_that_lets_nobody_in_fails_and_the_rest_is_looked_at(clinic: Clinic) -> None:
    clinic.discord.gateway.accepting = False
    closed = await clinic.examined()
    clinic.discord.fail("gateway bot", http(503))
    silent = await clinic.examined()

    assert closed["discord gateway"].status == "fail"
    assert "FOOTNOTE_DISCORD__GATEWAY_URL" in str(closed["discord gateway"].remedy)
    assert silent["discord gateway"].status == "fail"
    assert closed["discord commands"].status == silent["discord commands"].status == "ok"


async def test_many_servers_want_shards_and_restarts_are_counted(clinic: Clinic) -> None:
    clinic.discord.gateway.shards = 2
    shards = await clinic.examined()
    clinic.discord.gateway.starts_left = 3
    starts = await clinic.examined(sharded=True)

    assert "FOOTNOTE_DISCORD__SHARDED" in str(shards["discord gateway"].remedy)
    assert starts["discord gateway"].status == "warn"
    assert "3 of 1,000 sessions" in starts["discord gateway"].message


async def test_a_bot_in_no_server_is_told_by_which_link_it_is_invited(clinic: Clinic) -> None:
    clinic.discord.expel(clinic.discord.guild)

    checks = await clinic.examined()

    assert checks["discord servers"].status == "warn"
    assert f"client_id={BOT}" in str(checks["discord servers"].remedy)
    assert LINK in str(checks["discord servers"].remedy)


async def test_permissions_that_are_missing_in_channels_are_named(clinic: Clinic) -> None:
    guild = clinic.discord.guild
    silent = {BOT: Overwrite(deny=Permission.SEND_MESSAGES)}
    for number in range(5):
        clinic.discord.add_channel(f"quiet-{number}", guild=guild, overwrites=silent)
    clinic.discord.add_channel(
        "unseen", guild=guild, overwrites={BOT: Overwrite(deny=Permission.VIEW_CHANNEL)}
    )

    check = (await clinic.examined())[SERVER]

    assert check.status == "warn"
    assert "Acme: not permitted in #quiet-0 (Send Messages" in check.message
    assert "and in 2 channels more" in check.message
    assert "unseen" not in check.message
    assert "channel's settings" in str(check.remedy)


async def test_permissions_that_are_missing_everywhere_are_named_with_the_link(clinic: Clinic) -> None:
    guild = clinic.discord.guild
    for role in guild.roles.values():
        role.permissions &= ~Permission.CREATE_PUBLIC_THREADS

    checks = await clinic.examined()

    assert checks[SERVER].message == "Acme: nowhere permitted: Create Public Threads."
    assert LINK in str(checks[SERVER].remedy)
    assert "discord servers" not in checks


async def test_a_bot_that_sees_no_channel_is_told(clinic: Clinic) -> None:
    guild = clinic.discord.guild
    for channel in guild.channels.values():
        channel.overwrites[BOT] = Overwrite(deny=Permission.VIEW_CHANNEL)

    checks = await clinic.examined()

    assert "sees no channel" in checks[SERVER].message


async def test_a_server_that_cannot_be_looked_at_does_not_keep_the_rest_from_it(clinic: Clinic) -> None:
    clinic.discord.add_guild("Beta")
    clinic.discord.fail("guild channels", http(503))
    one = await clinic.examined()
    clinic.discord.fail("my guilds", http(503))
    none = await clinic.examined()

    assert one[SERVER].status == "warn"
    assert len([name for name in one if name.startswith("discord server ")]) == 1
    assert none["discord servers"].status == "fail"
    assert none["discord commands"].status == "ok"


async def test_no_more_servers_are_looked_at_than_a_look_takes(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "LOOKED_AT", 1)
    clinic.discord.add_guild("Beta")

    checks = await clinic.examined()

    assert "in 2 servers" in checks["discord servers"].message
    assert "1 of them" in checks["discord servers"].message
    assert len(clinic.discord.called("guild channels")) == 1


async def test_commands_that_discord_does_not_offer_are_named(clinic: Clinic) -> None:
    commands = clinic.discord.commands
    commands[None] = [one for one in commands[None] if one["name"] != "docs"]
    one = await clinic.examined()
    commands[None] = []
    none = await clinic.examined(sync_commands=False)
    clinic.discord.fail("commands", http(503))
    unknown = await clinic.examined()

    assert one["discord commands"].message == "Discord offers all but docs."
    assert "footnote discord" in str(one["discord commands"].remedy)
    assert "none of them" in none["discord commands"].message
    assert "FOOTNOTE_DISCORD__SYNC_COMMANDS" in str(none["discord commands"].remedy)
    assert unknown["discord commands"].status == "fail"


async def test_the_commands_that_are_looked_for_are_those_that_are_offered(clinic: Clinic) -> None:
    clinic.discord.commands[None] = []

    async with Using(clinic.discord).open():
        pass

    assert {one["name"] for one in clinic.discord.commands[None]} == COMMANDS


async def test_the_doctor_of_the_program_looks_at_discord(clinic: Clinic, tmp_path: Path) -> None:
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path / "data",
        llm={"provider": "extractive"},
        embedding={"provider": "embedded"},
        discord=clinic.settings,
    )

    checks = {check.name: check async for check in examine(settings, {"Discord": examine_discord})}

    assert checks["discord token"].status == "ok"
    assert "discord" not in checks
