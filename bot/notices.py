"""How people see where a file stands: one message that follows it, and a sign at the one that carries it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.chat import Button, ChatError, Mark, RateLimited, Unreachable
from bot.citations import file_name, literal
from bot.controls import FORGET
from bot.patience import patiently
from bot.recent import Recent
from bot.screens import Edits
from bot.wording import ingest_sentence
from pipeline.addresses import place_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from bot.chat import ChatAdapter, Thread
    from bot.courier import Courier
    from bot.incoming import IncomingFile
    from bot.screens import Spot
    from pipeline.domain import Document, IngestReason

logger = logging.getLogger(__name__)

REMARK_CHARS = 700
SIGNED = 500
"""Messages whose files are known, so that the sign at one speaks for all files it carries."""


class Notice:
    """The one message that says where a file stands. Only its end is insisted on."""

    def __init__(self, courier: Courier, spot: Spot, name: str, *, quiet: bool = False) -> None:
        """*quiet*: nothing is said before the end, which may be nothing to tell of."""
        self._courier = courier
        self._quiet = quiet
        self._screen = Edits(courier, spot)
        self._name = f"**{file_name(name)}**"

    async def show(self, state: str) -> None:
        """Say where the file stands, if the budget has room and the platform lets us."""
        if self._quiet or self._courier.delay:
            return
        try:
            await self._screen.stage(f"{self._name} {state}")
        except ChatError as error:
            logger.info("a file's state was not shown: %s", type(error).__name__)

    async def end(self, result: str, buttons: Sequence[Button] = ()) -> bool:
        """Say what became of the file; False: the platform could not be reached, it may be said later."""
        try:
            await self._screen.finish(f"{self._name} {result}", buttons)
        except ChatError as error:
            logger.warning("a file's result could not be delivered: %s", type(error).__name__)
            return not isinstance(error, RateLimited | Unreachable)
        finally:
            await self._courier.end_status()
        return True


@dataclass(slots=True, eq=False)
class _Message:
    """A message that carries files."""

    files: dict[str, Mark] = field(default_factory=dict)
    """How each stands, by its place."""
    sign: Mark | None = None
    """What the message shows; None: nothing, or nobody knows."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Signs:
    """The signs at the messages that carry files: each speaks for all files of its message.

    The last one is insisted on. One that says that work goes on is left out if the platform is busy.
    """

    def __init__(self, adapter: ChatAdapter, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._adapter = adapter
        self._sleep = sleep
        self._messages: Recent[tuple[Thread, str], _Message] = Recent(SIGNED)

    async def show(self, file: IncomingFile, mark: Mark) -> bool:
        """Note how *file* stands, and change the sign at its message if that changes it.

        False: the platform could not be reached, it may be changed later.
        """
        if file.message_id is None:
            return True
        key = file.thread, file.message_id
        message = self._messages.get(key) or _Message()
        self._messages.note(key, message)
        message.files[place_of(file.source)] = mark
        try:
            if mark is Mark.WORKING:
                await self._put(*key, message)
            else:
                await patiently(lambda: self._put(*key, message), self._sleep)
        except ChatError as error:
            logger.info("a file's sign was not put up: %s", type(error).__name__)
            return mark is Mark.WORKING or not isinstance(error, RateLimited | Unreachable)
        return True

    async def _put(self, thread: Thread, message_id: str, message: _Message) -> None:
        """Show what is true now: other files of the message may have changed that. Raises `ChatError`."""
        async with message.turn:
            sign = _together(message.files.values())
            if sign is not None and sign is not message.sign:
                await self._adapter.mark(thread, message_id, sign)
                message.sign = sign


def _together(marks: Iterable[Mark]) -> Mark | None:
    """Return the sign for several files: what is at work first, then what failed."""
    present = set(marks)
    return next((mark for mark in (Mark.WORKING, Mark.FAILED, Mark.DONE) if mark in present), None)


def refusal(reason: IngestReason | None, message: str | None = None) -> str:
    """Return why a file was not indexed."""
    return f"was not indexed: {literal(ingest_sentence(reason, message), 300)}"


def queued(why: str | None) -> str:
    """Return that a file waits for its turn, or for what."""
    return f"is queued. {literal(why, 300)}" if why else "is queued…"


def remark(document: Document) -> str:
    """Return what to say of a ready document: what of it, or which files of an archive, are left out."""
    return f" {literal(document.message, REMARK_CHARS)}" if document.message else ""


def older(namesakes: Sequence[str]) -> str:
    """Return a sentence about older documents of the same name; "" for none."""
    if not namesakes:
        return ""
    return (
        " Another document of the same name is still here, with other contents; it is "
        + " and ".join(f"`{document_id}`" for document_id in namesakes)
        + "."
    )


def offers(namesakes: Sequence[str], code: Callable[[str], str]) -> list[Button]:
    """Offer to retire the older documents; nothing is replaced silently. *code* writes a command."""
    return [
        Button(
            label="Retire the older one",
            action=FORGET,
            value=document_id,
            fallback=f"To retire it: {code(f'forget {document_id}')}",
        )
        for document_id in namesakes[:3]
    ]
