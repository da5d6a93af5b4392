"""The Home tab, the greeting in a new channel, and what the Messages tab suggests to ask."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from adapters.slack import blocks
from adapters.slack.addressing import PLATFORM, workspace_of
from adapters.slack.calls import Refused
from adapters.slack.clerk import CUSTOMS, LESSON, Clerk
from adapters.slack.interactions import Spot
from bot.chat import Body, ChatError
from bot.forgetting import listed
from bot.wording import THEN_ASK, counted, tally
from pipeline.archives import without_archives
from pipeline.domain import DocumentStatus, Scope
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slack_bolt.async_app import AsyncApp

    from adapters.slack.listeners import Desk
    from pipeline.domain import Document

logger = logging.getLogger(__name__)

Block = dict[str, Any]

CHANNELS = 20
"""Channels on one Home tab."""
LOOKED_AT = 60
"""Channels that are looked through for those of one person."""
LISTED = 10
"""Documents shown of one channel, the latest."""
MOST_BLOCKS = 100
MOST_TEXT = 12_000
"""Characters on one Home tab; Slack names no limit, and refuses messages with about 13,200."""
GREETING = (
    "Thank you for inviting me! I answer questions from the files of this channel.\n\n"
    "- Upload a file here, and I say when it is ready. “Index this” in the menu of an older message adds its "
    "files too.\n"
    f"{THEN_ASK}\n"
    f"- {CUSTOMS.code('help')} lists what else I can do, {CUSTOMS.code('settings')} how I behave here.\n\n"
    "When a file is deleted, or I am removed from the channel, I forget what I had indexed."
)
DIRECT_GREETING = (
    "Hello! Ask me here about files that you send me here; nobody else sees them.\n\n"
    "For the files of a channel, mention me in that channel: I answer from the files of the place where I am "
    f"asked, and of no other. {CUSTOMS.code('help')} lists what else I can do."
)
PROMPTS = (
    {"title": "How does this work?", "message": "help"},
    {"title": "What do my files say?", "message": "What are the main points of these files?"},
    {"title": "Begin anew", "message": "reset"},
)

_DIVIDER: Block = {"type": "divider"}
_NONE = (
    "You are in no channel whose files I know yet. Invite me to a channel and upload a file there, or send "
    "me one in a direct message."
)
_NO_AGENT = frozenset({"not_agent_app", "missing_scope", "feature_not_enabled", "unknown_method"})
"""What Slack answers where the app has no Messages tab of the kind that suggests anything."""


def register_home(app: AsyncApp, desk: Desk, *, agent: bool = False) -> None:
    """Let *app* show Home tabs and greetings; with the *agent* feature also suggestions."""
    home = Home(desk)

    async def opened(body: dict[str, Any]) -> None:
        event, team = body["event"], workspace_of(body)
        if event.get("tab") == "home":
            desk.tasks.start(home.publish(team, event["user"], event.get("channel")), name="home")
        elif event.get("channel"):
            desk.tasks.start(home.greet_directly(team, event["channel"]), name="greeting")
            if agent:
                desk.tasks.start(home.suggest(team, event["channel"]), name="suggestions")

    async def joined(body: dict[str, Any]) -> None:
        event, team = body["event"], workspace_of(body)
        desk.people.changed(team, event["channel"])
        if event.get("inviter"):
            work = home.greet(team, event["channel"], event["user"], event["inviter"])
            desk.tasks.start(work, name="greeting")

    async def left(body: dict[str, Any]) -> None:
        desk.people.changed(workspace_of(body), body["event"]["channel"])

    app.event("app_home_opened")(opened)
    app.event("member_joined_channel")(joined)
    app.event("member_left_channel")(left)


class Home:
    """Shows each person the channels that they are in, and no other."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._clerk = Clerk(desk)
        self._without_agent: set[str] = set()

    async def publish(self, team: str, user: str, direct: str | None) -> None:
        """Show somebody's Home tab; *direct* is their conversation with the bot."""
        try:
            shelves = [
                (scope, await self._desk.library.documents(scope))
                for scope in await self._channels(team, user, direct)
            ]
        except PipelineError as error:
            view = _view(blocks.sections(str(error)), [])
        else:
            view = _view([], [_shelf(scope, documents) for scope, documents in shelves if documents])
        try:
            await self._desk.adapter.calls.call(team, "views.publish", user_id=user, view=view)
        except ChatError as error:
            logger.warning("a Home tab was not shown: %s", type(error).__name__)

    async def greet(self, team: str, channel: str, newcomer: str, inviter: str) -> None:
        """Tell whoever invited the bot how it is used; nobody else is disturbed."""
        identity = await self._desk.workspaces.identity(team)
        if newcomer == identity.user_id:
            spot = Spot(teams=(team,), channel=channel, user=inviter)
            await self._clerk.say(team, spot, Body(text=GREETING))

    async def greet_directly(self, team: str, channel: str) -> None:
        """Tell somebody, once, what can be asked in a direct conversation."""
        if await self._desk.first_time(f"greeted:{PLATFORM}:{team}:{channel}"):
            shape = blocks.message(Body(text=DIRECT_GREETING))
            try:
                await self._desk.adapter.calls.call(team, "chat.postMessage", channel=channel, **shape)
            except ChatError as error:
                logger.info("nobody was greeted: %s", type(error).__name__)

    async def suggest(self, team: str, channel: str) -> None:
        """Suggest what to ask; where the app is no agent, not a second time."""
        if team in self._without_agent:
            return
        try:
            await self._desk.adapter.calls.call(
                team, "assistant.threads.setSuggestedPrompts", channel_id=channel, prompts=[*PROMPTS]
            )
        except Refused as refused:
            if refused.code in _NO_AGENT:
                self._without_agent.add(team)
            logger.info("nothing was suggested: %s", refused.code)
        except ChatError as error:
            logger.info("nothing was suggested: %s", type(error).__name__)

    async def _channels(self, team: str, user: str, direct: str | None) -> list[Scope]:
        """Return the channels with documents that *user* is in, as far as Slack says so now."""
        known = await self._desk.library.channels(PLATFORM, team)
        own = [scope for scope in known if scope.channel == direct]
        shared = [scope for scope in known if not scope.channel.startswith("D")]
        found: list[Scope] = []
        for scope in [*own, *shared][:LOOKED_AT]:
            if len(found) < CHANNELS and await self._desk.people.is_member(team, scope.channel, user) is True:
                found.append(scope)
        return found


