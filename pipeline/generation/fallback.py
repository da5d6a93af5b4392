"""What words answers and keeps memory by a language model while there is one, and without it meanwhile."""

from __future__ import annotations

import logging
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from pipeline.errors import ModelError, ModelUnavailable
from pipeline.observability.metrics import OBSERVED
from pipeline.observability.trace import record

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence

    from pipeline.conversation import CitedSource, TokenUsage
    from pipeline.ports import Judge, Reader, Reading, Summarizer

logger = logging.getLogger(__name__)


class FallbackReader:
    """Reads with what *model* returns; with *stand_in* while that is None, or fails before its first text."""

    def __init__(self, model: Callable[[], Reader | None], stand_in: Reader) -> None:
        self._model = model
        self._stand_in = stand_in

    @property
    def name(self) -> str:
        return self._current().name

    @property
    def source_budget(self) -> int:
        return self._current().source_budget

    def read(
        self,
        question: str,
        sources: Sequence[CitedSource],
        summary: str,
        *,
        waiting: Callable[[int], None],
    ) -> Reading:
        instead = partial(self._stand_in.read, question, sources, summary, waiting=waiting)
        model = self._model()
        if model is None:
            return instead()
        return FallbackReading(model.read(question, sources, summary, waiting=waiting), instead)

    def _current(self) -> Reader:
        return self._model() or self._stand_in


class FallbackReading:
    """One answer on its way, begun anew by another reader if the first fails before its first text."""

    def __init__(self, first: Reading, instead: Callable[[], Reading]) -> None:
        self._reading = first
        self._instead = instead

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()

    @property
    def message(self) -> object | None:
        return self._reading.message

    async def _text(self) -> AsyncGenerator[str, None]:
        begun = False
        try:
            async with aclosing(aiter(self._reading)) as pieces:  # type: ignore[type-var]  # readings are generators
                async for piece in pieces:
                    begun = True
                    yield piece
        except ModelError as error:
            if begun:
                raise
            _report(error)
        else:
            return
        self._reading = self._instead()
        async for piece in self._reading:
            yield piece


class FallbackSummarizer:
    """Summarises with what *model* returns; with *stand_in* while that is None, or where it fails."""

    def __init__(self, model: Callable[[], Summarizer | None], stand_in: Summarizer) -> None:
        self._model = model
        self._stand_in = stand_in

    async def summarize(self, previous: str, question: str, answer: str) -> tuple[str, TokenUsage | None]:
        """Return the proposed summary and its cost. Raises `ModelError` only if the stand-in does."""
        model = self._model()
        if model is not None:
            try:
                return await model.summarize(previous, question, answer)
            except ModelError as error:
                OBSERVED.labels("summary_fell_back").inc()
                logger.info("summarizer fell back: %s", type(error).__name__)
        return await self._stand_in.summarize(previous, question, answer)


def _report(error: ModelError) -> None:
    record("generation.fell_back", error=type(error).__name__)
    logger.warning(
        "model failed before its first text: %s", type(error).__name__, extra={"action": "reader_fell_back"}
    )


class FallbackJudge:
    """Asks what *judge* returns; fails while that is None, so that it is said that nobody judged."""

    def __init__(self, judge: Callable[[], Judge | None]) -> None:
        self._judge = judge

    async def __call__(self, claim: str, sources: Sequence[CitedSource]) -> bool | None:
        """Return its verdict; None: it said neither yes nor no. Raises `ModelError`."""
        judge = self._judge()
        if judge is None:
            raise ModelUnavailable("No language model is connected that could judge.")
        return await judge(claim, sources)
