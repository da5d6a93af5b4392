"""How the local servers send the bytes of a file, and what can go wrong with that."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import web

from tests.fakes.loopback import hang_up

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 64 * 1024


@dataclass(slots=True, kw_only=True)
class Sending:
    """How a file's bytes are sent when that goes wrong. Platforms add what else they do with files."""

    status: int = 200
    redirect: str | None = None
    """A location; ``"loop"`` leads back to the file itself."""
    delay: float = 0.0
    """Seconds between two pieces of the file."""
    gate: asyncio.Event | None = None
    """Awaited in the middle of the file."""
    surplus: int = 0
    """Bytes sent beyond the declared size."""
    cut: int | None = None
    """The connection is closed after so many bytes."""
    short: list[int] = field(default_factory=list)
    """The next answers end after so many bytes, one each, as if that were all."""

    async def send(self, request: web.Request, content: bytes, kind: str) -> web.StreamResponse:
        """Answer with *content*, declared to be of a media type."""
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        for piece in self._pieces(content):
            await response.write(piece)
            if self.delay:
                await asyncio.sleep(self.delay)
            if self.gate is not None:
                await self.gate.wait()
        if self.cut is not None:
            hang_up(request)
            return response
        await response.write_eof()
        return response

    def elsewhere(self, request: web.Request) -> web.Response:
        """Send who asks to the other location."""
        location = str(request.url) if self.redirect == "loop" else str(self.redirect)
        return web.Response(status=302, headers={"Location": location})

    def _pieces(self, content: bytes) -> Iterator[bytes]:
        sent = (content + b"x" * self.surplus)[: self.short.pop(0) if self.short else self.cut]
        for start in range(0, len(sent), PIECE):
            yield sent[start : start + PIECE]
