"""Make of an original what a catalog stores: parsed, cut, tokenised, embedded."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import Chunk, chunk_id_for, document_id_for
from pipeline.storage.refs import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pipeline.domain import Document, Scope
    from pipeline.ingestion.sandbox import Parsed
    from pipeline.ports import Embedder
    from pipeline.storage.refs import CatalogRef

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
    """The embedder that a channel's new vectors are made with; None: a channel without a catalog."""

    async def read(self, scope: Scope, document: Document) -> tuple[Document, bytes]:
        """Return the original, and the document named by the bytes that are really there now."""
        data = await self.fetch(document.source)
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        return replace(document, document_id=document_id_for(scope, digest)), data

    async def cut(self, document: Document, data: bytes) -> tuple[Document, list[Chunk]]:
        """Return the document's chunks, and the document with its page count."""
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
        return replace(document, pages=parsed.pages, chunks=len(chunks)), chunks

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


def searchable(chunk: Chunk) -> str:
    """Return the text that stands for *chunk* in both arms: its file's name, its section path, its text.

    The path is searched ("Refunds > Annual plans") and shown as the place, but never quoted.
    """
    head = " > ".join(part for part in (chunk.display_name, chunk.place.section) if part)
    return f"{head}\n{chunk.text}"
