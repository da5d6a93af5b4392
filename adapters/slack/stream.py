"""Answers that Slack itself shows while they are written."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from adapters.markup.invisible import is_blank
from adapters.slack import blocks
from adapters.slack.calls import Refused
from adapters.slack.neutral import Neutraliser, neutralise
from adapters.slack.posts import ENDED, STOPPED_BY_USER
from bot.chat import NotAllowed, RateLimited, TooLong
from bot.recent import Pauses, Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.slack.budgets import Budgets
    from adapters.slack.posts import Posts
    from bot.chat import Body, MessageRef, Thread

logger = logging.getLogger(__name__)

LONGEST = 230.0
"""Seconds until a stream is ended by us: Slack ends it after about 300 and leaves a broken message."""
OVER = 300.0
"""Seconds after which Slack has ended any stream."""

_START, _STOP = "chat.startStream", "chat.stopStream"
_UNSUITABLE = frozenset({
    "channel_type_not_supported", "method_not_supported_for_channel_type", "feature_not_enabled",
    "unknown_method", "not_allowed_token_type", "not_agent_app",
})  # fmt: skip
"""What Slack answers where it streams for nobody; other refusals concern one person or one moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """For whom an answer streams: Slack asks for it in channels, where others see it when it is finished."""

    user: str
    team: str


class Streams:
    """Opens streams where Slack will take them to their end."""

    def __init__(
        self,
        posts: Posts,
        budgets: Budgets,
        monotonic: Callable[[], float],
        on_stop: Callable[[Thread], None],
    ) -> None:
        self.posts = posts
        self.monotonic = monotonic
        self.on_stop = on_stop
        self._budgets = budgets
        self._homes: Recent[str, str] = Recent()
        self._unsuitable: Pauses[tuple[str, str]] = Pauses(monotonic)
        self._live: dict[MessageRef, float] = {}

    def note_home(self, user: str, team: str) -> None:
        """Keep in mind which workspace somebody belongs to: in a shared channel it may be another."""
        self._homes.note(user, team)

    def open(self, thread: Thread, asker: str | None) -> SlackMessage | None:
        """Return a stream that has not begun, or None where Slack would not take it now."""
        recipient = self._recipient(thread, asker)
        if recipient is None and not thread.scope.channel.startswith("D"):
            return None
        if _channel(thread) in self._unsuitable or not self.room(thread.scope.workspace):
            return None
        return SlackMessage(self, thread, recipient)

    def _recipient(self, thread: Thread, asker: str | None) -> Recipient | None:
        if asker is None:
            return None
        return Recipient(user=asker, team=self._homes.get(asker) or thread.scope.workspace)

    def room(self, team: str) -> bool:
        """Tell whether one more stream can begin, and every live one end within the same minute."""
        now = self.monotonic()
        self._live = {ref: at for ref, at in self._live.items() if now - at < OVER}
        live = sum(ref.thread.scope.workspace == team for ref in self._live)
        return self._budgets.spare(team, _START, now) > 0 and self._budgets.spare(team, _STOP, now) > live

    async def begin(self, thread: Thread, text: str, recipient: Recipient | None) -> MessageRef:
        """Begin a stream; it cannot be waited for, because others wait for the same. Raises `ChatError`."""
        # since this stream was opened another one may have found out that the channel takes none
        if _channel(thread) in self._unsuitable or not self.room(thread.scope.workspace):
            raise NotAllowed("no stream can be begun now")
        whom = {"recipient_user_id": recipient.user, "recipient_team_id": recipient.team} if recipient else {}
        try:
            ref = await self.posts.begin(thread, text, whom)
        except RateLimited as limit:
            raise NotAllowed("no stream can be begun now") from limit
        except Refused as refused:
            if refused.code in _UNSUITABLE:
                self._unsuitable.begin(_channel(thread))
            raise
        self._live[ref] = self.monotonic()
        return ref

    def ended(self, ref: MessageRef) -> None:
        """Note that a stream needs no end any more."""
        self._live.pop(ref, None)


