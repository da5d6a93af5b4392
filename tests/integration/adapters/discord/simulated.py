"""The real client and adapter in a Discord that simcord simulates in this process, with fakes behind them.

Actors return when the bot has done all that follows from what they did, so tests neither wait nor poll.
Time is virtual: it passes when the bot has nothing else left to do.
"""

from __future__ import annotations

import contextvars
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import discord
import simcord

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.budgets import Budgets
from adapters.discord.calls import Calls
from adapters.discord.clerk import CUSTOMS
from adapters.discord.client import Client
from adapters.discord.commands import offering
from adapters.discord.cursors import Cursors
from adapters.discord.desk import Desk
from adapters.discord.files import DiscordFiles
from adapters.discord.listeners import Listeners
from adapters.discord.places import PLATFORM, Places
from bot.commands import Commands
from bot.conversation import Conversation
from bot.owners import Owners
from bot.pacing import Limiters
from bot.platform import Platform
from bot.removals import Removals
from bot.uploads import Uploads
from bot.words import Words
from pipeline.domain import Scope
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.library import FakeChoices, FakeJournal, FakePreferences
from tests.fakes.pipeline import answer
from tests.integration.adapters.discord.backing import Asked, RecordingPipeline, Shelves
from tests.integration.adapters.discord.watching import Watch, careless, pinging

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from simcord import ChannelHandle, MemberActor

    from bot.incoming import Incoming
    from tests.fakes.pipeline import Script

    Message = discord.Message

MOST_BYTES = 1_000_000


class SimulatedClient(Client):
    """The real client; what listens to it is put in its place after it logged in, as the program does."""

    def __init__(self, begin: Callable[[SimulatedClient], Any], *, content: bool) -> None:
        super().__init__(content=content)
        self._begin = begin

    async def setup_hook(self) -> None:
        await self._begin(self)

    async def on_ready(self) -> None:
        for server in self.guilds:  # discord.py waits for them no time here, and so does not tell of them
            self.dispatch("guild_available", server)
        await super().on_ready()


