"""Posts of which nobody knows whether they arrived, because the platform's answer was lost."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from bot.chat import MessageGone, NotAllowed, Unreachable
from bot.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from bot.chat import Thread

BACK = 600.0
"""Seconds before a doubt that are looked at: the platform's clock and ours may differ by as much."""
DAY = 86_400.0
"""Seconds that are looked at for what a process that died may have left."""

Found = TypeVar("Found")


class Doubts:
    """Keeps in mind since when it has been in doubt whether something was posted: a thread and a nonce."""

    def __init__(self, wall: Callable[[], float]) -> None:
        self._wall = wall
        self._since: Recent[tuple[Thread, str], float] = Recent()

    @contextmanager
    def about(self, thread: Thread, nonce: str | None) -> Iterator[None]:
        """Note a doubt when what happens within leaves one; an earlier one stays. None: nobody could tell."""
        try:
            yield
        except (Unreachable, asyncio.CancelledError):
            if nonce is not None and (thread, nonce) not in self._since:
                self._since.note((thread, nonce), self._wall())
            raise

    def since(self, thread: Thread, nonce: str) -> float | None:
        """Return when a doubt began, by the clock on the wall; None: there is none."""
        return self._since.get((thread, nonce))

    def start(self, thread: Thread, nonces: Sequence[str], *, repeated: bool) -> float | None:
        """Return from when on something may stand, by the clock on the wall; None: there is no doubt.

        *repeated* is a doubt of its own, about what a process that died may have left.
        """
        doubts = [at for nonce in nonces if (at := self.since(thread, nonce)) is not None]
        if doubts:
            return min(doubts) - BACK
        return self._wall() - DAY if repeated else None

    async def settled(
        self, thread: Thread, nonces: Sequence[str], look: Callable[[], Awaitable[Found | None]]
    ) -> Found | None:
        """Return what *look* finds, and doubt no more; None: nothing, or it is not for the bot to see.

        Then it never is, and a second message is better than none. Raises what else *look* raises.
        """
        try:
            found = await look()
        except (NotAllowed, MessageGone):
            found = None
        for nonce in nonces:
            self._since.forget((thread, nonce))
        return found
