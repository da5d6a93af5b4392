"""The channel's files and threads as the commands and uploads of a platform see them."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.chat import ChatError
from bot.context import condensed
from bot.places import Places
from bot.records import LibraryStatus, Waiting
from bot.renewal import is_outdated
from pipeline.addresses import place_of
from pipeline.catalog import INGEST, REINDEX
from pipeline.domain import IngestReason
from pipeline.errors import CatalogError
from pipeline.guardrails.policy import contains_injection_attempt
from pipeline.guardrails.summary import MAX_CHARS, check_summary
from pipeline.ingestion.intake import Upload
from pipeline.markers import without_markers
from pipeline.storage.job import JobState
from pipeline.storage.scopes import Scopes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence

    from bot.bootstrap import Service
    from bot.chat import Thread, Turn
    from bot.incoming import IncomingFile
    from pipeline.domain import Document, Scope
    from pipeline.ingestion.intake import Accepted
    from pipeline.storage.job import Job

TAKEN_BACK = "It was taken back while it was being fetched."
OUTDATED = (
    "Some files were read by an earlier version of me; they are read again when I next start, "
    "or with 'footnote reindex'."
)

logger = logging.getLogger(__name__)


class SystemClock:
    """The clock that runs where no other is passed in."""

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class ServiceLibrary:
    """Satisfies the commands' `Library` and the uploads' `Intake` with the service."""

    def __init__(
        self, service: Service, *, gone: Callable[[Scope, str], Awaitable[bool]] | None = None
    ) -> None:
        """*gone* asks the platform whether a file has left a channel; it may raise `ChatError`."""
        self._service = service
        self._gone = gone
        self._places = Places(service)
        self._scopes = Scopes(service.stores.database)
        self._arrivals: set[_Arrival] = set()

    async def documents(self, scope: Scope) -> Sequence[Document]:
        return await self._service.stores.catalog.documents(scope)

    async def workspaces(self, platform: str) -> list[str]:
        """Return the workspaces of a platform in which anything was indexed."""
        return sorted({scope.workspace for scope in await self._indexed(platform)})

    async def channels(self, platform: str, workspace: str) -> list[Scope]:
        """Return the workspace's channels in which anything was indexed."""
        return [scope for scope in await self._indexed(platform) if scope.workspace == workspace]

    async def forget(self, scope: Scope, document_ids: Sequence[str]) -> None:
        await self._places.forget(scope, document_ids)

    async def forget_all(self, scope: Scope) -> Sequence[Document]:
        documents = await self._service.stores.catalog.known(scope)
        await self._places.forget(scope, [each.document_id for each in documents])
        return documents

    async def status(self, scope: Scope) -> LibraryStatus:
        holdings = await self._service.stores.catalog.holdings(scope)
        ref = await self._service.stores.generations.current(scope)
        models = self._service.models
        llm = await models.llm()
        embedder = await models.embedder_for(ref)
        remarks = []
        if ref is not None and ref.embedder != embedder.name:
            remarks.append(f"Vectors were made by {ref.embedder}; they are being renewed.")
        queued = await self._service.stores.queue.waiting(scope)
        if any(job.kind == REINDEX for job in queued):
            remarks.append("The index is being rebuilt from its files.")
        elif ref is not None and is_outdated(ref, self._service.stores.generations.reading):
            remarks.append(OUTDATED)
        return LibraryStatus(
            documents=holdings.ready + holdings.pending + holdings.failed,
            ready=holdings.ready,
            pending=holdings.pending,
            failed=holdings.failed,
            reader=llm.reader.name,
            embedder=embedder.name,
            remarks=tuple(remarks),
            waiting=tuple(_waiting(job) for job in queued if job.kind == INGEST),
        )

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, str]:
        found = await self._service.stores.catalog.passages(scope, list(chunk_ids))
        return {chunk_id: chunk.text for chunk_id, chunk in found.items()}

    async def accept(self, scope: Scope, file: IncomingFile) -> Accepted:
        upload = Upload(source=file.source, display_name=file.name, uploader=file.author)
        with self._arriving(scope, file.source) as arrival:
            earlier = await self._places.standing(scope, file.source) if file.changed else ()
            accepted = await self._places.enter(scope, upload, again=not file.changed)
            if accepted.document_id is None:
                return accepted
            if accepted.document_id in earlier:  # only its name has changed, or nothing that is read
                accepted = replace(accepted, status="duplicate")
            # a file that left before anything was known of it here left nothing to take back
            if not (arrival.overtaken or await self._has_left(scope, file.source)):
                return accepted
        await self.withdraw(scope, file.source)
        return replace(
            accepted, status="failed", document_id=None, reason=IngestReason.UNREADABLE, message=TAKEN_BACK
        )

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        return await self._service.stores.catalog.find(scope, document_id)

    async def withdraw(self, scope: Scope, source: str) -> None:
        self._overtake(lambda one: (one.scope.key, one.place) == (scope.key, place_of(source)))
        await self._places.leave(scope, source)

    async def withdraw_everywhere(self, platform: str, workspace: str, source: str) -> None:
        place = place_of(source)
        self._overtake(lambda one: one.is_in(platform, workspace) and one.place == place)
        for scope in await self.holders(platform, workspace, source):
            await self._places.leave(scope, source)

    async def drop(self, scope: Scope) -> None:
        self._overtake(lambda one: one.scope.key == scope.key)
        job = await self._places.end(await self._service.stores.catalog.request_purge(scope))
        if job is not None and job.state is not JobState.DONE:
            raise CatalogError("A channel that was lost could not be emptied.")

    async def drop_workspace(self, platform: str, workspace: str) -> None:
        self._overtake(lambda one: one.is_in(platform, workspace))
        for scope in await self._scopes.of(platform, workspace):
            await self.drop(scope)

    async def holders(self, platform: str, workspace: str, source: str) -> Sequence[Scope]:
        """Return the channels of a workspace that may have documents from *source*; no other has any."""
        return await self._scopes.holding(platform, workspace, place_of(source))

    async def keeping(self, platform: str, workspace: str, source: str) -> Sequence[Scope]:
        """Return the channels of a workspace that have a document from *source*, or are just getting it."""
        place = place_of(source)
        kept = {
            arrival.scope
            for arrival in self._arrivals
            if arrival.is_in(platform, workspace) and arrival.place == place
        }
        for scope in await self.holders(platform, workspace, source):
            if place in map(place_of, await self.sources_in(scope)):
                kept.add(scope)
        return sorted(kept, key=str)

    async def sources(self, platform: str) -> AsyncIterator[tuple[Scope, str]]:
        """Yield where the files of every channel of a platform stay, one workspace after the other."""
        for scope in await self._indexed(platform):
            for source in await self.sources_in(scope):
                yield scope, source

    async def sources_in(self, scope: Scope) -> Sequence[str]:
        """Return where each file of a channel stays."""
        return await self._places.sources(scope)

    async def _indexed(self, platform: str) -> list[Scope]:
        scopes = await self._service.stores.generations.scopes()
        return [scope for scope in scopes if scope.platform == platform]

    @contextmanager
    def _arriving(self, scope: Scope, source: str) -> Iterator[_Arrival]:
        arrival = _Arrival(scope=scope, place=place_of(source))
        self._arrivals.add(arrival)
        try:
            yield arrival
        finally:
            self._arrivals.discard(arrival)

    def _overtake(self, concerns: Callable[[_Arrival], bool]) -> None:
        """Let what is being fetched know that it is not wanted any more."""
        for arrival in filter(concerns, self._arrivals):
            arrival.overtaken = True

    async def _has_left(self, scope: Scope, source: str) -> bool:
        """Ask the platform, for its word that a file left may have come first; False if nobody knows."""
        if self._gone is None:
            return False
        try:
            return await self._gone(scope, source)
        except ChatError as error:
            logger.info("whether a file is still there is unknown: %s", type(error).__name__)
            return False


