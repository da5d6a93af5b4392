"""The values of a conversation: what is asked, what is shown meanwhile, how it ends, what is kept of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pipeline.domain import Filters, Place
from pipeline.verdicts import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.domain import Chunk, Scope, Unit
    from pipeline.verdicts import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody asks, where, and in which thread."""

    text: str
    scope: Scope
    thread: str | None = None
    """The thread whose memory is used and kept; None: no memory."""
    filters: Filters = field(default_factory=Filters)
    key: str | None = None
    """What asked it, so that a button under the answer can name it; unique within the channel."""
    mode: Mode = Mode.STREAMING
    """Whether its answer is shown while it is written, or once it is checked."""


class Stage(StrEnum):
    """What a request is doing before it has text to show."""

    SEARCHING = "searching"
    WAITING = "waiting"
    WRITING = "writing"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class Progress:
    """A change of stage. *position* counts from 1: the place in the queue, or the statement being checked."""

    stage: Stage
    position: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """Text that passed the streaming policy and may be shown."""

    text: str


class Reason(StrEnum):
    """Why a question ended without an answer. The list may grow, never change meaning."""

    EMPTY_QUERY = "EMPTY_QUERY"
    QUERY_TOO_LONG = "QUERY_TOO_LONG"
    PROMPT_INJECTION = "PROMPT_INJECTION"
    ABOUT_ASSISTANT = "ABOUT_ASSISTANT"
    RATE_LIMITED = "RATE_LIMITED"
    NO_DOCUMENTS = "NO_DOCUMENTS"
    STILL_INDEXING = "STILL_INDEXING"
    NO_RELEVANT_CONTEXT = "NO_RELEVANT_CONTEXT"
    EMPTY_RESPONSE = "EMPTY_RESPONSE"
    UNSUPPORTED_ANSWER = "UNSUPPORTED_ANSWER"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    MODEL_TIMEOUT = "MODEL_TIMEOUT"
    MODEL_NOT_FOUND = "MODEL_NOT_FOUND"
    CANCELLED = "CANCELLED"
    INTERNAL_ERROR = "INTERNAL_ERROR"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """A retrieved chunk and the label it carries for this one request."""

    label: str
    chunk: Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A label that the answer uses, resolved for people."""

    label: str
    document_id: str
    display_name: str
    chunk_id: str
    page: int | None
    lines: tuple[int, int] | None
    section: str | None
    url: str | None
    quote: str | None
    """The sentence of the source that is closest to question and answer."""
    unit: Unit | None = None
    """What page and lines count, see `Place`."""
    page_label: str | None = None
    apart: str | None = None
    """What tells its document from another cited one of the same name: a folder, or part of its id."""

    @property
    def place(self) -> Place:
        """Where the cited passage stands."""
        return Place(
            page=self.page,
            lines=self.lines,
            section=self.section,
            unit=self.unit,
            page_label=self.page_label,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Tokens as the model server counted them."""

    input: int = 0
    output: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds from the start of the request; None: that point was not reached."""

    retrieve: float | None = None
    first_text: float | None = None
    total: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A thread's rolling memory; the version guards against a lost update."""

    text: str = ""
    version: int = 0
    documents: frozenset[str] = frozenset()
    """Ids of the documents that it came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationResponse:
    """How every request ends: an answer, or a reason and a sentence for people."""

    success: bool
    reason: Reason | None = None
    message: str | None = None
    answer: str = ""
    sources: tuple[CitedSource, ...] = ()
    """All that the model was shown, in label order."""
    citations: tuple[Citation, ...] = ()
    """Only what the answer uses; after a model failure, the best passages."""
    token_usage: TokenUsage | None = None
    finish_reason: str | None = None
    latency: Latency = field(default_factory=Latency)
    degraded: tuple[str, ...] = ()
    trace: tuple[Mapping[str, Any], ...] = ()
    recalled: Summary = field(default_factory=Summary)
    """The thread's memory that it was answered in the light of; what is remembered next builds on it."""
    searched: tuple[str, ...] = ()
    """Names of the only documents that were searched, because the question says so; empty: all of them."""
    verification: Verification | None = None
    """What the gate found about the answer; None: there was none to check, or it could not be checked."""

    @property
    def uncited_labels(self) -> tuple[str, ...]:
        """Labels that were shown to the model and are not cited."""
        cited = {citation.label for citation in self.citations}
        return tuple(source.label for source in self.sources if source.label not in cited)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The outcome of updating a thread's summary, with the tokens it cost."""

    summary: str
    accepted: bool
    token_usage: TokenUsage | None = None


class Verdict(StrEnum):
    """What somebody thought of an answer."""

    UP = "up"
    DOWN = "down"
