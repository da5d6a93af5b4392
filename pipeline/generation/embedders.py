"""Texts to vectors: a model that runs in this process, or one behind a server."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from pipeline.errors import ModelUnavailable
from pipeline.generation.faults import translated
from pipeline.generation.limiter import Limiter, Priority
from pipeline.generation.profiles import prefixes_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pipeline.generation.faults import Server

    Vector = NDArray[np.float32]

EMBEDDED_MODEL: Final = "all-minilm-l6-v2-int8"
EMBEDDED_DIMENSION: Final = 384

BULK_CHARACTERS: Final = 10_000
"""A batch of more text than this is bulk and lets smaller ones go first, text by text."""

SERVER_BATCH: Final = 32
"""Texts per request: few enough that a query sent meanwhile is not held up for long."""

PROBE: Final = "How long is a vector of this model?"


class Encoder(Protocol):
    """One text to one vector, on the calling thread."""

    def __call__(self, text: str) -> Vector:
        """Return a float32 vector of length 1."""
        ...


class EmbeddedEmbedder:
    """The sentence encoder that is installed with Footnote; it needs no server.

    The model is loaded on first use, off the event loop. Texts are encoded one by one, *threads* of them at a
    time: a padded batch costs more time and memory on a CPU than it saves, two threads for one text gain a
    quarter where two texts at once gain nearly all, and between two texts of a bulk batch a question gets in.
    Of several bulk batches each has its turn, so that a short file does not wait for a long one.
    """

    def __init__(self, *, threads: int = 1, load: Callable[[], Encoder] | None = None) -> None:
        self._load = load or _load_minilm
        self._loading = Lock()
        self._encoder: Encoder | None = None
        # sentences of one answer are looked at by the reader, the citations and the gate
        self._recent = lru_cache(maxsize=512)(self._encode)
        self._threads = threads
        self._limiter = Limiter(threads)

    @property
    def name(self) -> str:
        return f"embedded:{EMBEDDED_MODEL}"

    @property
    def dimension(self) -> int:
        return EMBEDDED_DIMENSION

    async def embed_query(self, text: str) -> Vector:
        return await asyncio.to_thread(self._recent, text)

    async def embed_documents(self, texts: Sequence[str]) -> Vector:
        bulk = _is_bulk(texts)
        priority = Priority.BACKGROUND if bulk else Priority.ANSWER
        encode = self._encode if bulk else self._recent
        turns = asyncio.Semaphore(self._threads if bulk else len(texts))

        async def encoded(text: str) -> Vector:
            async with turns, self._limiter.slot(priority):
                return await asyncio.to_thread(encode, text)

        vectors = await asyncio.gather(*map(encoded, texts))
        return np.array(vectors, dtype=np.float32).reshape(len(texts), EMBEDDED_DIMENSION)

    def _encode(self, text: str) -> Vector:
        with self._loading:
            if self._encoder is None:
                self._encoder = self._load()
            encoder = self._encoder
        return encoder(text)


def _load_minilm() -> Encoder:
    # onnxruntime takes a third of a second to import; a command that embeds nothing does without
    from pipeline.generation.minilm import MiniLM

    return MiniLM()


class VectorModel(Protocol):
    """The part of LangChain's embeddings interface that is used."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector for each text."""
        ...


class ServedEmbedder:
    """An embedding model behind a server, through LangChain.

    Its requests take their turn with the answers of the same server: bulk ones behind them, the vector of a
    question and the sentences of an answer beside them.
    """

    def __init__(self, model: VectorModel, server: Server, *, name: str, limiter: Limiter) -> None:
        self._model = model
        self._server = server
        self._name = name
        self._limiter = limiter
        self._dimension: int | None = None
        self._prefixes = prefixes_for(server.model)

    async def learn(self) -> None:
        """Ask for one vector, to know their length. Raises `ModelError`."""
        await self.embed_query(PROBE)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector. Raises `ModelUnavailable` before the first one came."""
        if self._dimension is None:
            raise ModelUnavailable(f"{self._server.title} at {self._server.url} has not given a vector yet.")
        return self._dimension

    async def embed_query(self, text: str) -> Vector:
        vector: Vector = (await self._embed([self._prefixes.query + text], Priority.BRIEF))[0]
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> Vector:
        prefixed = [self._prefixes.document + text for text in texts]
        priority = Priority.BACKGROUND if _is_bulk(texts) else Priority.BRIEF
        batches = [
            await self._embed(prefixed[start : start + SERVER_BATCH], priority)
            for start in range(0, len(prefixed), SERVER_BATCH)
        ]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), dtype=np.float32)

    async def _embed(self, texts: list[str], priority: Priority) -> Vector:
        async with self._limiter.slot(priority):
            vectors = await self._ask(texts)
        expected = self._dimension or vectors.shape[-1]
        if vectors.shape != (len(texts), expected) or not np.isfinite(vectors).all():
            raise ModelUnavailable(
                f"{self._server.title} at {self._server.url} gave vectors of another form than before for "
                f"'{self._server.model}'; if the model was replaced, restart and reindex."
            )
        self._dimension = expected
        return unit(vectors)

    async def _ask(self, texts: list[str]) -> Vector:
        with translated(self._server):
            answer = await self._model.aembed_documents(texts)
            return np.asarray(answer, dtype=np.float32)


class AbsentEmbedder:
    """Stands for the embedder of a channel's vectors while that cannot be had: every call says so."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name = name
        self.dimension = dimension

    async def embed_query(self, text: str) -> Vector:
        raise self._error()

    async def embed_documents(self, texts: Sequence[str]) -> Vector:
        raise self._error()

    def _error(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"This channel's files were indexed with {self.name}, which cannot be reached. Start it; or name "
            f"another one in FOOTNOTE_EMBEDDING__PROVIDER, and the files are indexed anew with that."
        )


def _is_bulk(texts: Sequence[str]) -> bool:
    return sum(map(len, texts)) > BULK_CHARACTERS


def unit(vectors: Vector) -> Vector:
    """Scale each row to length 1; a row of zeros stays one."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vector = vectors / np.maximum(norms, np.float32(1e-12))
    return scaled
