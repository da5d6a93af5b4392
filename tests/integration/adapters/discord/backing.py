"""What stands behind the simulated bot: documents that are there at once, and what was asked and answered."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pipeline.addresses import place_of
from pipeline.errors import IngestError
from tests.fakes.library import FakeJournal, FakeLibrary, FakeReceipt, FakeTurn, document
from tests.fakes.pipeline import ScriptedPipeline

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from bot.incoming import IncomingFile
    from pipeline.conversation import Question
    from pipeline.domain import Document, Scope
    from pipeline.entries import Entry
    from tests.fakes.ledger import FakeLedger
    from tests.fakes.pipeline import Script, ScriptedStream


class Shelves(FakeLibrary):
    """Takes files in, fetched from where they stay, and lets go of what left its place."""

    fetch: Callable[[str], Awaitable[bytes]]

    def __init__(self) -> None:
        super().__init__()
        self.bytes: dict[str, bytes] = {}
        """What was read, by document."""
        self._scopes: dict[str, Scope] = {}

    def put(self, scope: Scope, *documents: Document) -> None:
        super().put(scope, *documents)
        self._scopes[scope.key] = scope

    async def accept(self, scope: Scope, file: IncomingFile) -> FakeReceipt:
        try:
            content = await self.fetch(file.source)
        except IngestError as error:
            return FakeReceipt(status="failed", document_id=None, reason=error.reason, message=str(error))
        for one in await self.documents(scope):
            if self.bytes.get(one.document_id) == content:
                return FakeReceipt(status="duplicate", document_id=one.document_id)
        document_id = f"d{len(self.bytes) + 1}"
        same = [one.document_id for one in await self.documents(scope) if one.display_name == file.name]
        self.bytes[document_id] = content
        self.put(scope, document(document_id, file.name, source=file.source, uploader=file.author))
        return FakeReceipt(document_id=document_id, namesakes=tuple(same))

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        return next((one for one in await self.documents(scope) if one.document_id == document_id), None)

    async def withdraw(self, scope: Scope, source: str) -> None:
        there = await self.documents(scope)
        gone = [one.document_id for one in there if place_of(one.source) == place_of(source)]
        await self.forget(scope, gone)

    async def withdraw_everywhere(self, platform: str, workspace: str, source: str) -> None:
        for scope in await self.holders(platform, workspace, source):
            await self.withdraw(scope, source)

    async def drop(self, scope: Scope) -> None:
        self.shelves.pop(scope.key, None)
        self._scopes.pop(scope.key, None)

    async def drop_workspace(self, platform: str, workspace: str) -> None:
        for scope in await self.channels(platform, workspace):
            await self.drop(scope)

    async def holders(self, platform: str, workspace: str, source: str) -> Sequence[Scope]:
        found = [scope async for scope, kept in self.sources(platform) if kept.startswith(source)]
        return [scope for scope in found if scope.workspace == workspace]

    async def workspaces(self, platform: str) -> list[str]:
        return sorted({one.workspace for one in self._scopes.values() if one.platform == platform})

    async def sources_in(self, scope: Scope) -> list[str]:
        return [one.source for one in await self.documents(scope)]

    async def channels(self, platform: str, workspace: str) -> list[Scope]:
        return [
            one for one in self._scopes.values() if (one.platform, one.workspace) == (platform, workspace)
        ]

    async def sources(self, platform: str) -> AsyncIterator[tuple[Scope, str]]:
        for scope in [one for one in self._scopes.values() if one.platform == platform]:
            for one in await self.documents(scope):
                yield scope, one.source


class RecordingPipeline(ScriptedPipeline):
    """Keeps in a journal what it answers, as a real one does."""

    def __init__(self, journal: FakeJournal, *scripts: Script | Exception) -> None:
        super().__init__(*scripts)
        self._journal = journal

    def ask_stream(self, question: Question) -> ScriptedStream:
        stream = super().ask_stream(question)
        response, channel = stream.script.response, question.scope.key
        turn = FakeTurn(
            question=question.text,
            reason=response.reason,
            turn_id=len(self.questions),
            response={"citations": [asdict(each) for each in response.citations]},
        )
        self._journal.answers[channel, str(question.key)] = turn
        self._journal.turns[channel, str(question.thread)] = turn
        return stream


class Asked:
    """Who asked where, as the ledger has it."""

    def __init__(self, ledger: FakeLedger) -> None:
        self._ledger = ledger

    async def threads_of(self, scope: Scope, author: str) -> Sequence[str]:
        return [one.thread for one in reversed(self._questions(scope)) if one.author == author]

    async def question_of(self, scope: Scope, message: str) -> Entry | None:
        return next((one for one in self._questions(scope) if message in (one.id, *one.messages)), None)

    def _questions(self, scope: Scope) -> list[Entry]:
        return [one for one in self._ledger.entries if (one.kind, one.scope) == ("question", scope)]
