"""Workspaces install the app by themselves, over the local Slack server and a database on disk."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from cryptography.fernet import Fernet
from slack_sdk.oauth.installation_store import Installation

from adapters.health import serve_health
from adapters.slack.installations import FRESH_S, Installations, InstalledWorkspaces
from adapters.slack.manifest import INSTALL_PATH, REDIRECT_PATH, scopes
from adapters.slack.oauth import install_routes
from adapters.slack.workspaces import Line
from bot.chat import NotAllowed
from pipeline.storage.sql import Database
from pipeline.storage.vault import Vault
from tests.fakes.calendar import FakeCalendar
from tests.fakes.slack import SlackServer, http, slow
from tests.fakes.slack.web_api import method

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.slack.workspaces import Workspaces
    from tests.fakes.slack.state import State
    from tests.fakes.slack.web_api import Caller

KEY = Fernet.generate_key().decode()
HOST = "127.0.0.1"


@method("auth.teams.list")
def teams_of_an_organisation(_: State, caller: Caller) -> dict[str, Any]:
    if "cursor" in caller.arguments:
        return {"teams": [{"id": "T0PART", "name": "Part"}], "response_metadata": {"next_cursor": ""}}
    return {"teams": [{"id": "T0OTHER", "name": "Other"}], "response_metadata": {"next_cursor": "2"}}


class Service:
    """The pages of the installation and what they lead to, as one replica of the program has them."""

    def __init__(
        self, slack: SlackServer, database: Database, calendar: FakeCalendar, key: str = KEY
    ) -> None:
        self.slack = slack
        self.calendar = calendar
        self.seconds = 1_000.0
        self.vault = Vault(database, [key], setting="FOOTNOTE_SLACK__ENCRYPTION_KEY", clock=calendar)
        self.line = Line(base_url=slack.base_url, timeout=3.0)
        self.installations = Installations(self.vault, clock=lambda: self.seconds)
        self.installed = InstalledWorkspaces(
            self.installations, base_url=slack.base_url, clock=lambda: self.seconds
        )
        self.workspaces: Workspaces = self.installed
        self.base = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Service]:
        routes = install_routes(
            client=self.line.client(""),
            client_id=self.slack.client_id,
            client_secret=self.slack.client_secret,
            scopes=scopes(agent=False),
            installations=self.installations,
            states=self.vault,
        )
        async with serve_health(HOST, 0, _nothing_missing, routes) as port:
            self.base = f"http://{HOST}:{port}"
            try:
                yield self
            finally:
                await self.line.close()
                await self.installed.close()


async def _nothing_missing() -> str | None:
    return None


class Browser:
    """Somebody's browser: it keeps the cookie, also over plain http on this machine."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.cookies: SimpleCookie = SimpleCookie()
        self.consent = ""
        self.page = ""

    async def begin(self, query: str = "") -> str:
        """Go to the consent page and return the state."""
        status, location = await self._get(f"{INSTALL_PATH}{query}")
        assert status == 302
        self.consent = location
        return parse_qs(urlsplit(location).query)["state"][0]

    async def come_back(self, **query: str) -> int:
        """Return from Slack's page with *query*, and say what the status is."""
        status, _ = await self._get(REDIRECT_PATH, params=query)
        return status

    async def install(self, team: str) -> int:
        state, code = await self.begin(), f"code-{team}"
        self._service.slack.codes[code] = team
        return await self.come_back(code=code, state=state)

    async def _get(self, path: str, params: dict[str, str] | None = None) -> tuple[int, str]:
        headers = {"Cookie": "; ".join(f"{name}={one.value}" for name, one in self.cookies.items())}
        async with (
            aiohttp.ClientSession(headers=headers, cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.get(f"{self._service.base}{path}", params=params, allow_redirects=False) as answer,
        ):
            self.page = await answer.text()
            self.cookies.update(answer.cookies)
            self.headers = answer.headers
            return answer.status, answer.headers.get("Location", "")


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.add_workspace("T0BETA", "beta", installed=False)
        yield server


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await Database.connect(f"sqlite+aiosqlite:///{tmp_path}/footnote.sqlite3")
    await opened.upgrade()
    yield opened
    await opened.close()


@pytest.fixture
async def service(slack: SlackServer, database: Database) -> AsyncIterator[Service]:
    async with Service(slack, database, FakeCalendar()).serving() as service:
        yield service


async def test_two_workspaces_install_the_app_and_each_is_spoken_to_with_its_own_token(
    service: Service, slack: SlackServer, tmp_path: Path
) -> None:
    assert await Browser(service).install("T0ACME") == 200
    assert await Browser(service).install("T0BETA") == 200

    for team in ("T0ACME", "T0BETA"):
        space = slack.workspaces[team]
        identity = await service.workspaces.identity(team)
        assert (identity.team, identity.user_id, identity.bot_id) == (team, space.bot, space.bot_id)
        assert identity.url == space.url
        answer = await (await service.workspaces.client(team)).auth_test()
        assert answer["team_id"] == team
    assert await service.installed.teams() == ["T0ACME", "T0BETA"]
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("footnote.sqlite3*"))
    assert not [space for space in slack.workspaces.values() if space.token.encode() in kept]


