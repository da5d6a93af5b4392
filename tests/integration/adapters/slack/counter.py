"""A desk with nobody behind it: what is handed over is kept."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from adapters.slack.arrivals import Arrivals
from adapters.slack.heard import Heard
from adapters.slack.listeners import Desk, build_app
from adapters.slack.workspaces import OneWorkspace
from bot.incoming import IncomingMessage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from slack_bolt.async_app import AsyncApp

    from adapters.slack.happenings import FileShared, FileTouched
    from bot.incoming import Incoming, IncomingFile, Removal
    from tests.fakes.slack import SlackServer


class Counter:
    """What a desk needs, as far as listeners use it."""

    def __init__(self, slack: SlackServer) -> None:
        self.events: list[Incoming] = []
        self.removals: list[Removal] = []
        self.askers: list[tuple[str, str]] = []
        self.shared: list[FileShared] = []
        self.touched: list[FileTouched] = []
        self.kinds: set[str] = set()
        self.keys: set[str] = set()
        self.workspaces = OneWorkspace(slack.team.token, base_url=slack.base_url)
        self.desk = Desk(
            platform=cast("Any", Platform(self)),
            adapter=cast("Any", self),
            workspaces=self.workspaces,
            people=cast("Any", None),
            files=cast("Any", None),
            library=cast("Any", None),
            arrivals=Arrivals(self, self, come=self.come, go=lambda _: None),
            heard=Heard(self),
            first_time=self.once,
        )

    def app(self, base_url: str, *parts: Callable[[AsyncApp, Desk], None], secret: str = "") -> AsyncApp:
        return build_app(self.desk, base_url=base_url, signing_secret=secret, parts=parts)

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, IncomingMessage)]

    def note_home(self, user: str, team: str) -> None:
        self.askers.append((user, team))

    async def incoming(self, shared: FileShared) -> Sequence[IncomingFile]:
        self.shared.append(shared)
        return ()

    async def removed(self, touched: FileTouched) -> Sequence[Removal]:
        self.touched.append(touched)
        return ()

    async def come(self, _: IncomingFile) -> None:
        """Index nothing: nothing is found."""

    async def note(self, _: FileShared) -> bool:
        return True

    async def end(self, file: FileShared) -> None:
        """Forget nothing: there is nothing to be remembered."""

    async def take_over(self, *, starting: bool) -> Sequence[FileShared]:
        return ()

    async def first_time(self, key: str) -> bool:
        self.kinds.add(key.split(":")[2])
        return True

    async def once(self, key: str) -> bool:
        first = key not in self.keys
        self.keys.add(key)
        return first

    async def named(self, _: str) -> Sequence[str]:
        return ()


class Platform:
    def __init__(self, counter: Counter) -> None:
        self.conversation = self.words = Taker(counter.events)
        self.removals = Taker(counter.removals)


class Taker:
    def __init__(self, taken: list[Any]) -> None:
        self._taken = taken

    def receive(self, event: object) -> Awaitable[object]:
        self._taken.append(event)
        done: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def kept(self, _: object) -> None:
        """Return at once: all is kept."""
