"""The signs that a platform shows at people's messages, one at a time at each."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from bot.chat import Mark, NotAllowed
from bot.recent import Pauses, Recent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from bot.chat import Thread

    Change = Callable[[Thread, str, Mark], Awaitable[None]]

logger = logging.getLogger(__name__)


def _never(refusal: NotAllowed) -> str | None:
    return None


class Marks:
    """Lets one mark take the place of another, where a platform can only add and remove them."""

    def __init__(
        self,
        add: Change,
        remove: Change,
        *,
        forbids: Callable[[NotAllowed], str | None] = _never,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Both may raise `ChatError`; adding what stands and removing what does not must be fine.

        *forbids* names the reason of a refusal that holds for everything there, and then nothing is put there
        for a while; None: it holds for this message.
        """
        self._add = add
        self._remove = remove
        self._forbids = forbids
        self._off: Pauses[Hashable] = Pauses(monotonic)
        self._standing: Recent[tuple[Thread, str], frozenset[Mark]] = Recent()

    async def put(self, thread: Thread, message_id: str, mark: Mark, *, within: Hashable = None) -> None:
        """Let *mark* stand at the message, and no other, unless that is forbidden *within* where it stands.

        Raises `ChatError`; repeating goes on from there.
        """
        if within in self._off:
            return
        try:
            await self._put(thread, message_id, mark)
        except NotAllowed as refusal:
            if (reason := self._forbids(refusal)) is None:
                raise
            self._off.begin(within)
            logger.info("no marks can be put at messages in %s: %s", within, reason)

    async def _put(self, thread: Thread, message_id: str, mark: Mark) -> None:
        key = thread, message_id
        known = self._standing.get(key)
        # a process that died may have left the sign that work goes on
        standing = frozenset({Mark.WORKING}) if known is None else known
        if known is None or mark not in known:
            await self._add(thread, message_id, mark)
            standing |= {mark}
            self._standing.note(key, standing)
        for other in standing - {mark}:
            await self._remove(thread, message_id, other)
            standing -= {other}
            self._standing.note(key, standing)

    def leave_out(self, thread: Thread, message_id: str) -> None:
        """Note that no mark is put at the message, so that an unknown one has none."""
        if (thread, message_id) not in self._standing:
            self._standing.note((thread, message_id), frozenset())

    def working(self, workspace: str) -> int:
        """Return at how many messages of a workspace it says that work goes on."""
        return sum(
            thread.scope.workspace == workspace and Mark.WORKING in standing
            for (thread, _), standing in self._standing.items()
        )
