"""Files inside of archives, fetched as if each of them had a place of its own."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from pipeline.addresses import inside_of, source_inside
from pipeline.domain import IngestReason
from pipeline.errors import IngestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pipeline.domain import Document
    from pipeline.ingestion.loaders.bundles import Member

AHEAD_BYTES = 32 * 2**20
"""How much of an archive is kept unpacked, because its next files are most likely asked for next."""


class Bundles:
    """Fetches whatever has a source; an archive is unpacked again as seldom as its size allows."""

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[bytes]],
        unpack: Callable[[bytes, str], Awaitable[list[Member]]],
    ) -> None:
        """*fetch* returns the bytes of an uploaded file, *unpack* the files of an archive by name."""
        self._fetch = fetch
        self._unpack = unpack
        self._ahead: OrderedDict[str, bytes] = OrderedDict()

    async def fetch(self, source: str) -> bytes:
        """Return the bytes of *source*, which may stand inside of an archive. Raises `IngestError`."""
        inside = inside_of(source)
        if inside is None:
            return await self._fetch(source)
        if (content := self._ahead.pop(source, None)) is not None:
            return content
        members = await self._unpack(await self._fetch(inside.archive), inside.archive)
        names = [member.name for member in members]
        if inside.name not in names:
            raise IngestError(
                IngestReason.UNREADABLE, "The file is not in its archive any more; upload it again."
            )
        index = names.index(inside.name)
        self._keep(inside.archive, inside.document_id, members[index + 1 :])
        found = members[index].content
        if isinstance(found, IngestError):
            raise found
        return found

    async def open(self, archive: Document, data: bytes) -> list[Member]:
        """Return the files of *archive*, whose bytes are *data*, for each to be fetched soon.

        Raises `IngestError`.
        """
        members = await self._unpack(data, archive.display_name)
        self._keep(archive.source, archive.document_id, members)
        return members

    def _keep(self, archive: str, document_id: str, members: Sequence[Member]) -> None:
        """Keep the first files, in place of what is left of the archive before."""
        self._ahead.clear()
        left = AHEAD_BYTES
        for member in members:
            if isinstance(member.content, bytes):
                left -= len(member.content)
                if left < 0:
                    break
                self._ahead[source_inside(archive, document_id, member.name)] = member.content
