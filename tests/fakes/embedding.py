"""An embedder that needs no model: texts with words in common point in similar directions."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pipeline.errors import ModelError


class WordEmbedder:
    """Adds up one direction per word; *failure*, if set, is raised instead."""

    def __init__(
        self, *, name: str = "fake:words", dimension: int = 64, failure: ModelError | None = None
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.failure = failure
        self.asked: list[str] = []

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.failure is not None:
            raise self.failure
        self.asked += texts
        return np.array([self._vector(text) for text in texts], np.float32).reshape(-1, self.dimension)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        found: NDArray[np.float32] = (await self.embed_documents([text]))[0]
        return found

    def _vector(self, text: str) -> NDArray[np.float64]:
        words = re.findall(r"\w+", text.lower()) or [""]
        total = np.sum([self._direction(word) for word in words], axis=0)
        unit: NDArray[np.float64] = total / np.linalg.norm(total)
        return unit

    def _direction(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimension)
