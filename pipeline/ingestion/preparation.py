"""Make of an original what a catalog stores: parsed, cut, tokenised, embedded."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import Chunk, IngestReason, Unit, chunk_id_for, document_id_for
from pipeline.errors import IngestError
from pipeline.storage.refs import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from pipeline.domain import Document, Scope
    from pipeline.ingestion.kept import Kept
    from pipeline.ingestion.sandbox import Parsed
    from pipeline.ports import Embedder
    from pipeline.storage.refs import CatalogRef

READING_VERSION = 3
"""Of what loaders and chunker make of a file. Raise it when that changes: the files of every channel that an
earlier version has read are then read again, in the background."""

BATCH = 32
"""Chunks embedded before the loop hears of it: a heartbeat or a cancellation waits at most that long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """The steps from a source to rows, with the means for each."""

    fetch: Callable[[str], Awaitable[bytes]]
    """Source to bytes. Raises `IngestError`."""
    parse: Callable[[bytes, str], Awaitable[Parsed]]
    """Bytes and file name to pieces. Raises `IngestError`."""
    analyze: Callable[[str], list[str]]
    """Text to the tokens of the sparse arm."""
    embedder: Callable[[CatalogRef | None], Awaitable[Embedder]]
    """The embedder that a channel's new vectors are made with, once it works; None: a channel without a
    catalog. Raises `ModelError`."""
    kept: Kept | None = None
    """Where the bytes of what was just accepted may be."""

    async def read(self, scope: Scope, document: Document) -> bytes:
        """Return the original. Raises `IngestError`, also where it is not the one any more that came in."""
        if self.kept is not None and (just_now := self.kept.take(document.document_id)) is not None:
            return just_now
        data = await self.fetch(document.source)
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        if document_id_for(scope, digest) != document.document_id:
            raise IngestError(
                IngestReason.UNREADABLE, "The file was changed since it was uploaded; upload it again."
            )
        return data

    def drop(self, document_ids: Iterable[str]) -> None:
        """Keep the bytes of documents no longer that are not to be indexed any more."""
        if self.kept is not None:
            for document_id in document_ids:
                self.kept.take(document_id)

    async def cut(self, document: Document, data: bytes) -> tuple[Document, list[Chunk]]:
        """Return the document's chunks, and the document with its page count and what of it is left out.

        An archive has no chunks: its files are documents of their own.
        """
        parsed = await self.parse(data, document.display_name)
        chunks = [
            Chunk(
                chunk_id=chunk_id_for(document.document_id, index),
                document_id=document.document_id,
                display_name=document.display_name,
                source=document.source,
                chunk_index=index,
                text=piece.text,
                place=piece.place,
            )
            for index, piece in enumerate(parsed.pieces)
        ]
        message = _left_out(parsed)
        return replace(document, pages=parsed.pages, chunks=len(chunks), message=message), chunks

    async def represent(self, chunks: Sequence[Chunk], embedder: Embedder) -> list[StoredChunk]:
        """Give every chunk its tokens and its vector. Raises `ModelError`."""
        texts = [searchable(chunk) for chunk in chunks]
        tokens = await asyncio.to_thread(lambda: [tuple(self.analyze(text)) for text in texts])
        vectors = [
            await embedder.embed_documents(texts[start : start + BATCH])
            for start in range(0, len(texts), BATCH)
        ]
        matrix = np.concatenate(vectors) if vectors else np.empty((0, embedder.dimension), np.float32)
        return [
            StoredChunk(chunk=chunk, tokens=terms, vector=vector)
            for chunk, terms, vector in zip(chunks, tokens, matrix, strict=True)
        ]


def _left_out(parsed: Parsed) -> str | None:
    """Say how much of a document cannot be found, None if all can: half a scan must not pass for a whole."""
    return " ".join(filter(None, (_blank(parsed), parsed.note))) or None


def _blank(parsed: Parsed) -> str | None:
    if not parsed.blank_pages:
        return None
    verbs = "holds no text and is" if parsed.blank_pages == 1 else "hold no text and are"
    are_slides = any(piece.place.unit is Unit.SLIDE for piece in parsed.pieces[:1])
    noun = "slides" if are_slides else "pages"
    return f"{parsed.blank_pages:,} of {parsed.pages:,} {noun} {verbs} not searched."


def searchable(chunk: Chunk) -> str:
    """Return the text that stands for *chunk* in both arms: its file's name, its section path, its text.

    The path is searched ("Refunds > Annual plans") and shown as the place, but never quoted.
    """
    head = " > ".join(part for part in (chunk.display_name, chunk.place.section) if part)
    return f"{head}\n{chunk.text}"
