"""Secrets that must outlive the process, sealed before they reach the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from sqlalchemy import delete, func, select

from pipeline.errors import Sealed, StorageError
from pipeline.storage.schema import vault
from pipeline.storage.sql import now

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, timedelta

    from sqlalchemy import ColumnElement

    from pipeline.storage.sql import Database


class Vault:
    """Names and sealed texts. Whoever reads the database, or a copy of it, learns the names only.

    A text is sealed together with its name (Fernet: AES-128-CBC and HMAC-SHA256), so that a row that was put
    under another name does not open. The first of *keys* seals and all of them open: a new key goes in front,
    and the old one stays behind it until everything was stored anew. *setting* is what people call the keys.
    """

    def __init__(
        self, database: Database, keys: Sequence[str], *, setting: str, clock: Callable[[], datetime] = now
    ) -> None:
        self._database = database
        self._setting = setting
        self._clock = clock
        try:
            self._seal = MultiFernet([Fernet(key) for key in keys])
        except ValueError as exc:
            raise StorageError(f"{setting} must hold at least one key, and Fernet keys only.") from exc

    async def put(self, name: str, text: str) -> None:
        """Keep *text* under *name*, in place of what was there. Raises `StorageError`."""
        kept = {"sealed": self._seal.encrypt(f"{name}\n{text}".encode()).decode(), "stored_at": self._clock()}
        row = self._database.insert(vault).values(name=name, **kept)
        async with self._database.write() as connection:
            await connection.execute(row.on_conflict_do_update(index_elements=[vault.c.name], set_=kept))

    async def get(self, name: str) -> str | None:
        """Return what is kept under *name*. Raises `StorageError` when no key opens it."""
        found = await self._database.rows(select(vault.c.sealed).where(vault.c.name == name))
        return self._open(name, found[0].sealed) if found else None

    async def take(self, name: str) -> str | None:
        """Remove what is kept under *name* and give it to one of all who ask. Raises `StorageError`."""
        removal = delete(vault).where(vault.c.name == name).returning(vault.c.sealed)
        async with self._database.write() as connection:
            row = (await connection.execute(removal)).first()
            return None if row is None else self._open(name, row.sealed)

    async def names(self, prefix: str) -> list[str]:
        """Return the names that begin with *prefix*, in their order. Raises `StorageError`."""
        query = select(vault.c.name).where(_begins(prefix))
        return sorted(row.name for row in await self._database.rows(query))

    async def delete(self, name: str) -> None:
        """Remove what is kept under *name*, if anything is. Raises `StorageError`."""
        async with self._database.write() as connection:
            await connection.execute(delete(vault).where(vault.c.name == name))

    async def expire(self, prefix: str, older_than: timedelta) -> int:
        """Remove what has been kept under *prefix* for longer, and return how many. Raises `StorageError`."""
        old = delete(vault).where(_begins(prefix), vault.c.stored_at < self._clock() - older_than)
        async with self._database.write() as connection:
            return (await connection.execute(old)).rowcount

    def _open(self, name: str, sealed: str) -> str:
        try:
            named, _, text = self._seal.decrypt(sealed.encode()).decode().partition("\n")
        except InvalidToken as exc:
            raise self._closed(name) from exc
        if named != name:
            raise self._closed(name)
        return text

    def _closed(self, name: str) -> Sealed:
        return Sealed(
            f"'{name}' cannot be unsealed by the keys of {self._setting}; put the key that sealed it back, "
            f"behind the first one."
        )


def _begins(prefix: str) -> ColumnElement[bool]:
    """Compare letter by letter; SQLite's LIKE takes small letters and capitals for the same."""
    return func.substr(vault.c.name, 1, len(prefix)) == prefix
