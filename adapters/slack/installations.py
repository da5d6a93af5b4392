"""Where the app is installed: the bot's tokens of many workspaces, sealed at rest.

The store of ``slack_sdk`` for SQLAlchemy is not used, because its tables hold tokens in clear, in columns of
200 characters. Here the whole installation is sealed by the vault. Tokens of people are never asked for and
not kept.
"""

from __future__ import annotations

import json
import logging
import time
from typing import TYPE_CHECKING, Protocol

from slack_sdk.oauth.installation_store import Installation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore

from adapters.slack.calls import FAILURES, translate
from adapters.slack.workspaces import SLACK, TIMEOUT, Identity, Line
from bot.chat import NotAllowed, Unreachable
from pipeline.errors import Sealed, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slack_sdk.oauth.installation_store import Bot
    from slack_sdk.web.async_client import AsyncWebClient

logger = logging.getLogger(__name__)

FRESH_S = 60.0
"""How long what was read counts as current: another replica may have installed or removed the app."""
MISSING_S = 5.0
"""How long it counts that nothing was there: somebody may be installing the app at this moment."""
PAGE = 500
URL = "url"
"""The custom value that holds the workspace's address."""

_TEAM, _ORG, _MEMBER = "slack/team/", "slack/org/", "slack/member/"
_KEPT = (
    "app_id",
    "enterprise_id",
    "enterprise_name",
    "enterprise_url",
    "team_id",
    "team_name",
    "bot_token",
    "bot_id",
    "bot_user_id",
    "bot_scopes",
    "user_id",
    "is_enterprise_install",
    "token_type",
    "installed_at",
    "custom_values",
)


class Secrets(Protocol):
    """What a vault does, as far as it is needed here."""

    async def put(self, name: str, text: str) -> None:
        """Keep *text*."""

    async def get(self, name: str) -> str | None:
        """Return what is kept."""

    async def names(self, prefix: str) -> Sequence[str]:
        """Return names by their beginning."""

    async def delete(self, name: str) -> None:
        """Remove what is kept."""


