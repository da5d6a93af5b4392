"""What a channel must look like when each of some documents is in it once, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.catalog import INGEST
from pipeline.domain import DocumentStatus

if TYPE_CHECKING:
    from collections.abc import Collection

    from bot.stores import Stores
    from pipeline.domain import Scope


async def assert_each_once(stores: Stores, scope: Scope, accepted: Collection[str]) -> None:
    """Look at the catalog, the index and the ledger of a channel in which nothing is at work."""
    documents = await stores.catalog.documents(scope)
    ledger = [job.payload["document_id"] for job in await stores.queue.done(scope, INGEST)]
    store = await stores.catalog.open(scope)
    assert store is not None
    rows = await store.read_chunks(sorted(accepted))
    assert {each.status for each in documents} == {DocumentStatus.READY}
    assert sorted(each.document_id for each in documents) == sorted(accepted)
    assert sorted(ledger) == sorted(accepted)
    assert len({chunk.chunk_id for chunk in rows.chunks}) == len(rows.chunks)
    assert await store.sweep() == 0
    assert await store.count_chunks() == len(rows.chunks) == sum(each.chunks for each in documents)
    assert await stores.queue.waiting(scope) == []
