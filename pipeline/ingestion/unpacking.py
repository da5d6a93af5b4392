"""Make a document of each file of an archive."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.addresses import inside_of, place_of, source_inside
from pipeline.archives import counted, lacking
from pipeline.catalog import INGEST, queued_payload
from pipeline.domain import DocumentStatus, IngestReason, document_id_for
from pipeline.errors import IngestError
from pipeline.ingestion.results import standing_in
from pipeline.storage.job import NewJob

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipeline.catalog import Catalog
    from pipeline.domain import Document, Scope
    from pipeline.ingestion.bundles import Bundles, Entry
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
        self, store: CatalogStore, scope: Scope, archive: Document, data: bytes, *, lacks: bool = False
    ) -> tuple[Document, list[Document]]:
        """Return the archive's own row, to be written last, and ready documents that now stand in it.

        Those stood in the archive where it was before. Of one that *lacks* files, which were taken back, only
        the others are taken. Raises `IngestError`.
        """
        entries = await self._bundles.open(archive, data)
        if not entries:
            raise IngestError(IngestReason.NO_TEXT, "The archive holds no files.")
        known = {each.document_id: each for each in await self._catalog.documents(scope)}
        found = [self._document(scope, archive, entry) for entry in entries]
        held = {each.document_id for each in found}
        if lacks:
            held &= await self._held(scope, archive, known.values())
        failed = [each for each in found if each.status is DocumentStatus.FAILED]
        await self._refuse(store, [each for each in failed if each.document_id in held], known)
        documents = [each for each in found if each.status is not DocumentStatus.FAILED]
        taken: set[str] = set()
        moved: list[Document] = []
        elsewhere: list[Document] = []
        for document in [each for each in documents if each.document_id in held]:
            standing = known.get(document.document_id)
            if document.document_id in taken or _stands_elsewhere(standing, archive):
                elsewhere.append(document)
            elif standing is None or standing.status is not DocumentStatus.READY:
                await self._enqueue(scope, document, standing)
            elif standing.source != document.source:
                moved.append(document)
            taken.add(document.document_id)
        noted = [(place_of(one.source), one.document_id, queued_payload(one)) for one in elsewhere]
        await self._copies.list_inside(scope, archive.document_id, noted)
        row = replace(archive, chunks=0, pages=None, message=_remark(len(elsewhere)))
        return lacking(row) if lacks else row, moved

    async def _refuse(
        self, store: CatalogStore, failed: Sequence[Document], known: Mapping[str, Document]
    ) -> None:
        """Write at once which files could not be had: each write is a version of the table."""
        new = [one for one in failed if not _says_the_same(known.get(one.document_id), one)]
        await store.put_documents(list({one.document_id: one for one in new}.values()))

    async def _held(self, scope: Scope, archive: Document, known: Iterable[Document]) -> set[str]:
        """Return the ids of what stands in an archive, also of what came in another way."""
        copies = await self._copies.of(scope)
        inside = {document.document_id for document in known if _archive_of(document) == archive.document_id}
        return inside | standing_in({archive.document_id}, copies)

    def _document(self, scope: Scope, archive: Document, entry: Entry) -> Document:
        """Return the document of a file; one without bytes is known by its place."""
        digest = entry.digest
        if isinstance(digest, IngestError):
            digest = hashlib.sha256(f"{archive.document_id}\0{entry.name}".encode()).hexdigest()
        document = replace(
            archive,
            document_id=document_id_for(scope, digest),
            display_name=f"{archive.display_name}/{entry.name}",
            source=source_inside(archive.source, archive.document_id, entry.name),
            status=DocumentStatus.QUEUED,
            chunks=0,
            message=None,
        )
        return _failed(document, entry.digest) if isinstance(entry.digest, IngestError) else document

    async def _enqueue(self, scope: Scope, document: Document, standing: Document | None) -> None:
        """Have a file read in its archive, and not where it was to be read, or could not be read, before."""
        if standing is not None and standing.source != document.source:
            await self._queue.cancel(scope, [document.document_id])
            if _archive_of(standing) != _archive_of(document):
                place = place_of(standing.source)
                await self._copies.add(scope, place, document.document_id, queued_payload(standing))
        await self._queue.enqueue(
            NewJob(
                kind=INGEST,
                scope=scope,
                payload=queued_payload(document),
                dedupe_key=document.document_id,
            )
        )


def _remark(elsewhere: int) -> str | None:
    """Say how many files of an archive came in another way before, or stand in it twice."""
    verb = "was" if elsewhere == 1 else "were"
    return f"{counted(elsewhere)} in it {verb} in the channel already." if elsewhere else None


def _failed(document: Document, error: IngestError) -> Document:
    return replace(document, status=DocumentStatus.FAILED, reason=error.reason, message=str(error))


def _says_the_same(standing: Document | None, failed: Document) -> bool:
    """Whether a file that cannot be read stands as such, so that nothing has to be written of it."""
    if standing is None:
        return False
    return replace(standing, uploaded_at=failed.uploaded_at, revision=failed.revision) == failed


def _stands_elsewhere(standing: Document | None, archive: Document) -> bool:
    """Tell whether a file came in another way; one that could not be read there is tried in the archive."""
    if standing is None or standing.status is DocumentStatus.FAILED:
        return False
    return _archive_of(standing) != archive.document_id


def _archive_of(document: Document) -> str | None:
    inside = inside_of(document.source)
    return inside and inside.document_id
