"""Channels of a given size, written once through the real store and used by several measurements."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from pipeline.benchmark.corpus import Language, Press
from pipeline.domain import Scope
from pipeline.ingestion.tokens import analyze
from pipeline.storage.sql import now

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.benchmark.rig import Rig

BOOKS: Final = 20
"""Documents of a channel, each of a twentieth of its chunks, but see below."""

LARGEST_BOOK: Final = 2_000
"""Chunks that are written at once."""


class Channels:
    """Builds a channel when it is first asked for."""

    def __init__(self, rig: Rig, language: Language, tell: Callable[[str], None]) -> None:
        self._rig = rig
        self._language = language
        self._tell = tell
        self._press: Press | None = None
        self._built: set[int] = set()

    async def of(self, chunks: int) -> Scope:
        """Return a channel of so many *chunks*, compacted and indexed as after an upload."""
        scope = Scope("terminal", "bench", f"c{chunks}")
        if chunks not in self._built:
            await self._build(scope, chunks)
            self._built.add(chunks)
        return scope

    async def _build(self, scope: Scope, chunks: int) -> None:
        press = await self._set_up()
        store = await self._rig.catalog.create(scope, self._rig.embedder)
        size = min(LARGEST_BOOK, max(1, chunks // BOOKS))
        for number, start in enumerate(range(0, chunks, size)):
            self._tell(f"writing {start:,} of {chunks:,} chunks")
            book = await asyncio.to_thread(press.book, scope, number, min(size, chunks - start))
            await store.write_chunks(book.document.document_id, book.chunks)
            await store.put_document(book.document)
        self._tell(f"indexing {chunks:,} chunks")
        await store.maintain()

    async def _set_up(self) -> Press:
        if self._press is None:
            dimension = self._rig.embedder.dimension
            self._press = await asyncio.to_thread(
                Press, self._language, analyze, dimension=dimension, now=now()
            )
        return self._press
