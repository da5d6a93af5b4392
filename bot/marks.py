"""The signs that a platform shows at people's messages, one at a time at each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Mark
from bot.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import Thread

    Change = Callable[[Thread, str, Mark], Awaitable[None]]


class Marks:
    """Lets one mark take the place of another, where a platform can only add and remove them."""

    def __init__(self, add: Change, remove: Change) -> None:
        """Both may raise `ChatError`; adding what stands and removing what does not must be fine."""
        self._add = add
        self._remove = remove
        self._standing: Recent[tuple[Thread, str], frozenset[Mark]] = Recent()

    async def put(self, thread: Thread, message_id: str, mark: Mark) -> None:
        """Let *mark* stand at the message, and no other. Raises `ChatError`; repeating goes on from there."""
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
