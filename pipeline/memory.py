"""A thread's rolling summary: what a follow-up refers to, in three sentences."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from pipeline.domain import Memory, Summary
from pipeline.errors import ModelError
from pipeline.guardrails.answer import MARKER
from pipeline.guardrails.summary import check_summary
from pipeline.observability.metrics import OBSERVED
from pipeline.observability.trace import record

if TYPE_CHECKING:
    from pipeline.domain import GenerationResponse, Question, Scope
    from pipeline.ports import Summarizer

logger = logging.getLogger(__name__)


class Journal(Protocol):
    """Where turns and summaries are kept."""

    async def summary(self, scope: Scope, thread: str) -> Summary:
        """Return the thread's summary; empty for a thread that has none."""
        ...

    async def save_summary(self, scope: Scope, thread: str, text: str, *, expected_version: int) -> bool:
        """Replace the summary unless somebody else has since; tell whether it was replaced."""
        ...

    async def keep_turn(self, question: Question, response: GenerationResponse) -> None:
        """Keep one turn of the thread, refusals included, so that it can be explained later."""
        ...


class ThreadMemory:
    """Recalls a thread's summary before a question and renews it after the answer."""

    def __init__(self, journal: Journal, summarizer: Summarizer) -> None:
        self._journal = journal
        self._summarizer = summarizer

    async def recall(self, question: Question) -> Summary:
        """Return what the thread remembers; empty without a thread."""
        if question.thread is None:
            return Summary()
        summary = await self._journal.summary(question.scope, question.thread)
        record("memory.recalled", characters=len(summary.text), version=summary.version)
        return summary

    async def remember(
        self, question: Question, response: GenerationResponse, previous: Summary
    ) -> Memory | None:
        """Keep the turn; after a success also renew the summary. Return None where nothing was renewed.

        A summary that cannot be written or fails its check leaves the previous one standing: memory stops
        advancing, it does not vanish.
        """
        if question.thread is None:
            return None
        await self._journal.keep_turn(question, response)
        if not response.success:
            return None
        answer = MARKER.sub("", response.answer)
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
        saved = await self._journal.save_summary(
            question.scope, question.thread, text, expected_version=previous.version
        )
        return Memory(summary=text if saved else previous.text, accepted=saved, token_usage=usage)

    @staticmethod
    def _drop(fault: str) -> None:
        OBSERVED.labels(f"summary_dropped_{fault.lower()}").inc()
        logger.info("summary dropped", extra={"action": "summary_dropped", "fault": fault})
