"""The adapter with a real client, on the local Discord server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from discord.http import Route

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.budgets import Budgets
from adapters.discord.calls import Calls
from adapters.discord.client import Client, direct_at
from adapters.discord.places import Places
from bot.chat import Thread
from pipeline.domain import Scope
from tests.fakes.clock import FakeClock
from tests.fakes.discord import ANNA, GENERAL, GUILD, DiscordServer

if TYPE_CHECKING:
    from bot.chat import MessageRef
    from tests.fakes.discord import Channel, Message

QUESTION = "What is the refund policy?"


class Speaking:
    """One channel, one question in it, and the adapter that answers. Time is virtual on both sides.

    discord.py waits in real time, so it is told of no limits: they are counted all the same.
    """

    def __init__(self, *, channel: int = GENERAL) -> None:
        self.clock = FakeClock()
        self.server = self.discord = DiscordServer(clock=self.clock.monotonic, wall=self.wall)
        self.discord.rates.told = False
        self._channel = channel

    async def __aenter__(self) -> Self:
        await self.discord.start()
        self._real = Route.BASE
        direct_at(self.discord.api_base_url, None)
        self.begin_again()
        await self.client.login(self.discord.token)
        self.question = self.discord.say(self._channel, ANNA, QUESTION)
        self.thread = self.thread_of(self.question)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()
        direct_at(self._real, None)
        await self.discord.stop()

    def begin_again(self) -> None:
        """Forget everything, as a new process does that has not logged in yet."""
        self.client = Client(content=True)
        self.renew()

    def renew(self) -> None:
        """Forget everything but the connection."""
        client = self.client
        self.calls = Calls(Budgets(), self.clock.monotonic, breakable=lambda: client.breakable)
        self.places = Places(self.client, self.calls)
        self.adapter = DiscordAdapter(
            self.client, self.calls, self.places, monotonic=self.clock.monotonic, wall=self.wall
        )

    def wall(self) -> float:
        return self.clock.now().timestamp()

    def thread_of(self, question: Message) -> Thread:
        """Return the conversation that begins with a question in a channel."""
        return Thread(Scope("discord", str(GUILD), str(question.channel.id)), str(question.id))

    def ask(self, channel: int | None = None, text: str = QUESTION, *, noted: bool = True) -> Thread:
        """Let Anna ask a question in a channel, which begins a conversation."""
        question = self.discord.say(channel or self._channel, ANNA, text)
        thread = self.thread_of(question)
        if noted:
            self.places.note_question(thread, text, question)
        return thread

    def room(self, thread: Thread | None = None) -> Channel:
        """Return where the messages of a conversation stand."""
        place = thread or self.thread
        return self.discord.find_channel(int(place.key)) or self.discord.channel(int(place.scope.channel))

    def replies(self, thread: Thread | None = None) -> list[Message]:
        """Return the bot's messages, oldest first."""
        return self.discord.replies(self.room(thread))

    def shown(self, thread: Thread | None = None) -> list[str]:
        """Return what the bot's messages show, oldest first."""
        return [one.shown for one in self.replies(thread)]

    def message(self, ref: MessageRef) -> Message:
        return self.discord.message(int(ref.id))

    def count(self, *routes: str) -> int:
        """Return how often these kinds of calls were made."""
        return len(self.discord.called(*routes))

    def called(self) -> list[str]:
        """Return what was called, in order, logging in left out."""
        return [call.route for call in self.discord.calls if call.route not in {"me", "application"}]
