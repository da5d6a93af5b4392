"""What happens between Slack's delivery and its acknowledgement: who is it for, and who takes it over.

Bolt acknowledges an event once every middleware and one listener let it pass. So nothing here waits for
anything but the bot's own identity, which is asked once per workspace. Events are handed over in a middleware
and not in a listener: listeners are tasks, and would lose the order in which messages came.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.events import read_event
from adapters.slack.happenings import FileShared, FileTouched, Speaker
from adapters.slack.heard import kind_of
from adapters.slack.workspaces import is_direct
from bot.chat import NotAllowed
from bot.errands import Errands
from bot.incoming import (
    ChannelLost,
    FileDeleted,
    FileRemoved,
    IncomingMessage,
    MessageEdited,
    WorkspaceLost,
)
from bot.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from slack_bolt.context.ack.async_ack import AsyncAck
    from slack_bolt.context.async_context import AsyncBoltContext
    from slack_bolt.request.async_request import AsyncBoltRequest

    from adapters.slack.adapter import SlackAdapter
    from adapters.slack.arrivals import Arrivals
    from adapters.slack.events import Happening
    from adapters.slack.files import SlackFiles
    from adapters.slack.heard import Heard
    from adapters.slack.people import People
    from adapters.slack.workspaces import Identity, Workspaces
    from bot.library import ServiceLibrary
    from bot.platform import Platform

logger = logging.getLogger(__name__)

IDENTITY = "footnote_identity"
"""Where a request's context holds who the bot is."""
NOT_INSTALLED = (
    "Footnote is not installed in this workspace any more. Please ask an admin to install it again."
)
KEPT_S = 0.4
"""How long an acknowledgement waits for the ledger; Slack expects it within three seconds."""
TIMEOUT = 15
"""Seconds for one call."""
_ANYTHING = re.compile(".*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Everything that whoever listens to Slack hands things to."""

    platform: Platform
    adapter: SlackAdapter
    workspaces: Workspaces
    people: People
    files: SlackFiles
    library: ServiceLibrary
    arrivals: Arrivals
    heard: Heard
    first_time: Callable[[str], Awaitable[bool]]
    """Tells whether a key is named for the first time, over replicas and restarts."""
    forget: Callable[[str], Coroutine[Any, Any, None]] | None = None
    """Drops the installation of a workspace that removed the app; None: its token is in the settings."""
    tasks: Errands = field(default_factory=Errands)
    """For work that takes longer than Slack waits for its acknowledgement."""


def build_app(
    desk: Desk,
    *,
    base_url: str,
    signing_secret: str = "",
    parts: Sequence[Callable[[AsyncApp, Desk], None]] = (),
) -> AsyncApp:
    """Return an app that hands everything to *desk*; each of *parts* registers listeners of its own."""
    app = AsyncApp(
        name="footnote",
        client=anonymous(base_url),
        authorize=Admission(desk.workspaces),  # type: ignore[arg-type] # Bolt takes its own class, too
        before_authorize=Unaddressed(),
        signing_secret=signing_secret,
        user_facing_authorize_error_message=NOT_INSTALLED,
        attaching_function_token_enabled=False,
        attaching_conversation_kwargs_enabled=False,
    )
    app.middleware(Reception(desk))
    for register in parts:
        register(app, desk)
    _acknowledge_the_rest(app)
    return app


def anonymous(base_url: str) -> AsyncWebClient:
    """Return a client without a token: in whose name something is asked is settled for each request."""
    client = AsyncWebClient(base_url=base_url, timeout=TIMEOUT, retry_handlers=[])
    if is_direct(base_url):
        client.proxy = None  # the SDK takes it from the environment, whatever NO_PROXY says
    return client


class Unaddressed(AsyncMiddleware):
    """Acknowledges notices about the app itself, which hold no event; unanswered, Slack sends them again."""

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002 - Bolt's name for it
    ) -> BoltResponse | None:
        kind = req.body.get("type")
        if kind == "app_rate_limited":
            logger.warning("Slack holds events back: too many came within an hour")
        elif kind != "event_callback" or isinstance(req.body.get("event"), Mapping):
            return await next()
        return BoltResponse(status=200, body="")


