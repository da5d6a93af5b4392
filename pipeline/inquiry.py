"""One question on its way: what was found for it, what was shown of its answer, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pipeline.conversation import Delta, GenerationResponse, Progress, Reason, Stage, Summary
from pipeline.courtesy import reply_to
from pipeline.domain import Filters
from pipeline.guardrails.answer import cited_sources
from pipeline.guardrails.links import Held
from pipeline.guardrails.withholding import WITHHELD
from pipeline.observability.metrics import DEGRADED, FIRST_TEXT, QUESTIONS
from pipeline.observability.trace import record
from pipeline.refusals import sentence_for
from pipeline.verdicts import Mode
from pipeline.verification.citations import resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.conversation import CitedSource, Question
    from pipeline.retrieval.wording import Narrowing
    from pipeline.stopwatch import Stopwatch


UNCLEAR = "narrowing:unclear"
"""The code of a question that wants only some files searched, and does not say clearly which."""


def silent(_: Progress | Delta) -> None:
    """Show nothing: the caller takes the whole answer."""


@dataclass(slots=True, kw_only=True)
class Inquiry:
    """The state of one question. Whatever stops it, what it has come to is here."""

    question: Question
    watch: Stopwatch
    emit: Callable[[Progress | Delta], None] = silent
    recalled: Summary = field(default_factory=Summary)
    sources: tuple[CitedSource, ...] = ()
    degraded: tuple[str, ...] = ()
    """Codes of what it had to do without so far."""
    withheld: frozenset[str] = frozenset()
    """Ids of the passages that it found and of which sentences were left out."""
    trace: list[dict[str, Any]] = field(default_factory=list)
    narrowing: Narrowing | None = None
    """What the question says about where to look."""
    _released: list[str] = field(default_factory=list)

    @property
    def sought(self) -> Question:
        """The question as it is looked up: in the documents that it names, without the words that do so."""
        if self.narrowing is None or self.narrowing.document_ids is None:
            return self.question
        filters = Filters(document_ids=self.narrowing.document_ids)
        return replace(self.question, text=self.narrowing.question or self.question.text, filters=filters)

    @property
    def asks_for_all(self) -> bool:
        """Whether it is asked what a file says, and nothing more: then whatever it says is to the point."""
        return self.narrowing is not None and not self.narrowing.question

    def limit(self, narrowing: Narrowing | None) -> None:
        """Look only where the question says, if it can be told where that is."""
        self.narrowing = narrowing
        if narrowing is not None and narrowing.document_ids is None:
            self.degraded += (UNCLEAR,)

    @property
    def labels(self) -> frozenset[str]:
        """The labels that were issued for it."""
        return frozenset(source.label for source in self.sources)

    @property
    def held(self) -> Held:
        """What holds the addresses that its answer may show."""
        return Held.by(self.question.text, self.sources)

    def enter(self, stage: Stage, *, position: int | None = None, total: int | None = None) -> None:
        """Tell that another stage has begun."""
        self.emit(Progress(stage, position=position, total=total))

    def show(self, text: str) -> None:
        """Release *text*, which passed the streaming policy."""
        if text:
            self.watch.shown()
            self._released.append(text)
            self.emit(Delta(text))

    def write(self, text: str) -> None:
        """Release *text* where answers are shown while they are written."""
        if self.question.mode is Mode.STREAMING:
            self.show(text)

    def show_whole(self, answer: str) -> None:
        """Release a checked *answer* in one piece, where none was shown while it was written."""
        if self.question.mode is Mode.VERIFIED:
            self.show(answer)

    def checking(self, position: int, total: int) -> None:
        """Tell which statement is being checked, of how many, where there is no text to look at yet."""
        if self.question.mode is Mode.VERIFIED:
            self.enter(Stage.CHECKING, position=position, total=total)

    def refuse(self, reason: Reason, message: str | None = None) -> GenerationResponse:
        """End without an answer; *message* goes before the reason's own sentence."""
        record("refused", reason=reason)
        return GenerationResponse(
            success=False, reason=reason, message=message or sentence_for(reason), degraded=self.degraded
        )

    def decline(self, reason: Reason) -> GenerationResponse:
        """End before anything was looked for; who thanks or doubts is told something that fits."""
        return self.refuse(reason, reply_to(self.question.text))

    def refuse_answer(self, reason: Reason, answer: GenerationResponse) -> GenerationResponse:
        """End without the *answer* that there is, keeping what it was made from and what it cost."""
        return replace(
            self.refuse(reason),
            sources=answer.sources,
            token_usage=answer.token_usage,
            finish_reason=answer.finish_reason,
            verification=answer.verification,
        )

    def break_off(self, reason: Reason) -> GenerationResponse:
        """End with what was released so far, its markers resolved; quotes would have to be looked for."""
        text = "".join(self._released).strip()
        return replace(
            self.refuse(reason),
            answer=text,
            sources=self.sources,
            citations=resolve(cited_sources(text, self.sources), {}),
        )

    def close(self, response: GenerationResponse) -> GenerationResponse:
        """Return *response* with what every outcome carries, and count it."""
        shortened = any(citation.chunk_id in self.withheld for citation in response.citations)
        codes = (*response.degraded, WITHHELD) if shortened else response.degraded
        closed = replace(
            response,
            degraded=tuple(dict.fromkeys(codes)),
            latency=self.watch.latency(),
            trace=tuple(self.trace),
            recalled=self.recalled,
            searched=self.narrowing.names if self.narrowing else (),
        )
        _count(closed)
        return closed

    def stopped(self) -> GenerationResponse:
        """Return the outcome of a question that nobody waits for any more; asks no model for anything."""
        self.trace.append({"event": "stopped"})
        return self.close(self.break_off(Reason.CANCELLED))


def _count(response: GenerationResponse) -> None:
    QUESTIONS.labels("answered" if response.success else str(response.reason).lower()).inc()
    for code in response.degraded:
        DEGRADED.labels(code).inc()
    if response.latency.first_text is not None:
        FIRST_TEXT.observe(response.latency.first_text / 1000)
