"""Each thing that can be wrong with a Slack app has a line, and a remedy, over the local Slack server."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
import yaml  # type: ignore[import-untyped]
from cryptography.fernet import Fernet
from slack_sdk.oauth.installation_store import Installation

from adapters.slack.doctor import examine_slack
from adapters.slack.heard import Heard
from adapters.slack.installations import Installations
from adapters.slack.manifest import EVENTS, SCOPES
from bot.doctor import examine
from bot.owners import Owners
from bot.settings import Settings
from pipeline.domain import Scope
from pipeline.storage.events import SeenEvents
from pipeline.storage.generations import Catalogs
from pipeline.storage.preferences import ChannelChoices
from pipeline.storage.sql import Database
from pipeline.storage.vault import Vault
from scripts.manifest import PAGE
from tests.fakes.slack import SlackServer, error, http, rate_limited

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.doctor import Check

KEY = Fernet.generate_key().decode()
UNREACHED = "http://127.0.0.1:9/api/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    seen: SeenEvents
    choices: ChannelChoices
    generations: Catalogs
    vault: Vault | None = None


@dataclass(kw_only=True)
class Clinic:
    """The doctor's room: settings that fit the server, and what was kept."""

    slack: SlackServer
    database: Database
    kept: Kept
    said: list[str] = field(default_factory=list)

    async def examined(self, *, kept: bool = True, **changes: Any) -> dict[str, Check]:
        settings = Settings(_env_file=None, slack={**self.settings, **changes})
        checks = [check async for check in examine_slack(settings, self.kept if kept else None)]
        self.said += [f"{check.name} {check.message} {check.remedy}" for check in checks]
        assert all(
            check.remedy for check in checks if check.status != "ok" and "Not looked" not in check.message
        )
        return {check.name: check for check in checks}

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "api_base_url": self.slack.base_url,
            "bot_token": self.slack.team.token,
            "app_token": self.slack.app_token,
        }

    @property
    def many(self) -> dict[str, Any]:
        return {
            "bot_token": None,
            "client_id": self.slack.client_id,
            "client_secret": "client-secret",
            "encryption_key": KEY,
        }


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.manifest = yaml.safe_load(PAGE.read_text(encoding="utf-8"))
        yield server


@pytest.fixture
async def clinic(slack: SlackServer, tmp_path: Path) -> AsyncIterator[Clinic]:
    database = await Database.connect(f"sqlite+aiosqlite:///{tmp_path}/footnote.sqlite3")
    await database.upgrade()
    vault = Vault(database, [KEY], setting="FOOTNOTE_SLACK__ENCRYPTION_KEY")
    kept = Kept(
        seen=SeenEvents(database),
        choices=ChannelChoices(database),
        generations=Catalogs(database, analyzer=1),
        vault=vault,
    )
    room = Clinic(slack=slack, database=database, kept=kept)
    yield room
    await database.close()
    secrets = [slack.team.token, slack.app_token, slack.config_token, slack.signing_secret, KEY]
    assert not [said for said in room.said for secret in secrets if secret in said]


async def install(clinic: Clinic, team: str) -> None:
    space = clinic.slack.workspaces[team]
    assert clinic.kept.vault is not None
    await Installations(clinic.kept.vault).async_save(
        Installation(
            app_id=clinic.slack.app_id,
            team_id=team,
            bot_token=space.token,
            bot_id=space.bot_id,
            bot_user_id=space.bot,
            user_id="U0",
        )
    )


async def test_an_app_in_order_has_a_line_for_each_part(clinic: Clinic) -> None:
    checks = await clinic.examined(config_token=clinic.slack.config_token)

    assert list(checks) == ["slack app token", "slack bot token", "slack scopes", "slack manifest"]
    assert {check.status for check in checks.values()} == {"ok"}
    assert "@footnote's in Acme (T0ACME)" in checks["slack bot token"].message


async def test_files_that_another_app_took_in_are_named(clinic: Clinic) -> None:
    own, foreign = Scope("slack", "T0ACME", "C0GENERAL"), Scope("slack", "T0ACME", "C0SECOND")
    for scope in (own, foreign, Scope("slack", "T9OTHER", "C1"), Scope("discord", "1", "1")):
        await clinic.kept.generations.create(scope, "test", 3)
    owners = Owners(clinic.kept.choices, "slack")
    await owners.note("T0ACME", clinic.slack.team.bot, channel=own.channel)
    await owners.note("T0ACME", "UANOTHER", channel=foreign.channel)

    check = (await clinic.examined())["slack files"]

    assert check.status == "warn"
    assert "The files of 2 channels were taken in by another app." in check.message


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("invalid_auth", "does not know it"),
        ("account_inactive", "was removed from its workspace"),
        ("token_revoked", "revoked"),
        ("token_expired", "expired"),
        ("something_new", "something_new"),
    ],
)
async def test_a_bot_token_that_slack_refuses(clinic: Clinic, code: str, said: str) -> None:
    clinic.slack.fail("auth.test", error(code))

    checks = await clinic.examined()

    assert checks["slack bot token"].status == "fail"
    assert said in checks["slack bot token"].message
    assert "slack scopes" not in checks
    assert checks["slack app token"].status == "ok"


@pytest.mark.parametrize(
    ("code", "said"),
    [("invalid_auth", "does not know it"), ("missing_scope", "connections:write"), ("other", "other")],
)
async def test_an_app_token_that_slack_refuses(clinic: Clinic, code: str, said: str) -> None:
    clinic.slack.fail("apps.connections.open", error(code))

    checks = await clinic.examined()

    assert checks["slack app token"].status == "fail"
    assert said in checks["slack app token"].message


