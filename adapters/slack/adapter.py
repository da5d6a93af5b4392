"""Slack, seen as a chat platform: what the bot says there, and how."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from adapters.slack import blocks
from adapters.slack.calls import Refused
from adapters.slack.messages import reread
from adapters.slack.neutral import neutralise
from adapters.slack.posts import Posts
from adapters.slack.signs import Signs
from adapters.slack.stream import Streams
from adapters.slack.text import read
from bot.chat import Capabilities, MessageGone, NotAllowed, Share, Threading, Turn
from bot.incoming import StopRequested
from bot.recent import Pauses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from adapters.slack.calls import Calls
    from adapters.slack.stream import SlackMessage
    from adapters.slack.workspaces import Identity
    from bot.chat import Body, Mark, MessageRef, Said, Thread

logger = logging.getLogger(__name__)

EDIT_INTERVAL = 1.9
STREAM_INTERVAL = 0.68
BURST = 5
"""With these, intermediate calls never use up more than their share of a budget: see `budgets`."""
MAX_BUTTONS = 10

_STATUS_OFF = frozenset({
    "missing_scope", "no_permission", "not_allowed_token_type", "not_agent_app", "feature_not_enabled",
    "unknown_method",
})  # fmt: skip
"""What Slack answers where the app can show no status at all."""
_PAGE = 500
_PAGES = 4


class SlackAdapter:
    """Writes to every workspace that the app is installed in; satisfies `ChatAdapter`.

    Whoever presses Slack's own stop button ends the answer: *on_stop* is told.
    """

    def __init__(
        self,
        calls: Calls,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        max_upload_bytes: int = 0,
        on_stop: Callable[[StopRequested], None] | None = None,
    ) -> None:
        self.calls = calls
        self.on_stop = on_stop
        self._posts = Posts(calls, wall)
        self._signs = Signs(calls, monotonic)
        self._streams = Streams(self._posts, calls.budgets, monotonic, self._stopped)
        self._without_status: Pauses[str] = Pauses(monotonic)
        self._capabilities = Capabilities(
            max_chars=blocks.MAX_CHARS,
            edit_interval=EDIT_INTERVAL,
            stream_interval=STREAM_INTERVAL,
            burst=BURST,
            threading=Threading.NATIVE,
            max_buttons=MAX_BUTTONS,
            max_upload_bytes=max_upload_bytes,
            edit_share=Share.WORKSPACE,
        )

    @property
    def name(self) -> str:
        return "slack"

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def post(self, thread: Thread, body: Body) -> MessageRef:
        return await self._posts.post(thread, body)

    async def edit(self, message: MessageRef, body: Body) -> None:
        await self._posts.replace(message, body)

    async def delete(self, message: MessageRef) -> None:
        await self._posts.delete(message)

    async def set_status(self, thread: Thread, text: str | None) -> None:
        team = thread.scope.workspace
        if team in self._without_status:
            if text is None:
                return
            raise NotAllowed("the app can show no status")
        place: dict[str, Any] = {"channel_id": thread.scope.channel, "thread_ts": thread.key}
        try:
            await self.calls.call(team, "assistant.threads.setStatus", **place, status=neutralise(text or ""))
        except Refused as refused:
            if refused.code in _STATUS_OFF:
                self._without_status.begin(team)
                logger.info("the app can show no status in %s: %s", team, refused.code)
            raise

    async def mark(self, thread: Thread, message_id: str, mark: Mark) -> None:
        await self._signs.put(thread, message_id, mark)

    async def history(self, thread: Thread, *, limit: int) -> Sequence[Turn]:
        """Return the last messages; of a thread with more than 2,000 the last ones of these."""
        identity = await self.calls.workspaces.identity(thread.scope.workspace)
        messages = [one for one in await self._messages(thread) if one.get("text") and not one.get("hidden")]
        return [_turn(message, identity) for message in messages[-limit:]] if limit > 0 else []

    async def reread(self, thread: Thread, message_id: str) -> Said | None:
        scope = thread.scope
        identity = await self.calls.workspaces.identity(scope.workspace)
        place: dict[str, Any] = {"channel": scope.channel, "ts": thread.key, "limit": _PAGE}
        place |= {"oldest": message_id, "latest": message_id, "inclusive": True}
        page = await self.calls.call(scope.workspace, "conversations.replies", **place)
        for message in page.get("messages") or ():
            if message.get("ts") == message_id:
                return reread(scope, message, identity)
        raise MessageGone

    async def open_stream(self, thread: Thread, *, asker: str | None = None) -> SlackMessage | None:
        return self._streams.open(thread, asker)

    def note_home(self, user: str, team: str) -> None:
        """Keep in mind which workspace somebody belongs to: Slack wants to know whom a stream is for."""
        self._streams.note_home(user, team)

    async def _messages(self, thread: Thread) -> Sequence[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        place: dict[str, Any] = {"channel": thread.scope.channel, "ts": thread.key, "limit": _PAGE}
        for _ in range(_PAGES):
            page = await self.calls.call(thread.scope.workspace, "conversations.replies", **place)
            found += page.get("messages") or ()
            place["cursor"] = (page.get("response_metadata") or {}).get("next_cursor")
            if not place["cursor"]:
                break
        return found

    def _stopped(self, thread: Thread) -> None:
        if self.on_stop is not None:
            self.on_stop(StopRequested(thread=thread))


def _turn(message: Mapping[str, Any], identity: Identity) -> Turn:
    own = message.get("user") == identity.user_id or (
        bool(identity.bot_id) and message.get("bot_id") == identity.bot_id
    )
    author = str(message.get("user") or message.get("bot_id") or "")
    return Turn(author=author, text=read(message["text"], identity.user_id, {}).text, own=own)
