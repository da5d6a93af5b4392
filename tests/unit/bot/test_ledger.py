"""A ledger that fails keeps nobody from their answer."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.ledger import Book
from pipeline.entries import Entry
from pipeline.errors import StorageError
from tests.fakes.ledger import FakeLedger
from tests.fakes.room import SCOPE

if TYPE_CHECKING:
    import pytest

ENTRY = Entry(kind="question", scope=SCOPE, id="1", thread="t", author="u1", payload={"text": "secret words"})


async def test_what_is_kept_is_found_by_its_kind() -> None:
    ledger = FakeLedger()
    book = Book(ledger, "question")

    assert await book.open(ENTRY)
    assert not await book.open(ENTRY)
    assert await book.save(SCOPE, "1", messages=["m1"])
    assert await book.find(SCOPE, "1") == ledger.entries[0]
    assert await Book(ledger, "file").find(SCOPE, "1") is None


async def test_when_nobody_knows_things_are_rather_done_twice_than_not_at_all(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ledger = FakeLedger()
    book = Book(ledger, "question")
    await book.open(ENTRY)
    ledger.error = StorageError("secret words")

    with caplog.at_level(logging.INFO):
        assert await book.open(ENTRY)
        assert await book.reopen(ENTRY, {}) == ENTRY
        assert await book.save(SCOPE, "1", state="done") is None
        assert await book.find(SCOPE, "1") is None
        assert await book.asked(SCOPE, "t", "u1") is None
        assert await book.take_over("fake", starting=True) == []
        assert not await book.mark(SCOPE, "t", "stopped")
        await book.leave(SCOPE, "1")

    assert "StorageError" in caplog.text
    assert "secret words" not in caplog.text
