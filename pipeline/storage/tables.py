"""The columns of a catalog's two tables, and the way between rows and the domain's values."""

from __future__ import annotations

import itertools
from datetime import UTC
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.domain import Chunk, Document, DocumentStatus, IngestReason, Place, Unit
from pipeline.errors import CatalogError, EmbedderChanged
from pipeline.storage.refs import ChunkRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pipeline.storage.refs import CatalogRef, StoredChunk

_KEY = {"lance-schema:unenforced-primary-key:position": "1"}
"""What LanceDB's `set_unenforced_primary_key` writes; in the schema, it holds from the first version on."""

_CHUNK_FIELDS = ("chunk_id", "document_id", "display_name", "source", "chunk_index", "text")
_PLACE_FIELDS = ("page", "line_start", "line_end", "section", "unit", "page_label")
_REPEATED = frozenset({"document_id", "display_name", "source", "section", "unit", "page_label"})
_UNITS = {str(unit): unit for unit in Unit}

CHUNK_COLUMNS = (*_CHUNK_FIELDS, *_PLACE_FIELDS)
"""What a `Chunk` is made of."""


def documents_schema() -> pa.Schema:
    """Describe one fact sheet per document."""
    return pa.schema(
        [
            pa.field("document_id", pa.string(), nullable=False, metadata=_KEY),
            pa.field("display_name", pa.string(), nullable=False),
            pa.field("source", pa.string(), nullable=False),
            pa.field("uploader", pa.string()),
            pa.field("uploaded_at", pa.timestamp("us"), nullable=False),  # in UTC
            pa.field("status", pa.string(), nullable=False),
            pa.field("pages", pa.int32()),
            pa.field("chunks", pa.int32(), nullable=False),
            pa.field("reason", pa.string()),
            pa.field("message", pa.string()),
            pa.field("revision", pa.int64(), nullable=False),
        ]
    )


def chunks_schema(dimension: int) -> pa.Schema:
    """Describe one row per chunk, with its tokens and its vector of *dimension* numbers."""
    return pa.schema(
        [
            pa.field("chunk_id", pa.string(), nullable=False, metadata=_KEY),
            pa.field("document_id", pa.string(), nullable=False),
            pa.field("display_name", pa.string(), nullable=False),
            pa.field("source", pa.string(), nullable=False),
            pa.field("chunk_index", pa.int32(), nullable=False),
            pa.field("text", pa.string(), nullable=False),
            pa.field("page", pa.int32()),
            pa.field("line_start", pa.int32()),
            pa.field("line_end", pa.int32()),
            pa.field("section", pa.string()),
            pa.field("tokens", pa.list_(pa.string()), nullable=False),
            pa.field("tokens_text", pa.string(), nullable=False),  # for the full-text index
            pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
            # came later: see `TableHandle.having`
            pa.field("unit", pa.string()),
            pa.field("page_label", pa.string()),
        ]
    )


def document_rows(documents: Sequence[Document]) -> pa.Table:
    """Turn documents into a table, one row each."""
    schema = documents_schema()
    rows = [{name: getattr(document, name) for name in schema.names} for document in documents]
    for row in rows:
        row["uploaded_at"] = row["uploaded_at"].astimezone(UTC).replace(tzinfo=None)
    return pa.Table.from_pylist(rows, schema=schema)


def documents_of(rows: pa.Table) -> list[Document]:
    """Turn rows into documents, in the order of their upload."""
    documents = [_document(row) for row in rows.to_pylist()]
    return sorted(documents, key=lambda document: (document.uploaded_at, document.document_id))


def _document(row: dict[str, Any]) -> Document:
    reason = row.pop("reason")
    return Document(
        **{
            **row,
            "uploaded_at": row["uploaded_at"].replace(tzinfo=UTC),
            "status": DocumentStatus(row["status"]),
            "reason": None if reason is None else IngestReason(reason),
        }
    )


def check_chunks(ref: CatalogRef, document_id: str, chunks: Sequence[StoredChunk]) -> None:
    """Raise `CatalogError` for chunks that cannot be one document's in this catalog."""
    if any(item.chunk.document_id != document_id for item in chunks):
        raise CatalogError("A chunk was about to be stored under another document than its own.")
    if len({item.chunk.chunk_id for item in chunks}) != len(chunks):
        raise CatalogError("Two chunks of one document bear the same id.")
    for item in chunks:
        check_vector(ref, item.vector)


