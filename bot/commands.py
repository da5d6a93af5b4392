"""What people can ask the bot to do besides answering, once for every platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Body, Thread
from bot.choices import ChannelSettings
from bot.citations import file_name, literal
from bot.controls import FORGET
from bot.forgetting import Forgetting, listed
from bot.judgement import Judgement, account_for, form_of
from bot.records import Caller, Customs
from bot.wording import counted, tally

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import Form
    from bot.incoming import IncomingAction
    from bot.preferences import PreferenceStore
    from bot.records import Asked, Journal, Library, LibraryStatus, RecordedTurn, Waiting
    from pipeline.domain import Scope

LISTED = 40
"""Documents in one list; the rest is counted."""
RECENT = 20
"""Threads that are looked at for somebody's last answer in a channel."""
GUARDED = frozenset({"forget", "settings"})
"""Commands that ask whether their caller manages the channel; a platform need not find out for others."""
STOP = "stop"

_ALONE = frozenset({"help", "reset", STOP})
_LISTS = "\n- "


class Commands:
    """The commands by name. Each takes where it was given and what follows its name, and says what to show.

    A command is given in a thread, or in a channel at large where the platform knows no thread for it.
    A body may be longer than a message; `Courier.post` splits it.
    """

    def __init__(
        self,
        library: Library,
        journal: Journal,
        preferences: PreferenceStore,
        asked: Asked,
        customs: Customs | None = None,
    ) -> None:
        self._library = library
        self._journal = journal
        self._asked = asked
        self._customs = customs or Customs()
        self._forgetting = Forgetting(library, self._customs)
        self._settings = ChannelSettings(preferences, self._customs)
        self._judgement = Judgement(library, journal)
        self._commands: dict[str, Callable[[Thread | Scope, str, Caller], Awaitable[Body]]] = {
            "docs": self._docs,
            "forget": self._forget,
            "why": self._why,
            "status": self._status,
            "settings": self._change,
            "reset": self._reset,
            "help": self._help,
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all commands."""
        return tuple(self._commands)

    @staticmethod
    def named(text: str) -> str | None:
        """Return the command that a message to the bot is, if it is nothing else; None: a question.

        These are the few words that nobody asks as a question: ``help`` and ``reset``, which `run` takes, and
        `STOP`, which is a `StopRequested`. Where a platform has no commands in threads they serve there.
        """
        word = text.strip().strip("/!.?").lower()
        return word if word in _ALONE else None

    async def run(self, name: str, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """Run the command called *name*; an unknown one is answered with a list. Raises `PipelineError`."""
        command = self._commands.get(name.lower())
        if command is None:
            known = await self._help(where, "", caller)
            return Body(text=f"There is no command “{literal(name, 40)}”.\n\n{known.text}")
        return await command(where, args.strip(), caller)

    async def act(self, event: IncomingAction) -> Body | Form | None:
        """Do what a pressed button stands for; None: it is not one of ours. Raises `PipelineError`."""
        if event.action == FORGET:
            caller = Caller(author=event.author, manages=event.manages)
            return await self._forget(event.thread, event.value, caller)
        return await self._judgement.act(event)

    @staticmethod
    def form(action: str, value: str) -> Form | None:
        """Return the form that a button opens, where it must be open before anything else is done.

        `act` returns it as well, when it has done what the button stands for.
        """
        return form_of(action, value)

    async def question_of(self, scope: Scope, message: str) -> tuple[Thread, str] | None:
        """Return the thread and the message id of the question that a message is, or that it answers.

        For reactions, which name a message; None: it has to do with no question. Raises `PipelineError`.
        """
        entry = await self._asked.question_of(scope, message)
        return None if entry is None else (Thread(scope, entry.thread), entry.id)

    async def _docs(self, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """List the channel's documents."""
        documents = await self._library.documents(_scope(where))
        if not documents:
            return Body(text="This channel has no documents yet. Upload a file, and it will be indexed.")
        lines = [f"- {line}" for line in listed(documents, LISTED)]
        if len(documents) > LISTED:
            lines.insert(0, f"- … and {len(documents) - LISTED} older ones")
        return Body(text=f"**{tally(documents)}**\n\n" + "\n".join(lines))

    async def _forget(self, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """Take documents back."""
        return await self._forgetting.forget(_scope(where), args, caller)

    async def _why(self, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """Explain the last answer of the thread, or the last one that the caller was given in the channel."""
        if isinstance(where, Thread):
            turn, which = (
                await self._journal.last_turn(where.scope, where.key),
                "the last answer of this thread",
            )
        else:
            turn, which = await self._last_of(where, caller), "your last answer in this channel"
        if turn is None:
            place = "in this thread" if isinstance(where, Thread) else "for you in this channel"
            return Body(text=f"Nothing was answered {place} yet.")
        return Body(text=await account_for(self._library, _scope(where), turn, which))

    async def _last_of(self, scope: Scope, caller: Caller) -> RecordedTurn | None:
        threads = await self._asked.threads_of(scope, caller.author)
        turns = [await self._journal.last_turn(scope, thread) for thread in threads[:RECENT]]
        return max(filter(None, turns), key=lambda turn: turn.created_at, default=None)

    async def _status(self, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """Say how things stand in the channel."""
        status = await self._library.status(_scope(where))
        lines = [
            f"- Documents: {status.documents} ({status.ready} ready, {status.pending} waiting, "
            f"{status.failed} failed)",
            f"- Answers are worded by: {literal(status.reader, 80)}",
            f"- Meaning is found by: {literal(status.embedder, 80)}",
            *(f"- {remark}" for remark in status.remarks),
        ]
        return Body(text="**Status of this channel**\n\n" + "\n".join(lines) + _queue(status))

    async def _change(self, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """Show or change the channel's settings."""
        return await self._settings.run(_scope(where), args, caller)

    async def _reset(self, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """Begin the thread anew, or every thread of the channel in which the caller asked."""
        if isinstance(where, Thread):
            await self._journal.reset(where.scope, where.key)
            return Body(text="This thread begins anew: I do not remember what was said before.")
        threads = await self._asked.threads_of(where, caller.author)
        for thread in threads:
            await self._journal.reset(where, thread)
        if not threads:
            return Body(text="You have not asked me anything in this channel, so there is nothing to forget.")
        begun = "begins anew" if len(threads) == 1 else "begin anew"
        return Body(
            text=f"{counted(len(threads), 'thread')} of this channel in which you asked me {begun}: "
            "I do not remember what was said there before."
        )

    async def _help(self, where: Thread | Scope, args: str, caller: Caller) -> Body:
        """Say how to use the bot."""
        code, managers = self._customs.code, self._customs.managers
        here = isinstance(where, Thread) and self._customs.in_threads
        answer = "the last answer of this thread" if here else "your last answer in this channel"
        entries = (
            f"{code('docs')}: what this channel has, with the id of each document",
            f"{code('forget ID')} or {code('forget NAME')}: take back a document that you uploaded; "
            f"{managers} can take back any, and {code('forget all')} takes back every one",
            f"{code('why')}: how {answer} came about",
            f"{code('status')}: models, documents, and the files that still wait",
            f"{code('settings')}: how I behave in this channel",
            f"{code('reset')}: forget what was said in "
            + ("this thread" if here else "the threads of this channel in which you asked me"),
            f"{code('help')}: this text",
        )
        return Body(text=f"{self._customs.lesson}\n\n- " + "\n- ".join(entries))


def _scope(where: Thread | Scope) -> Scope:
    return where.scope if isinstance(where, Thread) else where


def _queue(status: LibraryStatus) -> str:
    if not status.waiting:
        return ""
    lines = [f"- {_waiting(file)}" for file in status.waiting[:LISTED]]
    if len(status.waiting) > LISTED:
        lines.append(f"- … and {len(status.waiting) - LISTED} more")
    return "\n\n**Files on their way**\n\n" + "\n".join(lines)


def _waiting(file: Waiting) -> str:
    name = file_name(file.name)
    if file.running:
        return f"{name} is being indexed"
    if file.fault and file.since is not None:
        return f"{name} waits since {file.since:%Y-%m-%d %H:%M} UTC: {literal(file.fault, 200)}"
    fault = f" again; the last attempt failed: {literal(file.fault, 200)}" if file.fault else ""
    return f"{name} is queued{fault}"
