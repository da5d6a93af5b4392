"""Messages and attachments of the local Discord server, as they stand and as they stood."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.discord.components import COMPONENTS_V2, labels, texts
from tests.fakes.sending import Sending

if TYPE_CHECKING:
    from tests.fakes.discord.world import Channel, User

SUPPRESS_EMBEDS, HAS_THREAD, EPHEMERAL, LOADING, SILENT = 1 << 2, 1 << 5, 1 << 6, 1 << 7, 1 << 12
SAID, RENAMED, THREAD_CREATED, REPLY, COMMAND, THREAD_STARTER, CONTEXT_MENU = 0, 4, 18, 19, 20, 21, 23
TYPED_BY_PEOPLE = frozenset({SAID, REPLY})

CODE = re.compile(r"```.+?```|``.+?``|`[^`]+`", re.DOTALL)
"""What is in it neither pings nor gets a preview."""
_LINK = re.compile(r"(?<!<)https?://[^\s<>)\]]+")


@dataclass(slots=True, kw_only=True)
class Serving(Sending):
    """How the bytes of an attachment are served when that goes wrong."""

    content_type: str | None = None
    """Another one than the message says."""
    body: bytes | None = None
    """Other bytes than were uploaded."""


@dataclass(slots=True, kw_only=True, eq=False)
class Attachment:
    """One file on a message."""

    id: int
    channel: int
    filename: str
    content: bytes
    content_type: str | None = None
    title: str | None = None
    """The name without its ending, where `filename` could not keep it."""
    description: str | None = None
    size: int | None = None
    """The declared one, when it is not the true one."""
    spoiler: bool = False
    ephemeral: bool = False
    gone: bool = False
    """It was removed with or from its message."""
    serving: Serving = field(default_factory=Serving)

    @property
    def declared(self) -> int:
        return len(self.content) if self.size is None else self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentions:
    """Whom a message names in a way that counts: what would ping."""

    users: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.users or self.roles or self.everyone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """How a message stood after one change."""

    at: float
    shown: str
    content: str
    flags: int
    components: list[dict[str, Any]]
    embeds: list[dict[str, Any]]
    files: tuple[str, ...]
    mentions: Mentions


@dataclass(slots=True, kw_only=True, eq=False)
class Message:
    """One message."""

    id: int
    channel: Channel
    author: User
    at: float
    content: str = ""
    type: int = SAID
    flags: int = 0
    embeds: list[dict[str, Any]] = field(default_factory=list)
    components: list[dict[str, Any]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    reference: dict[str, Any] | None = None
    answered: Message | None = None
    """The message that this one replies to."""
    mentions: Mentions = field(default_factory=Mentions)
    nonce: str | None = None
    edited: float | None = None
    reactions: dict[str, list[int]] = field(default_factory=dict)
    pinned: bool = False
    deleted: bool = False
    thread: Channel | None = None
    """The thread that was started from it."""
    interaction: dict[str, Any] | None = None
    """Metadata of the interaction that it answers."""
    webhook: int | None = None
    """The webhook that said it; `author` is only its name then."""
    forwarded: Message | None = None
    """The message that this one passes on, instead of saying something."""
    seen_by: int | None = None
    """The only person who sees it, when it is ephemeral."""
    payload: dict[str, Any] = field(default_factory=dict)
    """What it was posted with, all of it."""
    moments: list[Moment] = field(default_factory=list)

    @property
    def shown(self) -> str:
        """What people read."""
        if self.flags & LOADING:
            return "…"
        return "\n".join(texts(self.components)) if self.flags & COMPONENTS_V2 else self.content

    @property
    def history(self) -> list[str]:
        """What people read after each change that they could see."""
        seen: list[str] = []
        for moment in self.moments:
            if not seen or seen[-1] != moment.shown:
                seen.append(moment.shown)
        return seen

    @property
    def buttons(self) -> list[str]:
        """The labels of its buttons."""
        return labels(self.components)

    @property
    def files(self) -> list[str]:
        return [one.filename for one in self.attachments]

    @property
    def suppressed(self) -> bool:
        """Whether link previews are hidden."""
        return bool(self.flags & SUPPRESS_EMBEDS)

    @property
    def previews(self) -> list[str]:
        """The addresses that Discord would show a preview of."""
        if self.flags & (SUPPRESS_EMBEDS | COMPONENTS_V2):
            return []
        return _LINK.findall(CODE.sub(" ", self.content))

    @property
    def silent(self) -> bool:
        return bool(self.flags & SILENT)

    @property
    def empty(self) -> bool:
        return not (self.content or self.embeds or self.components or self.attachments)

    @property
    def link(self) -> str:
        """Return where people find it."""
        guild = self.channel.guild
        return f"https://discord.com/channels/{guild.id if guild else '@me'}/{self.channel.id}/{self.id}"

    def note(self, at: float) -> None:
        """Keep how it stands now."""
        now = Moment(
            at=at,
            shown=self.shown,
            content=self.content,
            flags=self.flags,
            components=self.components,
            embeds=self.embeds,
            files=tuple(self.files),
            mentions=self.mentions,
        )
        self.moments.append(now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """Somebody would have heard a sound, or seen a badge."""

    message: Message
    mentions: Mentions
    edited: bool = False
    silent: bool = False