class SlackMessage:
    """A message that Slack streams; satisfies `LiveMessage`.

    Where the first piece's fate is unknown `message` stays None: the next post in the thread finds what
    stands there and takes it over.
    """

    def __init__(self, streams: Streams, thread: Thread, recipient: Recipient | None) -> None:
        self._streams = streams
        self._thread = thread
        self._recipient = recipient
        self._message: MessageRef | None = None
        self._began = 0.0
        self._neutraliser = Neutraliser()
        self._held = ""
        """What is harmless already and was not sent, because nothing could be seen of it."""
        self._sent = ""
        self._broken = False
        """Nobody knows what the message shows, or it does not stream any more."""
        self._ended = False
        self._final: Body | None = None
        """What the message is known to show in the end."""
        self._nonce = uuid4().hex[:25]

    @property
    def message(self) -> MessageRef | None:
        return self._message

    async def append(self, markdown: str) -> None:
        if self._broken or self._ended:
            raise NotAllowed("this message does not stream any more")
        neutraliser = copy(self._neutraliser)
        piece = self._held + neutraliser.feed(markdown)
        with self._breaking():
            await self._end_in_time()
            if self._shows(piece):
                await self._send(piece)
                self._sent, piece = self._sent + piece, ""
        self._neutraliser, self._held = neutraliser, piece

    async def close(self, body: Body) -> MessageRef:
        if self._message is None:
            return await self._streams.posts.post(
                self._thread, replace(body, nonce=body.nonce or self._nonce)
            )
        if not self._ended:
            await self._end(self._message, body)
        if self._final != body:
            await self._streams.posts.replace(self._message, body)
            self._final = body
        return self._message

    def _shows(self, piece: str) -> bool:
        """Tell whether *piece* can be sent: Slack begins no message without something to see."""
        return piece != "" if self._sent else not is_blank(piece)

    async def _send(self, piece: str) -> None:
        if blocks.units(piece) > blocks.MARKDOWN:
            raise TooLong
        if self._message is None:
            self._message = await self._streams.begin(self._thread, piece, self._recipient)
            self._began = self._streams.monotonic()
            return
        try:
            await self._streams.posts.grow(self._message, piece)
        except Refused as refused:
            await self._over(self._message, refused)
            raise

    async def _over(self, message: MessageRef, refused: Refused) -> None:
        """Note that a stream is over when that is why a piece was refused."""
        if refused.code == STOPPED_BY_USER:
            self._streams.on_stop(self._thread)
        if refused.code in ENDED:
            self._streams.ended(message)
            await self._streams.posts.settle(self._thread)

    async def _end_in_time(self) -> None:
        """End a stream that Slack would soon end. Raises `NotAllowed`, so that the message is edited."""
        if self._message is None or self._streams.monotonic() - self._began < LONGEST:
            return
        try:
            await self._streams.posts.rest(self._message)
        except RateLimited:
            logger.info("a stream is ended by its next edit")
        self._streams.ended(self._message)
        raise NotAllowed("this message has streamed for too long")

    async def _end(self, message: MessageRef, body: Body) -> None:
        """End the stream with what is missing of *body*, or as it is when that cannot be."""
        blocks.message(body)  # raises TooLong before anything is done
        rest = self._rest(body)
        with self._breaking():
            if rest is None:
                await self._streams.posts.rest(message)
            else:
                await self._finish(message, body, rest)
        self._ended = True
        self._streams.ended(message)

    async def _finish(self, message: MessageRef, body: Body, rest: str) -> None:
        try:
            await self._streams.posts.end(message, rest, body.buttons)
        except Refused as refused:
            logger.info("a stream's end was refused, so its message is replaced: %s", refused.code)
            if refused.code in ENDED:
                await self._streams.posts.settle(self._thread)
            else:
                await self._streams.posts.rest(message)
        else:
            self._final = body

    def _rest(self, body: Body) -> str | None:
        """Return what has to be added so that the message shows *body*; None: it has to be replaced."""
        whole = neutralise(body.text)
        return None if self._broken or not whole.startswith(self._sent) else whole[len(self._sent) :]

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        """Note when what happens within leaves a message that cannot be streamed further."""
        try:
            yield
        except RateLimited:
            raise
        except BaseException:
            self._broken = True
            raise


def _channel(thread: Thread) -> tuple[str, str]:
    return thread.scope.workspace, thread.scope.channel
