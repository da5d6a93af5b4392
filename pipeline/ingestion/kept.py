"""The bytes of files between the door and the index, so that most are fetched only once."""

from __future__ import annotations

from collections import OrderedDict

MOST = 32 * 2**20
"""Bytes that are kept; a file that does not get in, or is pushed out by later ones, is fetched again."""


class Kept:
    """What was accepted last and is not read yet, by document: so it cannot be out of date."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._size = 0
        self._files: OrderedDict[str, bytes] = OrderedDict()

    def keep(self, document_id: str, data: bytes) -> None:
        """Keep the bytes of a document, at the cost of those that were kept longest ago."""
        self.take(document_id)
        if len(data) > self._most:
            return
        self._files[document_id] = data
        self._size += len(data)
        while self._size > self._most:
            self.take(next(iter(self._files)))

    def take(self, document_id: str) -> bytes | None:
        """Return the bytes of a document and keep them no longer; None: they are to be fetched."""
        data = self._files.pop(document_id, None)
        self._size -= len(data or b"")
        return data
