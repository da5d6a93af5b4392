"""The adapter with a real client, on the local Slack server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from adapters.slack.adapter import SlackAdapter
from adapters.slack.budgets import Budgets
from adapters.slack.calls import Calls
from adapters.slack.workspaces import OneWorkspace
from bot.chat import Thread
from pipeline.domain import Scope
from tests.fakes.clock import FakeClock
from tests.fakes.slack import ANNA, SlackServer

if TYPE_CHECKING:
    from adapters.slack.stream import SlackMessage
    from bot.incoming import StopRequested

TEAM, CHANNEL, DIRECT = "T0ACME", "C0GENERAL", "D0ANNA"
QUESTION = "What is the refund policy?"


class Speaking:
    """One workspace, one thread in it, and the adapter that writes there. Time is virtual on both sides."""

    def __init__(self, *, channel: str = CHANNEL, timeout: float = 10.0) -> None:
        self.clock = FakeClock()
        self.slack = SlackServer(clock=self.clock.monotonic, wall=lambda: self.clock.now().timestamp())
        self.server = self.slack
        self.stops: list[StopRequested] = []
        self._channel = channel
        self._timeout = timeout

    async def __aenter__(self) -> Self:
        await self.slack.start()
        self.workspaces = OneWorkspace(
            self.slack.team.token, base_url=self.slack.base_url, timeout=self._timeout
        )
        self.calls = Calls(self.workspaces, Budgets(), self.clock.monotonic)
        self.adapter = SlackAdapter(
            self.calls,
            monotonic=self.clock.monotonic,
            wall=lambda: self.clock.now().timestamp(),
            max_upload_bytes=1_000_000,
            on_stop=self.stops.append,
        )
        self.thread = self.ask()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.workspaces.close()
        await self.slack.stop()

    def ask(self, channel: str | None = None) -> Thread:
        """Let Anna begin a thread with a question."""
        place = channel or self._channel
        message = self.slack.say(place, ANNA, QUESTION, events=())
        return Thread(Scope("slack", TEAM, place), message.ts)

    def shown(self, thread: Thread | None = None) -> list[str]:
        """Return what the bot's messages show, oldest first."""
        place = thread or self.thread
        return [one.shown for one in self.slack.replies(place.scope.channel, place.key)]

    def count(self, method: str) -> int:
        """Return how often a method was called."""
        return len(self.slack.called(method))

    def called(self) -> list[str]:
        """Return what was called, in order, ``auth.test`` left out."""
        return [call.method for call in self.slack.calls if call.method != "auth.test"]

    async def stream(self, thread: Thread | None = None, asker: str | None = ANNA) -> SlackMessage:
        """Open a stream that there must be."""
        live = await self.adapter.open_stream(thread or self.thread, asker=asker)
        assert live is not None
        return live
