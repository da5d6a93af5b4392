"""Is Slack in place? Tokens, scopes, and whether its events arrive: one line each, with the remedy."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from adapters.slack import remedies
from adapters.slack.addressing import PLATFORM
from adapters.slack.audit import audit
from adapters.slack.calls import FAILURES, translate
from adapters.slack.heard import Heard
from adapters.slack.installations import Installations
from adapters.slack.manifest import EVENTS, EVENTS_PATH, SCOPES, needed
from adapters.slack.remedies import explained
from adapters.slack.workspaces import Line
from bot.doctor import Check
from bot.owners import Owners
from bot.wording import counted
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from adapters.slack.heard import Memory
    from adapters.slack.installations import Secrets
    from bot.groups import Slack
    from bot.preferences import Choices
    from bot.settings import Settings
    from pipeline.domain import Scope

PATIENCE = 10.0
"""Seconds for each question to Slack."""
LOOKED_AT = 50
"""Workspaces whose tokens are tried."""
_APP = re.compile(r"xapp-\d+-(A[A-Z0-9]+)-")


class Indexed(Protocol):
    """Channels that have an index."""

    async def scopes(self) -> Sequence[Scope]:
        """Return all of them. Raises `PipelineError`."""


class Records(Protocol):
    """What was kept, as far as it tells about Slack."""

    @property
    def seen(self) -> Memory:
        """Keys of what arrived."""

    @property
    def vault(self) -> Secrets | None:
        """What is sealed; None without a key."""

    @property
    def choices(self) -> Choices:
        """What is known of each channel."""

    @property
    def generations(self) -> Indexed:
        """The channels that have an index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """What Slack says to a bot's token."""

    id: str
    user: str
    name: str
    workspace: str
    team: str
    scopes: frozenset[str]


async def examine_slack(settings: Settings, stores: Records | None) -> AsyncIterator[Check]:
    """Look at each part of Slack; *stores* is None where the database does not open.

    No token is shown, whatever Slack answers.
    """
    line = Line(base_url=settings.slack.api_base_url, timeout=PATIENCE)
    look = Look(settings.slack, line, stores)
    try:
        yield await look.arrival()
        tokens = look.one_workspace() if settings.slack.client_id is None else look.many_workspaces()
        async for check in tokens:
            yield check
        async for check in look.subscriptions():
            yield check
    finally:
        await line.close()