class Admission(AsyncAuthorize):
    """Says who the bot is in the workspace that a request comes from.

    Requests of one workspace are let in one after the other: the first may have to ask Slack, and those that
    came after it must not overtake it.
    """

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._queues: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def __call__(
        self,
        *,
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
        actor_enterprise_id: str | None = None,
        actor_team_id: str | None = None,
        actor_user_id: str | None = None,
    ) -> AuthorizeResult | None:
        team = team_id or enterprise_id or ""
        async with self._queues[team]:
            try:
                identity = await self._workspaces.identity(team)
                client = await self._workspaces.client(team)
            except NotAllowed:
                logger.warning("something arrived from a workspace where the app is not installed")
                return None
        context[IDENTITY] = identity
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            bot_user_id=identity.user_id,
            bot_id=identity.bot_id,
            bot_token=client.token,
            user_id=user_id,
        )


class Reception(AsyncMiddleware):
    """Hands each event to whom it concerns, in the order of arrival, before anything can overtake it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._edits: Recent[tuple[str, str, str], None] = Recent()

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002 - Bolt's name for it
    ) -> BoltResponse | None:
        if kind := kind_of(req.body):
            self._desk.tasks.start(self._desk.heard.note(kind), name="note a kind of event")
        if isinstance(req.body.get("event"), Mapping):
            taken = self._receive(req.body, req.context.get(IDENTITY))
            if taken:  # what is acknowledged and not kept yet, a crash would lose
                await asyncio.wait(taken, timeout=KEPT_S)
        return await next()

    def _receive(self, body: Mapping[str, Any], identity: Identity | None) -> list[asyncio.Future[object]]:
        """Hand on what the event means; what is returned is done when all of it is kept."""
        taken: list[asyncio.Future[object]] = []
        try:
            for happening in read_event(body, identity):
                kept = self._take(happening)
                taken += [asyncio.ensure_future(kept)] if kept is not None else []
        except Exception as error:  # delivered again it would fail again
            # its text may quote people
            logger.warning("an event could not be read: %s", type(error).__name__)
            logger.debug("an event could not be read", exc_info=error)
        return taken

    def _take(self, happening: Happening) -> Awaitable[object] | None:
        """Hand *happening* to whom it concerns; what is returned is done when no crash loses it any more."""
        desk = self._desk
        match happening:
            case Speaker():
                desk.adapter.note_home(happening.user, happening.team)
            case FileShared():
                return desk.arrivals.shared(happening)
            case FileTouched():
                desk.arrivals.touched(happening)
            case FileRemoved() | FileDeleted():
                return desk.platform.removals.receive(happening)
            case ChannelLost() | WorkspaceLost():
                desk.tasks.start(self._lose(happening), name="lose a channel")
            case MessageEdited() if not self._is_news(happening):
                logger.debug("an older edit arrived again")
            case IncomingMessage() | MessageEdited():
                desk.platform.words.receive(happening)
                return desk.platform.conversation.kept(happening.thread)
            case _:
                desk.platform.words.receive(happening)
        return None

    def _is_news(self, edited: MessageEdited) -> bool:
        """Tell whether this edit is a new one: Slack delivers some again, after later ones."""
        key = (str(edited.thread.scope), edited.message_id, edited.event_id)
        if key in self._edits:
            return False
        self._edits.note(key, None)
        return True

    async def _lose(self, lost: ChannelLost | WorkspaceLost) -> None:
        """Forget what was held there, once: delivered again after a return, it would destroy what is new."""
        desk = self._desk
        if not await desk.first_time(f"lost:{lost.event_id}"):
            return
        desk.platform.removals.receive(lost)
        if isinstance(lost, WorkspaceLost) and desk.forget is not None:
            await desk.forget(lost.workspace)


def _acknowledge_the_rest(app: AsyncApp) -> None:
    """Acknowledge what nobody listens to: Slack would deliver it again, and in the end stop delivering."""

    async def nothing() -> None:
        """Bolt acknowledges events by itself."""

    async def acknowledge(ack: AsyncAck) -> None:
        await ack()

    async def unknown(ack: AsyncAck) -> None:
        await ack("I do not know this command.")

    app.event(_ANYTHING)(nothing)
    for kind in (app.action, app.shortcut, app.view, app.view_closed, app.options):
        kind(_ANYTHING)(acknowledge)
    app.command(_ANYTHING)(unknown)
