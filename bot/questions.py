"""The questions of one platform: in memory while they are at work here, in the ledger for a month."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.chat import MessageRef, Thread
from bot.incoming import IncomingMessage
from bot.ledger import Book
from bot.reply import Halt
from pipeline.entries import Entry

if TYPE_CHECKING:
    from typing import Any

    from bot.incoming import MessageEdited
    from bot.ledger import Ledger
    from bot.reply import Reply
    from pipeline.domain import Scope

QUESTION = "question"
STOPPED = "stopped"
"""Stands in the payload of a question that its owner is to stop."""


@dataclass(slots=True, eq=False)
class Asked:
    """One question and what became of it so far."""

    message: IncomingMessage
    text: str
    """As it reads now; people edit their messages."""
    noted: str = ""
    """As it reads in the ledger, for all that this process knows."""
    messages: tuple[MessageRef, ...] = ()
    """What stands in the thread because of it."""
    attempt: int = 1
    """Which answer to it is at work, or comes next."""
    resumed: int = 0
    """How often it was taken over from a process that could not finish it."""
    reply: Reply | None = None
    """While it is being answered."""
    again: bool = False
    """Its text changed while it was being answered."""
    stopped: bool = False
    """Somebody stopped it while nobody was at it."""
    gone: bool = False
    """It was taken back."""
    unnamed: bool = False
    """It was taken back by an edit that names us no more; one that does so again is a question again."""
    done: bool = False
    """It was answered or refused, or is left to another process."""

    @property
    def overtaken(self) -> bool:
        """Whether the answer that is at work is not the one that is wanted any more."""
        return self.again or self.gone

    @property
    def thread(self) -> Thread:
        """Where it was asked."""
        return self.message.thread

    def halt(self, why: Halt) -> bool:
        """End the answer to it; False: none is being written."""
        if self.reply is not None:
            self.reply.halt(why)
        return self.reply is not None

    def drop(self) -> None:
        """Let nobody answer it any more; whoever is at it then removes what stands."""
        self.gone = True
        self.halt(Halt.WITHDRAWN)

    @property
    def nonce(self) -> str:
        """A mark of this attempt that whoever resumes it has in common with it."""
        name = f"{self.thread}/{self.message.message_id}"
        return f"{hashlib.sha256(name.encode()).hexdigest()[:14]}.{self.attempt}"


class Questions:
    """Which messages are questions, and what became of them; all replicas share the ledger."""

    def __init__(self, ledger: Ledger, *, kept: int) -> None:
        self._book = Book(ledger, QUESTION)
        self._kept = kept
        self._known: OrderedDict[str, Asked] = OrderedDict()

    def known(self, scope: Scope, message_id: str) -> Asked | None:
        """Return a question that this process had to do with not long ago."""
        return self._known.get(_key(scope, message_id))

    async def asked(self, thread: Thread, author: str | None) -> bool:
        """Tell whether *author* (None: anybody) has asked in *thread*."""
        found = await self._book.asked(thread.scope, thread.key, author)
        if found is not None:
            return found
        here = [known.message for known in self._known.values() if not known.gone]
        return any(each.thread == thread and author in (None, each.author) for each in here)

    async def open(self, message: IncomingMessage) -> Asked | None:
        """Take *message* as a question; None: somebody has it already."""
        asked = Asked(message, message.text, noted=message.text)
        entry = Entry(
            kind=QUESTION,
            scope=message.thread.scope,
            id=message.message_id,
            thread=message.thread.key,
            author=message.author,
            payload=_payload(asked),
            attempt=asked.attempt,
        )
        return self._keep(asked) if await self._book.open(entry) else None

    async def reopen(self, event: MessageEdited) -> Asked | None:
        """Take a question that was answered before, for its new text; None: it was none, or there is none."""
        scope = event.thread.scope
        asked = self.known(scope, event.message_id)
        entry = await self._book.find(scope, event.message_id)
        if entry is not None:
            if (entry.state == "gone" and not entry.payload) or _reads(entry, event.text):
                return None
            named = event.mentioned or entry.payload.get("mentioned", False)
            entry = await self._book.reopen(entry, {"text": event.text, "mentioned": named})
            asked = _from(entry) if entry is not None else None
        elif asked is not None and not asked.gone and asked.text != event.text:
            asked.attempt += 1
        else:
            return None
        if asked is not None:
            asked.text, asked.done = event.text, False
            self._keep(asked)
        return asked

    async def take_over(self, platform: str, *, starting: bool) -> list[Asked]:
        """Take what processes that died, or were restarted, have left unanswered, in the order it came."""
        found = [_from(entry) for entry in await self._book.take_over(platform, starting=starting)]
        for asked in found:
            asked.resumed += 1
            await self.amend(self._keep(asked))
        return found

    async def recall(self, scope: Scope, message_id: str) -> Asked | None:
        """Return a question, however long ago it was; None: it was none, or was taken back already."""
        entry = await self._book.find(scope, message_id)
        asked = self.known(scope, message_id)
        if entry is not None and entry.state == "gone":
            return None
        if entry is not None and asked is not None:
            asked.messages = _from(entry).messages
        elif entry is not None:
            asked = _from(entry)
        return asked if asked is not None and not asked.gone else None

    async def amend(self, asked: Asked) -> None:
        """Keep how *asked* reads now."""
        text = asked.text
        if await self._book.save(*_name(asked), payload=_payload(asked)):
            asked.noted = text

    async def stand(self, asked: Asked, messages: tuple[MessageRef, ...]) -> None:
        """Keep what stands in the thread because of *asked*."""
        if messages != asked.messages:
            asked.messages = messages
            await self._book.save(*_name(asked), messages=[message.id for message in messages])

    async def begin_again(self, asked: Asked) -> None:
        """Begin the next attempt."""
        asked.attempt += 1
        asked.noted = asked.text
        await self._book.save(*_name(asked), attempt=asked.attempt, payload=_payload(asked), state="open")

    async def leave(self, asked: Asked) -> None:
        """Leave *asked* to whoever resumes it, here or elsewhere; that it was cut short is not its fault."""
        if asked.resumed:
            asked.resumed = 0
            await self.amend(asked)
        await self._book.leave(*_name(asked))

    async def stop(self, thread: Thread) -> bool:
        """Ask whoever is at the questions of *thread* to stop; False: nobody is, or nobody knows."""
        return await self._book.mark(thread.scope, thread.key, STOPPED)

    async def stopped(self, asked: Asked) -> bool:
        """Tell whether another process was asked to stop *asked*."""
        entry = await self._book.find(*_name(asked))
        return entry is not None and STOPPED in entry.payload

    async def close(self, asked: Asked) -> bool:
        """Note that the last word on *asked* stands; False: meanwhile it has changed or is gone.

        Another replica may have learnt so: then the ledger has the new text.
        """
        words = {"digest": _digest(asked.noted), "mentioned": asked.message.mentioned}
        entry = await self._book.close(*_name(asked), expected={"text": asked.noted}, payload=words)
        if asked.overtaken or entry is None or entry.state == "done":
            return not asked.overtaken
        asked.gone = entry.state == "gone"
        asked.text = asked.noted = entry.payload.get("text", "")
        return False

    async def bury(self, asked: Asked) -> None:
        """Forget what was asked, because people took it back."""
        asked.gone, asked.text = True, ""
        payload = {"unnamed": True} if asked.unnamed else {}
        await self._book.save(*_name(asked), state="gone", payload=payload)

    def _keep(self, asked: Asked) -> Asked:
        """Know *asked* by its message, and forget the oldest of those that are done with."""
        self._known[_key(*_name(asked))] = asked
        excess = len(self._known) - self._kept
        if excess > 0:
            past = [key for key, known in self._known.items() if known.done or known.gone]
            for key in past[:excess]:
                del self._known[key]
        return asked


def as_new(event: MessageEdited) -> IncomingMessage:
    """Return an edited message as if it were written just now."""
    return IncomingMessage(
        event_id=event.event_id,
        message_id=event.message_id,
        thread=event.thread,
        author=event.author,
        text=event.text,
    )


def _name(asked: Asked) -> tuple[Scope, str]:
    return asked.thread.scope, asked.message.message_id


def _key(scope: Scope, message_id: str) -> str:
    return f"{scope.key}/{message_id}"


def _payload(asked: Asked) -> dict[str, Any]:
    message = asked.message
    return {
        "text": asked.text,
        "mentioned": message.mentioned,
        "midway": message.midway,
        "resumed": asked.resumed,
    }


def _digest(text: str) -> str:
    """Return what is kept of a question once it is answered: enough to know whether it changes."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _reads(entry: Entry, text: str) -> bool:
    return text == entry.payload.get("text") or _digest(text) == entry.payload.get("digest")


def _from(entry: Entry) -> Asked:
    thread = Thread(entry.scope, entry.thread)
    text = entry.payload.get("text", "")
    message = IncomingMessage(
        event_id=entry.id,
        message_id=entry.id,
        thread=thread,
        author=entry.author,
        text=text,
        mentioned=entry.payload.get("mentioned", False),
        midway=entry.payload.get("midway", False),
    )
    return Asked(
        message,
        text,
        noted=text,
        messages=tuple(MessageRef(thread, message) for message in entry.messages),
        attempt=entry.attempt,
        resumed=entry.payload.get("resumed", 0),
        stopped=STOPPED in entry.payload,
    )
