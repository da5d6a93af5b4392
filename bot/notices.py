"""How people see where a file stands: one message that follows it, and a sign at the one that carries it."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from bot.chat import Button, ChatError, Mark, RateLimited, Unreachable
from bot.citations import file_name, literal
from bot.controls import FORGET
from bot.screens import Edits
from bot.wording import ingest_sentence
from pipeline.addresses import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.chat import ChatAdapter, Thread
    from bot.courier import Courier
    from bot.incoming import IncomingFile
    from bot.screens import Spot
    from pipeline.domain import IngestReason

logger = logging.getLogger(__name__)

SIGNED = 500
"""Messages whose files are known, so that the sign at one speaks for all files it carries."""


class Notice:
    """The one message that says where a file stands. Only its end is insisted on."""

    def __init__(self, courier: Courier, spot: Spot, name: str) -> None:
        self._courier = courier
        self._screen = Edits(courier, spot)
        self._name = f"**{file_name(name)}**"

    async def show(self, state: str) -> None:
        """Say where the file stands, if the budget has room and the platform lets us."""
        if self._courier.delay:
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


class Signs:
    """The signs at the messages that carry files: each speaks for all files of its message."""

    def __init__(self, adapter: ChatAdapter) -> None:
        self._adapter = adapter
        self._standing: OrderedDict[tuple[Thread, str], dict[str, Mark]] = OrderedDict()

    async def show(self, file: IncomingFile, mark: Mark) -> None:
        """Note how *file* stands, and change the sign at its message if that changes it."""
        if file.message_id is None:
            return
        files = self._standing.setdefault((file.thread, file.message_id), {})
        before = _together(files.values())
        files[place_of(file.source)] = mark
        if len(self._standing) > SIGNED:
            self._standing.popitem(last=False)
        if (sign := _together(files.values())) is None or sign is before:
            return
        try:
            await self._adapter.mark(file.thread, file.message_id, sign)
        except ChatError as error:
            logger.info("a file's sign was not put up: %s", type(error).__name__)


def _together(marks: Iterable[Mark]) -> Mark | None:
    """Return the sign for several files: what is at work first, then what failed."""
    present = set(marks)
    return next((mark for mark in (Mark.WORKING, Mark.FAILED, Mark.DONE) if mark in present), None)


def refusal(reason: IngestReason | None, message: str | None = None) -> str:
    """Return why a file was not indexed."""
    return f"was not indexed: {literal(ingest_sentence(reason, message), 300)}"


def older(namesakes: Sequence[str]) -> str:
    """Return a sentence about older documents of the same name; "" for none."""
    if not namesakes:
        return ""
    return (
        " Another document of the same name is still here, with other contents; it is "
        + " and ".join(f"`{document_id}`" for document_id in namesakes)
        + "."
    )


def offers(namesakes: Sequence[str]) -> list[Button]:
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
