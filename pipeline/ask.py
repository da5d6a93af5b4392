"""The order and the timing of one question: guard, retrieve, guard, generate, guard, remember."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from pipeline.delivery import StreamedAnswer
from pipeline.domain import Delta, GenerationResponse, Progress, Reason, Stage, Summary
from pipeline.errors import ModelError, ModelNotFound, ModelTimeout
from pipeline.generation.budget import fit
from pipeline.generation.prompts import label_sources
from pipeline.generation.response import build_response
from pipeline.guardrails.answer import check_answer, used_labels
from pipeline.guardrails.passages import check_passages
from pipeline.guardrails.question import check_question
from pipeline.observability.metrics import DEGRADED, FIRST_TEXT, OBSERVED, QUESTIONS, SANITIZED
from pipeline.observability.trace import collect, record
from pipeline.refusals import sentence_for
from pipeline.stopwatch import Stopwatch
from pipeline.streaming import Sanitizer
from pipeline.verification.citations import resolve

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pipeline.catalog import Holdings
    from pipeline.domain import CitedSource, Filters, Memory, Question, Scope
    from pipeline.lookup import Found
    from pipeline.memory import ThreadMemory
    from pipeline.ports import Reader
    from pipeline.verification.attribution import Attributor


logger = logging.getLogger(__name__)

PENDING_WAIT_S = 3.0
"""How long a question waits for the first file of a channel that is just being indexed."""
PENDING_POLL_S = 0.1


class Search(Protocol):
    """Finds the passages for a question, read in the light of what the thread remembers."""

    async def __call__(self, question: Question, summary: str) -> Found:
        """Search once. Raises `CatalogError` when neither arm can look."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A question that passed the guards, with what it is answered from."""

    question: Question
    sources: tuple[CitedSource, ...]
    summary: str
    degraded: tuple[str, ...]


