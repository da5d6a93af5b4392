"""Who wrote a message, where it stands, and whether it is meant for the bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.slack.text import read
from bot.chat import Thread
from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.markup.spoken import Spoken
    from adapters.slack.workspaces import Identity

PLATFORM = "slack"
SLACKBOT = "USLACKBOT"
_NOBODY: Mapping[str, str] = {}
"""Names are not asked for: an event has to be read before Slack could answer."""
_DIRECT = frozenset({"im", "app_home"})
_MACHINE = ("bot_id", "bot_profile")
"""What only messages of programs carry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One event as Slack delivered it, with what is needed to judge whom it concerns."""

    event_id: str
    team: str
    """The workspace, or the organisation, that the app is installed in."""
    event: Mapping[str, Any]
    identity: Identity | None
    """Who the bot is there; None: nobody knows any more."""

    def scope(self, channel: str) -> Scope:
        """Return the scope of a channel. Raises `InvalidScope`."""
        return Scope(PLATFORM, self.team, channel)

    def thread(self, channel: str, message: Mapping[str, Any]) -> Thread:
        """Return the thread of *message*; one that stands in the channel itself begins a thread."""
        return Thread(self.scope(channel), message.get("thread_ts") or message["ts"])

    def is_own(self, user: str | None) -> bool:
        """Tell whether *user* is the bot."""
        return self.identity is not None and user == self.identity.user_id

    def is_by_person(self, message: Mapping[str, Any]) -> bool:
        """Tell whether somebody wrote *message*, and no program: bots that answer bots never stop."""
        user = message.get("user")
        if self.identity is None or not user or user == SLACKBOT or self.is_own(user):
            return False
        return not any(message.get(sign) for sign in _MACHINE)

    def is_direct(self, channel: str) -> bool:
        """Tell whether the event's *channel* is somebody's conversation with the bot alone."""
        return channel.startswith("D") or self.event.get("channel_type") in _DIRECT

    def names_bot(self, message: Mapping[str, Any]) -> bool:
        """Tell whether the bot's id occurs in what *message* says, wherever that may be."""
        return self.identity is not None and f"@{self.identity.user_id}" in str(message.get("text") or "")

    def spoken(self, message: Mapping[str, Any]) -> Spoken:
        """Return what *message* says."""
        own = self.identity.user_id if self.identity else ""
        return read(message.get("text") or "", own, _NOBODY)

    def home(self, message: Mapping[str, Any]) -> str:
        """Return the workspace that the author of *message* belongs to: in shared channels, maybe another."""
        places = (message.get("user_team"), message.get("team"), self.event.get("team"))
        return next((team for team in places if team), self.team)


def is_midway(message: Mapping[str, Any]) -> bool:
    """Tell whether *message* answers another one in a thread."""
    thread = message.get("thread_ts")
    return bool(thread) and thread != message.get("ts")


def channel_itself(scope: Scope) -> Thread:
    """Return what stands for a channel where something belongs to no thread."""
    return Thread(scope, scope.channel)


def thread_ts(thread: Thread) -> str | None:
    """Return the message that begins a thread; None: the channel itself is meant."""
    return None if thread == channel_itself(thread.scope) else thread.key


def workspace_of(body: Mapping[str, Any]) -> str:
    """Return where the app that an event was delivered to is installed; empty: the body does not say.

    In a channel that is shared between workspaces ``team_id`` may be the other one's.
    """
    (first, *_) = body.get("authorizations") or [{}]
    places = (
        first.get("team_id"),
        first.get("enterprise_id"),
        body.get("team_id"),
        body.get("enterprise_id"),
    )
    return next((place for place in places if place), "")
