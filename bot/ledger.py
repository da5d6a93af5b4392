"""What people asked for, kept so that no restart loses it; what cannot be kept is done all the same."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from typing import Any

    from pipeline.domain import Scope
    from pipeline.entries import Entry, State

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Ledger(Protocol):
    """The entries of all replicas, as one process sees them. Everything raises `PipelineError`."""

    async def open(self, entry: Entry) -> bool:
        """Note *entry* and own it; True for exactly one of all callers that ever name it."""

    async def reopen(self, scope: Scope, kind: str, key: str, *, payload: Mapping[str, Any]) -> Entry | None:
        """Own an entry that is done for its next attempt, with another *payload*.

        None: somebody is at it, who finds the new payload there in the end; or it is unknown, or gone for
        good, with nothing in its payload.
        """

    async def save(
        self,
        scope: Scope,
        kind: str,
        key: str,
        *,
        messages: Sequence[str] | None = None,
        attempt: int | None = None,
        payload: Mapping[str, Any] | None = None,
        state: State | None = None,
    ) -> bool:
        """Keep what is given of an entry; False: it is unknown, or gone, and then nothing is kept."""

    async def close(
        self, scope: Scope, kind: str, key: str, *, expected: Mapping[str, Any], payload: Mapping[str, Any]
    ) -> Entry | None:
        """End an entry whose payload still holds what is *expected*, and keep *payload* of it.

        Returns the entry as it stands then: done, or as somebody else has changed it; None: it is unknown.
        """

    async def find(self, scope: Scope, kind: str, key: str) -> Entry | None:
        """Return an entry as it stands now."""

    async def leave(self, scope: Scope, kind: str, key: str) -> None:
        """Let go of an entry that stays open, for whoever takes over next; that may be this process."""

    async def mark(self, scope: Scope, kind: str, thread: str, name: str) -> bool:
        """Put *name* into the payloads of a thread's open entries, for their owners; False: it has none."""

    async def asked(self, scope: Scope, thread: str, author: str | None) -> bool:
        """Tell whether *author* (None: anybody) has asked a question in a thread."""

    async def take_over(self, platform: str, kind: str, *, starting: bool) -> list[Entry]:
        """Own what dead owners left open, and what was released, and return it in the order it came."""

    async def renew(self) -> None:
        """Show that this process is alive."""

    async def release(self, platform: str) -> None:
        """Let go of what this process leaves open on a platform, for whoever comes next."""


class Book:
    """The entries of one kind. When the ledger fails, things are rather done twice than not at all."""

    def __init__(self, ledger: Ledger, kind: str) -> None:
        self._ledger = ledger
        self._kind = kind

    async def open(self, entry: Entry) -> bool:
        """Tell whether *entry* is new and now ours; True as well when nobody knows."""
        return await _attempt(self._ledger.open(entry), otherwise=True)

    async def reopen(self, entry: Entry, payload: Mapping[str, Any]) -> Entry | None:
        """Own *entry* for its next attempt, as well when nobody knows; None: leave it to whoever is at it."""
        work = self._ledger.reopen(entry.scope, self._kind, entry.id, payload=payload)
        return await _attempt(work, otherwise=entry)

    async def save(
        self,
        scope: Scope,
        key: str,
        *,
        messages: Sequence[str] | None = None,
        attempt: int | None = None,
        payload: Mapping[str, Any] | None = None,
        state: State | None = None,
    ) -> bool | None:
        """Keep what is given; False: the entry is unknown or gone; None: nobody knows."""
        work = self._ledger.save(
            scope, self._kind, key, messages=messages, attempt=attempt, payload=payload, state=state
        )
        return await _attempt(work, otherwise=None)

    async def close(
        self, scope: Scope, key: str, *, expected: Mapping[str, Any], payload: Mapping[str, Any]
    ) -> Entry | None:
        """End an entry that is still as *expected*, and return how it stands then; None: nobody knows."""
        work = self._ledger.close(scope, self._kind, key, expected=expected, payload=payload)
        return await _attempt(work, otherwise=None)

    async def find(self, scope: Scope, key: str) -> Entry | None:
        """Return an entry; None as well when nobody knows."""
        return await _attempt(self._ledger.find(scope, self._kind, key), otherwise=None)

    async def leave(self, scope: Scope, key: str) -> None:
        """Let go of an entry that stays open, for whoever takes over next; that may be this process."""
        await _attempt(self._ledger.leave(scope, self._kind, key), otherwise=None)

    async def mark(self, scope: Scope, thread: str, name: str) -> bool:
        """Put *name* into the payloads of a thread's open entries; False: it has none, or nobody knows."""
        return await _attempt(self._ledger.mark(scope, self._kind, thread, name), otherwise=False)

    async def asked(self, scope: Scope, thread: str, author: str | None) -> bool | None:
        """Tell whether *author* (None: anybody) has asked in a thread; None: nobody knows."""
        return await _attempt(self._ledger.asked(scope, thread, author), otherwise=None)

    async def take_over(self, platform: str, *, starting: bool) -> list[Entry]:
        """Return what dead processes left open, now ours, in the order it came."""
        nothing: list[Entry] = []
        work = self._ledger.take_over(platform, self._kind, starting=starting)
        return await _attempt(work, otherwise=nothing)


async def _attempt(work: Awaitable[T], *, otherwise: T) -> T:
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - bookkeeping must not keep people from their answer
        logger.warning("the ledger is unavailable: %s", type(error).__name__)
        return otherwise
