"""What is kept on disk or on servers, opened together."""

from __future__ import annotations

import os
import socket
import uuid
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.catalog import Catalog
from pipeline.ingestion.preparation import READING_VERSION
from pipeline.ingestion.tokens import TOKENIZER_VERSION
from pipeline.storage.events import SeenEvents
from pipeline.storage.generations import Catalogs
from pipeline.storage.ledger import Ledger
from pipeline.storage.preferences import ChannelChoices
from pipeline.storage.queue import Queue
from pipeline.storage.sql import Database
from pipeline.storage.threads import Threads
from pipeline.storage.vault import Vault
from pipeline.storage.vectors import VectorStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is kept on disk or on servers, opened and migrated."""

    owner: str
    """The name by which this opening of the stores owns jobs and entries; no other ever has it."""
    database: Database
    vectors: VectorStore
    generations: Catalogs
    queue: Queue
    threads: Threads
    ledger: Ledger
    choices: ChannelChoices
    seen: SeenEvents
    catalog: Catalog
    vault: Vault | None
    """None: no key was given to seal anything with."""

    async def prune(self) -> None:
        """Forget what no platform will ask about any more."""
        await self.seen.prune()
        await self.ledger.prune()


@asynccontextmanager
async def open_stores(settings: Settings) -> AsyncIterator[Stores]:
    """Open the stores for the length of the block.

    An embedded database is migrated; a server's with pending migrations raises `PendingMigrations`.
    """
    async with AsyncExitStack() as stack:
        database = await Database.connect(settings.database)
        stack.push_async_callback(database.close)
        await database.prepare()
        vectors = await VectorStore.connect(settings.vectors)
        stack.push_async_callback(vectors.close)
        generations = Catalogs(database, analyzer=TOKENIZER_VERSION, reading=READING_VERSION)
        queue = Queue(database)
        keys = settings.slack.sealing_keys
        owner = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        yield Stores(
            owner=owner,
            database=database,
            vectors=vectors,
            generations=generations,
            queue=queue,
            threads=Threads(database),
            ledger=Ledger(database, owner),
            choices=ChannelChoices(database),
            seen=SeenEvents(database),
            catalog=Catalog(vectors, generations, queue),
            vault=Vault(database, keys, setting="FOOTNOTE_SLACK__ENCRYPTION_KEY") if keys else None,
        )
