"""Vectors kept on disk between two runs, by embedder and text."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pipeline.ports import Embedder

_DIGEST = 16
"""Bytes of a key."""

_BATCH = 32

_SUFFIX = ".vectors"


class KeptEmbedder:
    """An embedder that asks another one only for texts it has not seen.

    Each run appends what it adds to a file of its own, so that runs at the same time do not disturb each
    other; one that is broken off leaves at most half a record, which nobody reads.
    """

    def __init__(self, inner: Embedder, folder: Path, progress: Callable[[int, int, str], None]) -> None:
        self._inner = inner
        self._progress = progress
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._stem = folder, re.sub(r"\W+", "-", inner.name)
        self._own: Path | None = None
        self._vectors = self._load()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [_key("document", text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        todo = list(missing.items())
        for start in range(0, len(todo), _BATCH):
            self._progress(start, len(todo), "embedding")
            batch = todo[start : start + _BATCH]
            self._keep(
                [key for key, _ in batch], await self._inner.embed_documents([text for _, text in batch])
            )
        return np.stack([self._vectors[key] for key in keys]) if keys else self._none()

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        key = _key("query", text)
        if key not in self._vectors:
            self._keep([key], (await self._inner.embed_query(text))[None])
        return self._vectors[key]

    def _load(self) -> dict[bytes, NDArray[np.float32]]:
        found: dict[bytes, NDArray[np.float32]] = {}
        for path in sorted(self._folder.glob(f"{self._stem}.*{_SUFFIX}")):
            for key, vector in np.fromfile(path, self._record):
                found[key.tobytes()] = vector
        return found

    def _keep(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        records = np.empty(len(keys), self._record)
        records["key"] = np.frombuffer(b"".join(keys), np.void(_DIGEST).dtype)
        records["vector"] = vectors
        if self._own is None:
            handle, name = tempfile.mkstemp(_SUFFIX, f"{self._stem}.", self._folder)
            os.close(handle)
            self._own = Path(name)
        with self._own.open("ab") as file:
            file.write(records.tobytes())
        self._vectors.update(zip(keys, vectors, strict=True))

    @property
    def _record(self) -> np.dtype[np.void]:
        return np.dtype([("key", np.void(_DIGEST).dtype), ("vector", np.float32, (self.dimension,))])

    def _none(self) -> NDArray[np.float32]:
        return np.empty((0, self.dimension), np.float32)


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()[:_DIGEST]