@dataclass(slots=True, kw_only=True, eq=False)
class _Arrival:
    """A file that is being fetched."""

    scope: Scope
    place: str
    overtaken: bool = False
    """Whether it was taken back meanwhile."""

    def is_in(self, platform: str, workspace: str) -> bool:
        return (self.scope.platform, self.scope.workspace) == (platform, workspace)


def _waiting(job: Job) -> Waiting:
    running = job.state is JobState.RUNNING
    return Waiting(
        name=job.payload["display_name"],
        running=running,
        fault=job.message,
        since=job.waiting_since,
        attempts=job.attempts - running,
    )


class ServiceContext:
    """What was said in a thread without the bot, kept in the thread's summary."""

    def __init__(self, service: Service) -> None:
        self._threads = service.stores.threads

    async def missing(self, thread: Thread) -> bool:
        """Tell whether nothing was ever remembered: what was forgotten on purpose must not be read again."""
        return not (await self._threads.summary(thread.scope, thread.key)).version

    async def adopt(self, thread: Thread, turns: Sequence[Turn]) -> None:
        """Add what was said to the summary, as far as it may become one; see `check_summary`.

        Markers go, because the next answer's sources have the same labels. A message that gives orders to
        the assistant is left out, and messages that do so only together leave nothing to keep.
        """
        said = [without_markers(turn.text) for turn in turns]
        honest = [part for part in said if not contains_injection_attempt(part)]
        previous = await self._threads.summary(thread.scope, thread.key)
        text = without_markers(condensed([previous.text, *honest], MAX_CHARS))
        if check_summary(text) is not None:
            return
        await self._threads.save_summary(thread.scope, thread.key, text, expected_version=previous.version)

    async def retract(self, thread: Thread, question_key: str) -> None:
        await self._threads.retract(thread.scope, thread.key, question_key)