class Installations(AsyncInstallationStore):
    """The installations in a vault, by workspace, or by organisation where the app serves all of it.

    What was read is remembered for `FRESH_S`, also that nothing was there, so that an event costs no look at
    the database. Saving and deleting here is seen at once. All methods raise `StorageError`.
    """

    def __init__(self, vault: Secrets, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._vault = vault
        self._clock = clock
        self._read_at: dict[str, tuple[float, str | None]] = {}
        self._changes = 0

    @property
    def logger(self) -> logging.Logger:
        return logger

    async def of(self, team: str) -> Installation | None:
        """Return the installation that serves *team*, the id of a workspace or of an organisation."""
        kept = await self._read(_TEAM + team) or await self._read(_ORG + team)
        if kept is None and (organisation := await self._read(_MEMBER + team)):
            kept = await self._read(_ORG + organisation)
        return None if kept is None else Installation(**json.loads(kept))

    async def teams(self) -> list[str]:
        """Return all workspaces and organisations that the app is installed in."""
        return [*_ids(await self._vault.names(_TEAM)), *await self.organisations()]

    async def organisations(self) -> list[str]:
        """Return the organisations that installed the app for all of their workspaces."""
        return _ids(await self._vault.names(_ORG))

    async def belongs(self, team: str, organisation: str) -> None:
        """Remember that *team* is served by the installation of its organisation; written once."""
        if await self._read(_MEMBER + team) != organisation:
            await self._write(_MEMBER + team, organisation)

    async def async_save(self, installation: Installation) -> None:
        values = {name: getattr(installation, name) for name in _KEPT}
        text = json.dumps({**values, "bot_scopes": list(installation.bot_scopes or ())})
        if installation.is_enterprise_install:
            await self._write(f"{_ORG}{installation.enterprise_id}", text)
            await self._replace(installation.enterprise_id)
        else:
            await self._write(f"{_TEAM}{installation.team_id}", text)

    async def async_save_bot(self, bot: Bot) -> None:
        """Keep a bot alone; the person who installed it stays unknown."""
        known = {name: getattr(bot, name) for name in _KEPT if hasattr(bot, name)}
        await self.async_save(Installation(user_id="", **known))

    async def async_find_installation(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None = None,
        is_enterprise_install: bool | None = False,
    ) -> Installation | None:
        """Return the installation of a workspace, else of its organisation, whoever installed it."""
        if team_id and not is_enterprise_install and (found := await self.of(team_id)):
            return found
        if enterprise_id and (found := await self.of(enterprise_id)):
            if team_id:
                await self.belongs(team_id, enterprise_id)
            return found
        return None

    async def async_find_bot(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        is_enterprise_install: bool | None = False,
    ) -> Bot | None:
        found = await self.async_find_installation(
            enterprise_id=enterprise_id, team_id=team_id, is_enterprise_install=is_enterprise_install
        )
        return None if found is None else found.to_bot()

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        for place in (_TEAM + team_id, _MEMBER + team_id) if team_id else (_ORG + str(enterprise_id),):
            await self._write(place, None)

    async def async_delete_installation(
        self, *, enterprise_id: str | None, team_id: str | None, user_id: str | None = None
    ) -> None:
        """Remove the installation; what one person revoked (*user_id*) was never kept."""
        if user_id is None:
            await self.async_delete_bot(enterprise_id=enterprise_id, team_id=team_id)

    async def async_delete_all(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        await self.async_delete_bot(enterprise_id=enterprise_id, team_id=team_id)

    async def _replace(self, organisation: str | None) -> None:
        """Remove the installations of single workspaces that one for their whole organisation replaces."""
        for team in _ids(await self._vault.names(_TEAM)):
            kept = await self.of(team)
            if kept is not None and kept.enterprise_id == organisation:
                await self._write(_TEAM + team, None)

    async def _read(self, name: str) -> str | None:
        if name in self._read_at:
            at, text = self._read_at[name]
            if self._clock() - at < (FRESH_S if text else MISSING_S):
                return text
        before = self._changes
        text = await self._vault.get(name)
        if before == self._changes:  # else it may be older than what was written meanwhile
            self._read_at[name] = (self._clock(), text)
        return text

    async def _write(self, name: str, text: str | None) -> None:
        """Keep *text*, or nothing, and count the change on both sides of it: a read may span it."""
        self._changes += 1
        try:
            await (self._vault.delete(name) if text is None else self._vault.put(name, text))
        finally:
            self._changes += 1
            self._read_at.pop(name, None)


def _ids(names: Sequence[str]) -> list[str]:
    return [name.rpartition("/")[2] for name in names]


class InstalledWorkspaces:
    """The many workspaces that installed the app; satisfies `Workspaces`.

    Who the bot is was learnt when the app was installed, so that neither Slack nor the database is asked for
    each event.
    """

    def __init__(
        self,
        installations: Installations,
        *,
        base_url: str = SLACK,
        timeout: float = TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._installations = installations
        self._clock = clock
        self._line = Line(base_url=base_url, timeout=timeout)
        self._refused: dict[str, float] = {}

    async def client(self, team: str) -> AsyncWebClient:
        return self._client(await self._of(team), team)

    async def identity(self, team: str) -> Identity:
        found = await self._of(team)
        return Identity(
            team=team,
            user_id=found.bot_user_id or "",
            bot_id=found.bot_id or "",
            url=found.get_custom_value(URL) or "",
            enterprise=found.enterprise_id,
        )

    async def teams(self) -> list[str]:
        """Return all workspaces and organisations that the app is installed in. Raises `StorageError`."""
        return await self._installations.teams()

    async def forget(self, team: str) -> None:
        """Remove the installation in *team*, where the app was removed. Raises `StorageError`."""
        whole = team.startswith("E")
        await self._installations.async_delete_all(
            enterprise_id=team if whole else None, team_id=None if whole else team
        )

    async def close(self) -> None:
        """End the connections to Slack."""
        await self._line.close()

    def _client(self, found: Installation, team: str) -> AsyncWebClient:
        client = self._line.client(found.bot_token or "")
        if found.is_enterprise_install and team != found.enterprise_id:
            client.default_params["team_id"] = team  # a token of a whole organisation does not say which
        return client

    async def _of(self, team: str) -> Installation:
        try:
            found = await self._installations.of(team) or await self._of_organisation(team)
        except Sealed as error:
            raise NotAllowed("the token of this workspace is sealed with another key") from error
        except StorageError as error:
            raise Unreachable(str(error)) from error
        if found is None:
            raise NotAllowed("the app is not installed in this workspace")
        return found

    async def _of_organisation(self, team: str) -> Installation | None:
        """Look whether *team* belongs to an organisation that installed the app for all of its workspaces."""
        if team in self._refused and self._clock() - self._refused[team] < FRESH_S:
            return None
        for organisation in await self._installations.organisations():
            found = await self._installations.of(organisation)
            if found is not None and team in await self._workspaces_of(found):
                await self._installations.belongs(team, organisation)
                return found
        self._refused[team] = self._clock()
        return None

    async def _workspaces_of(self, found: Installation) -> set[str]:
        try:
            pages = await self._client(found, found.enterprise_id or "").auth_teams_list(limit=PAGE)
            return {team["id"] async for page in pages for team in page.get("teams") or ()}
        except FAILURES as failure:
            logger.warning("workspaces of an organisation are unknown: %s", translate(failure))
            return set()
