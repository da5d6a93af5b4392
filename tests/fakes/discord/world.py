"""The guilds of the local Discord server: people, roles and channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from tests.fakes.discord.permissions import INVITED, USUAL, Permission

if TYPE_CHECKING:
    from tests.fakes.discord.messages import Message

EPOCH = 1_420_070_400_000
"""The first millisecond of Discord's ids."""
_FIRST = 100_000_000_000_000_000
OLGA, ADAM, ANNA, BEN, GINA, ROBOT = (_FIRST + number for number in range(1, 7))
BOT = _FIRST + 50
GUILD = 2 * _FIRST
GENERAL, SECOND, THIRD, PRIVATE, FORUM, NEWS, READONLY, NO_THREADS, HIDDEN = (
    3 * _FIRST + number for number in range(1, 10)
)
TEXT, DIRECT, VOICE, CATEGORY, ANNOUNCEMENTS, PUBLIC_THREAD, PRIVATE_THREAD, FORUM_TYPE = (
    0,
    1,
    2,
    4,
    5,
    11,
    12,
    15,
)
ANNOUNCEMENT_THREAD = 10
ChannelKind = Literal["text", "voice", "category", "announcements", "forum"]
TYPES: dict[ChannelKind, int] = {
    "text": TEXT,
    "voice": VOICE,
    "category": CATEGORY,
    "announcements": ANNOUNCEMENTS,
    "forum": FORUM_TYPE,
}
TAG_REQUIRED = 1 << 4


def when(seconds: float) -> str:
    """Return a moment the way Discord writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


@dataclass(slots=True, kw_only=True, eq=False)
class User:
    """Somebody, or a bot."""

    id: int
    name: str
    bot: bool = False
    takes_direct_messages: bool = True

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    def described(self) -> dict[str, Any]:
        return {
            "id": str(self.id),
            "username": self.name,
            "discriminator": "0",
            "global_name": None if self.bot else self.name.title(),
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
        }


@dataclass(slots=True, kw_only=True, eq=False)
class Role:
    """A role, and whose own it is when an integration manages it."""

    id: int
    name: str
    permissions: Permission = field(default_factory=lambda: Permission(0))
    position: int = 1
    mentionable: bool = False
    bot: int | None = None

    def described(self) -> dict[str, Any]:
        colors = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
        return {
            "id": str(self.id),
            "name": self.name,
            "color": 0,
            "colors": colors,
            "hoist": False,
            "position": self.position,
            "permissions": str(int(self.permissions)),
            "managed": self.bot is not None,
            "mentionable": self.mentionable,
            "flags": 0,
            **({"tags": {"bot_id": str(self.bot)}} if self.bot is not None else {}),
        }


@dataclass(slots=True, kw_only=True, eq=False)
class Member:
    """Somebody in a guild."""

    user: User
    roles: list[int] = field(default_factory=list)
    nick: str | None = None

    def described(self, *, user: bool = True) -> dict[str, Any]:
        said = {
            "nick": self.nick,
            "avatar": None,
            "roles": [str(role) for role in self.roles],
            "joined_at": when(1_600_000_000),
            "premium_since": None,
            "deaf": False,
            "mute": False,
            "flags": 0,
            "pending": False,
        }
        return said | ({"user": self.user.described()} if user else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Overwrite:
    """What a role or somebody may more, or less, in one channel."""

    allow: Permission = field(default_factory=lambda: Permission(0))
    deny: Permission = field(default_factory=lambda: Permission(0))


@dataclass(slots=True, kw_only=True, eq=False)
class Thread:
    """What a channel has more when it is a thread."""

    owner: int
    members: list[int]
    private: bool = False
    archived: bool = False
    locked: bool = False
    auto_archive: int = 1440
    changed: float = 0.0
    """When it was created, archived or taken out of the archive."""
    created: float = 0.0
    tags: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A tag that posts of a forum may carry."""

    id: int
    name: str