def _view(said: Sequence[Block], shelves: Sequence[Sequence[Block]]) -> dict[str, Any]:
    """Return a Home tab, with as many channels as fit."""
    shown: list[Block] = [*blocks.sections(LESSON), _DIVIDER, *said]
    if not said and not shelves:
        shown += blocks.sections(_NONE)
    left = len(shelves)
    for shelf in shelves:
        if len(shown) + len(shelf) >= MOST_BLOCKS or _length([*shown, *shelf]) > MOST_TEXT:
            break
        shown += shelf
        left -= 1
    if left:
        shown += blocks.sections(f"… and {counted(left, 'more channel')}")
    return {"type": "home", "blocks": shown}


def _length(shown: Sequence[Block]) -> int:
    return sum(len(block["text"]["text"]) for block in shown if "text" in block)


def _shelf(scope: Scope, documents: Sequence[Document]) -> list[Block]:
    """Return one channel: its name, how many documents are in which state, and the latest of them."""
    direct = scope.channel.startswith("D")
    name = "Your direct messages with me" if direct else f"<#{scope.channel}>"
    lines = [f"- {line}" for line in listed(documents, LISTED)]
    if len(documents) > LISTED:
        lines.insert(0, f"- … and {len(documents) - LISTED} older ones")
    title = {"type": "mrkdwn", "text": f"*{name}* · {_counts(documents)}", "verbatim": True}
    return [{"type": "section", "text": title}, *blocks.sections("\n".join(lines))]


def _counts(documents: Sequence[Document]) -> str:
    states = [document.status for document in without_archives(documents)]
    ready, failed = states.count(DocumentStatus.READY), states.count(DocumentStatus.FAILED)
    numbers = {"ready": ready, "waiting": len(states) - ready - failed, "failed": failed}
    told = ", ".join(f"{number} {state}" for state, number in numbers.items() if number)
    return ": ".join(filter(None, (tally(documents), told)))
