"""A file in a channel becomes a job with a visible state."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import TYPE_CHECKING, Literal, Protocol, assert_never

from bot.chat import Button, ChatError
from bot.citations import file_name, literal
from bot.controls import FORGET
from bot.courier import Courier
from bot.incoming import FileRemoved, IncomingFile
from bot.pacing import first_of
from bot.reply import report
from bot.screens import Edits
from bot.seen import is_first
from bot.wording import counts, ingest_sentence
from pipeline.domain import DocumentStatus, IngestReason

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from typing import Any

    from bot.chat import ChatAdapter
    from bot.pacing import Clock, Limiters
    from bot.seen import SeenEvents
    from pipeline.domain import Document, Scope

logger = logging.getLogger(__name__)

POLL = 0.5
"""Seconds between two looks at a document's state; each further wait is half as long again."""
SLOWEST_POLL = 5.0
GRACE = 5.0
"""Seconds that notices have for their last edit when the program ends."""
AT_ONCE = 4
"""Files that are fetched and accepted at the same time; the rest waits its turn."""


class Receipt(Protocol):
    """What became of a file at the door."""

    @property
    def status(self) -> Literal["queued", "duplicate", "failed"]: ...
    @property
    def document_id(self) -> str | None:
        """None: the file could not even be read."""

    @property
    def reason(self) -> IngestReason | None: ...
    @property
    def message(self) -> str | None:
        """The reason in a sentence for people."""

    @property
    def namesakes(self) -> Sequence[str]:
        """Ids of other documents of the channel that carry the same name."""


class Intake(Protocol):
    """The door through which every file enters a channel."""

    async def accept(self, scope: Scope, file: IncomingFile) -> Receipt:
        """Fetch *file*, and queue it unless its bytes are in the channel already. Raises `PipelineError`."""

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        """Return a document as it stands now; None: it was taken back."""

    async def withdraw(self, scope: Scope, source: str) -> None:
        """Take back every document of the channel that came from *source*."""


class Uploads:
    """Every file that is put into a channel of one platform; each gets a result or a reason."""

    def __init__(
        self, adapter: ChatAdapter, intake: Intake, *, seen: SeenEvents, limiters: Limiters, clock: Clock
    ) -> None:
        self._adapter = adapter
        self._intake = intake
        self._seen = seen
        self._limiters = limiters
        self._clock = clock
        self._door = asyncio.Semaphore(AT_ONCE)
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def receive(self, event: IncomingFile | FileRemoved) -> None:
        """Take *event* in and return at once; must be called on a running loop."""
        match event:
            case IncomingFile():
                self._start(self._take(event))
            case FileRemoved():
                self._start(self._intake.withdraw(event.scope, event.source))
            case _:
                assert_never(event)

    async def settled(self) -> None:
        """Return when every file so far is indexed or refused."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def stop(self) -> None:
        """Stop watching. What is queued stays queued, and its notice says that it is indexed later."""
        self._stopping.set()
        await first_of(self.settled(), self._clock.sleep(GRACE))
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(work), name="upload")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @staticmethod
    async def _guarded(work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - one bad file never stops the others
            report(error)

    async def _take(self, file: IncomingFile) -> None:
        """Announce a file, accept it, and follow it to its end. A file that comes again is left alone."""
        name = f"{file.thread.scope.key}/{file.file_id}"
        if not await is_first(self._seen, f"file:{name}"):
            return
        limiter = self._limiters.of(file.thread, self._adapter.capabilities)
        key = f"f{hashlib.sha256(name.encode()).hexdigest()[:14]}"
        notice = Notice(Courier(self._adapter, limiter, self._clock), file, key)
        try:
            await self._index(file, notice)
        except Exception as error:  # noqa: BLE001 - every upload gets a result or a reason
            report(error)
            await notice.end(_refused(None, None))

    async def _index(self, file: IncomingFile, notice: Notice) -> None:
        most = self._adapter.capabilities.max_upload_bytes
        if file.size is not None and file.size > most > 0:
            await notice.end(_refused(IngestReason.TOO_LARGE, None))
            return
        await notice.show("is being fetched…")
        async with self._door:
            receipt = await self._intake.accept(file.thread.scope, file)
        if receipt.status == "failed" or receipt.document_id is None:
            await notice.end(_refused(receipt.reason, receipt.message))
        elif receipt.status == "duplicate":
            await notice.end(await self._known(file, receipt.document_id))
        else:
            await self._follow(file, notice, receipt.document_id, receipt.namesakes)

    async def _known(self, file: IncomingFile, document_id: str) -> str:
        document = await self._intake.find(file.thread.scope, document_id)
        same = document is None or document.display_name == file.name
        name = "" if same or document is None else f", under the name {file_name(document.display_name)}"
        return f"is already here{name}: `{document_id}`. Nothing was changed."

    async def _follow(
        self, file: IncomingFile, notice: Notice, document_id: str, namesakes: Sequence[str]
    ) -> None:
        """Show the document's state whenever it changes, until it is ready, failed or taken back."""
        pause = POLL
        while (document := await self._intake.find(file.thread.scope, document_id)) is not None:
            match document.status:
                case DocumentStatus.QUEUED:
                    await notice.show("is queued…")
                case DocumentStatus.INDEXING:
                    await notice.show("is being indexed…")
                case DocumentStatus.READY:
                    left_out = f" {document.message}" if document.message else ""
                    result = f"is ready: {counts(document)}.{left_out}{_older(namesakes)}"
                    await notice.end(result, _offers(namesakes))
                    return
                case DocumentStatus.FAILED:
                    await notice.end(_refused(document.reason, document.message))
                    return
                case _:
                    assert_never(document.status)
            if self._stopping.is_set():
                await notice.end("will be indexed when I am back; `docs` then shows it.")
                return
            await first_of(self._clock.sleep(pause), self._stopping.wait())
            pause = min(pause * 1.5, SLOWEST_POLL)
        await notice.end("was taken back.")


class Notice:
    """The one message that says where a file stands. Only its end is insisted on."""

    def __init__(self, courier: Courier, file: IncomingFile, key: str) -> None:
        self._courier = courier
        self._screen = Edits(courier, file.thread, key=key)
        self._name = f"**{file_name(file.name)}**"

    async def show(self, state: str) -> None:
        """Say where the file stands, if the budget has room and the platform lets us."""
        if not self._courier.ready:
            return
        try:
            await self._screen.stage(f"{self._name} {state}")
        except ChatError as error:
            logger.info("a file's state was not shown: %s", type(error).__name__)

    async def end(self, result: str, buttons: Sequence[Button] = ()) -> None:
        """Say what became of the file."""
        try:
            await self._screen.finish(f"{self._name} {result}", buttons)
        except ChatError as error:
            logger.warning("a file's result could not be delivered: %s", type(error).__name__)
        await self._courier.end_status()


def _refused(reason: IngestReason | None, message: str | None) -> str:
    return f"was not indexed: {literal(ingest_sentence(reason, message), 300)}"


def _older(namesakes: Sequence[str]) -> str:
    if not namesakes:
        return ""
    return (
        " Another document of the same name is still here, with other contents; it is "
        + " and ".join(f"`{document_id}`" for document_id in namesakes)
        + "."
    )


def _offers(namesakes: Sequence[str]) -> list[Button]:
    """Offer to retire the older documents; nothing is replaced silently."""
    return [
        Button(
            label="Retire the older one",
            action=FORGET,
            value=document_id,
            fallback=f"To retire it: `forget {document_id}`",
        )
        for document_id in namesakes[:3]
    ]
