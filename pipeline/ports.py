"""What the pipeline consumes from models, in the smallest form that serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.conversation import CitedSource, Delta, GenerationResponse, Memory, Progress, TokenUsage


class Embedder(Protocol):
    """Texts to vectors; all vectors are float32 and of length 1."""

    @property
    def name(self) -> str:
        """``provider:model``, remembered per channel; another name means other vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return shape (len(texts), dimension). Raises `ModelError`."""
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return shape (dimension,). Raises `ModelError`."""
        ...


class Reading(Protocol):
    """One answer being written: iterate its text, then take what the model's server said of it."""

    def __aiter__(self) -> AsyncIterator[str]:
        """Yield pieces of text as they come. Raises `ModelError`."""
        ...

    @property
    def message(self) -> object | None:
        """The framework's whole message once drained, for `build_response`; None if nothing came."""
        ...


class Reader(Protocol):
    """Words an answer from labelled sources."""

    @property
    def name(self) -> str:
        """``provider:model`` or ``extractive``, as shown to people and written to traces."""
        ...

    @property
    def source_budget(self) -> int:
        """How many estimated tokens of sources and summary fit beside prompt, question and answer."""
        ...

    def read(
        self,
        question: str,
        sources: Sequence[CitedSource],
        summary: str,
        *,
        waiting: Callable[[int], None],
    ) -> Reading:
        """Begin an answer; *waiting* is told the place in the model server's queue, counted from 1."""
        ...


class Summarizer(Protocol):
    """Writes a thread's next rolling summary from the previous one and the latest turn."""

    def summarize(
        self, previous: str, question: str, answer: str
    ) -> Awaitable[tuple[str, TokenUsage | None]]:
        """Return the proposed summary, unchecked. Raises `ModelError`."""
        ...


class Judge(Protocol):
    """A language model that is asked whether passages say what a statement says."""

    def __call__(self, claim: str, sources: Sequence[CitedSource]) -> Awaitable[bool | None]:
        """Return its verdict; None: it said neither yes nor no. Raises `ModelError`."""
        ...


class AnswerStream(Protocol):
    """One answer on its way: iterate it, then take its outcome, then let it be remembered."""

    def __aiter__(self) -> AsyncIterator[Progress | Delta]:
        """Yield stages and released text; a rejected request yields no `Delta`. No outcome is raised."""
        ...

    @property
    def response(self) -> GenerationResponse:
        """The outcome, once drained. Its answer may hold markers that were added after the text was shown."""
        ...

    async def remember(self) -> Memory | None:
        """Keep the turn and renew the thread's summary; call it after the last edit of the reply."""
        ...

    async def aclose(self) -> None:
        """Stop writing at once; the response then has the reason CANCELLED."""
        ...
