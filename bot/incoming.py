"""What an adapter hands to the bot: everything that happened on the platform and concerns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.chat import Thread
    from pipeline.domain import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingMessage:
    """A message that may be for the bot: it was named, or written to directly, or stands in a thread.

    Whether a message that does not name the bot is for it, `Attention` decides.
    """

    event_id: str
    message_id: str
    """The same for every event about this message: two events with one message id are one question."""
    thread: Thread
    author: str
    text: str
    """Without the mention of the bot; other mentions put into words, as far as names are known."""
    mentioned: bool = True
    """Whether the bot was named in it, or written to directly."""
    midway: bool = False
    """Whether the thread holds earlier messages, which the bot may not have seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEdited:
    """A message has another text now. Only one that names the bot, or was a question before, concerns it."""

    event_id: str
    message_id: str
    thread: Thread
    author: str
    text: str
    mentioned: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDeleted:
    """A message was taken back; whether it was a question of ours need not be known."""

    event_id: str
    message_id: str
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequested:
    """Somebody asked to stop the answer that is being written in a thread."""

    thread: Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingFile:
    """A file that was put into a channel where the bot is."""

    event_id: str
    file_id: str
    """The same for every event about this upload; another when the file is shared anew or has changed."""
    thread: Thread
    """Where to say what became of it."""
    author: str
    name: str
    source: str
    """Where the original is and stays, in the form that `pipeline.addresses` explains."""
    size: int | None = None
    """Bytes, as the platform declares them; None: it does not say."""
    message_id: str | None = None
    """The message that carries it, for a sign of how it stands; None: there is none, or nobody knows."""
    changed: bool = False
    """Whether it came before and may have other contents now; if it has not, nobody needs to hear of it."""
    addressed: bool = True
    """Whether it was given to the bot, by a mention or directly, and did not only pass by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRemoved:
    """A file is not in a channel any more: it was deleted there, or is not shared with it any longer."""

    event_id: str
    scope: Scope
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDeleted:
    """A file does not exist any more; in which channels it was, the platform does not say."""

    event_id: str
    platform: str
    workspace: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLost:
    """The bot was removed from a channel, or the channel was deleted."""

    event_id: str
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLost:
    """The bot was removed from a workspace."""

    event_id: str
    platform: str
    workspace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingAction:
    """Somebody pressed a button, or sent the form that a button opened."""

    event_id: str
    thread: Thread
    author: str
    action: str
    value: str
    text: str = ""
    """What was written into the form."""
    manages: bool = False
    """Whether the platform lets this person manage the channel; False as well when nobody knows."""


Incoming = IncomingMessage | MessageEdited | MessageDeleted | StopRequested
Removal = FileRemoved | FileDeleted | ChannelLost | WorkspaceLost