class Pipeline:
    """Answers questions. `ask` and `ask_stream` are peers over one shared course of events."""

    def __init__(
        self,
        *,
        holdings: Callable[[Scope, Filters], Awaitable[Holdings]],
        search: Search,
        reader: Reader,
        attributor: Attributor,
        memory: ThreadMemory,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._holdings = holdings
        self._search = search
        self._reader = reader
        self._attributor = attributor
        self._memory = memory
        self._clock = clock
        self._sleep = sleep

    async def ask(self, question: Question) -> GenerationResponse:
        """Answer *question* in one piece; `remember` it when it has been shown."""
        return await self._run(question, _silent)

    def ask_stream(self, question: Question) -> StreamedAnswer:
        """Answer *question* as it is being written. Must be called on a running loop."""
        return StreamedAnswer(
            lambda emit: self._run(question, emit), lambda response: self.remember(question, response)
        )

    async def remember(self, question: Question, response: GenerationResponse) -> Memory | None:
        """Keep the turn and renew the thread's summary; call it after the last edit of the reply."""
        if question.thread is None:
            return None
        return await self._memory.remember(question, response, await self._memory.recall(question))

    async def _run(self, question: Question, emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        watch = Stopwatch(self._clock)
        with collect() as events:
            try:
                response = await self._answer(question, emit, watch)
            except Exception as error:  # never silent: every question ends in an answer or a reason
                logger.exception("question failed", extra={"action": "question_failed"})
                record("failed", error=type(error).__name__)
                response = _refuse(Reason.INTERNAL_ERROR)
        response = replace(response, latency=watch.latency(), trace=tuple(events))
        _count(response)
        return response

    async def _answer(
        self, question: Question, emit: Callable[[Progress | Delta], None], watch: Stopwatch
    ) -> GenerationResponse:
        prepared = await self._prepare(question, emit, watch)
        if isinstance(prepared, GenerationResponse):
            return prepared
        emit(Progress(Stage.WRITING))
        return await self._write(prepared, emit, watch)

    async def _prepare(
        self, question: Question, emit: Callable[[Progress | Delta], None], watch: Stopwatch
    ) -> Prepared | GenerationResponse:
        """Guard, recall, retrieve, guard."""
        refusal = check_question(question.text)
        if refusal is not None:
            return _refuse(refusal)
        holdings = await self._await_files(question)
        if not holdings.ready:
            return _refuse(Reason.STILL_INDEXING if holdings.pending else Reason.NO_DOCUMENTS)
        emit(Progress(Stage.SEARCHING, total=holdings.ready))
        summary = await self._memory.recall(question) if question.thread else Summary()
        found = await self._search(question, summary.text)
        watch.retrieved()
        refusal = check_passages(found.retrieval.ranked, sufficient=found.sufficient)
        if refusal is not None:
            pending = Reason.STILL_INDEXING if holdings.pending else refusal
            return _refuse(pending, degraded=found.retrieval.degraded)
        fitted = fit(
            found.retrieval.ranked,
            summary=found.summary,
            question=question.text,
            budget=self._reader.source_budget,
        )
        return Prepared(
            question=question,
            sources=label_sources(fitted.kept),
            summary=fitted.summary,
            degraded=found.retrieval.degraded,
        )

    async def _await_files(self, question: Question) -> Holdings:
        """Give the first file of a channel a moment to become searchable."""
        waited = 0.0
        holdings = await self._holdings(question.scope, question.filters)
        while not holdings.ready and holdings.pending and waited < PENDING_WAIT_S:
            await self._sleep(PENDING_POLL_S)
            waited += PENDING_POLL_S
            holdings = await self._holdings(question.scope, question.filters)
        return holdings

    async def _write(
        self, prepared: Prepared, emit: Callable[[Progress | Delta], None], watch: Stopwatch
    ) -> GenerationResponse:
        """Generate, sanitise what is shown, guard the whole, attribute it."""
        labels = frozenset(source.label for source in prepared.sources)
        sanitizer = Sanitizer(labels=labels)
        shown: list[str] = []

        def release(text: str) -> None:
            if text:
                watch.shown()
                shown.append(text)
                emit(Delta(text))

        reading = self._reader.read(
            prepared.question.text,
            prepared.sources,
            prepared.summary,
            waiting=lambda place: emit(Progress(Stage.WAITING, position=place)),
        )
        raw: list[str] = []
        try:
            async with aclosing(aiter(reading)) as pieces:  # type: ignore[type-var]  # readings are generators
                async for piece in pieces:
                    raw.append(piece)
                    release(sanitizer.feed(piece))
        except ModelError as error:
            return await self._fall_back(prepared, error)
        release(sanitizer.finish())
        response = build_response(reading.message, prepared.sources)
        if response.answer != "".join(raw).strip():
            # the end of the answer showed that some of it was reasoning, which is no part of it
            sanitizer = Sanitizer(labels=labels)
            shown = [sanitizer.feed(response.answer), sanitizer.finish()]
        return await self._conclude(prepared, response, "".join(shown).strip(), sanitizer.removed)

    async def _conclude(
        self, prepared: Prepared, response: GenerationResponse, text: str, removed: int
    ) -> GenerationResponse:
        response = replace(response, degraded=prepared.degraded + response.degraded)
        refusal = check_answer(text)
        if refusal is not None:
            return replace(response, success=False, reason=refusal, message=sentence_for(refusal), answer="")
        asked = prepared.question.text
        repaired = await self._attributor.repair_markers(text, prepared.sources, asked)
        used = used_labels(repaired.text, prepared.sources)
        cited = [source for source in prepared.sources if source.label in used]
        quotes = await self._attributor.choose_quotes(repaired.text, cited, asked)
        _observe(removed=removed, cited=len(cited))
        return replace(response, answer=repaired.text, citations=resolve(cited, quotes))

    async def _fall_back(self, prepared: Prepared, error: ModelError) -> GenerationResponse:
        """Show the best passages where the model failed; half an answer is not shown as one."""
        reason = _model_reason(error)
        record("generation.failed", reason=reason, model=self._reader.name)
        logger.warning("model failed", extra={"action": "model_failed", "reason": reason})
        quotes = await self._attributor.choose_quotes("", prepared.sources, prepared.question.text)
        return replace(
            _refuse(reason, degraded=prepared.degraded),
            sources=prepared.sources,
            citations=resolve(prepared.sources, quotes),
        )


def _silent(_: Progress | Delta) -> None:
    """Show nothing: the caller takes the whole answer."""


def _refuse(reason: Reason, *, degraded: tuple[str, ...] = ()) -> GenerationResponse:
    record("refused", reason=reason)
    return GenerationResponse(success=False, reason=reason, message=sentence_for(reason), degraded=degraded)


def _model_reason(error: ModelError) -> Reason:
    match error:
        case ModelNotFound():
            return Reason.MODEL_NOT_FOUND
        case ModelTimeout():
            return Reason.MODEL_TIMEOUT
        case _:
            return Reason.MODEL_UNAVAILABLE


def _observe(*, removed: int, cited: int) -> None:
    record("answer.markers", removed=removed, cited=cited)
    SANITIZED.labels("unknown_marker").inc(removed)
    if not cited:
        OBSERVED.labels("uncited_answer").inc()


def _count(response: GenerationResponse) -> None:
    QUESTIONS.labels("answered" if response.success else str(response.reason).lower()).inc()
    for code in response.degraded:
        DEGRADED.labels(code).inc()
    if response.latency.first_text is not None:
        FIRST_TEXT.observe(response.latency.first_text / 1000)
