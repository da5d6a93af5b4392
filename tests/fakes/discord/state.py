"""All that the local Discord server knows, keeps and can be told to do otherwise."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fakes.discord.links import Links
from tests.fakes.discord.permissions import Permission, in_channel
from tests.fakes.discord.rates import Rates
from tests.fakes.discord.using import MODAL
from tests.fakes.discord.world import BOT, DIRECT, EPOCH, Channel, User
from tests.fakes.faults import Plans
from tests.fakes.loopback import Loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.fakes.discord.faults import Fault
    from tests.fakes.discord.messages import Attachment, Message, Ping
    from tests.fakes.discord.rest import Call
    from tests.fakes.discord.using import Interaction
    from tests.fakes.discord.world import Guild

TOKEN = "MTAwMDAwMDAwMDAwMDAwMDUw.local.token"
SAYING = frozenset({"send", "edit", "new thread", "respond", "follow up", "edit answer"})
TYPING_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One request for the bytes of an attachment, here or at another host."""

    path: str
    headers: dict[str, str]
    at: float
    status: int
    elsewhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Typing:
    """The bot showed that it is writing."""

    channel: int
    at: float


class State(Loopback):
    """What the server is made of; a test reads and changes it as it likes."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, wall: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self.clock, self.wall = clock, wall
        self.token, self.application = TOKEN, BOT
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.directs: dict[int, Channel] = {}
        """Direct conversations with the bot, by the other's id."""
        self.commands: dict[int | None, list[dict[str, Any]]] = {None: []}
        """The registered application commands, by guild; `None`: everywhere."""
        self.interactions: list[Interaction] = []
        self.ephemerals: list[Message] = []
        self.calls: list[Call] = []
        self.downloads: list[Download] = []
        self.pings: list[Ping] = []
        """Every time that something the bot wrote would have pinged."""
        self.typings: list[Typing] = []
        self.faults: Plans[Fault, Call] = Plans()
        self.rates, self.links = Rates(clock), Links(wall)
        self.attachments: dict[int, Attachment] = {}
        self.privileged = 1 << 15
        """The privileged intents that are switched on for the application: message content."""
        self.interaction_seconds, self.token_seconds = 3.0, 15 * 60.0
        self.nonce_seconds = 5 * 60.0
        """For how long a nonce is remembered."""
        self.most_threads = 1_000
        """Active ones in a guild."""
        self.file_limit = 10 * 2**20
        self.origin = self.elsewhere = ""
        self._numbers = itertools.count()
        self._last = 0

    @property
    def bot(self) -> User:
        return self.users[self.application]

    @property
    def gateway_url(self) -> str:
        return f"{self.origin.replace('http', 'ws', 1)}/gw/"

    def snowflake(self) -> int:
        """Return a new id, later than any before and of this very millisecond."""
        milliseconds = max(0, int(self.wall() * 1000) - EPOCH)
        self._last = max(self._last + 1, milliseconds << 22)
        return self._last

    def born(self, snowflake: int) -> float:
        """Return when an id was made, by the clock on the wall."""
        return ((snowflake >> 22) + EPOCH) / 1000

    def number(self) -> int:
        return next(self._numbers)

    def channels(self) -> Iterator[Channel]:
        for guild in self.guilds.values():
            yield from guild.channels.values()
        yield from self.directs.values()

    def find_channel(self, channel: int) -> Channel | None:
        return next((one for one in self.channels() if one.id == channel), None)

    def channel(self, channel: int | Channel) -> Channel:
        """Return the channel, thread or direct conversation of that id."""
        if isinstance(channel, Channel):
            return channel
        found = self.find_channel(channel)
        if found is None:
            raise LookupError(f"there is no channel {channel}")
        return found

    def can(self, channel: int | Channel, user: int) -> Permission:
        """Return what somebody may do in a channel."""
        return in_channel(self.channel(channel), user)

    def direct(self, user: int) -> Channel:
        """Return the direct conversation of the bot and *user*, a new one if need be."""
        if user not in self.directs:
            both = [self.users[user], self.bot]
            self.directs[user] = Channel(id=self.snowflake(), type=DIRECT, recipients=both)
        return self.directs[user]

    def message(self, message: int) -> Message:
        """Return a message by its id, deleted ones and ephemeral ones too."""
        places = [channel.messages for channel in self.channels()]
        for messages in [*places, {one.id: one for one in self.ephemerals}]:
            if message in messages:
                return messages[message]
        raise LookupError(f"there is no message {message}")

    def messages(self, channel: int | Channel) -> list[Message]:
        """Return what stands in a channel, in order."""
        return self.channel(channel).standing

    def replies(self, channel: int | Channel) -> list[Message]:
        """Return what the bot said in a channel and did not delete."""
        return [one for one in self.messages(channel) if one.author is self.bot]

    def threads(self, channel: int | Channel) -> list[Channel]:
        """Return the threads of a channel, in the order of their beginning."""
        parent = self.channel(channel)
        guild = parent.guild
        return [one for one in guild.channels.values() if one.parent is parent] if guild else []

    def called(self, *routes: str) -> list[Call]:
        """Return the calls of these routes so far."""
        return [call for call in self.calls if call.route in routes]

    @property
    def invalid_requests(self) -> int:
        """How many calls count towards a ban of the address: ten thousand in ten minutes."""
        return sum(1 for call in self.calls if call.status in {401, 403, 429})

    def unguarded(self) -> list[Call]:
        """Return the calls that said something and left open whom it may ping."""
        said = [call for call in self.calls if call.route in SAYING]
        return [call for call in said if _may_ping(call.body)]

    def is_typing(self, channel: int) -> bool:
        """Say whether people see that the bot is writing: for ten seconds, or until it wrote."""
        since = [one.at for one in self.typings if one.channel == channel]
        if not since or self.clock() - since[-1] > TYPING_SECONDS:
            return False
        sent = [call.at for call in self.called("send") if call.ids["channel"] == str(channel)]
        return not sent or sent[-1] < since[-1]


def _may_ping(body: dict[str, Any]) -> bool:
    if body.get("type") == MODAL:  # a form is shown to one person, and names nobody
        return False
    said = body.get("data") or body.get("message") or body
    if not any(said.get(part) for part in ("content", "components", "embeds")):
        return False
    allowed = said.get("allowed_mentions")
    return allowed is None or any(allowed.get(part) for part in ("parse", "users", "roles", "replied_user"))
