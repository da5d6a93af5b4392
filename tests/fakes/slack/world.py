"""The workspaces of the local Slack server: people, channels and messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.slack.blocks import labels, readable

if TYPE_CHECKING:
    from tests.fakes.slack.shared_files import ChannelKind, File

ANNA, BEN, ADAM, OLGA, GINA = "U0ANNA", "U0BEN", "U0ADAM", "U0OLGA", "U0GINA"
STRANGER, ROBOT = "U9STRANGER", "U0ROBOT"

SCOPES = (
    "app_mentions:read,channels:history,channels:read,chat:write,commands,files:read,groups:history,"
    "groups:read,im:history,im:read,mpim:history,mpim:read,reactions:read,reactions:write,users:read"
)


@dataclass(slots=True, kw_only=True, eq=False)
class User:
    """Somebody, or another bot."""

    id: str
    team: str
    name: str
    admin: bool = False
    owner: bool = False
    guest: bool = False
    bot_id: str | None = None
    deleted: bool = False

    def described(self, seen_from: str) -> dict[str, Any]:
        """Return what ``users.info`` says to the workspace *seen_from*."""
        stranger = self.team != seen_from
        profile = {"real_name": self.name.title(), "display_name": self.name, "team": self.team}
        roles = {"is_admin": self.admin or self.owner, "is_owner": self.owner, "is_primary_owner": False}
        guest = {"is_restricted": self.guest, "is_ultra_restricted": False}
        return {
            "id": self.id,
            "team_id": self.team,
            "name": self.name,
            "real_name": self.name.title(),
            "deleted": self.deleted,
            "is_bot": self.bot_id is not None,
            "is_app_user": False,
            "profile": profile,
            # Slack leaves the roles of people of other workspaces out
            **({"is_stranger": True} if stranger else {**roles, **guest}),
        }


@dataclass(slots=True, kw_only=True, eq=False)
class Message:
    """One message, as it stands now and as it stood."""

    channel: str
    ts: str
    user: str
    text: str = ""
    markdown: str = ""
    """The ``markdown_text`` it was posted with, or what was streamed."""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    thread_ts: str | None = None
    bot_id: str | None = None
    subtype: str | None = None
    team: str | None = None
    files: list[File] = field(default_factory=list)
    attachments: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] | None = None
    edited: str | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    deleted: bool = False
    streamed: bool = False
    """It began as a stream."""
    streaming: bool = False
    stream_at: float = 0.0
    broken: bool = False
    """Its stream died and nobody mended it: people see a broken pill."""
    stopped: bool = False
    """Somebody pressed stop while it was written."""
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    client_msg_id: str | None = None
    """Slack gives one to what people post."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """What it was posted with, all of it."""
    history: list[str] = field(default_factory=list)
    """What people saw after each change."""

    @property
    def thread(self) -> str:
        return self.thread_ts or self.ts

    @property
    def shown(self) -> str:
        """What people read: blocks take the place of the text, except after a stream."""
        if self.streamed and self.markdown:
            return "\n\n".join([self.markdown, *readable(self.blocks)])
        return "\n\n".join(readable(self.blocks)) or self.markdown or self.text

    @property
    def buttons(self) -> list[str]:
        """The labels of its buttons."""
        return labels(self.blocks)

    def note(self) -> None:
        """Keep what people see now."""
        if not self.history or self.history[-1] != self.shown:
            self.history.append(self.shown)

    def described(self, *, metadata: bool = False) -> dict[str, Any]:
        """Return the message object of events and answers."""
        said: dict[str, Any] = {"type": "message", "user": self.user, "text": self.text or self.markdown}
        said |= {"ts": self.ts}
        optional = {
            "subtype": self.subtype,
            "bot_id": self.bot_id,
            "team": self.team,
            "client_msg_id": self.client_msg_id,
            "thread_ts": self.thread_ts,
            "blocks": self.blocks,
            "attachments": self.attachments,
            "files": [file.described() for file in self.files],
            "metadata": self.metadata if metadata else None,
            "edited": {"user": self.user, "ts": self.edited} if self.edited else None,
            "reactions": [
                {"name": name, "users": list(users), "count": len(users)}
                for name, users in self.reactions.items()
                if users
            ],
        }
        return said | {key: value for key, value in optional.items() if value}


@dataclass(slots=True, kw_only=True, eq=False)
class Channel:
    """A conversation and everything said in it, by ts."""

    id: str
    name: str
    kind: ChannelKind = "public"
    members: list[str] = field(default_factory=list)
    creator: str = ANNA
    archived: bool = False
    shared: bool = False
    """With another workspace."""
    messages: dict[str, Message] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """Return the ``channel_type`` of events."""
        return {"public": "channel", "private": "group", "mpim": "mpim", "im": "im"}[self.kind]

    @property
    def told(self) -> str:
        """Return the name that commands and presses carry: Slack keeps those of private ones to itself."""
        if self.kind == "mpim":
            return f"mpdm-{self.name}-1"
        return {"private": "privategroup", "im": "directmessage"}.get(self.kind, self.name)

    def described(self) -> dict[str, Any]:
        said = {
            "id": self.id,
            "created": 1_700_000_000,
            "is_archived": self.archived,
            "is_channel": self.kind == "public",
            "is_group": self.kind == "private",
            "is_im": self.kind == "im",
            "is_mpim": self.kind == "mpim",
            "is_private": self.kind != "public",
            "is_ext_shared": self.shared,
            "is_shared": self.shared,
            "is_general": False,
        }
        if self.kind == "im":
            return said | {"user": self.members[0]}
        return said | {"name": self.name, "creator": self.creator, "num_members": len(self.members)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ephemeral:
    """A message that only one person saw."""

    channel: str
    user: str
    text: str
    blocks: list[dict[str, Any]]
    ts: str
    thread_ts: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        return "\n\n".join(readable(self.blocks)) or str(self.arguments.get("markdown_text") or self.text)


@dataclass(slots=True, kw_only=True, eq=False)
class View:
    """A modal or a Home tab."""

    id: str
    user: str
    team: str
    view: dict[str, Any]
    open: bool = True
    errors: dict[str, str] = field(default_factory=dict)
    """What was wrong with what was filled in, by block."""

    @property
    def shown(self) -> str:
        return "\n\n".join(readable(self.view.get("blocks", [])))


@dataclass(slots=True, kw_only=True, eq=False)
class Workspace:
    """One workspace that the app is, or was, installed in."""

    id: str
    name: str
    domain: str
    bot: str
    bot_id: str
    token: str
    scopes: set[str] = field(default_factory=lambda: set(SCOPES.split(",")))
    installed: bool = True
    users: dict[str, User] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"https://{self.domain}.slack.com/"
