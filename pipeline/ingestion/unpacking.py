"""Make a document of each file of an archive."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.addresses import inside_of, place_of, source_inside
from pipeline.archives import counted
from pipeline.catalog import INGEST, queued_payload
from pipeline.domain import DocumentStatus, IngestReason, document_id_for
from pipeline.errors import IngestError
from pipeline.storage.job import NewJob

if TYPE_CHECKING:
    from pipeline.catalog import Catalog
    from pipeline.domain import Document, Scope
    from pipeline.ingestion.bundles import Bundles
    from pipeline.ingestion.loaders.bundles import Member
    from pipeline.storage.copies import Copies
    from pipeline.storage.queue import Queue
    from pipeline.storage.vectors import CatalogStore


class Unpacking:
    """Takes archives apart: files that can be read are queued, the others get their reason at once.

    Doing it again changes nothing: a file is known by its bytes, and one that is there stays as it is.
    """

    def __init__(self, *, bundles: Bundles, catalog: Catalog, queue: Queue, copies: Copies) -> None:
        self._bundles = bundles
        self._catalog = catalog
        self._queue = queue
        self._copies = copies

    async def unpack(
        self, store: CatalogStore, scope: Scope, archive: Document, data: bytes
    ) -> tuple[Document, list[Document]]:
        """Return the archive's own row, to be written last, and ready documents that now stand in it.

        Those came with an earlier version of the archive, or from another place of it. Raises `IngestError`.
        """
        members = await self._bundles.open(archive, data)
        if not members:
            raise IngestError(IngestReason.NO_TEXT, "The archive holds no files.")
        known = {each.document_id: each for each in await self._catalog.documents(scope)}
        taken: set[str] = set()
        moved: list[Document] = []
        refused: dict[str, Document] = {}
        elsewhere = 0
        for member in members:
            document = await self._document(scope, archive, member)
            standing = known.get(document.document_id)
            if isinstance(member.content, IngestError):
                failed = _failed(document, member.content)
                if standing is None or not _says_the_same(standing, failed):
                    refused[failed.document_id] = failed
            elif document.document_id in taken or (standing and not _is_ours(standing, archive)):
                elsewhere += 1
                place = place_of(document.source)
                await self._copies.add(scope, place, document.document_id, queued_payload(document))
            elif standing is None or standing.status is not DocumentStatus.READY:
                await self._enqueue(scope, document)
            elif standing.source != document.source:
                moved.append(document)
            taken.add(document.document_id)
        await store.put_documents(list(refused.values()))  # at once: each write is a version of the table
        verb = "is" if elsewhere == 1 else "are"
        message = f"{counted(elsewhere)} in it {verb} in the channel already." if elsewhere else None
        return replace(archive, chunks=0, pages=None, message=message), moved

    async def _document(self, scope: Scope, archive: Document, member: Member) -> Document:
        """Return the document of a file; one without bytes is known by its place."""
        content = member.content
        if isinstance(content, IngestError):
            content = f"{archive.document_id}\0{member.name}".encode()
        digest = await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest())
        return replace(
            archive,
            document_id=document_id_for(scope, digest),
            display_name=f"{archive.display_name}/{member.name}",
            source=source_inside(archive.source, archive.document_id, member.name),
            status=DocumentStatus.QUEUED,
            chunks=0,
            message=None,
        )

    async def _enqueue(self, scope: Scope, document: Document) -> None:
        await self._queue.enqueue(
            NewJob(
                kind=INGEST,
                scope=scope,
                payload=queued_payload(document),
                dedupe_key=document.document_id,
            )
        )


def _failed(document: Document, error: IngestError) -> Document:
    return replace(document, status=DocumentStatus.FAILED, reason=error.reason, message=str(error))


def _says_the_same(standing: Document, failed: Document) -> bool:
    """Whether a file that cannot be read stands as such, so that nothing has to be written of it."""
    return replace(standing, uploaded_at=failed.uploaded_at, revision=failed.revision) == failed


def _is_ours(standing: Document, archive: Document) -> bool:
    """Whether a file that is known comes from this archive, or is not read yet and may."""
    inside = inside_of(standing.source)
    if inside is None:
        return standing.status is DocumentStatus.FAILED
    return inside.document_id == archive.document_id or place_of(inside.archive) == place_of(archive.source)
