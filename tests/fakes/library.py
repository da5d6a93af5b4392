"""A channel's documents and its journal, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from bot.preferences import Preferences
from bot.records import LibraryStatus, Waiting
from pipeline.domain import Document, DocumentStatus, IngestReason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bot.incoming import IncomingFile
    from pipeline.conversation import Reason, Verdict
    from pipeline.domain import Scope
    from pipeline.entries import Entry


def document(
    document_id: str,
    name: str = "handbook.pdf",
    *,
    status: DocumentStatus = DocumentStatus.READY,
    **facts: Any,
) -> Document:
    """Make a document of 12 pages and 60 passages."""
    return Document(
        **{
            "document_id": document_id,
            "display_name": name,
            "source": f"chat://{name}",
            "uploader": "u1",
            "uploaded_at": datetime(2026, 1, 1, tzinfo=UTC),
            "status": status,
            "pages": 12,
            "chunks": 60,
            **facts,
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeTurn:
    """A kept turn."""

    question: str
    reason: Reason | None = None
    response: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    turn_id: int | None = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What somebody thought of a turn."""

    turn_id: int
    verdict: Verdict
    note: str | None
    user: str


class FakeJournal:
    """A `Journal` by channel and thread; `answers` are by channel and the key of their question."""

    def __init__(self) -> None:
        self.turns: dict[tuple[str, str], FakeTurn] = {}
        self.answers: dict[tuple[str, str], FakeTurn] = {}
        self.opinions: list[Opinion] = []
        self.gone: set[int] = set()
        """Turns that were removed after they were found."""
        self.resets: list[tuple[str, str]] = []

    async def turn_for(self, scope: Scope, question_key: str) -> FakeTurn | None:
        return self.answers.get((scope.key, question_key))

    async def add_feedback(self, turn_id: int, verdict: Verdict, note: str | None, user: str) -> bool:
        if turn_id in self.gone:
            return False
        self.opinions.append(Opinion(turn_id=turn_id, verdict=verdict, note=note, user=user))
        return True

    async def last_turn(self, scope: Scope, thread: str) -> FakeTurn | None:
        return self.turns.get((scope.key, thread))

    async def reset(self, scope: Scope, thread: str) -> None:
        self.resets.append((scope.key, thread))


class FakePreferences:
    """A `PreferenceStore` in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Preferences] = {}
        self.default = Preferences()

    async def read(self, scope: Scope) -> Preferences:
        return self.kept.get(scope.key, self.default)

    async def write(self, scope: Scope, preferences: Preferences) -> None:
        self.kept[scope.key] = preferences


class FakeChoices:
    """Values by channel and name, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}

    async def find(self, scope: Scope) -> Mapping[str, Any]:
        return self.kept.get(scope.key, {})

    async def save(self, scope: Scope, chosen: Mapping[str, Any]) -> None:
        self.kept[scope.key] = {**self.kept.get(scope.key, {}), **chosen}


class FakeAsked:
    """Who asked in which threads, by channel and author, the latest thread first."""

    def __init__(self) -> None:
        self.threads: dict[tuple[str, str], list[str]] = {}
        self.questions: dict[tuple[str, str], Entry] = {}
        """By channel and message."""

    async def threads_of(self, scope: Scope, author: str) -> Sequence[str]:
        return self.threads.get((scope.key, author), [])

    async def question_of(self, scope: Scope, message: str) -> Entry | None:
        return self.questions.get((scope.key, message))


class FakeLibrary:
    """A `Library` by channel."""

    def __init__(self) -> None:
        self.shelves: dict[str, list[Document]] = {}
        self.texts: dict[tuple[str, str], str] = {}
        """Passages by channel and id."""
        self.remarks: tuple[str, ...] = ()
        self.waiting: tuple[Waiting, ...] = ()

    def put(self, scope: Scope, *documents: Document) -> None:
        self.shelves.setdefault(scope.key, []).extend(documents)

    async def documents(self, scope: Scope) -> Sequence[Document]:
        return list(self.shelves.get(scope.key, []))

    async def forget(self, scope: Scope, document_ids: Sequence[str]) -> None:
        kept = [d for d in self.shelves.get(scope.key, []) if d.document_id not in document_ids]
        self.shelves[scope.key] = kept

    async def forget_all(self, scope: Scope) -> Sequence[Document]:
        return self.shelves.pop(scope.key, [])

    async def status(self, scope: Scope) -> LibraryStatus:
        count = len(self.shelves.get(scope.key, []))
        return LibraryStatus(
            documents=count,
            ready=count,
            pending=0,
            failed=0,
            reader="extractive",
            embedder="embedded:minilm",
            remarks=self.remarks,
            waiting=self.waiting,
        )

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, str]:
        return {each: self.texts[scope.key, each] for each in chunk_ids if (scope.key, each) in self.texts}


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeReceipt:
    """What became of a file at the door."""

    status: Literal["queued", "duplicate", "failed"] = "queued"
    document_id: str | None = "d1"
    reason: IngestReason | None = None
    message: str | None = None
    namesakes: tuple[str, ...] = ()


class FakeIntake:
    """An `Intake` whose documents go through the states they are given, one for each look."""

    def __init__(self, *states: Document | None, receipt: FakeReceipt | Exception | None = None) -> None:
        self._states = list(states) or [document("d1")]
        self._receipt = receipt or FakeReceipt()
        self.accepted: list[IncomingFile] = []
        self.withdrawn: list[str] = []
        self.arriving: Callable[[], Any] | None = None
        """Awaited while a file is accepted."""

    async def accept(self, scope: Scope, file: IncomingFile) -> FakeReceipt:
        self.accepted.append(file)
        if self.arriving is not None:
            await self.arriving()
        if isinstance(self._receipt, Exception):
            raise self._receipt
        return self._receipt

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        found = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        return replace(found, document_id=document_id) if found else None

    async def withdraw(self, scope: Scope, source: str) -> None:
        self.withdrawn.append(source)