async def test_the_consent_page_is_slacks_and_knows_what_is_asked_for(
    service: Service, slack: SlackServer
) -> None:
    browser = Browser(service)
    state = await browser.begin("?team=T0BETA")

    asked = urlsplit(browser.consent)
    assert f"{asked.scheme}://{asked.netloc}{asked.path}" == slack.base_url.replace(
        "/api/", "/oauth/v2/authorize"
    )
    assert parse_qs(asked.query) == {
        "client_id": [slack.client_id],
        "scope": [",".join(scopes(agent=False))],
        "state": [state],
        "team": ["T0BETA"],
    }
    (cookie,) = browser.cookies.values()
    assert cookie["httponly"] and cookie["secure"] and cookie["samesite"] == "Lax"
    assert (cookie["max-age"], cookie["path"]) == ("600", "/")


@pytest.mark.parametrize("team", ["T0%26redirect_uri%3Dhttps%3A%2F%2Fevil.example", "%0d%0aX: y", "a" * 99])
async def test_what_a_browser_adds_to_the_address_goes_no_further(service: Service, team: str) -> None:
    browser = Browser(service)
    await browser.begin(f"?team={team}")

    assert "team" not in parse_qs(urlsplit(browser.consent).query)
    assert "redirect_uri" not in parse_qs(urlsplit(browser.consent).query)


async def test_a_state_is_good_once(service: Service, slack: SlackServer) -> None:
    browser = Browser(service)
    state = await browser.begin()
    kept = SimpleCookie(browser.cookies.output(header=""))
    slack.codes |= {"code-1": "T0ACME", "code-2": "T0ACME"}

    assert await browser.come_back(code="code-1", state=state) == 200
    browser.cookies = kept
    assert await browser.come_back(code="code-2", state=state) == 401
    assert "code-2" in slack.codes


async def test_a_state_expires(service: Service) -> None:
    browser = Browser(service)
    state = await browser.begin()
    service.slack.codes["code"] = "T0ACME"
    service.calendar.advance(601)

    assert await browser.come_back(code="code", state=state) == 401
    assert "took too long" in browser.page
    assert await service.installed.teams() == []


async def test_states_that_nobody_came_back_with_are_not_kept(service: Service) -> None:
    for _ in range(3):
        await Browser(service).begin()
    service.calendar.advance(601)
    await Browser(service).begin()

    assert len(await service.vault.names("slack/state/")) == 1


async def test_another_browser_cannot_finish_an_installation(service: Service) -> None:
    state = await Browser(service).begin()
    service.slack.codes["code"] = "T0ACME"
    stranger = Browser(service)

    assert await stranger.come_back(code="code", state=state) == 400
    await stranger.begin()
    assert await stranger.come_back(code="code", state=state) == 400
    assert await service.installed.teams() == []


async def test_whoever_cancels_is_told_so_and_nothing_that_came_with_the_address_is_shown(
    service: Service,
) -> None:
    browser = Browser(service)

    assert await browser.come_back(error="access_denied") == 200
    assert "cancelled" in browser.page
    assert await browser.come_back(error="<script>alert(1)</script>") == 200
    assert "script" not in browser.page
    assert browser.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert browser.headers["Cache-Control"] == "no-store"


