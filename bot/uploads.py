"""A file in a channel becomes a job with a visible state."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, assert_never

from bot.arriving import Arriving
from bot.chat import Mark
from bot.citations import file_name
from bot.courier import ROUNDS, courier_for
from bot.files import Files
from bot.notices import Notice, Signs, offers, older, queued, refusal, remark
from bot.pacing import first_of
from bot.records import Customs
from bot.reply import report
from bot.screens import Spot
from bot.wording import counts
from pipeline.archives import LACKING, lacks_files
from pipeline.domain import DocumentStatus, IngestReason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.arriving import Coming
    from bot.chat import Button, ChatAdapter
    from bot.files import Upload
    from bot.incoming import IncomingFile
    from bot.ledger import Ledger
    from bot.pacing import Clock, Limiters
    from pipeline.domain import Document, Scope

logger = logging.getLogger(__name__)

POLL = 0.5
"""Seconds between two looks at a document's state; each further wait is half as long again."""
SLOWEST_POLL = 5.0
GRACE = 5.0
"""Seconds that notices have for their last edit when the program ends."""
AT_ONCE = 4
"""Files that are fetched and accepted at the same time; the rest waits its turn."""
RESUMES = 5
"""How often a file is taken over from a process that died while it fetched it, before it is given up."""


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
        """Ids of older documents of the channel that carry the same name."""


class Intake(Protocol):
    """The door through which every file enters a channel."""

    async def accept(self, scope: Scope, file: IncomingFile) -> Receipt:
        """Fetch *file*, and queue it unless its bytes are in the channel already. Raises `PipelineError`."""

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        """Return a document as it stands now; None: it was taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What became of a file in the end."""

    mark: Mark
    text: str
    buttons: Sequence[Button] = ()


