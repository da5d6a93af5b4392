"""Documents and chunks made up for the vector store: the same arguments give the same values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import Chunk, Document, DocumentStatus, Place, Scope, chunk_id_for
from pipeline.storage.refs import CatalogRef, StoredChunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSION = 8
DEMO = Scope("terminal", "local", "demo")


def ref_of(scope: Scope = DEMO, generation: int = 1, dimension: int = DIMENSION) -> CatalogRef:
    return CatalogRef(scope=scope, generation=generation, embedder="fake:unit", dimension=dimension)


def document_of(
    document_id: str, chunks: int = 0, status: DocumentStatus = DocumentStatus.READY, revision: int = 0
) -> Document:
    return Document(
        document_id=document_id,
        display_name=f"{document_id}.md",
        source=f"file:///docs/{document_id}.md",
        uploader=None,
        uploaded_at=datetime(2026, 1, 2, 3, 4, 5, 6, UTC),
        status=status,
        chunks=chunks,
        revision=revision,
    )


def chunk_of(document_id: str, index: int, text: str) -> Chunk:
    return Chunk(
        chunk_id=chunk_id_for(document_id, index),
        document_id=document_id,
        display_name=f"{document_id}.md",
        source=f"file:///docs/{document_id}.md",
        chunk_index=index,
        text=text,
        place=Place(page=index + 1, lines=(index * 10 + 1, index * 10 + 9), section="Guide > Part"),
    )


def stored_of(document_id: str, *texts: str, dimension: int = DIMENSION, seed: int = 0) -> list[StoredChunk]:
    """Chunks of the given texts; tokens are their words, vectors are random and of length 1."""
    vectors = unit_vectors(len(texts), dimension, seed=seed + sum(document_id.encode()))
    return [
        StoredChunk(chunk=chunk_of(document_id, index, text), tokens=tuple(text.split()), vector=vector)
        for index, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


def unit_vectors(count: int, dimension: int = DIMENSION, *, seed: int = 0) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)
