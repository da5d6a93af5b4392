"""What became of the files that the command line was given, those inside of archives included."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.addresses import inside_of, place_of
from pipeline.archives import files_of
from pipeline.catalog import queued_document, queued_payload
from pipeline.domain import DocumentStatus
from pipeline.ingestion.intake import Accepted, Upload

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any, Literal

    from pipeline.domain import Document, Scope
    from pipeline.storage.copies import Copies
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


def standing_in(
    archives: Collection[str], copies: Mapping[str, Sequence[Mapping[str, Any]]]
) -> frozenset[str]:
    """Return the ids of documents that came another way, but whose bytes are in one of *archives* too."""
    return frozenset(
        document_id
        for document_id, payloads in copies.items()
        if any(_archive(queued_document(payload)) in archives for payload in payloads)
    )


def staying(
    document_ids: Collection[str],
    named: Collection[str],
    copies: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Document]:
    """Return where those of *document_ids* stand from now on that outlive their archives, by id.

    The *named* ones go wherever they stand; the others go with their archives, unless their bytes came in
    another way as well.
    """
    copied = {each: map(queued_document, copies.get(each, ())) for each in set(document_ids) - set(named)}
    left = {key: [copy for copy in found if _archive(copy) not in named] for key, found in copied.items()}
    return {key: found[0] for key, found in left.items() if found}


def robbed(
    document_ids: Collection[str], copies: Mapping[str, Sequence[Mapping[str, Any]]]
) -> frozenset[str]:
    """Return the ids of archives that hold bytes of *document_ids*, which came in another way."""
    copied = (queued_document(payload) for each in document_ids for payload in copies.get(each, ()))
    return frozenset(archive for copy in copied if (archive := _archive(copy))) - frozenset(document_ids)


async def note_copies(
    copies: Copies, scope: Scope, taken: Iterable[Accepted], documents: Mapping[str, Document]
) -> None:
    """Note where the files in *taken* stand whose documents came from another place before."""
    noted = {payload["place"] for payloads in (await copies.of(scope)).values() for payload in payloads}
    for accepted in taken:
        document, upload = documents.get(accepted.document_id or ""), accepted.upload
        place = place_of(upload.source)
        if document is None:
            continue
        if place_of(document.source) == place:
            if place in noted:
                await copies.strike(scope, place)
        else:
            copy = replace(
                document, display_name=upload.display_name, source=upload.source, uploader=upload.uploader
            )
            await copies.add(scope, place, document.document_id, queued_payload(copy))


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
        (copy, "duplicate")
        for copy in copied
        if _archive(copy) == archive.document_id and not _has_moved_to(documents.get(copy.document_id), copy)
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


def _has_moved_to(document: Document | None, copy: Document) -> bool:
    return document is not None and place_of(document.source) == place_of(copy.source)


def _archive(document: Document) -> str | None:
    inside = inside_of(document.source)
    return inside and inside.document_id
