"""Fetch an original from where it stays."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes, urlsplit

from pipeline.domain import IngestReason
from pipeline.errors import IngestError, SourceAway
from pipeline.ingestion.names import harmless

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping


class Sources:
    """Dispatches a source by its scheme: ``file:`` here, a platform's own where its adapter adds it."""

    def __init__(self, fetchers: Mapping[str, Callable[[str], Awaitable[bytes]]]) -> None:
        self._fetchers = dict(fetchers)

    def connect(self, scheme: str, fetcher: Callable[[str], Awaitable[bytes]]) -> None:
        """Let *fetcher* fetch what begins with *scheme* from now on."""
        self._fetchers[scheme] = fetcher

    def reach(self, scheme: str) -> bool:
        """Tell whether anybody fetches what begins with *scheme*."""
        return scheme in self._fetchers

    async def fetch(self, source: str) -> bytes:
        """Return the bytes of *source*. Raises `IngestError`."""
        scheme = urlsplit(source).scheme
        fetcher = self._fetchers.get(scheme)
        if fetcher is None:
            raise SourceAway("The file's place is not connected here, so it cannot be read again.")
        return await fetcher(source)


class LocalFiles:
    """Reads ``file:`` URLs of this machine."""

    def __init__(self, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes

    async def fetch(self, source: str) -> bytes:
        """Return the file's bytes, at most *max_bytes*. Raises `IngestError`."""
        path = os.fsdecode(unquote_to_bytes(urlsplit(source).path))  # a name need not be text
        return await asyncio.to_thread(self._read, Path(path))

    def _read(self, path: Path) -> bytes:
        name = harmless(path.name)
        try:
            if not path.is_file():
                raise IngestError(IngestReason.UNREADABLE, f"{name} is not a file that can be read.")
            if path.stat().st_size > self._max_bytes:
                raise IngestError(IngestReason.TOO_LARGE, too_large(name, self._max_bytes))
            return path.read_bytes()
        except OSError as error:
            raise IngestError(IngestReason.UNREADABLE, f"{name} cannot be read: {error.strerror}.") from error


def too_large(name: str, max_bytes: int) -> str:
    """Say that a file is over the limit, and what to do."""
    return f"{name} is larger than {max_bytes // 2**20} MB; split it, or raise FOOTNOTE_INGESTION__MAX_BYTES."
