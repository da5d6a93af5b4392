"""All that the local Slack server knows, keeps and can be told to do otherwise."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.faults import Plans
from tests.fakes.loopback import Loopback
from tests.fakes.slack.rates import Rates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.fakes.slack.faults import Fault
    from tests.fakes.slack.shared_files import File
    from tests.fakes.slack.world import Channel, Ephemeral, Message, User, View, Workspace

APP, APP_TOKEN, CONFIG_TOKEN = "A0FOOTNOTE", "xapp-1-A0FOOTNOTE-1-app", "xoxe.xoxp-1-config"
CLIENT_ID, CLIENT_SECRET, SIGNING_SECRET = "1.2", "client-secret", "signing-secret"


@dataclass(slots=True, kw_only=True)
class Call:
    """One call of a Web API method."""

    method: str
    arguments: dict[str, Any]
    token: str
    at: float
    workspace: str = ""
    status: int = 0
    error: str = ""
    response: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One request for a file's bytes, here or at the other host."""

    path: str
    authorization: str
    at: float
    elsewhere: bool = False


class State(Loopback):
    """What the server is made of; a test reads and changes it as it likes."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, wall: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self.clock, self.wall = clock, wall
        self.app_id, self.app_token, self.signing_secret = APP, APP_TOKEN, SIGNING_SECRET
        self.client_id, self.client_secret = CLIENT_ID, CLIENT_SECRET
        self.config_token = CONFIG_TOKEN
        self.manifest: dict[str, Any] = {}
        self.workspaces: dict[str, Workspace] = {}
        self.calls: list[Call] = []
        self.downloads: list[Download] = []
        self.ephemerals: list[Ephemeral] = []
        self.views: list[View] = []
        self.homes: dict[tuple[str, str], View] = {}
        """The Home tab by workspace and user."""
        self.statuses: dict[tuple[str, str], str] = {}
        """The status that stands below a thread now, by channel and thread."""
        self.status_history: list[tuple[str, str, str]] = []
        self.sessions: dict[tuple[str, str], str] = {}
        self.prompts: list[dict[str, Any]] = []
        self.titles: dict[tuple[str, str], str] = {}
        self.codes: dict[str, str] = {}
        """OAuth codes that were not used yet, and the workspace each is for."""
        self.triggers: dict[str, float] = {}
        self.trigger_users: dict[str, str] = {}
        self.tickets: set[str] = set()
        """For Socket Mode; each opens one connection."""
        self.response_urls: dict[str, ResponseUrl] = {}
        self.faults: Plans[Fault, Mapping[str, Any]] = Plans()
        self.rates = Rates(clock)
        self.agent = False
        """Whether the app has the agent feature; the scope ``assistant:write`` comes with it."""
        self.streams_supported = True
        self.stream_refusal = "channel_type_not_supported"
        self.stream_seconds = 300.0
        """How long a stream may go on."""
        self.measure: Callable[[str], int] = len
        """How Slack counts characters, which it does not say."""
        self.echo = True
        """Tell the bot of its own messages, as Slack does."""
        self.base_url = self.elsewhere = ""
        self._numbers = itertools.count(1)
        self._last_ts = 0

    def number(self) -> int:
        """Return a number that was not given before."""
        return next(self._numbers)

    def ts(self) -> str:
        """Return the ts of a message that is posted now, later than any before."""
        self._last_ts = max(self._last_ts + 1, int(self.wall() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def channel(self, name: str) -> Channel:
        return next(one for one in self.channels() if one.id == name)

    def channels(self) -> Iterator[Channel]:
        for workspace in self.workspaces.values():
            yield from workspace.channels.values()

    def home_of(self, channel: str) -> Workspace:
        """Return the workspace that *channel* is in."""
        return next(one for one in self.workspaces.values() if channel in one.channels)

    def user(self, name: str) -> User:
        return next(space.users[name] for space in self.workspaces.values() if name in space.users)

    def file(self, name: str) -> File:
        return next(space.files[name] for space in self.workspaces.values() if name in space.files)

    def message(self, channel: str, ts: str) -> Message:
        return self.channel(channel).messages[ts]

    def messages(self, channel: str, thread: str | None = None) -> list[Message]:
        """Return what stands in *channel*, or in one thread of it, in order."""
        standing = [one for one in self.channel(channel).messages.values() if not one.deleted]
        return [one for one in standing if thread is None or one.thread == thread]

    def replies(self, channel: str, thread: str) -> list[Message]:
        """Return what the bot said in a thread and did not delete."""
        bot = self.home_of(channel).bot
        return [one for one in self.messages(channel, thread) if one.user == bot]

    def called(self, method: str) -> list[Call]:
        """Return the calls of *method* so far."""
        return [call for call in self.calls if call.method == method]

    def trigger(self, user: str) -> str:
        """Return a trigger_id for something that *user* did just now."""
        trigger = f"{self.number()}.{self.number()}.trigger"
        self.triggers[trigger], self.trigger_users[trigger] = self.clock(), user
        return trigger

    def expire_streams(self) -> int:
        """Let every stream die now. Returns how many there were."""
        live = [one for channel in self.channels() for one in channel.messages.values() if one.streaming]
        for message in live:
            message.streaming, message.broken = False, True
        return len(live)

    def echo_event(self, event: dict[str, Any], workspace: Workspace) -> None:
        """Tell the bot of something that it did itself."""


@dataclass(slots=True, kw_only=True)
class ResponseUrl:
    """Where to answer an interaction: five times within half an hour."""

    channel: str
    user: str
    made: float
    ts: str | None = None
    """The message that the interaction came from."""
    thread: str | None = None
    left: int = 5
