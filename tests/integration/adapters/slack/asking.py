"""People who press, type and pick things on the local Slack server, with the real commands behind them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self, cast

from adapters.slack.actions import register_actions
from adapters.slack.adapter import SlackAdapter
from adapters.slack.budgets import Budgets
from adapters.slack.calls import Calls
from adapters.slack.clerk import CUSTOMS
from adapters.slack.home import register_home
from adapters.slack.listeners import Desk, build_app
from adapters.slack.people import People
from adapters.slack.transport import SocketMode
from adapters.slack.workspaces import OneWorkspace
from bot.chat import Body, Thread
from bot.commands import Commands
from bot.controls import under_answer
from bot.incoming import IncomingFile
from bot.library import SystemClock
from pipeline.domain import Scope
from pipeline.entries import Entry
from tests.fakes.library import FakeAsked, FakeJournal, FakeLibrary, FakePreferences, FakeTurn, document
from tests.fakes.slack import ANNA, SlackServer
from tests.integration.adapters.slack.counter import Taker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.slack.happenings import FileShared
    from bot.chat import Button
    from tests.fakes.slack import Ephemeral, Message

TEAM, CHANNEL = "T0ACME", "C0GENERAL"
SCOPE = Scope("slack", TEAM, CHANNEL)


class Asking:
    """One workspace, and a desk where everything that is asked for is kept."""

    def __init__(self, *, agent: bool = False) -> None:
        self.slack = SlackServer()
        self.library, self.journal = Shelves(), FakeJournal()
        self.preferences, self.asked = FakePreferences(), FakeAsked()
        self.received: list[Any] = []
        """What the conversation was told."""
        self.uploads: list[IncomingFile] = []
        self.lost_files: set[str] = set()
        self._agent = agent

    async def __aenter__(self) -> Self:
        await self.slack.start()
        self.workspaces = OneWorkspace(self.slack.team.token, base_url=self.slack.base_url)
        calls = Calls(self.workspaces, Budgets(), time.monotonic)
        self.adapter = SlackAdapter(calls)
        self.people = People(calls, time.monotonic)
        self.commands = Commands(self.library, self.journal, self.preferences, self.asked, CUSTOMS)
        self.desk = Desk(
            platform=cast("Any", Platform(self)),
            adapter=self.adapter,
            workspaces=self.workspaces,
            people=self.people,
            files=cast("Any", self),
            library=cast("Any", self.library),
            arrivals=cast("Any", Door(self)),
            heard=cast("Any", Quiet()),
            first_time=_always,
        )
        parts = (register_actions, lambda app, desk: register_home(app, desk, agent=self._agent))
        app = build_app(self.desk, base_url=self.slack.base_url, parts=parts)
        self.sockets = SocketMode(app, self.slack.app_token, clock=SystemClock(), ping=1.0)
        await self.sockets.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.sockets.close()
        await self.desk.tasks.stop()
        await self.workspaces.close()
        await self.slack.stop()

    async def settled(self) -> None:
        """Wait until everything that was done is answered."""
        await self.slack.settled()
        await self.desk.tasks.settled()

    async def answer(
        self, *, channel: str = CHANNEL, buttons: Sequence[Button] | None = None, known: bool = True
    ) -> Message:
        """Let the bot answer a question of Anna's, in its thread."""
        question = self.slack.say(channel, ANNA, "How long?", events=())
        thread = Thread(Scope("slack", TEAM, channel), question.ts)
        shown = under_answer(question.ts) if buttons is None else tuple(buttons)
        ref = await self.adapter.post(thread, Body(text="Five days [1].", buttons=shown))
        if known:
            self.know(thread, question.ts, ref.id)
        return self.slack.message(channel, ref.id)

    def know(self, thread: Thread, question: str, answer: str) -> None:
        """Keep a turn, and who asked for it where."""
        scope = thread.scope.key
        self.journal.answers[scope, question] = FakeTurn(question="How long?", turn_id=7)
        entry = Entry(kind="question", scope=thread.scope, id=question, thread=thread.key, author=ANNA)
        self.asked.questions |= {(scope, question): entry, (scope, answer): entry}

    def put(self, *names: str, channel: str = CHANNEL, uploader: str = ANNA) -> None:
        """Let a channel have documents, with their names as ids."""
        scope = Scope("slack", TEAM, channel)
        self.library.put(scope, *(document(name, f"{name}.md", uploader=uploader) for name in names))

    @property
    def whispers(self) -> list[Ephemeral]:
        return self.slack.ephemerals

    @property
    def whispered(self) -> str:
        """What the one whisper so far says."""
        (whisper,) = self.whispers
        return whisper.shown

    async def incoming(self, shared: FileShared) -> Sequence[IncomingFile]:
        """Stand in for Slack's files."""
        if shared.file_id in self.lost_files:
            return ()
        return (
            IncomingFile(
                event_id=shared.event_id,
                file_id=f"{shared.file_id}@{shared.event_id}" if shared.wanted else shared.file_id,
                thread=Thread(
                    Scope("slack", shared.team, shared.channel or ""), shared.thread_ts or shared.ts or ""
                ),
                author=shared.user or "",
                name="a.md",
                source=f"slack:{shared.team}/{shared.file_id}",
                message_id=shared.ts,
            ),
        )


class Shelves(FakeLibrary):
    """The documents of every channel."""

    async def channels(self, platform: str, workspace: str) -> list[Scope]:
        """Return the channels with documents."""
        names = [key.split(".") for key, shelf in self.shelves.items() if shelf]
        scopes = [Scope(name, team.upper(), channel.upper()) for name, team, channel in names]
        return [each for each in scopes if (each.platform, each.workspace) == (platform, workspace)]


class Platform:
    def __init__(self, asking: Asking) -> None:
        self.commands = asking.commands
        self.conversation = self.words = Taker(asking.received)
        self.uploads = Taker(asking.uploads)
        self.removals = Taker([])


class Door:
    """Hands files on that somebody asks for."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    async def wanted(self, file: FileShared) -> bool:
        found = await self._asking.incoming(file)
        self._asking.uploads += found
        return bool(found)


class Quiet:
    """Takes what others are interested in."""

    async def note(self, _: object) -> None: ...


async def _always(_: str) -> bool:
    return True
