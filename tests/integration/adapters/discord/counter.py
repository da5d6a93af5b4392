"""A desk with nobody behind it, and the real client in front of it: what is handed over is kept."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from adapters.discord.budgets import Budgets
from adapters.discord.calls import Calls
from adapters.discord.client import Client
from adapters.discord.cursors import Cursors
from adapters.discord.desk import Desk
from adapters.discord.events import files_of
from adapters.discord.gateway import Gateway, introduce
from adapters.discord.listeners import Listeners
from adapters.discord.places import PLATFORM, Places
from adapters.discord.shares import Shares
from bot.chat import Thread
from bot.incoming import IncomingFile, IncomingMessage, MessageDeleted, MessageEdited
from bot.library import SystemClock
from bot.owners import Owners
from pipeline.domain import Scope
from tests.fakes.ledger import FakeLedger
from tests.fakes.library import FakeChoices

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import discord

    from bot.chat import Body
    from bot.incoming import Incoming, IncomingAction, Removal
    from tests.fakes.discord import DiscordServer


LONG = 5.0
"""Seconds of a pause after which things may be otherwise."""
TURNS = 10
"""Of the event loop, in which what discord.py has read is handed over."""


class Counter:
    """What a desk needs, as far as listeners use it."""

    def __init__(
        self,
        server: DiscordServer,
        ledger: FakeLedger | None = None,
        *,
        kind: type[Client] = Client,
        choices: FakeChoices | None = None,
    ) -> None:
        self.server = server
        self.events: list[Incoming] = []
        self.files: list[IncomingFile] = []
        self.removals: list[Removal] = []
        self.acts: list[IncomingAction] = []
        self.named: dict[str, str] = {}
        """What threads are to be named after, by their keys."""
        self.held: list[tuple[Scope, str]] = []
        """Where each file stays that was taken in, by channel."""
        self.questions: dict[str, tuple[Thread, str]] = {}
        """The question that a message is, or answers."""
        self.posted: list[tuple[str, str]] = []
        """What was posted, with the keys of the threads."""
        self._keys: set[str] = set()
        self.client = kind(content=True)
        self.calls = Calls(Budgets(), SystemClock().monotonic)
        self.places = Places(self.client, self.calls)
        self._note_question, self.places.note_question = self.places.note_question, self._noted  # type: ignore[method-assign]
        self.cursors = Cursors(ledger or FakeLedger())
        self.owners = Owners(choices or FakeChoices(), PLATFORM)
        self.desk = Desk(
            platform=cast("Any", Platform(self)),
            adapter=cast("Any", self),
            client=self.client,
            calls=self.calls,
            places=self.places,
            people=cast("Any", None),
            files=cast("Any", Files(Shares(self.client, self.calls, self.owners))),
            library=cast("Any", Library(self)),
            owners=self.owners,
            first_time=self._first_time,
        )
        self.listeners = Listeners(self.desk, self.cursors, sleep=self._sleep)
        self.gateway = Gateway(self.client, clock=SystemClock())
        self.slept: list[float] = []
        self.later = asyncio.Event()
        """Set when the pauses are over that are longer than those between two tries."""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Counter]:
        """Listen for the length of the block."""
        async with self.client:
            await introduce(self.client, self.server.token)
            self.client.listeners = self.listeners
            await self.gateway.connect(lambda _: None)
            try:
                yield self
            finally:
                self.client.listeners = None
                await self.gateway.close()
                await self.listeners.stop()
                await self.cursors.flush(at_once=True)

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, IncomingMessage)]

    @property
    def asked(self) -> list[IncomingMessage]:
        return [event for event in self.events if isinstance(event, IncomingMessage)]

    @property
    def edits(self) -> list[MessageEdited]:
        return [event for event in self.events if isinstance(event, MessageEdited)]

    @property
    def deletions(self) -> list[MessageDeleted]:
        return [event for event in self.events if isinstance(event, MessageDeleted)]

    @property
    def names(self) -> list[str]:
        """The names of the files that came."""
        return [file.name for file in self.files]

    @property
    def gone(self) -> list[str]:
        """Where files were that are gone."""
        return [removal.source for removal in self.removals if hasattr(removal, "source")]

    async def settled(self) -> None:
        """Return when everything told so far was handed over, and every round made."""
        (session,) = self.server.gateway.live()
        await self.server.until(lambda: self.client.ws.sequence == session.sequence)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        await self.listeners.settled()
        await self.listeners.surroundings._rounds.settled()

    def _noted(self, thread: Thread, name: str, message: discord.abc.Snowflake) -> None:
        self.named[thread.key] = name
        self._note_question(thread, name, message)

    async def post(self, thread: Thread, body: Body) -> None:
        self.posted.append((thread.key, body.text))

    async def _first_time(self, key: str) -> bool:
        first = key not in self._keys
        self._keys.add(key)
        return first

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await (asyncio.sleep(0) if seconds < LONG else self.later.wait())


class Platform:
    def __init__(self, counter: Counter) -> None:
        self.conversation = self.words = Taker(counter.events)
        self.uploads = Taker(counter.files)
        self.removals = Taker(counter.removals)
        self.commands = Commands(counter)


class Taker:
    def __init__(self, taken: list[Any]) -> None:
        self._taken = taken

    async def answered(self, thread: Thread) -> None:
        """Return at once: nobody answers."""

    def receive(self, event: object) -> None:
        self._taken.append(event)


class Commands:
    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    async def question_of(self, scope: Scope, message: str) -> tuple[Thread, str] | None:
        return self._counter.questions.get(message)

    async def act(self, event: IncomingAction) -> None:
        self._counter.acts.append(event)


class Files:
    def __init__(self, shares: Shares | None = None) -> None:
        self.shares = shares
        self.picked: list[int] = []

    def note(self, message: discord.Message) -> None:
        self.picked.append(message.id)

    def incoming(self, message: discord.Message) -> Sequence[IncomingFile]:
        server = message.guild.id if message.guild else "direct"
        thread = Thread(Scope("discord", str(server), str(message.channel.id)), str(message.id))
        return [
            IncomingFile(
                event_id=str(file.id),
                file_id=str(file.id),
                thread=thread,
                author=str(message.author.id),
                name=file.filename,
                source=f"discord:{server}/{message.channel.id}/{message.id}/{file.id}#{message.jump_url}",
                message_id=str(message.id),
            )
            for file in files_of(message)
        ]


class Library:
    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    async def holders(self, platform: str, workspace: str, source: str) -> list[Scope]:
        return sorted({scope for scope, kept in self._counter.held if kept.startswith(source)}, key=str)

    async def channels(self, platform: str, workspace: str) -> list[Scope]:
        return sorted({scope for scope, _ in self._counter.held if scope.workspace == workspace}, key=str)

    async def workspaces(self, platform: str) -> list[str]:
        return sorted({scope.workspace for scope, _ in self._counter.held})

    async def sources_in(self, scope: Scope) -> list[str]:
        return [source for held, source in self._counter.held if held == scope]
