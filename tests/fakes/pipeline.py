"""A pipeline that says what it was told to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.conversation import (
    Citation,
    Delta,
    GenerationResponse,
    Memory,
    Progress,
    Question,
    Reason,
    Stage,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence


@dataclass(slots=True, kw_only=True)
class Script:
    """One answer to come."""

    events: Sequence[Progress | Delta | Exception] = ()
    """An exception is raised where it stands."""
    response: GenerationResponse
    stopped: GenerationResponse = field(
        default_factory=lambda: GenerationResponse(success=False, reason=Reason.CANCELLED)
    )
    """The outcome when it is closed before its end."""
    pause: Callable[[], Awaitable[None]] | None = None
    """Awaited before each event: a slow model."""
    gate: asyncio.Event | None = None
    """Awaited before each piece of text."""
    memory_gate: asyncio.Event | None = None
    """Awaited while the turn is being remembered."""
    memory_error: Exception | None = None


def answer(
    text: str, *, final: str | None = None, size: int = 12, citations: Sequence[Citation] | None = None
) -> Script:
    """Script a good answer that comes in pieces of *size*; *final* is its text in the end.

    Unless *citations* are given it has one whose marker does not stand in the text: nothing is added to it.
    """
    pieces = [Delta(text[start : start + size]) for start in range(0, len(text), size)]
    return Script(
        events=[Progress(Stage.SEARCHING, total=3), Progress(Stage.WRITING), *pieces],
        response=GenerationResponse(
            success=True,
            answer=text if final is None else final,
            citations=(citation("0"),) if citations is None else tuple(citations),
        ),
    )


def refusal(reason: Reason, message: str | None = None, *, citations: Sequence[Citation] = ()) -> Script:
    """Script a question that ends without an answer."""
    return Script(
        events=[Progress(Stage.SEARCHING)],
        response=GenerationResponse(
            success=False, reason=reason, message=message, citations=tuple(citations)
        ),
    )


def citation(
    label: str, *, name: str = "handbook.pdf", page: int | None = 3, url: str | None = None
) -> Citation:
    """Make a citation of page *page* of *name*."""
    return Citation(
        label=label,
        document_id="d1",
        display_name=name,
        chunk_id=f"d1-{label}",
        page=page,
        lines=None,
        section="Refunds > Timing",
        url=url,
        quote="Refunds are paid within five days.",
    )


@dataclass(slots=True)
class ScriptedStream:
    """One answer on its way; satisfies `AnswerStream`."""

    question: Question
    script: Script
    log: list[str]
    closed: bool = False
    drained: bool = False
    released: str = field(default="")

    async def __aiter__(self) -> AsyncIterator[Progress | Delta]:
        for event in self.script.events:
            if self.script.gate is not None and isinstance(event, Delta):
                await self.script.gate.wait()
            if self.script.pause is not None:
                await self.script.pause()
            if isinstance(event, Exception):
                raise event
            yield event
        self.drained = True
        self.log.append(f"answered {self.question.text}")

    @property
    def response(self) -> GenerationResponse:
        if not self.drained and not self.closed:
            raise RuntimeError("the stream is not drained")
        if self.closed and not self.drained:
            return self.script.stopped
        return self.script.response

    async def remember(self) -> Memory | None:
        self.log.append(f"remembering {self.question.text}")
        if self.script.memory_gate is not None:
            await self.script.memory_gate.wait()
        if self.script.memory_error is not None:
            raise self.script.memory_error
        self.log.append(f"remembered {self.question.text}")
        return Memory(summary="", accepted=True)

    async def aclose(self) -> None:
        self.closed = True


class ScriptedPipeline:
    """Gives the scripts out in order; the last one again and again."""

    def __init__(self, *scripts: Script | Exception) -> None:
        self._scripts = list(scripts)
        self.questions: list[Question] = []
        self.streams: list[ScriptedStream] = []
        self.log: list[str] = []
        """What happened, in order: ``asked …``, ``answered …``, ``remembering …``, ``remembered …``."""

    def ask_stream(self, question: Question) -> ScriptedStream:
        """Begin the next scripted answer. Raises an exception that stands in a script's place."""
        self.questions.append(question)
        self.log.append(f"asked {question.text}")
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        if isinstance(script, Exception):
            raise script
        stream = ScriptedStream(question, script, self.log)
        self.streams.append(stream)
        return stream