class Simulated:
    """A server with people in it, and the bot."""

    guild: simcord.GuildHandle
    general: ChannelHandle
    anna: MemberActor
    """Asks and uploads."""
    ben: MemberActor
    """Somebody else, without rights either."""
    mia: MemberActor
    """Manages the channels."""
    platform: Platform

    def __init__(
        self, *scripts: Script | Exception, content: bool = True, approved: bool = True, outside: bool = False
    ) -> None:
        """*content*: the bot asks to read everything; *approved*: Discord lets it.

        *outside*: answers are no work of the bot's, so that actors do not wait until they end.
        """
        self.clock, self.ledger, self.library = FakeClock(), FakeLedger(), Shelves()
        self.journal, self.preferences = FakeJournal(), FakePreferences()
        self.pipeline = RecordingPipeline(self.journal, *(scripts or (answer("Five working days."),)))
        self.client = SimulatedClient(self._begin, content=content)
        self.watch = Watch()
        self._seen: set[str] = set()
        self._outside = outside
        self._intents = None if approved else discord.Intents.all()
        if self._intents is not None:
            self._intents.message_content = False

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Simulated]:
        """Simulate for the length of the block, and then look whether all went as it should."""
        self.env = simcord.Env(self.client, approved_intents=self._intents)
        with self.watch.watching():
            await self.env.start()
            try:
                self._populate()
                await self.env.settle()
                yield self
            finally:
                await self._leave()
                await self.env.shutdown()
        assert self.env.errors == []
        assert self.watch.gaps == []
        assert self.watch.troubles == []
        assert careless(self.env.http_requests) == []
        assert pinging(self.env.backend) == []

    async def restart(self) -> None:
        """Let another process take over: nothing but the ledger and the stores is left of the first."""
        await self._leave()
        self.ledger = self.ledger.other("two")
        self.client = SimulatedClient(self._begin, content=self.client.reads_everything)
        await self.env.restart_bot(self.client)

    @property
    def scope(self) -> Scope:
        return self.scope_of(self.general)

    def scope_of(self, channel: ChannelHandle) -> Scope:
        return Scope("discord", str(self.guild.id), str(channel.id))

    @property
    def bot(self) -> str:
        """How people mention the bot."""
        return f"<@{self.client.me}>"

    @property
    def asked(self) -> list[str]:
        """What was asked, as the pipeline was told."""
        return [question.text for question in self.pipeline.questions]

    @property
    def names(self) -> list[str]:
        """The documents of the channel."""
        return [one.display_name for one in self.library.shelves.get(self.scope.key, [])]

    def channel(self, name: str, **lacking: bool) -> ChannelHandle:
        """Return a channel in which the bot lacks the permissions that are named, with False."""
        if not lacking:
            return self.guild.create_text_channel(name)
        assert self.client.user is not None
        denied = {self.client.user: discord.PermissionOverwrite(**lacking)}
        return self.guild.create_text_channel(name, overwrites=cast("Any", denied))

    def thread(self, channel: ChannelHandle | None = None) -> ChannelHandle:
        """Return the one thread of a channel."""
        (thread,) = (channel or self.general).threads
        return thread

    def said(self, channel: ChannelHandle) -> list[Message]:
        """Return what the bot said in a channel or thread where all can read it, oldest first."""
        shown = [one for one in channel.history() if one.author.id == self.client.me]
        return [one for one in shown if one.type is not discord.MessageType.thread_created]

    async def ask(self, question: str, who: MemberActor | None = None) -> Message:
        """Let somebody mention the bot in the channel, and return the answer in its thread."""
        await (who or self.anna).send(self.general, f"{self.bot} {question}")
        return self.said(self.thread())[-1]

    async def upload(self, *files: tuple[str, bytes], text: str = "") -> Message:
        """Let Anna attach files to a message, and return it as it is then."""
        sent = await self.anna.send(self.general, text, attachments=files)
        return next(one for one in self.general.history() if one.id == sent.id)

    def _populate(self) -> None:
        if hasattr(self, "guild"):
            return
        self.guild = self.env.create_guild("Acme")
        self.general = self.guild.create_text_channel("general")
        rights = discord.Permissions(manage_channels=True, manage_messages=True)
        manager = self.guild.create_role("managers", permissions=rights)
        self.anna = self.guild.add_member(self.env.create_user("anna"))
        self.ben = self.guild.add_member(self.env.create_user("ben"))
        self.mia = self.guild.add_member(self.env.create_user("mia"), roles=[manager])

    async def _begin(self, client: SimulatedClient) -> None:
        """Put everything in its place, in the order of the program."""
        calls = Calls(Budgets(), self.clock.monotonic)
        places = Places(client, calls, monotonic=self.clock.monotonic)
        adapter = DiscordAdapter(
            client,
            calls,
            places,
            monotonic=self.clock.monotonic,
            wall=lambda: self.env.now().timestamp(),
            max_upload_bytes=MOST_BYTES,
        )
        owners = Owners(FakeChoices(), PLATFORM)
        files = SimulatedFiles(client, calls, owners, max_bytes=MOST_BYTES, sleep=self.clock.sleep)
        self.library.fetch = files.fetch
        self.platform = self._platform(adapter)
        desk = Desk(
            platform=self.platform,
            adapter=adapter,
            client=client,
            calls=calls,
            places=places,
            people=cast("Any", None),
            files=files,
            library=cast("Any", self.library),
            owners=owners,
            first_time=self._first_time,
        )
        self._cursors = Cursors(self.ledger, clock=self.env.now)
        await self.platform.resume()
        client.listeners = Listeners(desk, self._cursors, sleep=self.clock.sleep)
        await offering(self.ledger)(desk)

    def _platform(self, adapter: DiscordAdapter) -> Platform:
        shared: dict[str, Any] = {"ledger": self.ledger, "limiters": Limiters(), "clock": self.clock}
        asked = Asked(self.ledger)
        commands = Commands(self.library, self.journal, self.preferences, asked, CUSTOMS)
        conversation = Conversation(adapter, self.pipeline.ask_stream, preferences=self.preferences, **shared)
        words = Words(adapter, conversation, commands, **shared)
        return Platform(
            conversation=conversation,
            commands=commands,
            words=cast("Any", Outside(words)) if self._outside else words,
            uploads=Uploads(adapter, self.library, **shared),
            removals=Removals(self.library, clock=self.clock),
        )

    async def _first_time(self, key: str) -> bool:
        first = key not in self._seen
        self._seen.add(key)
        return first

    async def _leave(self) -> None:
        """Stop as the program does."""
        listeners, self.client.listeners = self.client.listeners, None
        if listeners is not None:
            await listeners.settled()
            await listeners.stop()
            await self.platform.close()
            await self._cursors.flush(at_once=True)
            await self.ledger.release("discord")


class SimulatedFiles(DiscordFiles):
    """The bot's files, whose bytes come from the simulated CDN, which no address leads to."""

    async def read(self, attachment: discord.Attachment) -> bytes:
        return await attachment.read()


class Outside:
    """Words whose answers are no work of the bot's: simcord does not wait for what it knows nothing of."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def receive(self, event: Incoming) -> None:
        contextvars.Context().run(self._words.receive, event)

    async def stop(self) -> None:
        await self._words.stop()
