"""People who use what the bot offers on the local Discord server, with the real commands behind it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.budgets import Budgets
from adapters.discord.calls import Calls
from adapters.discord.clerk import CUSTOMS
from adapters.discord.client import Client
from adapters.discord.commands import offering
from adapters.discord.desk import Desk
from adapters.discord.gateway import Gateway, introduce
from adapters.discord.places import PLATFORM, Places
from bot.chat import Body, Thread
from bot.commands import Commands
from bot.controls import under_answer
from bot.incoming import IncomingFile, IncomingMessage
from bot.library import SystemClock
from bot.owners import Owners
from pipeline.domain import Scope
from pipeline.entries import Entry
from tests.fakes.discord import ANNA, GENERAL, GUILD
from tests.fakes.discord.messages import LOADING
from tests.fakes.ledger import FakeLedger
from tests.fakes.library import (
    FakeAsked,
    FakeChoices,
    FakeJournal,
    FakeLibrary,
    FakePreferences,
    FakeTurn,
    document,
)
from tests.integration.adapters.discord.counter import Files, Taker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import discord

    from bot.chat import Button
    from tests.fakes.discord import Channel, DiscordServer, Interaction, Message

SCOPE = Scope("discord", str(GUILD), str(GENERAL))


class Using:
    """A desk where everything that is asked for is kept, and the real client in front of it."""

    def __init__(self, server: DiscordServer, ledger: FakeLedger | None = None) -> None:
        self.discord = server
        self.ledger = ledger or FakeLedger()
        self.library, self.journal = FakeLibrary(), FakeJournal()
        self.preferences, self.asked = FakePreferences(), FakeAsked()
        self.received: list[Any] = []
        """What the conversation was told."""
        self.uploads: list[IncomingFile] = []
        self.most_bytes = 0
        self._keys: set[str] = set()

    @asynccontextmanager
    async def open(self, *, sync: bool = True) -> AsyncIterator[Using]:
        """Listen for the length of the block."""
        async with Client(content=True) as client:
            await introduce(client, self.discord.token)
            self.desk = self._desk(client)
            await offering(self.ledger, sync=sync)(self.desk)
            gateway = Gateway(client, clock=SystemClock())
            await gateway.connect(lambda _: None)
            try:
                yield self
            finally:
                await gateway.close()
                await self.desk.tasks.stop()

    def _desk(self, client: Client) -> Desk:
        calls = Calls(Budgets(), SystemClock().monotonic)
        places = Places(client, calls)
        self.client = client
        self.adapter = DiscordAdapter(client, calls, places, max_upload_bytes=self.most_bytes)
        self.commands = Commands(self.library, self.journal, self.preferences, self.asked, CUSTOMS)
        return Desk(
            platform=cast("Any", Platform(self)),
            adapter=self.adapter,
            client=client,
            calls=calls,
            places=places,
            people=cast("Any", None),
            files=cast("Any", GivenFiles()),
            library=cast("Any", self.library),
            owners=Owners(FakeChoices(), PLATFORM),
            first_time=self._first_time,
        )

    async def settled(self) -> None:
        """Wait until everything that was used is answered."""
        (session,) = self.discord.gateway.live()
        await self.discord.until(lambda: self.client.ws.sequence == session.sequence)
        for _ in range(5):  # discord.py has handed it to tasks, which have to begin
            await asyncio.sleep(0)
        await self.desk.tasks.settled()

    async def slash(self, user: int, channel: Channel | int, name: str, **options: Any) -> str:
        """Return what a command shows to *user*, and to nobody else."""
        used = self.discord.slash(user, channel, name, **options)
        return await self.whispered(used)

    async def whispered(self, used: Interaction) -> str:
        """Return all that was shown to whoever used something; nobody else may see it."""
        await used.answered()
        await self.discord.until(lambda: not any(one.flags & LOADING for one in used.answers))
        await self.settled()
        assert {answer.seen_by for answer in used.answers} == {used.user}
        return "\n\n".join(answer.shown for answer in used.answers if not answer.deleted)

    async def answer(
        self,
        *,
        channel: int = GENERAL,
        buttons: Sequence[Button] | None = None,
        known: bool = True,
    ) -> Message:
        """Let the bot answer a question of Anna's, in its thread."""
        question = self.discord.say(channel, ANNA, "How long?")
        thread = Thread(Scope("discord", str(GUILD), str(channel)), str(question.id))
        self.desk.places.note_question(thread, "How long?", cast("Any", question))
        shown = under_answer(str(question.id)) if buttons is None else tuple(buttons)
        ref = await self.adapter.post(thread, Body(text="Five days [1].", buttons=shown))
        if known:
            self.know(thread, str(question.id), ref.id)
        return self.discord.message(int(ref.id))

    def know(self, thread: Thread, question: str, answer: str) -> None:
        """Keep a turn, and who asked for it where."""
        scope = thread.scope.key
        self.journal.answers[scope, question] = FakeTurn(question="How long?", turn_id=7)
        entry = Entry(kind="question", scope=thread.scope, id=question, thread=thread.key, author=str(ANNA))
        self.asked.questions |= {(scope, question): entry, (scope, answer): entry}

    def put(self, *names: str, scope: Scope = SCOPE, uploader: int = ANNA) -> None:
        """Let a channel have documents, with their names as ids."""
        self.library.put(scope, *(document(name, f"{name}.md", uploader=str(uploader)) for name in names))

    @property
    def questions(self) -> list[IncomingMessage]:
        return [event for event in self.received if isinstance(event, IncomingMessage)]

    async def _first_time(self, key: str) -> bool:
        first = key not in self._keys
        self._keys.add(key)
        return first


class Platform:
    def __init__(self, using: Using) -> None:
        self.commands = using.commands
        self.conversation = self.words = Taker(using.received)
        self.uploads = Taker(using.uploads)
        self.removals = Taker([])


class GivenFiles(Files):
    """Files that come with a message, and those that come with a command."""

    def incoming(self, message: discord.Message) -> Sequence[IncomingFile]:
        assert message.channel is not None
        return [replace(file, size=1) for file in super().incoming(message)]

    async def read(self, attachment: discord.Attachment) -> bytes:
        return await attachment.read()
