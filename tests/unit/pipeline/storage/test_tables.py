from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain import Chunk, Document, DocumentStatus, IngestReason, Place, Unit
from pipeline.storage.queries import without_others
from pipeline.storage.refs import StoredChunk
from pipeline.storage.tables import (
    chunk_rows,
    chunks_of,
    chunks_schema,
    columns_of,
    document_rows,
    documents_of,
)
from tests.fakes.stored import stored_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBER = st.integers(0, 2**31 - 1)
PLACES = st.builds(
    Place,
    page=st.none() | NUMBER,
    lines=st.none() | st.tuples(NUMBER, NUMBER),
    section=st.none() | TEXT,
    unit=st.none() | st.sampled_from(Unit),
)
DOCUMENTS = st.builds(
    Document,
    document_id=TEXT,
    display_name=TEXT,
    source=TEXT,
    uploader=st.none() | TEXT,
    uploaded_at=st.datetimes(timezones=st.just(UTC)),
    status=st.sampled_from(DocumentStatus),
    pages=st.none() | NUMBER,
    chunks=NUMBER,
    reason=st.none() | st.sampled_from(IngestReason),
    message=st.none() | TEXT,
    revision=NUMBER,
)


@given(document=DOCUMENTS)
def test_a_document_survives_its_row(document: Document) -> None:
    assert documents_of(document_rows([document])) == [document]


def test_times_of_other_zones_are_kept_in_utc() -> None:
    here = timezone(timedelta(hours=5, minutes=30))
    [document] = documents_of(
        document_rows(
            [
                Document(
                    document_id="d1",
                    display_name="a",
                    source="b",
                    uploader=None,
                    uploaded_at=datetime(2026, 1, 1, 2, 0, tzinfo=here),
                    status=DocumentStatus.READY,
                )
            ]
        )
    )
    assert document.uploaded_at == datetime(2025, 12, 31, 20, 30, tzinfo=UTC)
    assert document.uploaded_at.tzinfo is UTC


@given(rows=st.lists(st.tuples(TEXT, PLACES, st.lists(TEXT, max_size=5)), max_size=6))
def test_chunks_survive_their_rows_in_the_order_of_their_ids(
    rows: list[tuple[str, Place, list[str]]],
) -> None:
    stored = [
        StoredChunk(
            chunk=Chunk(
                chunk_id=f"d1-{index:05d}",
                document_id="d1",
                display_name=text,
                source=text,
                chunk_index=index,
                text=text,
                place=place,
            ),
            tokens=tuple(tokens),
            vector=np.full(3, index, np.float32),
        )
        for index, (text, place, tokens) in enumerate(rows)
    ]
    table = chunk_rows(stored[::-1], 3) if stored else chunks_schema(3).empty_table()
    read = columns_of(table)
    assert read.chunks == [item.chunk for item in stored]
    assert read.tokens == [list(item.tokens) for item in stored]
    assert read.vectors is not None
    assert read.vectors.dtype == np.float32
    assert read.vectors.tolist() == [[float(index)] * 3 for index in range(len(rows))]


def test_equal_tokens_are_one_object() -> None:
    read = columns_of(chunk_rows(stored_of("d1", "same words", "words same"), 8))
    assert read.tokens[0][0] is read.tokens[1][1]


def test_rows_written_while_a_query_ran_are_dropped() -> None:
    rows = chunk_rows([*stored_of("d1", "old"), *stored_of("d2", "new")], 8)
    assert [chunk.document_id for chunk in chunks_of(without_others(rows, {"d1"}))] == ["d1"]
    assert without_others(rows, {"d1", "d2"}) is rows
