"""A thread's rolling summary: what a follow-up refers to, in three sentences."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipeline import markers
from pipeline.conversation import Memory, Reason, Summary
from pipeline.errors import CatalogError, ModelError
from pipeline.guardrails.summary import check_summary
from pipeline.observability.metrics import OBSERVED
from pipeline.observability.trace import record
from pipeline.storage.threads import ORIGINS, RECALLED, RECALLED_FROM, TurnRecord
from pipeline.verification.origins import find_origins

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection
    from datetime import datetime

    from pipeline.conversation import GenerationResponse, Question
    from pipeline.domain import Scope
    from pipeline.ports import Summarizer
    from pipeline.storage.threads import Threads

logger = logging.getLogger(__name__)


class ThreadMemory:
    """Recalls a thread's summary before a question and renews it after the answer."""

    def __init__(
        self,
        threads: Threads,
        summarizer: Summarizer,
        now: Callable[[], datetime],
        *,
        analyze: Callable[[str], list[str]],
        held: Callable[[Scope], Awaitable[Collection[str]]],
    ) -> None:
        """*held* returns the ids of the documents that a channel has; it may raise `CatalogError`."""
        self._threads = threads
        self._summarizer = summarizer
        self._now = now
        self._analyze = analyze
        self._held = held

    async def recall(self, question: Question) -> Summary:
        """Return what the thread remembers; empty without a thread."""
        if question.thread is None:
            return Summary()
        summary = await self._threads.summary(question.scope, question.thread)
        record("memory.recalled", characters=len(summary.text), version=summary.version)
        return summary

    async def remember(self, question: Question, response: GenerationResponse) -> Memory | None:
        """Keep the turn; after a success also renew the summary. Return None where nothing was renewed.

        Thanks and greetings are no turns. The new summary follows on what the question was answered in the
        light of: a memory that was reset meanwhile stays empty. One that cannot be written or fails its check
        leaves the previous one standing: memory stops advancing, it does not vanish.
        """
        if question.thread is None or response.reason is Reason.ABOUT_ASSISTANT:
            return None
        origins = await asyncio.to_thread(find_origins, question.text, response, self._analyze)
        await self._keep(question, question.thread, response, origins)
        memory = await self._renew(question, question.thread, response, origins) if response.success else None
        await self._let_go(question.scope, origins | response.recalled.documents)
        return memory

    async def _renew(
        self, question: Question, thread: str, response: GenerationResponse, origins: frozenset[str]
    ) -> Memory:
        previous = response.recalled
        answer = markers.without_markers(response.answer)
        try:
            text, usage = await self._summarizer.summarize(previous.text, question.text, answer)
        except ModelError as error:
            self._drop(type(error).__name__)
            return Memory(summary=previous.text, accepted=False)
        text = text.strip()
        fault = check_summary(text)
        if fault is not None:
            self._drop(fault)
            return Memory(summary=previous.text, accepted=False, token_usage=usage)
        saved = await self._threads.save_summary(
            question.scope,
            thread,
            text,
            expected_version=previous.version,
            documents=origins | previous.documents,
        )
        return Memory(summary=text if saved else previous.text, accepted=saved, token_usage=usage)

    async def _let_go(self, scope: Scope, document_ids: frozenset[str]) -> None:
        """Forget what came from documents that were forgotten while the question was being answered."""
        try:
            gone = document_ids.difference(await self._held(scope)) if document_ids else None
        except CatalogError as error:  # whoever forgets something in it sees to the turns as well
            logger.info("whether documents are still there is unknown: %s", type(error).__name__)
            return
        if gone:
            await self._threads.forget_documents(scope, gone)

    async def _keep(
        self, question: Question, thread: str, response: GenerationResponse, origins: frozenset[str]
    ) -> None:
        """Keep the turn, refusals included, so that it can be explained later."""
        turn = TurnRecord(
            question=question.text,
            answer=response.answer,
            reason=response.reason,
            response=_explanation(response, origins),
            created_at=self._now(),
            question_key=question.key,
        )
        await self._threads.add_turn(question.scope, thread, turn)

    @staticmethod
    def _drop(fault: str) -> None:
        OBSERVED.labels(f"summary_dropped_{fault.lower()}").inc()
        logger.info("summary dropped", extra={"action": "summary_dropped", "fault": fault})


def _explanation(response: GenerationResponse, origins: frozenset[str]) -> dict[str, Any]:
    """Return what "why this answer?" and taking it back need, as JSON can hold it."""
    return {
        "success": response.success,
        "citations": [asdict(citation) for citation in response.citations],
        "uncited_labels": list(response.uncited_labels),
        "degraded": list(response.degraded),
        "latency_ms": asdict(response.latency),
        "trace": [dict(event) for event in response.trace],
        "verification": response.verification.as_json() if response.verification else None,
        ORIGINS: sorted(origins),
        RECALLED: response.recalled.text,
        RECALLED_FROM: sorted(response.recalled.documents),
    }
