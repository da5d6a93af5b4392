from __future__ import annotations

from datetime import UTC, datetime

from bot.notices import remark
from pipeline.domain import Document, DocumentStatus


def ready(message: str | None) -> Document:
    return Document(
        document_id="d1",
        display_name="bundle.zip",
        source="slack:T1/F1",
        uploader=None,
        uploaded_at=datetime(2026, 3, 1, tzinfo=UTC),
        status=DocumentStatus.READY,
        message=message,
    )


def test_names_of_files_in_an_archive_are_no_markup() -> None:
    assert remark(ready("1 of 2 files indexed; not: [x](http://a) *b*.")) == (
        r" 1 of 2 files indexed; not: \[x\](http://a) \*b\*."
    )


def test_nothing_is_said_of_a_document_that_is_whole() -> None:
    assert remark(ready(None)) == ""
