"""What became of the files that the command line was given, those inside of archives included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.addresses import inside_of
from pipeline.archives import files_of
from pipeline.catalog import queued_document
from pipeline.domain import DocumentStatus
from pipeline.ingestion.intake import Accepted, Upload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any, Literal

    from pipeline.domain import Document
    from pipeline.storage.job import Job

    Status = Literal["queued", "duplicate", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of one file."""

    path: Path
    accepted: Accepted
    document: Document | None
    """As it stands in the catalog; None: it never got there."""


def concerned(job: Job) -> set[str | None]:
    """Return the document of an upload's job and, if it came out of an archive, the archive's."""
    inside = inside_of(job.payload.get("source", ""))
    return {job.payload.get("document_id"), inside and inside.document_id} - {None}


def with_files(
    result: Ingested, documents: Mapping[str, Document], copies: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[Ingested]:
    """Yield *result* and, if it is an archive, one for each file of it, by name.

    *documents* and *copies* are the channel's, by id; a file that stands elsewhere already is a duplicate.
    """
    yield result
    archive = result.document
    if archive is None or archive.files is None:
        return
    status = result.accepted.status
    files: list[tuple[Document, Status]] = [
        (file, "queued" if file.status is DocumentStatus.FAILED else status)
        for file in files_of(documents.values(), {archive.document_id})
    ]
    copied = [queued_document(payload) for payloads in copies.values() for payload in payloads]
    repeated: list[tuple[Document, Status]] = [
        (copy, "duplicate") for copy in copied if _archive(copy) == archive.document_id
    ]
    for file, status in sorted([*files, *repeated], key=lambda pair: pair[0].display_name):
        yield _row(result, file, status, documents.get(file.document_id))


def _row(
    result: Ingested,
    file: Document,
    status: Status,
    document: Document | None,
) -> Ingested:
    upload = Upload(source=file.source, display_name=file.display_name, uploader=file.uploader)
    accepted = Accepted(upload=upload, status=status, document_id=file.document_id)
    return Ingested(path=result.path, accepted=accepted, document=document)


def _archive(document: Document) -> str | None:
    inside = inside_of(document.source)
    return inside and inside.document_id
