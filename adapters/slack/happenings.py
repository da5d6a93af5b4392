"""What happens in Slack that the adapter must look into before it can tell the bot of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShared:
    """A file was put into a channel, or has other contents now; events carry little more than its id."""

    event_id: str
    team: str
    channel: str | None
    """None, for a changed file: wherever it is shared."""
    file_id: str
    user: str | None
    ts: str | None = None
    """The message that carries it, where the event tells."""
    thread_ts: str | None = None
    """The thread of that message; None: it stands in the channel itself, or nobody knows."""
    changed: bool = False
    wanted: bool = False
    """Whether somebody asks for it, so that it does not matter whether it was known before."""
    addressed: bool = False
    """Whether it was given to the bot: in a message that names it, or directly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTouched:
    """A file may have left a channel: a message that carried it is gone, or it is not shared any more."""

    event_id: str
    team: str
    channel: str | None
    """None: any channel where it was."""
    file_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Somebody who speaks, and the workspace that they belong to: streams ask for both."""

    user: str
    team: str
