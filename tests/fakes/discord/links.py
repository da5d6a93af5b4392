"""Addresses of attachments: signed, and good for a day."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.fakes.discord.messages import Attachment

DAY = 24 * 3600.0


@dataclass(slots=True)
class Links:
    """Signs addresses and tells the good ones from the bad ones."""

    wall: Callable[[], float]
    seconds: float = DAY
    signed: bool = True
    """Whether the signature is looked at."""
    _generation: int = 0

    def expire(self) -> None:
        """Let every address that was handed out so far be too old."""
        self._generation += 1

    def address(self, attachment: Attachment) -> str:
        """Return path and query of an address that is good from now on."""
        path, now = path_of(attachment), int(self.wall())
        expires, issued = f"{int(now + self.seconds):x}", f"{now:x}"
        signature = self._signature(path, expires, issued, self._generation)
        return f"{path}?ex={expires}&is={issued}&hm={signature}&"

    def refusal(self, attachment: Attachment, query: Mapping[str, str]) -> int | None:
        """Return the status with which an address is refused, if it is."""
        if not self.signed:
            return None
        expires, issued, signature = (query.get(name, "") for name in ("ex", "is", "hm"))
        path = path_of(attachment)
        generations = range(self._generation, -1, -1)
        found = next((n for n in generations if self._signature(path, expires, issued, n) == signature), None)
        if found is None:
            return 403
        return 404 if found < self._generation or int(expires, 16) <= self.wall() else None

    def _signature(self, path: str, expires: str, issued: str, generation: int) -> str:
        text = f"{path} {expires} {issued} {generation}"
        return hmac.new(b"local", text.encode(), hashlib.sha256).hexdigest()


def path_of(attachment: Attachment) -> str:
    return f"/attachments/{attachment.channel}/{attachment.id}/{quote(attachment.filename)}"
