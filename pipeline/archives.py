"""An archive among a channel's documents: it stands for its files, which are documents of their own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.addresses import inside_of
from pipeline.domain import DocumentStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pipeline.domain import Document

LACKING = "A file of it was taken back; upload the archive again to bring it back."
"""What an archive's row says once one of its files was forgotten alone."""
NAMED = 5
"""Files that a sentence names; of the others it gives the number."""
_REASON_CHARS = 120


def is_archive(document: Document) -> bool:
    """Tell an archive's row as it is stored: nothing else is ready without a passage of its own."""
    return document.status is DocumentStatus.READY and not document.chunks


def files_of(documents: Iterable[Document], archives: Collection[str]) -> list[Document]:
    """Return those of *documents* that came out of *archives*, which are ids of documents."""
    found = ((document, inside_of(document.source)) for document in documents)
    return [document for document, inside in found if inside is not None and inside.document_id in archives]


def without_archives(documents: Iterable[Document]) -> list[Document]:
    """Return what counts as a document: an archive is a container, and its files are counted instead."""
    return [document for document in documents if document.files is None]


def lacks_files(archive: Document) -> bool:
    """Tell whether a file of *archive* was forgotten alone."""
    return (archive.message or "").endswith(LACKING)


def bereaved(documents: Sequence[Document], forgotten: Collection[str]) -> set[str]:
    """Return the ids of the archives that lose files with *forgotten*, and are not forgotten themselves."""
    lost = (inside_of(each.source) for each in documents if each.document_id in forgotten)
    return {inside.document_id for inside in lost if inside is not None} - set(forgotten)


def lacking(archive: Document) -> Document:
    """Return an archive's row that says that a file of it was taken back."""
    if lacks_files(archive):
        return archive
    return replace(archive, message=" ".join(filter(None, (archive.message, LACKING))))


def summed_up(documents: Sequence[Document]) -> list[Document]:
    """Let each archive say how its files stand: at work until the last has ended, then how it went."""
    archives = {document.document_id for document in documents if is_archive(document)}
    if not archives:
        return list(documents)
    files: dict[str, list[Document]] = {archive: [] for archive in archives}
    for document in documents:
        inside = inside_of(document.source)
        if inside is not None and inside.document_id in archives:
            files[inside.document_id].append(document)
    return [
        _summed_up(document, files[document.document_id]) if document.document_id in archives else document
        for document in documents
    ]


def _summed_up(archive: Document, files: Sequence[Document]) -> Document:
    """Return the archive's row; its own message speaks of files that stand elsewhere in the channel."""
    states = Counter(file.status for file in files)
    ready, failed = states[DocumentStatus.READY], [f for f in files if f.status is DocumentStatus.FAILED]
    archive = replace(archive, chunks=sum(file.chunks for file in files), files=len(files))
    if ready + len(failed) < len(files):
        return replace(archive, status=DocumentStatus.INDEXING)
    if not files:
        return archive
    named = f"not: {_named(archive, failed)}" if failed else ""
    elsewhere = (archive.message or "").removesuffix(LACKING)
    if ready or elsewhere:
        said = f"{ready:,} of {counted(len(files))} indexed"
        return replace(archive, message=_joined("; ".join(filter(None, (said, named))), archive.message))
    reason, _ = Counter(file.reason for file in failed).most_common(1)[0]
    none = "Its only file could not" if len(files) == 1 else f"None of its {counted(len(files))} could"
    message = _joined(f"{none} be indexed: {_named(archive, failed)}", archive.message)
    return replace(archive, status=DocumentStatus.FAILED, reason=reason, message=message)


def counted(number: int) -> str:
    """Return a number of files."""
    return f"{number:,} file" if number == 1 else f"{number:,} files"


def _named(archive: Document, files: Sequence[Document]) -> str:
    """Name files with their reasons, several with the same reason together."""
    reasons: dict[str, list[str]] = {}
    for file in files[:NAMED]:
        name = file.display_name.removeprefix(f"{archive.display_name}/")
        reasons.setdefault(_first_sentence(file.message or ""), []).append(name)
    parts = [f"{', '.join(names)} ({why})" if why else ", ".join(names) for why, names in reasons.items()]
    more = [f"{len(files) - NAMED:,} more"] if len(files) > NAMED else []
    return ", ".join([*parts, *more])


def _first_sentence(message: str) -> str:
    said = message.partition(". ")[0].rstrip(".")
    return said if len(said) <= _REASON_CHARS else said[: _REASON_CHARS - 1] + "…"


def _joined(said: str, message: str | None) -> str:
    return f"{said}. {message}" if message else f"{said}."
