"""The channel's files and threads as the commands and uploads of a platform see them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from bot.commands import LibraryStatus
from pipeline.catalog import REINDEX
from pipeline.guardrails.policy import contains_injection_attempt
from pipeline.guardrails.summary import check_summary
from pipeline.ingestion.intake import Upload
from pipeline.markers import without_markers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.bootstrap import Service
    from bot.chat import Thread, Turn
    from bot.incoming import IncomingFile
    from pipeline.domain import Document, Scope
    from pipeline.ingestion.intake import Accepted

ADOPTED_CHARS = 600
"""Of what was said before the bot was called; it becomes the thread's first summary, so it stays short."""


class SystemClock:
    """The clock that runs where no other is passed in."""

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class ServiceLibrary:
    """Satisfies the commands' `Library` and the uploads' `Intake` with the service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def documents(self, scope: Scope) -> Sequence[Document]:
        return await self._service.stores.catalog.documents(scope)

    async def forget(self, scope: Scope, document_ids: Sequence[str]) -> None:
        await self._service.forget(scope, document_ids)

    async def status(self, scope: Scope) -> LibraryStatus:
        holdings = await self._service.stores.catalog.holdings(scope)
        ref = await self._service.stores.generations.current(scope)
        models = self._service.models
        llm = await models.llm()
        embedder = await models.embedder_for(ref)
        remarks = []
        if ref is not None and ref.embedder != embedder.name:
            remarks.append(f"Vectors were made by {ref.embedder}; they are being renewed.")
        if any(job.kind == REINDEX for job in await self._service.stores.queue.waiting(scope)):
            remarks.append("The index is being rebuilt from its files.")
        return LibraryStatus(
            documents=holdings.ready + holdings.pending + holdings.failed,
            ready=holdings.ready,
            pending=holdings.pending,
            failed=holdings.failed,
            reader=llm.reader.name,
            embedder=embedder.name,
            remarks=tuple(remarks),
        )

    async def accept(self, scope: Scope, file: IncomingFile) -> Accepted:
        return await self._service.intake.accept(
            scope, Upload(source=file.source, display_name=file.name, uploader=file.author)
        )

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        return await self._service.stores.catalog.find(scope, document_id)

    async def withdraw(self, scope: Scope, source: str) -> None:
        documents = await self.documents(scope)
        await self.forget(scope, [d.document_id for d in documents if d.source == source])


class ServiceContext:
    """What was said in a thread before the bot was called, kept as the thread's first summary."""

    def __init__(self, service: Service) -> None:
        self._threads = service.stores.threads

    async def missing(self, thread: Thread) -> bool:
        return not (await self._threads.summary(thread.scope, thread.key)).text

    async def adopt(self, thread: Thread, turns: Sequence[Turn]) -> None:
        """Keep the end of what was said, as far as it may become a summary; see `check_summary`.

        Markers go, because the next answer's sources have the same labels. A message that gives orders to
        the assistant is left out, and messages that do so only together leave nothing to keep.
        """
        said = [without_markers(turn.text) for turn in turns]
        honest = " ".join(part for part in said if not contains_injection_attempt(part))
        text = without_markers(" ".join(honest.split()))[-ADOPTED_CHARS:].strip()
        if check_summary(text) is not None:
            return
        previous = await self._threads.summary(thread.scope, thread.key)
        await self._threads.save_summary(thread.scope, thread.key, text, expected_version=previous.version)
