"""Files inside of archives, fetched as if each of them had a place of its own."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.addresses import inside_of, source_inside
from pipeline.domain import IngestReason
from pipeline.errors import IngestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pipeline.domain import Document
    from pipeline.ingestion.loaders.bundles import Member

    Take = Callable[[Member], Awaitable[None]]

AHEAD_BYTES = 32 * 2**20
"""How much of an archive is kept unpacked, because its next files are most likely asked for next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file of an archive, known by its bytes, which are not held."""

    name: str
    """Its path inside, unique within the archive."""
    digest: str | IngestError
    """The SHA-256 of its bytes in hex, or why there are none."""


class Bundles:
    """Fetches whatever has a source; an archive is unpacked again as seldom as its size allows."""

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[bytes]],
        unpack: Callable[[bytes, str, Take], Awaitable[None]],
    ) -> None:
        """*fetch* returns the bytes of an uploaded file, *unpack* gives out the files of an archive."""
        self._fetch = fetch
        self._unpack = unpack
        self._ahead: dict[str, bytes] = {}
        self._left = 0

    async def fetch(self, source: str) -> bytes:
        """Return the bytes of *source*, which may stand inside of an archive. Raises `IngestError`."""
        inside = inside_of(source)
        if inside is None:
            return await self._fetch(source)
        if (content := self._ahead.pop(source, None)) is not None:
            return content
        found: bytes | IngestError | None = None

        async def take(member: Member) -> None:
            nonlocal found
            if found is not None:
                self._keep(inside.archive, inside.document_id, member)
            elif member.name == inside.name:
                self._begin()
                found = member.content

        await self._unpack(await self._fetch(inside.archive), inside.archive, take)
        if found is None:
            raise IngestError(
                IngestReason.UNREADABLE, "The file is not in its archive any more; upload it again."
            )
        if isinstance(found, IngestError):
            raise found
        return found

    async def open(self, archive: Document, data: bytes) -> list[Entry]:
        """Return the files of *archive*, whose bytes are *data*, for each to be fetched soon.

        Raises `IngestError`.
        """
        entries: list[Entry] = []

        async def take(member: Member) -> None:
            entries.append(await asyncio.to_thread(_entry, member))
            self._keep(archive.source, archive.document_id, member)

        self._begin()
        await self._unpack(data, archive.display_name, take)
        return entries

    def _begin(self) -> None:
        """Make room for the files of an archive, in place of what is left of the one before."""
        self._ahead.clear()
        self._left = AHEAD_BYTES

    def _keep(self, archive: str, document_id: str, member: Member) -> None:
        """Keep a file if all before it were kept."""
        if isinstance(member.content, bytes):
            self._left -= len(member.content)
            if self._left >= 0:
                self._ahead[source_inside(archive, document_id, member.name)] = member.content


def _entry(member: Member) -> Entry:
    content = member.content
    digest = content if isinstance(content, IngestError) else hashlib.sha256(content).hexdigest()
    return Entry(name=member.name, digest=digest)
