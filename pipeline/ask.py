"""The order and the timing of one question: guard, retrieve, guard, generate, guard, remember."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pipeline.conversation import Reason, Stage
from pipeline.delivery import StreamedAnswer
from pipeline.domain import Filters
from pipeline.errors import CatalogError, ModelError, ModelNotFound, ModelTimeout
from pipeline.generation.budget import DROPPED, fit
from pipeline.generation.prompts import label_sources
from pipeline.generation.response import build_response
from pipeline.guardrails.answer import check_answer, check_verified, cited_sources
from pipeline.guardrails.documents import check_documents
from pipeline.guardrails.passages import check_passages
from pipeline.guardrails.question import check_question
from pipeline.guardrails.withholding import without_orders
from pipeline.inquiry import Inquiry, silent
from pipeline.observability.metrics import OBSERVED, SANITIZED
from pipeline.observability.trace import collect, record
from pipeline.refusals import NOT_AMONG_THEM, not_found_sentence, search_sentence_for
from pipeline.stopwatch import Stopwatch
from pipeline.streaming import Sanitizer, sanitized
from pipeline.verdicts import Mode
from pipeline.verification.citations import resolve

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pipeline.catalog import Holdings
    from pipeline.conversation import Delta, GenerationResponse, Memory, Progress, Question
    from pipeline.domain import Scope
    from pipeline.errors import PipelineError
    from pipeline.lookup import Found
    from pipeline.memory import ThreadMemory
    from pipeline.ports import Reader
    from pipeline.retrieval.wording import Narrowing
    from pipeline.verification.attribution import Attributor
    from pipeline.verification.gate import Checked, Gate

logger = logging.getLogger(__name__)

PENDING_WAIT_S = 3.0
"""How long a question waits for the first file of a channel that is just being indexed."""
PENDING_POLL_S = 0.1

UNCHECKED = "verification:failed"
"""The code of an answer that the gate could not check."""

SEARCHES_AT_ONCE = 4
"""Questions looked up at the same time; two hundred would keep the loop from all else for seconds."""


class Search(Protocol):
    """Finds the passages for a question, read in the light of what the thread remembers."""

    async def __call__(self, question: Question, summary: str) -> Found:
        """Search once. Raises `CatalogError` or `ModelError` when neither arm can look."""
        ...


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
        gate: Gate | None = None,
        narrow: Callable[[Question], Awaitable[Narrowing | None]] | None = None,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Without a *gate* answers are not checked, and those that should be are refused.

        *narrow* reads from a question which documents it is to be answered from.
        """
        self._holdings = holdings
        self._search = search
        self._reader = reader
        self._attributor = attributor
        self._memory = memory
        self._gate = gate
        self._narrow = narrow
        self._clock = clock
        self._sleep = sleep
        self._searching = asyncio.Semaphore(SEARCHES_AT_ONCE)

    async def ask(self, question: Question) -> GenerationResponse:
        """Answer *question* in one piece; `remember` it when it has been shown."""
        return await self._run(self._inquire(question), silent)

    def ask_stream(self, question: Question) -> StreamedAnswer:
        """Answer *question* as it is being written. Must be called on a running loop."""
        inquiry = self._inquire(question)
        return StreamedAnswer(
            partial(self._run, inquiry), stopped=inquiry.stopped, remember=partial(self.remember, question)
        )

    async def remember(self, question: Question, response: GenerationResponse) -> Memory | None:
        """Keep the turn and renew the thread's summary; call it after the last edit of the reply."""
        return await self._memory.remember(question, response)

    def _inquire(self, question: Question) -> Inquiry:
        return Inquiry(question=question, watch=Stopwatch(self._clock))

    async def _run(self, inquiry: Inquiry, emit: Callable[[Progress | Delta], None]) -> GenerationResponse:
        inquiry.emit = emit
        with collect() as inquiry.trace:
            try:
                response = await self._answer(inquiry)
            except CatalogError as error:
                _report("catalog", error)
                response = inquiry.refuse(Reason.INTERNAL_ERROR, str(error))
            except ModelError as error:  # of the search; where a reader fails there are passages to show
                _report("search", error)
                response = inquiry.refuse(_model_reason(error), search_sentence_for(_model_reason(error)))
            except Exception as error:  # never silent: every question ends in an answer or a reason
                logger.exception("question failed", extra={"action": "question_failed"})
                record("failed", part="question", error=type(error).__name__)
                response = inquiry.break_off(Reason.INTERNAL_ERROR)
        return inquiry.close(response)

    async def _answer(self, inquiry: Inquiry) -> GenerationResponse:
        refusal = check_question(inquiry.question.text)
        if refusal is not None:
            return inquiry.decline(refusal)
        inquiry.limit(await self._narrow(inquiry.question) if self._narrow else None)
        holdings = await self._await_files(inquiry.sought)
        if not holdings.ready:
            return await self._without_files(inquiry, holdings)
        found = await self._retrieve(inquiry, holdings)
        enough = found.sufficient or inquiry.asks_for_all
        refusal = check_passages(found.retrieval.ranked, sufficient=enough)
        if refusal is not None:
            return inquiry.refuse(*self._why_not(inquiry, found, holdings, refusal))
        return await self._write(inquiry, self._choose(inquiry, found))

    @staticmethod
    def _why_not(
        inquiry: Inquiry, found: Found, holdings: Holdings, refusal: Reason
    ) -> tuple[Reason, str | None]:
        """Return why there is no answer although there are files; what is not indexed yet may hold it."""
        if holdings.pending:
            return Reason.STILL_INDEXING, None
        limited = inquiry.sought.filters.document_ids is not None
        return refusal, not_found_sentence(holdings.ready, why=found.why, limited=limited)

    async def _await_files(self, question: Question) -> Holdings:
        """Give the first file of a channel a moment to become searchable."""
        waited = 0.0
        holdings = await self._look(question)
        while not holdings.ready and holdings.pending and waited < PENDING_WAIT_S:
            await self._sleep(PENDING_POLL_S)
            waited += PENDING_POLL_S
            holdings = await self._look(question)
        return holdings

    async def _look(self, question: Question) -> Holdings:
        async with self._searching:
            return await self._holdings(question.scope, question.filters)

    async def _without_files(self, inquiry: Inquiry, holdings: Holdings) -> GenerationResponse:
        channel = await self._holdings(inquiry.question.scope, Filters())
        reason = check_documents(holdings, channel) or Reason.STILL_INDEXING
        return inquiry.refuse(reason, NOT_AMONG_THEM if reason is Reason.NO_RELEVANT_CONTEXT else None)

    async def _retrieve(self, inquiry: Inquiry, holdings: Holdings) -> Found:
        inquiry.enter(Stage.SEARCHING, total=holdings.ready)
        async with self._searching:
            inquiry.recalled = await self._memory.recall(inquiry.question)
            found = await self._search(inquiry.sought, inquiry.recalled.text)
        found = replace(found, retrieval=await asyncio.to_thread(without_orders, found.retrieval))
        inquiry.watch.retrieved()
        inquiry.degraded += found.retrieval.degraded
        inquiry.withheld = found.retrieval.withheld
        return found

    def _choose(self, inquiry: Inquiry, found: Found) -> str:
        """Label what fits into the prompt; return what fits of the summary."""
        fitted = fit(
            found.retrieval.ranked,
            summary=found.summary,
            question=inquiry.question.text,
            budget=self._reader.source_budget,
        )
        inquiry.sources = label_sources(fitted.kept)
        inquiry.degraded += (DROPPED,) if fitted.dropped else ()
        return fitted.summary

    async def _write(self, inquiry: Inquiry, summary: str) -> GenerationResponse:
        """Generate, and release what may be shown."""
        inquiry.enter(Stage.WRITING)
        sanitizer = Sanitizer(labels=inquiry.labels, held=inquiry.held)
        reading = self._reader.read(
            inquiry.question.text,
            inquiry.sources,
            summary,
            waiting=lambda place: inquiry.enter(Stage.WAITING, position=place),
        )
        try:
            async with aclosing(aiter(reading)) as pieces:  # type: ignore[type-var]  # readings are generators
                async for piece in pieces:
                    inquiry.write(sanitizer.feed(piece))
        except ModelError as error:
            return await self._fall_back(inquiry, error)
        inquiry.write(sanitizer.finish())
        return await self._conclude(inquiry, build_response(reading.message, inquiry.sources))

    async def _conclude(self, inquiry: Inquiry, response: GenerationResponse) -> GenerationResponse:
        """Guard the whole answer, attribute it and check what it states."""
        inquiry.degraded += response.degraded
        whole = sanitized(response.answer, inquiry.labels, inquiry.held)
        refusal = check_answer(whole.text)
        if refusal is not None:
            return inquiry.refuse_answer(refusal, response)
        asked = inquiry.question.text
        repaired = await self._attributor.repair_markers(whole.text, inquiry.sources, asked)
        checked = await self._check(inquiry, repaired.text)
        if checked is not None:
            inquiry.degraded += checked.degraded
            response = replace(response, verification=checked.verification)
        refusal = check_verified(inquiry.question.mode, response.verification)
        if refusal is not None:
            return await self._refuse_unsupported(inquiry, response, refusal)
        answer = checked.answer if checked is not None else repaired.text
        inquiry.show_whole(answer)
        cited = cited_sources(answer, inquiry.sources)
        quotes = await self._attributor.choose_quotes(answer, cited, asked)
        _observe(removed=whole.removed, foreign=whole.foreign, cited=len(cited))
        return replace(response, answer=answer, citations=resolve(cited, quotes), degraded=inquiry.degraded)

    async def _check(self, inquiry: Inquiry, answer: str) -> Checked | None:
        """Send *answer* through the gate; None: it could not be checked, which only a stream outlives."""
        if self._gate is None:
            return None
        mode = inquiry.question.mode
        try:
            return await self._gate.check(answer, inquiry.sources, mode=mode, progress=inquiry.checking)
        except Exception as error:  # what people have read already must not be lost to a fault of the gate
            if mode is Mode.VERIFIED:
                raise
            logger.exception("answer not checked", extra={"action": "gate_failed"})
            record("failed", part="verification", error=type(error).__name__)
            inquiry.degraded += (UNCHECKED,)
            return None

    async def _refuse_unsupported(
        self, inquiry: Inquiry, response: GenerationResponse, reason: Reason
    ) -> GenerationResponse:
        """Show the passages in place of an answer of which no statement is left."""
        quotes = await self._attributor.choose_quotes("", inquiry.sources, inquiry.question.text)
        refused = inquiry.refuse_answer(reason, response)
        return replace(refused, citations=resolve(inquiry.sources, quotes))

    async def _fall_back(self, inquiry: Inquiry, error: ModelError) -> GenerationResponse:
        """Show the best passages where the model failed; half an answer is not shown as one."""
        _report(self._reader.name, error)
        quotes = await self._attributor.choose_quotes("", inquiry.sources, inquiry.question.text)
        return replace(
            inquiry.refuse(_model_reason(error)),
            sources=inquiry.sources,
            citations=resolve(inquiry.sources, quotes),
        )


def _model_reason(error: ModelError) -> Reason:
    match error:
        case ModelNotFound():
            return Reason.MODEL_NOT_FOUND
        case ModelTimeout():
            return Reason.MODEL_TIMEOUT
        case _:
            return Reason.MODEL_UNAVAILABLE


def _report(part: str, error: PipelineError) -> None:
    record("failed", part=part, error=type(error).__name__)
    logger.warning("%s failed: %s", part, type(error).__name__, extra={"action": "part_failed", "part": part})


def _observe(*, removed: int, foreign: int, cited: int) -> None:
    record("answer.markers", removed=removed, cited=cited)
    if foreign:
        record("answer.addresses", removed=foreign)
        SANITIZED.labels("foreign_address").inc(foreign)
    SANITIZED.labels("unknown_marker").inc(removed)
    if not cited:
        OBSERVED.labels("uncited_answer").inc()
