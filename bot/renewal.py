"""Which channels' indexes were made by an earlier version, and having them made anew."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pipeline.catalog import REEMBED, REINDEX
from pipeline.errors import ModelError
from pipeline.storage.job import NewJob

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models import Models
    from bot.stores import Stores
    from pipeline.domain import Scope
    from pipeline.storage.refs import CatalogRef

logger = logging.getLogger(__name__)


class Renewal:
    """Compares what each channel's index was made by with what there is now."""

    def __init__(self, stores: Stores, models: Models) -> None:
        self._generations = stores.generations
        self._queue = stores.queue
        self._models = models

    async def due(self, ref: CatalogRef) -> str | None:
        """Return the kind of job that renews an index, None if it is up to date.

        Raises `ModelError` where nobody knows which embedder is used.
        """
        if is_outdated(ref, self._generations.reading):
            return REINDEX  # which makes tokens and vectors, too
        embedder = await self._models.embedder_for(ref)
        now = embedder.name, self._generations.analyzer
        return None if now == (ref.embedder, ref.analyzer) else REEMBED

    async def request(self, within_reach: Callable[[Scope], bool]) -> int:
        """Queue what renews the channels that are out of date, and return how many that are.

        Files are read again only of channels that are *within_reach*: elsewhere nothing new would be read.
        """
        requested = 0
        for scope in await self._generations.scopes():
            ref = await self._generations.current(scope)
            kind = None if ref is None else await self._kind(ref)
            if kind is not None and (kind != REINDEX or within_reach(scope)):
                await self._queue.enqueue(NewJob(kind=kind, scope=scope, dedupe_key=kind))
                requested += 1
        if requested:
            logger.info("indexes to be renewed", extra={"action": "renewal", "channels": requested})
        return requested

    async def _kind(self, ref: CatalogRef) -> str | None:
        try:
            return await self.due(ref)
        except ModelError:  # the first question or file finds out
            return None


def is_outdated(ref: CatalogRef, reading: int) -> bool:
    """Tell whether an index was read by an earlier version; one of a later program is left as it is."""
    return ref.reading < reading
