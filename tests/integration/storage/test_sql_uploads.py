"""The ledger's files are forgotten by the place they came from, and by the document they became."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.domain import Scope
from pipeline.entries import Entry
from pipeline.storage.ledger import Ledger
from pipeline.storage.uploads import UploadEntries

if TYPE_CHECKING:
    from pipeline.storage.sql import Database

ONE, TWO = Scope("slack", "T1", "C1"), Scope("slack", "T1", "C2")


def entry(
    key: str, source: str, document_id: str | None = None, *, scope: Scope = ONE, kind: str = "file"
) -> Entry:
    payload = {"source": source, "document_id": document_id, "name": "plan.md"}
    return Entry(kind=kind, scope=scope, id=key, thread="1.1", author="ann", payload=payload)


async def test_what_came_from_a_place_may_come_again(database: Database) -> None:
    ledger = Ledger(database, "me")
    entries = [
        entry("F1", "slack:T1/F1#link"),
        entry("F1@2", "slack:T1/F1"),
        entry("F12", "slack:T1/F12#link"),
        entry("F1", "slack:T1/F1#link", scope=TWO),
        entry("F1", "slack:T1/F1#link", kind="question"),
    ]
    for one in entries:
        await ledger.open(one)

    await UploadEntries(database).strike(ONE, "slack:T1/F1")

    assert [await ledger.open(one) for one in entries] == [True, True, False, False, False]


async def test_of_a_forgotten_document_neither_name_nor_place_is_kept(database: Database) -> None:
    ledger = Ledger(database, "me")
    forgotten, kept = entry("F1", "slack:T1/F1", "d1"), entry("F2", "slack:T1/F2", "d2")
    unread = entry("F3", "slack:T1/F3")
    for one in (forgotten, kept, unread):
        await ledger.open(one)

    await UploadEntries(database).forget_documents(ONE, ["d1"])

    found = await ledger.find(ONE, "file", "F1")
    assert found is not None and (found.state, found.payload) == ("gone", {})
    assert not await ledger.open(forgotten)
    for one in (kept, unread):
        assert await ledger.find(ONE, "file", one.id) == one