def check_vector(ref: CatalogRef, vector: NDArray[np.float32]) -> None:
    """Raise `EmbedderChanged` for a vector of another length than the catalog's."""
    if vector.shape != (ref.dimension,):
        length = vector.shape[-1] if vector.ndim else 0
        raise EmbedderChanged(
            f"The vectors of {ref.scope} have {ref.dimension} numbers, this one has {length}; "
            f"was it made by another model than {ref.embedder}?"
        )


def chunk_rows(stored: Sequence[StoredChunk], dimension: int) -> pa.Table:
    """Turn chunks into rows; every vector must be of shape (*dimension*,)."""
    columns: dict[str, Any] = {name: [getattr(item.chunk, name) for item in stored] for name in _CHUNK_FIELDS}
    places = [item.chunk.place for item in stored]
    columns["page"] = [place.page for place in places]
    columns["line_start"] = [place.lines[0] if place.lines else None for place in places]
    columns["line_end"] = [place.lines[1] if place.lines else None for place in places]
    columns["section"] = [place.section for place in places]
    columns["unit"] = [place.unit for place in places]
    columns["page_label"] = [place.page_label for place in places]
    columns["tokens"] = [list(item.tokens) for item in stored]
    columns["tokens_text"] = [" ".join(item.tokens) for item in stored]
    flat = np.concatenate([item.vector for item in stored]).astype(np.float32, copy=False)
    columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), dimension)
    return pa.table(columns, schema=chunks_schema(dimension))


def chunks_of(rows: pa.Table) -> list[Chunk]:
    """Turn rows with `CHUNK_COLUMNS` into chunks, in the order of the rows.

    Rows of a table that an earlier version wrote may lack columns that can be empty.
    """
    columns = [_column(rows, name) for name in CHUNK_COLUMNS]
    places = itertools.starmap(_place, zip(*columns[len(_CHUNK_FIELDS) :], strict=True))
    return list(map(_chunk, *columns[: len(_CHUNK_FIELDS)], places))


def _column(rows: pa.Table, name: str) -> list[Any]:
    if name not in rows.column_names:
        return [None] * len(rows)
    return _values(rows[name], shared=name in _REPEATED)


def _place(
    page: int | None,
    first: int | None,
    last: int | None,
    section: str | None,
    unit: str | None,
    page_label: str | None,
) -> Place:
    lines = None if first is None or last is None else (first, last)
    counted = _UNITS.get(unit or "")
    return Place(page=page, lines=lines, section=section, unit=counted, page_label=page_label)


def _chunk(
    chunk_id: str, document_id: str, display_name: str, source: str, index: int, text: str, place: Place
) -> Chunk:
    return Chunk(
        chunk_id=chunk_id,
        document_id=document_id,
        display_name=display_name,
        source=source,
        chunk_index=index,
        text=text,
        place=place,
    )


def columns_of(rows: pa.Table) -> ChunkRows:
    """Turn rows with `CHUNK_COLUMNS`, tokens and maybe vectors into columns, ordered by chunk id."""
    order = pc.sort_indices(rows["chunk_id"])
    vectors = None
    if "vector" in rows.column_names:
        vectors = _matrix(rows["vector"])[order.to_numpy()]
        rows = rows.drop_columns(["vector"])
    rows = rows.take(order)
    return ChunkRows(chunks=chunks_of(rows), tokens=_lists(rows["tokens"]), vectors=vectors)


def _matrix(column: pa.ChunkedArray) -> NDArray[np.float32]:
    values = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    matrix: NDArray[np.float32] = values.reshape(len(column), column.type.list_size)
    return matrix


def _values(column: pa.ChunkedArray, *, shared: bool) -> list[Any]:
    """Make Python values; where *shared*, equal strings are one object."""
    if not shared:
        return list(column.to_pylist())
    encoded = column.combine_chunks().dictionary_encode()
    words = encoded.dictionary.to_pylist()
    return [None if index is None else words[index] for index in encoded.indices.to_pylist()]


def _lists(column: pa.ChunkedArray) -> list[list[str]]:
    """Make Python lists of a list<string> column without making each string anew."""
    lists = column.combine_chunks()
    encoded = lists.flatten().dictionary_encode()
    words = np.asarray(encoded.dictionary.to_pylist(), dtype=object)
    flat = words[encoded.indices.to_numpy(zero_copy_only=False)].tolist()
    ends = np.cumsum(pc.list_value_length(lists).to_numpy(zero_copy_only=False)).tolist()
    return [flat[start:end] for start, end in zip([0, *ends], ends, strict=False)]
