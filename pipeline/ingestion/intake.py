"""Accept an upload: know at once whether it is new, and queue what is."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pipeline.addresses import place_of
from pipeline.archives import lacks_files
from pipeline.catalog import INGEST, queued_payload
from pipeline.domain import Document, DocumentStatus, document_id_for
from pipeline.errors import IngestError, SourceAway
from pipeline.ingestion.names import harmless
from pipeline.storage.job import NewJob

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from pipeline.catalog import Catalog
    from pipeline.domain import IngestReason, Scope
    from pipeline.ingestion.kept import Kept
    from pipeline.storage.copies import Copies
    from pipeline.storage.queue import Queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that somebody put into a channel."""

    source: str
    """Where the original is and stays; whoever fetches it understands the form."""
    display_name: str
    uploader: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What became of an upload at the door."""

    upload: Upload
    status: Literal["queued", "duplicate", "failed"]
    document_id: str | None = None
    """None: the file could not even be read."""
    reason: IngestReason | None = None
    message: str | None = None
    namesakes: tuple[str, ...] = ()
    """Ids of older documents of the channel that carry the same name; the uploader may retire them."""


class Intake:
    """The door through which every file enters a channel."""

    def __init__(
        self,
        catalog: Catalog,
        queue: Queue,
        fetch: Callable[[str], Awaitable[bytes]],
        now: Callable[[], datetime],
        kept: Kept | None = None,
        copies: Copies | None = None,
    ) -> None:
        """*kept* takes the bytes of what was fetched from far away, for whoever indexes it.

        *copies* is told where a document stood that was not read there, and is to be read at another place.
        """
        self._catalog = catalog
        self._queue = queue
        self._fetch = fetch
        self._now = now
        self._kept = kept
        self._copies = copies

    async def accept(
        self,
        scope: Scope,
        upload: Upload,
        *,
        before: Callable[[Scope], Awaitable[None]] | None = None,
        again: bool = False,
    ) -> Accepted:
        """Queue *upload*, unless its bytes are in the channel already or cannot be read.

        *before* is called only if it is going to be queued; what that raises keeps it out. *again*: somebody
        asks for all of it, so that an archive of which files were taken back is unpacked once more.
        """
        upload = replace(upload, display_name=harmless(upload.display_name))
        try:
            data = await self._fetch(upload.source)
        except IngestError as error:
            advice = " Upload it again in a few minutes." if isinstance(error, SourceAway) else ""
            return Accepted(upload=upload, status="failed", reason=error.reason, message=f"{error}{advice}")
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        document_id = document_id_for(scope, digest)
        documents = await self._catalog.documents(scope)
        known = next((d for d in documents if d.document_id == document_id), None)
        ready = known is not None and known.status is DocumentStatus.READY
        if known is not None and ready and not (again and _lacks_files(known)):
            older = [d for d in documents if d.uploaded_at < known.uploaded_at]
            return Accepted(
                upload=upload,
                status="duplicate",
                document_id=document_id,
                namesakes=_namesakes(older, upload.display_name, document_id),
            )
        if before is not None:
            await before(scope)
        if self._kept is not None and urlsplit(upload.source).scheme != "file":
            self._kept.keep(document_id, data)
        if known is not None and not ready:
            await self._note_earlier(scope, known, upload)
        await self._enqueue(scope, _where_it_stands(known, upload) if ready else upload, document_id)
        namesakes = _namesakes(documents, upload.display_name, document_id)
        return Accepted(upload=upload, status="queued", document_id=document_id, namesakes=namesakes)

    async def _note_earlier(self, scope: Scope, known: Document, upload: Upload) -> None:
        earlier = place_of(known.source)
        if self._copies is not None and earlier != place_of(upload.source):
            await self._copies.add(scope, earlier, known.document_id, queued_payload(known))

    async def _enqueue(self, scope: Scope, upload: Upload, document_id: str) -> None:
        document = Document(
            document_id=document_id,
            display_name=upload.display_name,
            source=upload.source,
            uploader=upload.uploader,
            uploaded_at=self._now(),
            status=DocumentStatus.QUEUED,
        )
        await self._queue.enqueue(
            NewJob(
                kind=INGEST,
                scope=scope,
                payload=queued_payload(document),
                dedupe_key=document_id,
            )
        )


def _lacks_files(archive: Document) -> bool:
    """Tell whether files of an archive were taken back; earlier versions did not note that."""
    return lacks_files(archive) or (archive.files == 0 and not archive.message)


def _where_it_stands(known: Document | None, upload: Upload) -> Upload:
    """Return *upload* at the place of the document, which stays its own as long as a platform keeps it."""
    if known is None or urlsplit(known.source).scheme == "file":
        return upload
    return Upload(source=known.source, display_name=known.display_name, uploader=known.uploader)


def _namesakes(documents: Sequence[Document], name: str, document_id: str) -> tuple[str, ...]:
    return tuple(
        each.document_id
        for each in documents
        if each.display_name == name
        and each.document_id != document_id
        and each.status is not DocumentStatus.FAILED
    )
