"""What the ledger keeps of files, for when a file or its document is taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, or_, update

from pipeline.storage.schema import ledger

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement

    from pipeline.domain import Scope
    from pipeline.storage.sql import Database

FILE: Final = "file"


class UploadEntries:
    """The ledger's entries of files, by what they led to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def strike(self, scope: Scope, place: str) -> None:
        """Forget that anything came from *place*: what is shared there again is new."""
        source = ledger.c.payload["source"].as_string()
        there = or_(source == place, source.startswith(f"{place}#", autoescape=True))
        async with self._database.write() as connection:
            await connection.execute(delete(ledger).where(*_files(scope), there))

    async def forget_documents(self, scope: Scope, document_ids: Collection[str]) -> None:
        """Forget names and places of documents; that their files came is kept, so that no echo counts."""
        concerned = ledger.c.payload["document_id"].as_string().in_(sorted(document_ids))
        emptied = update(ledger).where(*_files(scope), concerned).values(state="gone", payload={})
        async with self._database.write() as connection:
            await connection.execute(emptied)


def _files(scope: Scope) -> tuple[ColumnElement[bool], ...]:
    return ledger.c.scope_key == scope.key, ledger.c.kind == FILE
