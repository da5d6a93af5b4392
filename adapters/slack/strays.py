"""Messages of ours that stand in Slack although its answer, which would have named them, was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.slack.addressing import thread_ts
from bot.chat import MessageRef
from bot.doubts import Doubts
from bot.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from adapters.slack.calls import Calls
    from bot.chat import Thread

EVENT = "footnote_message"
"""The type of the metadata that marks each finished message of ours; its payload may carry a nonce."""
STREAM = "\0stream"
"""Stands for a nonce where the beginning of a stream is in doubt, because that can carry none."""

_MOST = 200


@dataclass(frozen=True, slots=True)
class Stray:
    """A message that was found again."""

    ref: MessageRef
    whole: bool
    """True: a post with the nonce that was asked for. False: a stream that nobody ended."""


class Strays:
    """Keeps in mind where a message may stand that nobody knows of, and finds it.

    Posts are found by their nonce. A stream cannot be given one when it begins, but every message of ours is
    marked when it is finished: one that is not, and that we did not begin, is the stream that was lost.
    """

    def __init__(self, calls: Calls, wall: Callable[[], float]) -> None:
        self._calls = calls
        self._doubts = Doubts(wall)
        self._begun: Recent[MessageRef, None] = Recent()

    def doubting(self, thread: Thread, nonce: str | None) -> AbstractContextManager[None]:
        """Note a doubt when what happens within leaves one."""
        return self._doubts.about(thread, nonce)

    def begun(self, ref: MessageRef) -> None:
        """Note a stream that we know of."""
        self._begun.note(ref, None)

    async def find(self, thread: Thread, nonce: str | None, *, repeated: bool = False) -> Stray | None:
        """Look for a post with this *nonce*, or for a lost stream, where there is a doubt; None: none stands.

        *repeated* is a doubt of its own, about what a process that died may have left. Raises `RateLimited`
        or `Unreachable` when it cannot be told now.
        """
        nonces = [STREAM] if nonce is None else [nonce, STREAM]
        start = self._doubts.start(thread, nonces, repeated=repeated)
        if start is None:
            return None
        known = any(self._doubts.since(thread, one) is not None for one in nonces)
        lost = not known or self._doubts.since(thread, STREAM) is not None
        return await self._doubts.settled(thread, nonces, lambda: self._look(thread, nonce, start, lost=lost))

    async def _look(self, thread: Thread, nonce: str | None, since: float, *, lost: bool) -> Stray | None:
        identity = await self._calls.workspaces.identity(thread.scope.workspace)
        ts = thread_ts(thread)
        where: dict[str, Any] = {} if ts is None else {"ts": ts}
        page = await self._calls.call(
            thread.scope.workspace,
            "conversations.history" if ts is None else "conversations.replies",
            channel=thread.scope.channel,
            **where,
            oldest=f"{since:.6f}",
            limit=_MOST,
            include_all_metadata=True,
        )
        for message in reversed(page.get("messages") or ()):
            if message.get("user") != identity.user_id:
                continue
            if (stray := self._judge(thread, message, nonce, lost=lost)) is not None:
                return stray
        return None

    def _judge(
        self, thread: Thread, message: Mapping[str, Any], nonce: str | None, *, lost: bool
    ) -> Stray | None:
        ref = MessageRef(thread, str(message["ts"]))
        metadata = message.get("metadata") or {}
        if metadata.get("event_type") != EVENT:
            return Stray(ref, whole=False) if lost and ref not in self._begun else None
        found = (metadata.get("event_payload") or {}).get("nonce")
        return Stray(ref, whole=True) if nonce is not None and found == nonce else None


def mark(nonce: str | None = None) -> dict[str, Any]:
    """Return the metadata of a finished message."""
    return {"event_type": EVENT, "event_payload": {} if nonce is None else {"nonce": nonce}}
