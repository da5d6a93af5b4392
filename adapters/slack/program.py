"""The service, connected to Slack until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol

from adapters.running import until
from adapters.slack.actions import register_actions
from adapters.slack.adapter import SlackAdapter
from adapters.slack.addressing import PLATFORM
from adapters.slack.arrivals import Arrivals
from adapters.slack.backlog import Backlog
from adapters.slack.clerk import CUSTOMS
from adapters.slack.endpoint import Endpoint
from adapters.slack.heard import Heard
from adapters.slack.home import register_home
from adapters.slack.listeners import Desk, anonymous, build_app
from adapters.slack.manifest import scopes
from adapters.slack.oauth import install_routes
from adapters.slack.owned import Owned
from adapters.slack.reach import reach_slack
from adapters.slack.remedies import BOT, explained
from adapters.slack.transport import SocketMode
from adapters.slack.workspaces import OneWorkspace
from bot.chat import ChatError, NotAllowed, Unreachable
from bot.library import SystemClock
from bot.owners import Owners
from bot.pacing import first_of
from bot.platform import open_platform
from bot.recheck import Recheck
from bot.wording import counted
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from aiohttp.web import AbstractRouteDef

    from adapters.slack.reach import Reach
    from bot.bootstrap import Service
    from bot.groups import Slack
    from bot.platform import Platform


logger = logging.getLogger(__name__)

KEPT = "They are kept. To answer from them, set that app's token again, or invite this bot to the channels."
LINGER_S = 2.0
"""How long what was begun may go on when no more events are taken."""
TAKE_OVER_S = 15.0
"""How often files are looked for that another process, which died, has left."""

BOTH_WAYS = (
    "Slack: both an app token and a signing secret are set; events come over Socket Mode, not over HTTP."
)


class Way(Protocol):
    """How events come in."""

    @property
    def routes(self) -> Sequence[AbstractRouteDef]:
        """What a web server must serve for it."""

    async def connect(self) -> None:
        """Let events come. Raises `NotAllowed`, with what to do, or `Unreachable`."""

    async def alive(self) -> int:
        """Return how many ways are open; 0: nothing can arrive."""

    async def watch(self) -> None:
        """Keep them open, until cancelled. Raises `NotAllowed` when Slack wants no more of it."""

    async def close(self) -> None:
        """Take no more events."""


class Connection:
    """Slack, about to be served."""

    def __init__(
        self,
        service: Service,
        desk: Desk,
        way: SocketMode | Endpoint,
        pages: Sequence[AbstractRouteDef],
        hello: Sequence[str],
        owned: Owned,
    ) -> None:
        self._service = service
        self._owned = owned
        self._desk = desk
        self._way = way
        self._hello = hello
        self.routes = [*way.routes, *pages]
        """What a web server must serve for it."""

    async def missing(self) -> str | None:
        """Return what keeps it from working, None if nothing does; for /readyz."""
        return None if await self._way.alive() else "Slack is not connected."

    async def run(self, stop: asyncio.Event, say: Callable[[str], None]) -> None:
        """Serve until *stop* is set; *say* tells whoever started this how it stands.

        Raises `NotAllowed` or `Unreachable`, with what to do, when Slack cannot be served.
        """
        desk, way = self._desk, self._way
        await desk.arrivals.resume(starting=True)  # so that questions know of files that are on their way
        await desk.platform.resume()
        try:
            await until(stop, way.connect())
            if not stop.is_set():
                for line in self._hello:
                    say(line)
                await self._say_whose(say)
                await until(stop, way.watch(), self._recheck().run(stop), _take_over(desk.arrivals))
        finally:
            await way.close()
            begun = asyncio.gather(desk.arrivals.settled(), desk.tasks.settled())
            await first_of(begun, asyncio.sleep(LINGER_S))
            await desk.arrivals.stop()
            await desk.tasks.stop()
            await desk.platform.close()  # before the file in work, which may take the time that is left

    async def _say_whose(self, say: Callable[[str], None]) -> None:
        """Say if files were taken in by another app than the one that the token is for."""
        library = self._desk.library
        if not isinstance(self._desk.workspaces, OneWorkspace):
            return  # each workspace has the token of the app that was installed there
        try:
            teams = await library.workspaces(PLATFORM)
            scopes = [scope for team in teams for scope in await library.channels(PLATFORM, team)]
            await self._owned.adopt(scopes)
            others = await self._owned.others(scopes)
        except (ChatError, PipelineError) as error:
            logger.warning("whose the files are is unknown: %s", type(error).__name__)
            return
        if others:
            say(f"Slack: the files of {counted(len(others), 'channel')} were taken in by another app. {KEPT}")

    def _recheck(self) -> Recheck:
        return Recheck(
            self._desk.library,
            partial(self._owned.gone, ask=self._desk.files.shares.gone),
            self._desk.platform.removals,
            SystemClock(),
            platform=PLATFORM,
            interval=self._service.settings.slack.recheck_hours * 3600,
        )


@asynccontextmanager
async def open_slack(service: Service) -> AsyncIterator[Connection]:
    """Get ready to serve Slack, and let what runs end with the block.

    Queued jobs are the caller's to do. Raises `ModelError`, and `NotAllowed` or `Unreachable`, with what to
    do, when Slack cannot be served.
    """
    slack = service.settings.slack
    if slack.lacking:
        raise NotAllowed(slack.lacking)
    async with reach_slack(service) as reach:
        place = await _introduce(reach, slack)
        owned = Owned(Owners(service.stores.choices, PLATFORM), reach.workspaces)
        adapter = SlackAdapter(reach.calls, max_upload_bytes=service.settings.ingestion.max_bytes)
        async with open_platform(service, adapter, library=reach.library, customs=CUSTOMS) as platform:
            adapter.on_stop = platform.conversation.receive
            desk = _desk(service, reach, adapter, platform, owned)
            way = _way(desk, slack)
            pages, hello = _installing(service, reach), _hello(slack, place, way)
            yield Connection(service, desk, way, pages, hello, owned)


async def _introduce(reach: Reach, slack: Slack) -> str:
    """Return where the bot is and as whom. Raises `NotAllowed` or `Unreachable`, with what to do."""
    if not isinstance(reach.workspaces, OneWorkspace):
        return counted(len(await reach.workspaces.teams()), "workspace")
    try:
        identity = await reach.workspaces.own()
        answer = await reach.calls.call(identity.team, "auth.test")
    except ChatError as error:
        said = explained("", slack.api_base_url, error, BOT)
        kind = NotAllowed if isinstance(error, NotAllowed) else Unreachable
        trouble = "The bot token cannot be used. " if kind is NotAllowed else ""
        raise kind(f"{trouble}{said.message} To mend it, {said.remedy}.") from error
    return f"{answer.get('team')} as @{answer.get('user')}"


def _desk(service: Service, reach: Reach, adapter: SlackAdapter, platform: Platform, owned: Owned) -> Desk:
    arrivals = Arrivals(
        reach.files,
        Backlog(service.stores.ledger),
        come=partial(owned.take, receive=platform.uploads.receive),
        go=platform.removals.receive,
        arriving=service.arriving,
    )
    return Desk(
        platform=platform,
        adapter=adapter,
        workspaces=reach.workspaces,
        people=reach.people,
        files=reach.files,
        library=reach.library,
        arrivals=arrivals,
        heard=Heard(service.stores.seen),
        first_time=service.stores.seen.first_time,
        forget=None if isinstance(reach.workspaces, OneWorkspace) else reach.workspaces.forget,
    )


def _way(desk: Desk, slack: Slack) -> SocketMode | Endpoint:
    secret = slack.signing_secret.get_secret_value() if slack.signing_secret else ""
    parts = (register_actions, partial(register_home, agent=slack.agent))
    app = build_app(desk, base_url=slack.api_base_url, signing_secret=secret, parts=parts)
    if slack.app_token is None:
        return Endpoint(app, secret)
    token = slack.app_token.get_secret_value()
    return SocketMode(app, token, clock=SystemClock(), connections=slack.connections)


def _installing(service: Service, reach: Reach) -> Sequence[AbstractRouteDef]:
    """Return the pages on which workspaces install the app, where they do so themselves."""
    slack, vault = service.settings.slack, service.stores.vault
    if reach.installations is None or vault is None or slack.client_id is None or slack.client_secret is None:
        return ()
    return install_routes(
        client=anonymous(slack.api_base_url),
        client_id=slack.client_id,
        client_secret=slack.client_secret.get_secret_value(),
        scopes=scopes(agent=slack.agent),
        installations=reach.installations,
        states=vault,
    )


def _hello(slack: Slack, place: str, way: Way) -> list[str]:
    both = slack.app_token is not None and slack.signing_secret is not None
    return [*([BOTH_WAYS] if both else []), f"Slack: connected to {place}, {way}."]


async def _take_over(arrivals: Arrivals) -> None:
    while True:
        await asyncio.sleep(TAKE_OVER_S)
        await arrivals.resume(starting=False)
