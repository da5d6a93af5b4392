"""Single queries of an SQLite file, each in one go on a thread of its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine
from sqlalchemy.pool import QueuePool

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import URL, Engine, Row, Select

THREADS: Final = 4
"""Each with a connection of its own; SQLite's readers do not wait for each other or for a writer."""


class Lookups:
    """Runs queries that need no transaction around them.

    Through the driver for asyncio every call of a cursor is a trip to its thread and back, nine for one
    query: 2.5 ms on a busy machine instead of 0.9. A question makes about five queries.
    """

    def __init__(self, url: URL, prepare: Callable[[Engine], None]) -> None:
        """Read the file at *url*; *prepare* sets up the engine's connections."""
        self._engine = create_engine(
            url.set(drivername="sqlite"),
            poolclass=QueuePool,
            pool_size=THREADS,
            max_overflow=0,
            hide_parameters=True,
            isolation_level="AUTOCOMMIT",
        )
        prepare(self._engine)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lookup")

    async def rows(self, query: Select[Any]) -> list[Row[Any]]:
        """Return all rows of *query*, which sees all that was committed before."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._rows, query)

    def _rows(self, query: Select[Any]) -> list[Row[Any]]:
        with self._engine.connect() as connection:
            return list(connection.execute(query))

    async def close(self) -> None:
        """Close the connections; queries that are running end first."""
        await asyncio.to_thread(self._threads.shutdown)
        self._engine.dispose()