class Look:
    """One look at Slack."""

    def __init__(self, slack: Slack, line: Line, records: Records | None) -> None:
        self._slack = slack
        self._line = line
        self._records = records
        found = _APP.match(slack.app_token.get_secret_value()) if slack.app_token else None
        self._app = found.group(1) if found else None
        """The app's id, as soon as it is known."""

    async def arrival(self) -> Check:
        """Look at the way that events take."""
        if self._slack.app_token is not None:
            return await self._socket_mode(self._slack.app_token.get_secret_value())
        if self._slack.signing_secret is not None:
            message = f"They come over HTTP to {EVENTS_PATH}, and the signing secret is set."
            return Check(name="slack events", status="ok", message=message)
        return Check(
            name="slack events",
            status="fail",
            message="None can arrive: neither an app token nor a signing secret is set.",
            remedy="set FOOTNOTE_SLACK__APP_TOKEN (Socket Mode) or FOOTNOTE_SLACK__SIGNING_SECRET (HTTP)",
        )

    async def one_workspace(self) -> AsyncIterator[Check]:
        """Look at the bot token and its scopes."""
        name, token = "slack bot token", self._slack.bot_token
        if token is None:
            yield Check(name=name, status="fail", message="It is not set.", remedy=remedies.COPY_BOT)
            return
        bot = await self._bot(name, token.get_secret_value())
        if isinstance(bot, Check):
            yield bot
            return
        yield Check(name=name, status="ok", message=f"It is @{bot.name}'s in {bot.team}.")
        for check in self._scopes(bot):
            yield check
        if (whose := await self._whose(bot)) is not None:
            yield whose
        if self._slack.config_token is not None and self._app is None:
            self._app = await self._app_of(bot, token.get_secret_value())

    async def many_workspaces(self) -> AsyncIterator[Check]:
        """Look at the workspaces that installed the app."""
        name = "slack workspaces"
        if self._records is None or self._records.vault is None:
            yield Check(name=name, status="fail", message="Not looked at: the database does not open.")
            return
        try:
            async for check in self._installed(name, Installations(self._records.vault)):
                yield check
        except PipelineError as error:
            remedy = (
                "correct FOOTNOTE_SLACK__ENCRYPTION_KEY: keys that were used before stand behind the new one"
            )
            yield Check(name=name, status="fail", message=str(error), remedy=remedy)

    async def subscriptions(self) -> AsyncIterator[Check]:
        """Compare the app's manifest where that is allowed; else tell from what ever arrived."""
        if self._slack.config_token is not None:
            manifest = await self._manifest(self._slack.config_token.get_secret_value())
            if not isinstance(manifest, Check):
                for check in audit(manifest, self._slack):
                    yield check
                return
            yield manifest
        if self._records is not None:
            yield await self._heard(Heard(self._records.seen))

    async def _socket_mode(self, token: str) -> Check:
        name = "slack app token"
        try:
            await self._line.client("").apps_connections_open(app_token=token)
        except FAILURES as failure:
            return explained(name, self._line.base_url, translate(failure), remedies.APP)
        return Check(name=name, status="ok", message="It opens Socket Mode.")

    async def _bot(self, name: str, token: str) -> Bot | Check:
        """Ask whose token it is."""
        try:
            answer = await self._line.client(token).auth_test()
        except FAILURES as failure:
            return explained(name, self._line.base_url, translate(failure), remedies.BOT)
        if not answer.get("bot_id"):
            message = "It belongs to a person, not to a bot."
            return Check(name=name, status="fail", message=message, remedy=remedies.COPY_BOT)
        granted = str(answer.headers.get("x-oauth-scopes", "")).split(",")
        return Bot(
            id=answer["bot_id"],
            user=answer.get("user_id") or "",
            workspace=answer.get("team_id") or "",
            name=answer.get("user") or "",
            team=f"{answer.get('team')} ({answer.get('team_id')})",
            scopes=frozenset(scope.strip() for scope in granted),
        )

    def _scopes(self, bot: Bot) -> Iterator[Check]:
        """Name each scope that is missing, and what does not work without it."""
        if not bot.scopes:
            yield Check(
                name="slack scopes",
                status="warn",
                message="This server does not say which scopes are granted, so they were not compared.",
            )
            return
        missing = [need for need in needed(SCOPES, agent=self._slack.agent) if need.name not in bot.scopes]
        for need in missing:
            yield Check(
                name=f"slack scope {need.name}",
                status="fail" if need.required else "warn",
                message=f"{need.name} is not granted: {need.without}.",
                remedy="add it under OAuth & Permissions, Bot Token Scopes, and install the app again",
            )
        if not missing:
            yield Check(name="slack scopes", status="ok", message="All that are needed are granted.")

    async def _whose(self, bot: Bot) -> Check | None:
        """Return that files were taken in by another app; None: none were, or nobody knows."""
        if self._records is None:
            return None
        owners = Owners(self._records.choices, PLATFORM)
        try:
            scopes = [one for one in await self._records.generations.scopes() if one.platform == PLATFORM]
            others = [
                scope
                for scope in scopes
                if scope.workspace != bot.workspace
                or await owners.other(scope.workspace, bot.user, channel=scope.channel) is not None
            ]
        except PipelineError:  # another line tells of that
            return None
        if not others:
            return None
        message = f"The files of {counted(len(others), 'channel')} were taken in by another app."
        remedy = "set that app's token again, or invite this bot to the channels"
        return Check(name="slack files", status="warn", message=message, remedy=remedy)

    async def _app_of(self, bot: Bot, token: str) -> str | None:
        try:
            answer = await self._line.client(token).bots_info(bot=bot.id)
        except FAILURES:
            return None
        return (answer.get("bot") or {}).get("app_id")

    async def _installed(self, name: str, installations: Installations) -> AsyncIterator[Check]:
        teams, faulty = await installations.teams(), False
        for team in teams[:LOOKED_AT]:
            if check := await self._workspace(installations, team):
                faulty = True
                yield check
        if not teams:
            message = "None has installed the app yet."
            yield Check(name=name, status="warn", message=message, remedy=remedies.INSTALL)
        elif not faulty:
            more = f", {LOOKED_AT} of them were looked at" if len(teams) > LOOKED_AT else ""
            message = f"Installed in {len(teams)}{more}; tokens and scopes are right."
            yield Check(name=name, status="ok", message=message)

    async def _workspace(self, installations: Installations, team: str) -> Check | None:
        """Return what is wrong with one workspace's installation."""
        kept = await installations.of(team)
        if kept is None:  # removed at this moment
            return None
        self._app = self._app or kept.app_id
        name = f"slack workspace {team}"
        bot = await self._bot(name, kept.bot_token or "")
        if isinstance(bot, Check):
            refused = bot.remedy in {remedies.COPY_BOT, remedies.REINSTALL}
            return replace(bot, remedy=remedies.INSTALL_AGAIN) if refused else bot
        lacking = [check.name.removeprefix("slack scope ") for check in self._scopes(bot) if check.remedy]
        if not lacking:
            return None
        message = f"Not granted: {', '.join(lacking)}."
        return Check(name=name, status="warn", message=message, remedy=remedies.INSTALL_AGAIN)

    async def _manifest(self, token: str) -> dict[str, Any] | Check:
        """Return the app's manifest, or why there is none; events may arrive all the same."""
        name = "slack manifest"
        if self._app is None:
            message = "Not compared: the app's id is not known; the scope users:read tells it."
            return Check(name=name, status="warn", message=message, remedy=remedies.COMPARE)
        try:
            exported: Any = (await self._line.client(token).apps_manifest_export(app_id=self._app))[
                "manifest"
            ]
            manifest: dict[str, Any] = json.loads(exported) if isinstance(exported, str) else exported
        except (*FAILURES, KeyError) as failure:
            fault = explained(name, self._line.base_url, translate(failure), remedies.CONFIG)
            return replace(fault, status="warn")
        return manifest

    async def _heard(self, heard: Heard) -> Check:
        """Tell what never arrived; that it never happened is the other explanation."""
        name, kinds = "slack subscriptions", await heard.kinds()
        missing = [need.name for need in needed(EVENTS, agent=self._slack.agent) if need.name not in kinds]
        if not kinds:
            remedy = (
                f"run 'footnote slack' and mention the bot in a channel; if nothing comes, {remedies.COMPARE}"
            )
            return Check(name=name, status="warn", message="Nothing has arrived yet.", remedy=remedy)
        if not missing:
            message = "Every kind of event arrived within the last weeks."
            return Check(name=name, status="ok", message=message)
        message = f"Did not arrive within the last weeks: {', '.join(missing)}. "
        message += "Either nobody did that, or it is not subscribed."
        return Check(name=name, status="warn", message=message, remedy=remedies.COMPARE)