async def test_a_code_that_slack_refuses_is_a_page_and_stands_in_no_log(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    browser = Browser(service)
    state = await browser.begin()

    assert await browser.come_back(code="code-of-somebody", state=state) == 401
    assert "did not complete" in browser.page
    assert "invalid_code" in caplog.text
    secrets = ("code-of-somebody", state, service.slack.client_secret)
    assert not [secret for secret in secrets if secret in caplog.text]


@pytest.mark.parametrize("fault", [http(500), slow(60.0)])
async def test_a_slack_that_does_not_answer_is_a_page(service: Service, fault: object) -> None:
    service.slack.fail("oauth.v2.access", fault)  # type: ignore[arg-type]

    browser = Browser(service)
    assert await browser.install("T0ACME") == 401
    assert "Try again" in browser.page
    service.slack.heal()
    assert await browser.install("T0ACME") == 200


async def test_the_name_of_a_workspace_is_not_taken_for_html(service: Service, slack: SlackServer) -> None:
    slack.team.name = "<img src=x onerror=alert(1)>"
    browser = Browser(service)

    assert await browser.install("T0ACME") == 200
    assert "<img" not in browser.page


async def test_tokens_do_not_get_into_the_log(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await Browser(service).install("T0ACME")
    client = await service.workspaces.client("T0ACME")
    await client.auth_test()

    assert "installed in T0ACME" in caplog.text
    assert service.slack.team.token not in caplog.text


async def test_who_the_bot_is_was_learnt_when_the_app_was_installed(
    service: Service, slack: SlackServer
) -> None:
    await Browser(service).install("T0ACME")
    calls = len(slack.calls)

    for _ in range(5):
        assert (await service.workspaces.identity("T0ACME")).user_id == slack.team.bot
    assert len(slack.calls) == calls


async def test_a_workspace_of_an_organisation_is_served_by_the_installation_for_all_of_it(
    service: Service, slack: SlackServer
) -> None:
    whole = Installation(
        enterprise_id="E0ORG",
        is_enterprise_install=True,
        user_id="U0",
        bot_token=slack.team.token,
        bot_user_id="U0BOT",
        bot_id="B0BOT",
    )
    await service.installations.async_save(whole)

    for _ in range(2):
        assert (await service.workspaces.identity("T0PART")).enterprise == "E0ORG"
        with pytest.raises(NotAllowed):
            await service.workspaces.identity("T0STRANGE")
    assert [call.method for call in slack.calls].count("auth.teams.list") == 2 * 2  # two pages for each
    client = await service.workspaces.client("T0PART")
    assert (client.token, client.default_params) == (slack.team.token, {"team_id": "T0PART"})
    await service.installed.forget("E0ORG")
    with pytest.raises(NotAllowed):
        await service.workspaces.client("T0PART")


async def test_where_the_app_is_removed_nothing_is_kept_and_nobody_is_spoken_to(service: Service) -> None:
    for team in ("T0ACME", "T0BETA"):
        await Browser(service).install(team)
        await service.workspaces.identity(team)

    await service.installed.forget("T0ACME")

    for ask in (service.workspaces.client, service.workspaces.identity):
        with pytest.raises(NotAllowed):
            await ask("T0ACME")
    assert await service.vault.names("slack/team/") == ["slack/team/T0BETA"]
    assert (await service.workspaces.identity("T0BETA")).team == "T0BETA"


async def test_a_workspace_that_installs_again_is_spoken_to_with_the_new_token_at_once(
    service: Service, slack: SlackServer
) -> None:
    await Browser(service).install("T0ACME")
    await service.workspaces.client("T0ACME")
    slack.team.token = "xoxb-a-new-one"

    await Browser(service).install("T0ACME")

    assert (await service.workspaces.client("T0ACME")).token == "xoxb-a-new-one"


async def test_another_replica_learns_of_changes_within_a_minute(
    service: Service, slack: SlackServer, database: Database
) -> None:
    async with Service(slack, database, service.calendar).serving() as other:
        with pytest.raises(NotAllowed):
            await other.workspaces.identity("T0ACME")
        await Browser(service).install("T0ACME")
        other.seconds += FRESH_S
        assert (await other.workspaces.identity("T0ACME")).team == "T0ACME"
        await service.installed.forget("T0ACME")
        other.seconds += FRESH_S
        with pytest.raises(NotAllowed):
            await other.workspaces.identity("T0ACME")


async def test_tokens_that_another_key_sealed_are_a_matter_of_the_operator_and_not_of_the_workspace(
    service: Service, slack: SlackServer, database: Database
) -> None:
    await Browser(service).install("T0ACME")
    other_key = Fernet.generate_key().decode()

    async with Service(slack, database, service.calendar, other_key).serving() as other:
        with pytest.raises(NotAllowed, match="another key"):
            await other.workspaces.client("T0ACME")
