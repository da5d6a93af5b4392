"""A dataset's documents as a channel: cut where they are long, indexed in a catalog of their own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import Chunk, Document, DocumentStatus, Place, chunk_id_for
from pipeline.errors import DatasetError, IngestError
from pipeline.evaluation.scores import NOWHERE, Hit
from pipeline.generation.budget import estimate_tokens
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load
from pipeline.ingestion.preparation import searchable
from pipeline.ingestion.sandbox import Sandbox
from pipeline.ingestion.tokens import analyze
from pipeline.storage.refs import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.evaluation.dataset import Dataset, Source
    from pipeline.ports import Embedder
    from pipeline.storage.catalogstore import CatalogStore

WHOLE_CHARS = 20_000
"""A document of a set of passages is taken as it is up to this length."""

_SHELF = 500
"""Passages that are stored as one document of the catalog, since each document costs a write."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document of the dataset, and where it stands there if that could be told."""

    source: Source
    text: str
    span: tuple[int, int] | None
    place: Place = NOWHERE

    @property
    def hit(self) -> Hit:
        """What is found when this is found."""
        return Hit(self.source.doc_id, self.span, self.place, estimate_tokens(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The way from a stored chunk back to the dataset."""

    hits: dict[str, Hit] = field(default_factory=dict)
    """By chunk id."""
    shelves: dict[str, str] = field(default_factory=dict)
    """Of a dataset whose documents are stored apart: the dataset's document id → the catalog's."""


def passages(dataset: Dataset) -> Iterator[Passage]:
    """Cut the long documents of a dataset as an upload would be cut; leave passages as they are."""
    for source in dataset.documents:
        if source.path is not None:
            continue
        if dataset.has_spans or len(source.text) > WHOLE_CHARS:
            yield from _cut(source)
        elif source.text.strip():
            yield Passage(source, source.text, (0, len(source.text)))


async def read_files(dataset: Dataset) -> list[Passage]:
    """Read and cut the files of a dataset as uploads are read and cut. Raises `DatasetError`."""
    found = []
    async with Sandbox() as sandbox:
        for source in dataset.documents:
            if source.path is not None:
                data = await asyncio.to_thread(source.path.read_bytes)
                try:
                    parsed = await sandbox.parse(data, source.doc_id)
                except IngestError as exc:
                    raise DatasetError(f"{source.doc_id} cannot be read: {exc}") from exc
                found += [Passage(source, piece.text, None, piece.place) for piece in parsed.pieces]
    return found


async def index(dataset: Dataset, store: CatalogStore, embedder: Embedder) -> Corpus:
    """Write a dataset into an empty catalog. Raises `DatasetError`, `ModelError`."""
    found = [*await asyncio.to_thread(lambda: list(passages(dataset))), *await read_files(dataset)]
    return await shelve(
        [found[start : start + _SHELF] for start in range(0, len(found), _SHELF)], store, embedder
    )


async def shelve(shelves: Sequence[Sequence[Passage]], store: CatalogStore, embedder: Embedder) -> Corpus:
    """Write passages into an empty catalog, each shelf of them as one document. Raises `ModelError`."""
    corpus = Corpus()
    for number, shelf in enumerate(shelves):
        document_id = f"d{number:04d}"
        chunks = [_chunk(document_id, place, passage) for place, passage in enumerate(shelf)]
        corpus.hits.update((each.chunk_id, passage.hit) for each, passage in zip(chunks, shelf, strict=True))
        corpus.shelves.update((passage.source.doc_id, document_id) for passage in shelf)
        await store.write_chunks(document_id, await _stored(chunks, embedder))
        await store.put_document(_document(document_id, len(chunks)))
    return corpus


def _cut(source: Source) -> Iterator[Passage]:
    """Cut a text and look each piece up in it again; white space is changed on the way, nothing else."""
    dense = [place for place, character in enumerate(source.text) if not character.isspace()]
    bare = "".join(source.text[place] for place in dense)
    cursor = 0
    for piece in chunk(load(source.text.encode(), "document.txt")):
        wanted = "".join(piece.text.split())
        found = bare.find(wanted, cursor)
        if found < 0:
            yield Passage(source, piece.text, None)
            continue
        cursor = found + len(wanted)
        yield Passage(source, piece.text, (dense[found], dense[cursor - 1] + 1))


def _chunk(document_id: str, place: int, passage: Passage) -> Chunk:
    title = passage.source.title
    shown = passage.source.path is not None or not passage.text.startswith(title)
    return Chunk(
        chunk_id=chunk_id_for(document_id, place),
        document_id=document_id,
        display_name=title if shown else "",
        source="",
        chunk_index=place,
        text=passage.text,
        place=passage.place,
    )


async def _stored(chunks: Sequence[Chunk], embedder: Embedder) -> list[StoredChunk]:
    texts = [searchable(each) for each in chunks]
    tokens = await asyncio.to_thread(lambda: [tuple(analyze(text)) for text in texts])
    vectors = await embedder.embed_documents(texts)
    return [
        StoredChunk(chunk=each, tokens=words, vector=np.asarray(vector, np.float32))
        for each, words, vector in zip(chunks, tokens, vectors, strict=True)
    ]


def _document(document_id: str, chunks: int) -> Document:
    return Document(
        document_id=document_id,
        display_name=document_id,
        source="",
        uploader=None,
        uploaded_at=datetime(2000, 1, 1, tzinfo=UTC),
        status=DocumentStatus.READY,
        chunks=chunks,
    )