@dataclass(slots=True, kw_only=True, eq=False)
class Channel:
    """A channel, a thread or a direct conversation, and everything said in it, by id."""

    id: int
    type: int
    name: str = ""
    guild: Guild | None = None
    parent: Channel | None = None
    category: int | None = None
    topic: str | None = None
    position: int = 0
    overwrites: dict[int, Overwrite] = field(default_factory=dict)
    recipients: list[User] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    tag_required: bool = False
    thread: Thread | None = None
    messages: dict[int, Message] = field(default_factory=dict)

    @property
    def guild_field(self) -> dict[str, str]:
        """Return the ``guild_id`` of events, which direct conversations do not have."""
        return {} if self.guild is None else {"guild_id": str(self.guild.id)}

    @property
    def standing(self) -> list[Message]:
        """Return the messages that were not deleted."""
        return [one for one in self.messages.values() if not one.deleted]

    def described(self, viewer: int) -> dict[str, Any]:
        said: dict[str, Any] = {
            "id": str(self.id),
            "type": self.type,
            "last_message_id": str(max(self.messages)) if self.messages else None,
            "flags": 0,
        }
        if self.guild is None:
            return said | {"recipients": [one.described() for one in self.recipients if one.id != viewer]}
        said |= {"guild_id": str(self.guild.id), "name": self.name, "rate_limit_per_user": 0}
        return said | (self._thread(self.thread, viewer) if self.thread else self._place())

    def _place(self) -> dict[str, Any]:
        overwrites = [
            {
                "id": str(one),
                "type": int(self.guild is not None and one in self.guild.members),
                "allow": str(int(it.allow)),
                "deny": str(int(it.deny)),
            }
            for one, it in self.overwrites.items()
        ]
        said: dict[str, Any] = {
            "position": self.position,
            "parent_id": str(self.category) if self.category else None,
            "topic": self.topic,
            "nsfw": False,
            "permission_overwrites": overwrites,
        }
        if self.type == FORUM_TYPE:
            said |= {"available_tags": [_tag(one) for one in self.tags], "default_reaction_emoji": None}
            said |= {"flags": TAG_REQUIRED if self.tag_required else 0, "default_sort_order": None}
        return said | ({"bitrate": 64_000, "user_limit": 0, "rtc_region": None} if self.type == VOICE else {})

    def _thread(self, thread: Thread, viewer: int) -> dict[str, Any]:
        metadata = {
            "archived": thread.archived,
            "auto_archive_duration": thread.auto_archive,
            "archive_timestamp": when(thread.changed),
            "locked": thread.locked,
            "create_timestamp": when(thread.created),
            **({"invitable": True} if thread.private else {}),
        }
        return {
            "parent_id": str(self.parent.id) if self.parent else None,
            "owner_id": str(thread.owner),
            "message_count": len(self.standing),
            "total_message_sent": len(self.messages),
            "member_count": min(len(thread.members), 50),
            "thread_metadata": metadata,
            "applied_tags": [str(tag) for tag in thread.tags],
            **({"member": self.membership(viewer)} if viewer in thread.members else {}),
        }

    def membership(self, user: int) -> dict[str, Any]:
        """Return the thread member object of *user*."""
        joined = when(self.thread.created if self.thread else 0.0)
        return {"id": str(self.id), "user_id": str(user), "join_timestamp": joined, "flags": 1}


@dataclass(slots=True, kw_only=True, eq=False)
class Guild:
    """A server, as people call it."""

    id: int
    name: str
    owner: int
    members: dict[int, Member] = field(default_factory=dict)
    roles: dict[int, Role] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    """Threads too."""
    available: bool = True
    """Not during an outage."""
    system_channel: int | None = None
    """Where Discord itself says that somebody came."""

    @property
    def everyone(self) -> Role:
        return self.roles[self.id]

    def role_of(self, bot: int) -> Role:
        """Return the role that came with *bot*."""
        return next(role for role in self.roles.values() if role.bot == bot)

    def invite(self, user: User, role: int) -> None:
        """Let a bot in, with a role of its own."""
        self.roles[role] = Role(id=role, name=user.name, permissions=INVITED, bot=user.id)
        self.members[user.id] = Member(user=user, roles=[role])

    @classmethod
    def founded(cls, *, id: int, name: str, owner: int) -> Guild:  # noqa: A002 (it is an id everywhere)
        """Return a guild in which everybody may what is usual."""
        everyone = Role(id=id, name="@everyone", permissions=USUAL, position=0)
        return cls(id=id, name=name, owner=owner, roles={id: everyone})


def _tag(tag: Tag) -> dict[str, Any]:
    return {"id": str(tag.id), "name": tag.name, "moderated": False, "emoji_id": None, "emoji_name": None}