class Uploads:
    """Every file that is put into a channel of one platform; each gets a result or a reason."""

    def __init__(
        self,
        adapter: ChatAdapter,
        intake: Intake,
        *,
        ledger: Ledger,
        limiters: Limiters,
        clock: Clock,
        arriving: Arriving | None = None,
        customs: Customs | None = None,
    ) -> None:
        """*arriving* is told of every file until its result is known."""
        self._customs = customs or Customs()
        self._adapter = adapter
        self._intake = intake
        self._files = Files(ledger)
        self._limiters = limiters
        self._clock = clock
        self._arriving = arriving or Arriving()
        self._signs = Signs(adapter, clock.sleep)
        self._door = asyncio.Semaphore(AT_ONCE)
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._put_off: set[asyncio.Task[None]] = set()
        self._change = asyncio.Event()
        self.resumes = False
        """Whether `resume` was called: then what another replica leaves is taken over as well."""

    def receive(self, file: IncomingFile) -> Awaitable[object]:
        """Take *file* in and return at once; must be called on a running loop.

        Whoever waits for what is returned knows that no restart loses the file.
        """
        opening = asyncio.create_task(self._files.open(file), name="note an upload")
        self._start(file, partial(self._take, opening))
        return opening

    async def resume(self) -> None:
        """Go on with the files that processes that died, or were restarted, have left unfinished."""
        if self._stopping.is_set():
            return
        found = await self._files.take_over(self._adapter.name, starting=not self.resumes)
        self.resumes = True
        for upload in found:
            self._start(upload.file, partial(self._see_through, upload))
        if found:
            logger.info("files taken up again: %d", len(found))

    async def settled(self) -> None:
        """Return when every file so far is indexed or refused, or waits for something that is away."""
        while left := self._tasks - self._put_off:
            again = asyncio.ensure_future(self._change.wait())
            await asyncio.wait({*left, again}, return_when=asyncio.FIRST_COMPLETED)
            again.cancel()
            self._change.clear()

    async def stop(self) -> None:
        """Stop watching. What is queued stays queued, and its notice says that it is indexed later."""
        self._stopping.set()
        await first_of(self._ended(), self._clock.sleep(GRACE))
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _ended(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _notice_wait(self, *, waits: bool) -> None:
        """Know whether the file that the current task sees to waits for something that is away."""
        task = asyncio.current_task()
        if task is not None and waits:
            self._put_off.add(task)
            self._change.set()
        elif task is not None:
            self._put_off.discard(task)

    def _start(self, file: IncomingFile, work: Callable[[Coming], Awaitable[None]]) -> None:
        coming = self._arriving.expect(file.thread, file.source)
        task = asyncio.create_task(self._guarded(partial(work, coming)), name="upload")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(self._put_off.discard)
        task.add_done_callback(lambda _: coming.end())

    @staticmethod
    async def _guarded(work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - one bad file never stops the others
            report(error)

    async def _take(self, opening: Awaitable[Upload | None], coming: Coming) -> None:
        """Follow a file to its end, unless it came before."""
        upload = await opening
        if upload is not None:
            await self._see_through(upload, coming)

    async def _see_through(self, upload: Upload, coming: Coming) -> None:
        notice = self._notice(upload)
        try:
            result = await self._result(upload, notice)
        except Exception as error:  # noqa: BLE001 - every upload gets a result or a reason
            report(error)
            result = _failed(None)
        coming.end()
        if result is not None:
            await self._tell(upload, notice, result)

    async def _result(self, upload: Upload, notice: Notice) -> _Result | None:
        """Return what becomes of a file, once that is known; None: there is nothing to say, or not now."""
        if upload.document_id is not None:
            return await self._follow(upload, notice, upload.document_id)
        if upload.resumed > RESUMES:
            return _failed(IngestReason.INTERNAL_ERROR)
        file, most = upload.file, self._adapter.capabilities.max_upload_bytes
        if file.size is not None and file.size > most > 0:
            return _failed(IngestReason.TOO_LARGE)
        return await self._index(upload, notice)

    async def _index(self, upload: Upload, notice: Notice) -> _Result | None:
        receipt = await self._accept(upload, notice)
        if receipt.status == "failed" or receipt.document_id is None:
            return _failed(receipt.reason, receipt.message)
        await self._files.accepted(upload, receipt.document_id, receipt.namesakes)
        # what a process that died had accepted comes again as a duplicate
        if receipt.status == "queued" or upload.resumed:
            return await self._follow(upload, notice, receipt.document_id)
        if upload.file.changed:
            await self._files.close(upload)
            return None
        return _Result(mark=Mark.DONE, text=await self._known(upload.file, receipt.document_id))

    async def _accept(self, upload: Upload, notice: Notice) -> Receipt:
        """Let a file in when its turn has come; of one that may not even have changed nothing is said."""
        file = upload.file
        if not (file.changed or upload.quiet):
            await self._signs.show(file, Mark.WORKING)
            if self._door.locked():
                await notice.show("is queued…")
        async with self._door:
            if not file.changed:
                await notice.show("is being fetched…")
            return await self._intake.accept(file.thread.scope, file)

    async def _known(self, file: IncomingFile, document_id: str) -> str:
        document = await self._intake.find(file.thread.scope, document_id)
        same = document is None or document.display_name == file.name
        name = "" if same or document is None else f", under the name {file_name(document.display_name)}"
        lacks = document is not None and lacks_files(document)
        return f"is already here{name}: `{document_id}`. {LACKING if lacks else 'Nothing was changed.'}"

    async def _follow(self, upload: Upload, notice: Notice, document_id: str) -> _Result | None:
        """Show the document's state whenever it changes, until it is ready, failed or taken back."""
        pause = POLL
        scope = upload.thread.scope
        await self._signs.show(upload.file, Mark.WORKING)
        while (document := await self._intake.find(scope, document_id)) is not None:
            match document.status:
                case DocumentStatus.QUEUED:
                    await notice.show(queued(document.message))
                    self._notice_wait(waits=document.reason is not None)
                case DocumentStatus.INDEXING:
                    await notice.show("is being indexed…")
                case DocumentStatus.READY:
                    namesakes = [one for one in upload.namesakes if await self._intake.find(scope, one)]
                    text = f"is ready: {counts(document)}.{remark(document)}{older(namesakes)}"
                    return _Result(mark=Mark.DONE, text=text, buttons=offers(namesakes, self._customs.code))
                case DocumentStatus.FAILED:
                    return _failed(document.reason, document.message)
                case _:
                    assert_never(document.status)
            if self._stopping.is_set():
                if not upload.quiet:
                    await notice.end("will be indexed when I am back; `docs` then shows it.")
                await self._files.leave(upload)
                return None
            await first_of(self._clock.sleep(pause), self._stopping.wait())
            pause = min(pause * 1.5, SLOWEST_POLL)
        return _Result(mark=Mark.FAILED, text="was taken back.")

    async def _tell(self, upload: Upload, notice: Notice, result: _Result) -> None:
        """Say what became of a file; what cannot be said for minutes is taken up again at a later beat."""
        ways: list[Callable[[], Awaitable[bool]]] = [partial(self._signs.show, upload.file, result.mark)]
        if not _goes_unsaid(upload, result):
            ways.append(partial(notice.end, result.text, result.buttons))
        told = await asyncio.gather(*map(self._insist, ways))
        if all(told):
            await self._files.close(upload)
        else:
            await self._files.leave(upload)

    async def _insist(self, work: Callable[[], Awaitable[bool]]) -> bool:
        """Repeat *work* for minutes until it is done; False: it is not, or the program ends before."""
        for pause in (0.0, *ROUNDS):
            await first_of(self._clock.sleep(pause), self._stopping.wait())
            if await work():
                return True
            if self._stopping.is_set():
                break
        return False

    def _notice(self, upload: Upload) -> Notice:
        spot = Spot(
            thread=upload.thread,
            key=upload.nonce,
            standing=upload.messages,
            resumed=upload.resumed > 0,
            stood=partial(self._files.stand, upload),
        )
        courier = courier_for(self._adapter, upload.thread, self._limiters, self._clock)
        return Notice(courier, spot, upload.file.name, quiet=upload.quiet)


def _goes_unsaid(upload: Upload, result: _Result) -> bool:
    """Tell whether the sign is enough: a message for each picture of a channel would be noise."""
    return upload.quiet and result.mark is Mark.FAILED and not upload.messages


def _failed(reason: IngestReason | None, message: str | None = None) -> _Result:
    return _Result(mark=Mark.FAILED, text=refusal(reason, message))