@pytest.mark.parametrize("need", [need for need in SCOPES if not need.agent])
async def test_each_missing_scope_is_named_with_what_does_not_work(clinic: Clinic, need: Any) -> None:
    clinic.slack.team.scopes.discard(need.name)

    checks = await clinic.examined()

    check = checks[f"slack scope {need.name}"]
    assert check.status == ("fail" if need.required else "warn")
    assert need.without in check.message
    assert "OAuth & Permissions" in str(check.remedy)


async def test_without_an_app_token_and_a_signing_secret_nothing_can_arrive(clinic: Clinic) -> None:
    nothing = await clinic.examined(app_token=None)
    http_mode = await clinic.examined(app_token=None, signing_secret=clinic.slack.signing_secret)

    assert nothing["slack events"].status == "fail"
    assert "FOOTNOTE_SLACK__SIGNING_SECRET" in str(nothing["slack events"].remedy)
    assert http_mode["slack events"].status == "ok"


async def test_a_signing_secret_alone_lacks_a_token(clinic: Clinic) -> None:
    checks = await clinic.examined(bot_token=None, app_token=None, signing_secret="s")

    assert checks["slack bot token"].status == "fail"


async def test_a_slack_that_cannot_be_reached_fails_with_a_remedy(clinic: Clinic) -> None:
    checks = await clinic.examined(api_base_url=UNREACHED)
    clinic.slack.fail("auth.test", http(502))
    clinic.slack.fail("apps.connections.open", rate_limited(7))
    broken = await clinic.examined()

    for check in (checks["slack bot token"], checks["slack app token"], broken["slack bot token"]):
        assert check.status == "fail"
        assert "cannot be reached" in check.message
        assert "FOOTNOTE_SLACK__API_BASE_URL" in str(check.remedy)
    assert "in 7 seconds" in str(broken["slack app token"].remedy)


async def test_an_event_that_is_not_subscribed_is_found_in_the_manifest(clinic: Clinic) -> None:
    clinic.slack.manifest["settings"]["event_subscriptions"]["bot_events"].remove("file_deleted")

    checks = await clinic.examined(config_token=clinic.slack.config_token)

    assert checks["slack event file_deleted"].status == "fail"
    assert "slack subscriptions" not in checks


@pytest.mark.parametrize("code", ["token_expired", "invalid_app_id"])
async def test_a_configuration_token_that_is_not_accepted_is_a_warning_and_the_rest_goes_on(
    clinic: Clinic, code: str
) -> None:
    clinic.slack.fail("apps.manifest.export", error(code))

    checks = await clinic.examined(config_token=clinic.slack.config_token)

    assert checks["slack manifest"].status == "warn"
    assert checks["slack subscriptions"].status == "warn"


async def test_without_an_apps_id_nothing_is_compared(clinic: Clinic) -> None:
    checks = await clinic.examined(app_token=None, signing_secret="s", config_token=clinic.slack.config_token)

    assert "id is not known" in checks["slack manifest"].message


async def test_what_never_arrived_is_named(clinic: Clinic) -> None:
    nothing = await clinic.examined()
    heard = Heard(clinic.kept.seen)
    for need in EVENTS:
        if need.name != "file_deleted":
            await heard.note(need.name)
    most = await clinic.examined()
    await heard.note("file_deleted")
    everything = await clinic.examined()

    assert "Nothing has arrived yet" in nothing["slack subscriptions"].message
    assert most["slack subscriptions"].status == "warn"
    assert "weeks: file_deleted. " in most["slack subscriptions"].message
    assert everything["slack subscriptions"].status == "ok"


async def test_workspaces_that_installed_the_app_are_looked_at(clinic: Clinic) -> None:
    nobody = await clinic.examined(**clinic.many)
    clinic.slack.add_workspace("T0BETA", "beta")
    for team in ("T0ACME", "T0BETA"):
        await install(clinic, team)
    healthy = await clinic.examined(**clinic.many)
    clinic.slack.workspaces["T0BETA"].installed = False
    clinic.slack.team.scopes -= {"commands", "files:read"}
    faulty = await clinic.examined(**clinic.many)

    assert "/slack/install" in str(nobody["slack workspaces"].remedy)
    assert healthy["slack workspaces"].status == "ok"
    assert "Installed in 2" in healthy["slack workspaces"].message
    assert "slack workspaces" not in faulty
    assert faulty["slack workspace T0BETA"].status == "fail"
    assert faulty["slack workspace T0ACME"].message == "Not granted: files:read, commands."


async def test_another_key_is_a_line_and_not_a_crash(clinic: Clinic) -> None:
    await install(clinic, "T0ACME")
    other = Vault(clinic.database, [Fernet.generate_key().decode()], setting="FOOTNOTE_SLACK__ENCRYPTION_KEY")
    closed = await clinic.examined(kept=False, **clinic.many)
    clinic.kept = replace(clinic.kept, vault=other)
    sealed = await clinic.examined(**clinic.many)

    for checks in (closed, sealed):
        assert checks["slack workspaces"].status == "fail"
    assert "FOOTNOTE_SLACK__ENCRYPTION_KEY" in sealed["slack workspaces"].message


async def test_the_doctor_of_the_program_looks_at_slack_and_at_nothing_that_it_is_not_given(
    clinic: Clinic, tmp_path: Path
) -> None:
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path / "data",
        llm={"provider": "extractive"},
        embedding={"provider": "embedded"},
        slack=clinic.settings,
        discord={"token": "a.b.c"},
    )

    checks = {check.name: check async for check in examine(settings, {"Slack": examine_slack})}

    assert checks["slack bot token"].status == "ok"
    assert not [name for name in checks if name.startswith("discord")]
