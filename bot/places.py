"""At which places of a channel each document stands, so that it goes when the last of them does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from pipeline.addresses import inside_of, original_of, place_of
from pipeline.catalog import FORGET, MOVES, queued_document, queued_payload
from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogError
from pipeline.storage.copies import Copies
from pipeline.storage.job import JobState
from pipeline.storage.uploads import UploadEntries

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.bootstrap import Service
    from pipeline.domain import Document, Scope
    from pipeline.ingestion.intake import Accepted, Upload
    from pipeline.storage.job import Job

POLL_S = 0.1
"""How often the end of a job is looked for; another process may be doing it."""
TRIES = 3


class Places:
    """Takes files in and out by where they stay.

    Two files with the same bytes are one document, which stands as long as one of them does. One file whose
    bytes change leaves its earlier document.
    """

    def __init__(self, service: Service, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._service = service
        self._catalog = service.stores.catalog
        self._queue = service.stores.queue
        self._copies = Copies(service.stores.database)
        self._entries = UploadEntries(service.stores.database)
        self._sleep = sleep
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def enter(self, scope: Scope, upload: Upload, *, again: bool = False) -> Accepted:
        """Take a file in, and note where it stands if its document is there; *again*: see `Intake.accept`."""
        for _ in range(TRIES):
            accepted = await self._service.intake.accept(scope, upload, again=again)
            if accepted.document_id is None or await self._settle(scope, upload, accepted.document_id):
                break  # else its document was taken back at this very moment
        if accepted.document_id is None or not _is_the_platforms_own(scope, upload.source):
            return accepted
        earlier = await self._leave_earlier(scope, upload.source, accepted.document_id)
        return replace(accepted, namesakes=tuple(one for one in accepted.namesakes if one not in earlier))

    async def leave(self, scope: Scope, source: str) -> None:
        """Take back every document that stands at the place of *source* and at no other.

        Raises `CatalogError` if one could not be, so that it is to be tried again.
        """
        place = place_of(source)
        async with self._turn(scope):
            await self._copies.strike_all(scope, place)
            await self._entries.strike(scope, place)
            documents = {one.document_id: one for one in await self._catalog.documents(scope)}
            leaving = {key for one in documents.values() if (key := _outermost(one, place)) is not None}
            await self._service.chores.forget(
                scope, [each for each in leaving if _is_at(documents.get(each), place)], leaves=place
            )
            for job in await self._queue.waiting(scope):
                if job.payload.get(MOVES):  # an archive that stays: its files must not be moved one by one
                    await self.end(job)
            copies = await self._find_copies(scope)
            for outer in await self._uploaded_at(scope, place):
                if inside_of(outer.source) is None:  # the files of an archive move with it
                    await self._move(scope, copies.get(outer.document_id, []))
            for document in await self._uploaded_at(scope, place):
                await self._move(scope, copies.get(document.document_id, []))

    async def forget(self, scope: Scope, document_ids: Sequence[str]) -> None:
        """Take documents back wherever they stand, archives with their files."""
        gone = await self._service.chores.forget(scope, document_ids)
        await self._entries.forget_documents(scope, gone)

    async def standing(self, scope: Scope, source: str) -> list[str]:
        """Return the ids of the documents from *source* that are, or are about to be, searched."""
        place = place_of(source)
        return [
            one.document_id
            for one in await self._catalog.documents(scope)
            if place_of(one.source) == place and one.status is not DocumentStatus.FAILED
        ]

    async def sources(self, scope: Scope) -> list[str]:
        """Return where the channel's files stay, each once; those in an archive stay where it does."""
        documents = await self._catalog.documents(scope)
        copies = await self._find_copies(scope)
        standing = (*documents, *(copy for each in copies.values() for copy in each))
        return list(dict.fromkeys(original_of(one.source) for one in standing))

    async def end(self, job: Job) -> Job | None:
        """Wait until *job* has ended, whoever does it, and return it as it stands; None: it is struck off.

        One that waits for what is away is done some time, and not waited for.
        """
        current: Job | None = job
        while current is not None and current.state in {JobState.QUEUED, JobState.RUNNING}:
            if current.waiting_since is not None:
                break
            await self._sleep(POLL_S)
            current = await self._queue.find(job.id)
        return current

    async def _uploaded_at(self, scope: Scope, place: str) -> list[Document]:
        """Return the documents that came from *place*, those of an archive there included."""
        documents = await self._catalog.documents(scope)
        return [one for one in documents if place_of(original_of(one.source)) == place]

    async def _settle(self, scope: Scope, upload: Upload, document_id: str) -> bool:
        """Note a copy if the document came from another place; False: there is no such document any more."""
        async with self._turn(scope):
            for job in await self._queue.waiting(scope):
                if job.kind == FORGET and job.state is JobState.RUNNING:  # it knows nothing of this copy
                    await self.end(job)
            document = await self._catalog.find(scope, document_id)
            if document is None:
                return False
            place = place_of(upload.source)
            if place_of(document.source) == place:
                await self._catalog.stay(scope, document_id)
                await self._copies.strike(scope, place)
            else:
                name, uploader = upload.display_name, upload.uploader
                copy = replace(document, display_name=name, source=upload.source, uploader=uploader)
                await self._copies.add(scope, place, document_id, queued_payload(copy))
            return True

    async def _leave_earlier(self, scope: Scope, source: str, document_id: str) -> Sequence[str]:
        """Have a file's earlier documents taken back once the new one is there; return their ids."""
        place = place_of(source)
        async with self._turn(scope):
            earlier = [
                one.document_id
                for one in await self._catalog.documents(scope)
                if place_of(one.source) == place and one.document_id != document_id
            ]  # files of an earlier archive go with it, as far as they are not in the new one
            for one in earlier:
                await self._catalog.request_forget(scope, [one], urgent=False, leaves=place)
        return earlier

    async def _move(self, scope: Scope, copies: Sequence[Document]) -> None:
        """Let a document stand where the first of its *copies* does. Raises `CatalogError`."""
        if not copies:
            return
        first = copies[0]
        await self._queue.cancel(scope, [first.document_id])  # it would be read where it is no longer
        job = await self.end(await self._catalog.request_move(scope, first))
        if job is not None and job.payload["source"] != first.source:
            job = await self.end(await self._catalog.request_move(scope, first))
        if job is not None and job.state is JobState.DEAD:
            raise CatalogError("A file's document could not be kept for another file with the same bytes.")

    async def _find_copies(self, scope: Scope) -> dict[str, list[Document]]:
        kept = await self._copies.of(scope)
        return {key: [queued_document(payload) for payload in payloads] for key, payloads in kept.items()}

    def _turn(self, scope: Scope) -> asyncio.Lock:
        """Whoever notes a copy waits for whoever takes its document back, and the other way round."""
        lock = self._turns.get(scope.key)
        if lock is None:
            lock = self._turns[scope.key] = asyncio.Lock()
        return lock


def _outermost(document: Document, place: str) -> str | None:
    """Return the id of a document at *place*, or of the archive there that holds it; None: elsewhere."""
    if place_of(original_of(document.source)) != place:
        return None
    inside = inside_of(document.source)
    return document.document_id if inside is None else inside.document_id


def _is_at(document: Document | None, place: str) -> bool:
    """Tell whether an outermost document leaves with *place*; one without a row can stand nowhere else."""
    return document is None or place_of(document.source) == place


def _is_the_platforms_own(scope: Scope, source: str) -> bool:
    """Tell whether the platform itself keeps the file: then one place is one file, whatever its bytes."""
    return urlsplit(source).scheme == scope.platform
