"""The bot's own messages in Slack: posted once, replaced whole, streamed piece by piece."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from adapters.slack import blocks
from adapters.slack.addressing import thread_ts
from adapters.slack.calls import Refused
from adapters.slack.strays import STREAM, Strays, mark
from bot.chat import ChatError, MessageGone, MessageRef, Unreachable
from bot.controls import still_written

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from adapters.slack.calls import Calls
    from bot.chat import Body, Button, Thread

logger = logging.getLogger(__name__)

STOPPED_BY_USER = "stopped_by_user"
ENDED = frozenset({"message_not_in_streaming_state", STOPPED_BY_USER})
"""What Slack answers when a stream is over already."""

_STREAMING = "streaming_state_conflict"
_INVALID = frozenset({"invalid_blocks", "invalid_blocks_format"})

Result = TypeVar("Result")


class Posts:
    """Posts and changes messages in every workspace; every method raises `ChatError`."""

    def __init__(self, calls: Calls, wall: Callable[[], float]) -> None:
        self._calls = calls
        self._strays = Strays(calls, wall)

    async def post(self, thread: Thread, body: Body) -> MessageRef:
        """Show a new message, unless it stands already although nobody knew."""
        if (standing := await self._standing(thread, body)) is not None:
            return standing
        target: dict[str, Any] = {**_place(thread), "metadata": mark(body.nonce)}
        with self._strays.doubting(thread, body.nonce):
            answer = await _shaped(
                body, lambda shape: self._call(thread, "chat.postMessage", {**target, **shape})
            )
            return _ref(thread, answer)

    async def replace(self, message: MessageRef, body: Body) -> None:
        """Let *message* show *body* and nothing else.

        A body that can be stopped is not the last one: such a call leaves room for those that are.
        """
        target = {**_name(message), "metadata": mark()}
        growing = still_written(body)

        async def send(shape: Mapping[str, Any]) -> None:
            update = {**target, **blocks.still(shape)}
            await self._call(message.thread, "chat.update", update, intermediate=growing)

        await self._at_rest(message, lambda: _shaped(body, send))

    async def delete(self, message: MessageRef) -> None:
        """Take a message back."""
        await self._at_rest(message, lambda: self._call(message.thread, "chat.delete", _name(message)))

    async def begin(self, thread: Thread, text: str, recipient: Mapping[str, str]) -> MessageRef:
        """Begin a stream that shows *text*."""
        start = {**_place(thread), **recipient, "markdown_text": text}
        with self._strays.doubting(thread, STREAM):
            ref = _ref(thread, await self._call(thread, "chat.startStream", start))
        self._strays.begun(ref)
        return ref

    async def grow(self, message: MessageRef, text: str) -> None:
        """Add *text* to a stream."""
        await self._call(message.thread, "chat.appendStream", {**_name(message), "markdown_text": text})

    async def end(self, message: MessageRef, text: str = "", buttons: Sequence[Button] = ()) -> None:
        """End a stream, with *text* and *buttons* added."""
        last: dict[str, Any] = {**_name(message), "metadata": mark()}
        if text:
            last["markdown_text"] = text
        if buttons:
            last["blocks"] = blocks.controls(buttons)
        await self._call(message.thread, "chat.stopStream", last)

    async def rest(self, message: MessageRef) -> None:
        """End a stream as it is, if it still goes on."""
        try:
            await self.end(message)
        except Refused as refused:
            if refused.code not in ENDED:
                raise
            await self.settle(message.thread)

    async def settle(self, thread: Thread) -> None:
        """Let a thread not look as if somebody wrote there; ending a stream does that by itself."""
        place = {"channel_id": thread.scope.channel, "thread_ts": thread.key, "status": "active"}
        try:
            await self._call(thread, "agents.sessions.setStatus", place)
        except ChatError as error:  # an app that is no agent has no sessions
            logger.debug("a session was not settled: %s", type(error).__name__)

    async def _standing(self, thread: Thread, body: Body) -> MessageRef | None:
        stray = await self._strays.find(thread, body.nonce, repeated=body.repeated)
        if stray is None:
            return None
        try:
            if not stray.whole:
                await self.replace(stray.ref, body)
        except MessageGone:
            return None
        return stray.ref

    async def _at_rest(self, message: MessageRef, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do what cannot be done to a message that streams, after its stream was ended if need be."""
        try:
            return await work()
        except Refused as refused:
            if refused.code != _STREAMING:
                raise
        await self.rest(message)
        try:
            return await work()
        except Refused as refused:
            if refused.code == _STREAMING:  # Slack does not know yet that it ended
                raise Unreachable from refused
            raise

    async def _call(
        self, thread: Thread, method: str, arguments: Mapping[str, Any], *, intermediate: bool = False
    ) -> Mapping[str, Any]:
        team = thread.scope.workspace
        return await self._calls.call(team, method, intermediate=intermediate, **arguments)


async def _shaped(body: Body, send: Callable[[Mapping[str, Any]], Awaitable[Result]]) -> Result:
    """Send *body* as Markdown, or in simpler blocks where Slack does not take it. Raises `ChatError`."""
    try:
        return await send(blocks.message(body))
    except Refused as refused:
        if refused.code not in _INVALID:
            raise
        logger.warning("Slack refused a message's blocks; simpler ones are sent: %s", refused.code)
    return await send(blocks.simple_message(body))


def _place(thread: Thread) -> dict[str, str]:
    ts = thread_ts(thread)
    return {"channel": thread.scope.channel, **({} if ts is None else {"thread_ts": ts})}


def _name(message: MessageRef) -> dict[str, str]:
    return {"channel": message.thread.scope.channel, "ts": message.id}


def _ref(thread: Thread, answer: Mapping[str, Any]) -> MessageRef:
    ts = answer.get("ts")
    if not ts:
        raise Unreachable("Slack did not name the message")
    return MessageRef(thread, str(ts))
