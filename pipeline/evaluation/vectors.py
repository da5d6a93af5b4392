"""Vectors kept on disk between two runs, by embedder and text."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from pipeline.ports import Embedder

_DIGEST = 16
"""Bytes of a key."""

_BATCH = 32


class KeptEmbedder:
    """An embedder that asks another one only for texts it has not seen.

    One file of keys and one of vectors per embedder, both only appended to, the vectors first: a run that is
    broken off leaves at most vectors without a key, which the next one overwrites.
    """

    def __init__(self, inner: Embedder, folder: Path, progress: Callable[[int, int, str], None]) -> None:
        self._inner = inner
        self._progress = progress
        folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"\W+", "-", inner.name)
        self._keys_path, self._vectors_path = folder / f"{stem}.keys", folder / f"{stem}.f32"
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
        if not self._keys_path.is_file() or not self._vectors_path.is_file():
            self._keys_path.write_bytes(b"")
            self._vectors_path.write_bytes(b"")
        keys, width = self._keys_path.read_bytes(), 4 * self.dimension
        count = min(len(keys) // _DIGEST, self._vectors_path.stat().st_size // width)
        for path, size in ((self._keys_path, count * _DIGEST), (self._vectors_path, count * width)):
            with path.open("r+b") as file:
                file.truncate(size)
        matrix = np.fromfile(self._vectors_path, np.float32).reshape(-1, self.dimension)
        return {keys[place * _DIGEST : (place + 1) * _DIGEST]: row for place, row in enumerate(matrix)}

    def _keep(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        with self._vectors_path.open("ab") as file:
            file.write(np.ascontiguousarray(vectors, np.float32).tobytes())
        with self._keys_path.open("ab") as file:
            file.write(b"".join(keys))
        self._vectors.update(zip(keys, vectors, strict=True))

    def _none(self) -> NDArray[np.float32]:
        return np.empty((0, self.dimension), np.float32)


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()[:_DIGEST]
