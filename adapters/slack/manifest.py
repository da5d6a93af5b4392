"""What the Slack app must be allowed and told: the one list of scopes, events and entries."""

from __future__ import annotations

from dataclasses import dataclass

COMMAND = "/footnote"
SHORTCUT = "index_file"
"""The callback id of the message shortcut."""
EVENTS_PATH, INSTALL_PATH, REDIRECT_PATH = "/slack/events", "/slack/install", "/slack/oauth_redirect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A scope or an event, and what does not work without it."""

    name: str
    without: str
    """The end of a sentence that begins with the name."""
    required: bool = True
    """Whether answering itself fails without it, at least in one kind of conversation."""
    agent: bool = False
    """Whether only the agent feature needs it."""


SCOPES = (
    Need(name="app_mentions:read", without="the bot does not notice that it is mentioned"),
    Need(name="chat:write", without="the bot cannot answer"),
    Need(name="files:read", without="files cannot be read"),
    Need(name="channels:history", without="follow-ups and files in public channels are not noticed"),
    Need(name="groups:history", without="follow-ups and files in private channels are not noticed"),
    Need(name="im:history", without="direct messages are not noticed"),
    Need(name="channels:read", without="members of public channels are not known, so commands are refused"),
    Need(name="groups:read", without="members of private channels are not known, so commands are refused"),
    Need(name="im:read", without="commands in direct messages are refused", required=False),
    Need(name="mpim:history", without="questions in group messages are not noticed", required=False),
    Need(name="mpim:read", without="commands in group messages are refused", required=False),
    Need(name="users:read", without="nobody may take documents back or change settings", required=False),
    Need(name="commands", without=f"{COMMAND} and the shortcut “Index this” do not exist", required=False),
    Need(name="reactions:read", without="reactions neither judge nor stop an answer", required=False),
    Need(name="reactions:write", without="files are not marked while they are indexed", required=False),
    Need(name="assistant:write", without="no questions are suggested", required=False, agent=True),
)

EVENTS = (
    Need(name="app_mention", without="a mention is not answered"),
    Need(name="message.channels", without="follow-ups and files in public channels are not noticed"),
    Need(name="message.groups", without="follow-ups and files in private channels are not noticed"),
    Need(name="message.im", without="direct messages are not answered"),
    Need(name="message.mpim", without="follow-ups and files in group messages are not noticed"),
    Need(name="file_shared", without="files that are shared without a message are not indexed"),
    Need(name="file_change", without="a changed file keeps its old text"),
    Need(name="file_deleted", without="a deleted file is answered from until the next look at it"),
    Need(name="file_unshared", without="a file taken out of a channel is answered from until the next look"),
    Need(name="member_joined_channel", without="whoever invites the bot is not told how to use it"),
    Need(name="member_left_channel", without="it goes unnoticed that the bot was removed from a channel"),
    Need(name="channel_left", without="the files of a public channel that the bot left stay indexed"),
    Need(name="group_left", without="the files of a private channel that the bot left stay indexed"),
    Need(name="channel_deleted", without="the files of a deleted public channel stay indexed"),
    Need(name="group_deleted", without="the files of a deleted private channel stay indexed"),
    Need(name="reaction_added", without="reactions neither judge nor stop an answer", required=False),
    Need(name="app_home_opened", without="the Home tab stays empty", required=False),
    Need(name="app_uninstalled", without="what was indexed outlives the installation"),
    Need(name="tokens_revoked", without="a revoked token goes unnoticed"),
    Need(
        name="team_access_revoked",
        without="an organisation that takes the app from a workspace goes unnoticed",
        required=False,
    ),
    Need(
        name="agent_session_stopped", without="Slack's stop button does nothing", required=False, agent=True
    ),
)


def needed(needs: tuple[Need, ...], *, agent: bool) -> tuple[Need, ...]:
    """Return those of *needs* that count with or without the agent feature."""
    return tuple(need for need in needs if agent or not need.agent)


def scopes(*, agent: bool) -> list[str]:
    """Return the scopes that a workspace is asked for when it installs the app."""
    return [need.name for need in needed(SCOPES, agent=agent)]
