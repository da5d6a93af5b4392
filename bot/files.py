"""The files of one platform: in the ledger until they are indexed or refused, and for a month."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.chat import MessageRef, Thread
from bot.incoming import IncomingFile
from bot.ledger import Book
from bot.media import is_media
from pipeline.addresses import place_of
from pipeline.entries import Entry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from bot.ledger import Ledger
    from pipeline.domain import Scope

FILE = "file"


@dataclass(slots=True, eq=False)
class Upload:
    """One file and what became of it so far."""

    file: IncomingFile
    messages: tuple[MessageRef, ...] = ()
    """What stands in the thread because of it."""
    document_id: str | None = None
    """Once it was accepted."""
    namesakes: tuple[str, ...] = ()
    """Ids of other documents of the channel that carry the same name."""
    resumed: int = 0
    """How often it was taken over from a process that could not finish it."""

    @property
    def thread(self) -> Thread:
        """Where to say what became of it."""
        return self.file.thread

    @property
    def quiet(self) -> bool:
        """Whether a sign is enough where it cannot be read, for nobody would expect that."""
        return not self.file.addressed and is_media(self.file.name)

    @property
    def nonce(self) -> str:
        """A mark that whoever resumes it has in common with it."""
        name = f"{self.thread.scope.key}/{self.file.file_id}"
        return f"f{hashlib.sha256(name.encode()).hexdigest()[:14]}"


class Files:
    """Which files came, and what became of them; all replicas share the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._book = Book(ledger, FILE)

    async def open(self, file: IncomingFile) -> Upload | None:
        """Take *file*; None: somebody has it already."""
        upload = Upload(file)
        entry = Entry(
            kind=FILE,
            scope=file.thread.scope,
            id=file.file_id,
            thread=file.thread.key,
            author=file.author,
            payload=_payload(upload),
        )
        return upload if await self._book.open(entry) else None

    async def take_over(self, platform: str, *, starting: bool) -> list[Upload]:
        """Take what processes that died, or were restarted, have left unfinished, in the order it came."""
        found = [_from(entry) for entry in await self._book.take_over(platform, starting=starting)]
        for upload in found:
            upload.resumed += 1
            await self._book.save(*_name(upload), payload=_payload(upload))
        return found

    async def stand(self, upload: Upload, messages: tuple[MessageRef, ...]) -> None:
        """Keep what stands in the thread because of *upload*."""
        if messages != upload.messages:
            upload.messages = messages
            await self._book.save(*_name(upload), messages=[message.id for message in messages])

    async def accepted(self, upload: Upload, document_id: str, namesakes: Sequence[str]) -> None:
        """Keep which document *upload* becomes."""
        upload.document_id, upload.namesakes = document_id, tuple(namesakes)
        await self._book.save(*_name(upload), payload=_payload(upload))

    async def leave(self, upload: Upload) -> None:
        """Leave *upload* to whoever resumes it, here or elsewhere; that it was cut short is not its fault."""
        if upload.resumed:
            upload.resumed = 0
            await self._book.save(*_name(upload), payload=_payload(upload))
        await self._book.leave(*_name(upload))

    async def close(self, upload: Upload) -> None:
        """Note that the last word on *upload* stands; what it led to is kept, and no name."""
        kept = {"source": place_of(upload.file.source), "document_id": upload.document_id}
        await self._book.save(*_name(upload), payload=kept, state="done")


def _name(upload: Upload) -> tuple[Scope, str]:
    return upload.thread.scope, upload.file.file_id


def _payload(upload: Upload) -> dict[str, Any]:
    file = upload.file
    return {
        "name": file.name,
        "source": file.source,
        "size": file.size,
        "message_id": file.message_id,
        "changed": file.changed,
        "addressed": file.addressed,
        "document_id": upload.document_id,
        "namesakes": list(upload.namesakes),
        "resumed": upload.resumed,
    }


def _from(entry: Entry) -> Upload:
    thread, kept = Thread(entry.scope, entry.thread), entry.payload
    file = IncomingFile(
        event_id=entry.id,
        file_id=entry.id,
        thread=thread,
        author=entry.author,
        name=kept["name"],
        source=kept["source"],
        size=kept["size"],
        message_id=kept["message_id"],
        changed=kept.get("changed", False),
        addressed=kept.get("addressed", True),
    )
    return Upload(
        file,
        messages=tuple(MessageRef(thread, message) for message in entry.messages),
        document_id=kept["document_id"],
        namesakes=tuple(kept["namesakes"]),
        resumed=kept["resumed"],
    )
