"""Events as Slack delivers them become what the bot is told, and what the adapter must look into first.

Only what is in the event itself is used: nothing is asked, so that Slack has its answer at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.slack.addressing import PLATFORM, Envelope, workspace_of
from adapters.slack.happenings import FileShared, FileTouched
from adapters.slack.messages import read_mention, read_message
from bot.chat import Thread
from bot.incoming import ChannelLost, FileDeleted, StopRequested, WorkspaceLost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from adapters.slack.happenings import Speaker
    from adapters.slack.workspaces import Identity
    from bot.incoming import Incoming, Removal

    Happening = Incoming | Removal | FileShared | FileTouched | Speaker


def read_event(body: Mapping[str, Any], identity: Identity | None) -> Sequence[Happening]:
    """Return what the event in *body* means, in the order in which it is to be handed on; often nothing.

    Raises `KeyError` or `InvalidScope` for what is no event of Slack's.
    """
    event = body["event"]
    reader = _READERS.get(event["type"])
    if reader is None:
        return ()
    envelope = Envelope(
        event_id=body.get("event_id") or f"{event['type']}/{event.get('event_ts')}",
        team=workspace_of(body) or (identity.team if identity else ""),
        event=event,
        identity=identity,
    )
    return reader(envelope)


def _file_shared(envelope: Envelope) -> Sequence[Happening]:
    user = envelope.event.get("user_id")
    return () if envelope.is_own(user) else (_file(envelope, user=user, changed=False),)


def _file_changed(envelope: Envelope) -> Sequence[Happening]:
    return (_file(envelope, user=envelope.event.get("user_id"), changed=True),)


def _file(envelope: Envelope, *, user: str | None, changed: bool) -> FileShared:
    channel = envelope.event.get("channel_id")
    return FileShared(
        addressed=channel is not None and envelope.is_direct(channel),
        event_id=envelope.event_id,
        team=envelope.team,
        channel=channel,
        file_id=_file_id(envelope),
        user=user,
        changed=changed,
    )


def _file_unshared(envelope: Envelope) -> Sequence[Happening]:
    touched = FileTouched(
        event_id=envelope.event_id,
        team=envelope.team,
        channel=envelope.event.get("channel_id"),
        file_id=_file_id(envelope),
    )
    return (touched,)


def _file_deleted(envelope: Envelope) -> Sequence[Happening]:
    deleted = FileDeleted(
        event_id=envelope.event_id,
        platform=PLATFORM,
        workspace=envelope.team,
        source=f"{PLATFORM}:{envelope.team}/{_file_id(envelope)}",
    )
    return (deleted,)


def _file_id(envelope: Envelope) -> str:
    return str(envelope.event.get("file_id") or envelope.event["file"]["id"])


def _left(envelope: Envelope) -> Sequence[Happening]:
    return (ChannelLost(event_id=envelope.event_id, scope=envelope.scope(envelope.event["channel"])),)


def _member_left(envelope: Envelope) -> Sequence[Happening]:
    return _left(envelope) if envelope.is_own(envelope.event.get("user")) else ()


def _uninstalled(envelope: Envelope) -> Sequence[Happening]:
    return _lost(envelope, [envelope.team])


def _tokens_revoked(envelope: Envelope) -> Sequence[Happening]:
    """Only bots of this app are told of; one whose name is not known any more was ours."""
    bots = (envelope.event.get("tokens") or {}).get("bot") or ()
    ours = bool(bots) and (envelope.identity is None or any(map(envelope.is_own, bots)))
    return _lost(envelope, [envelope.team] if ours else [])


def _access_revoked(envelope: Envelope) -> Sequence[Happening]:
    return _lost(envelope, envelope.event.get("team_ids") or ())


def _lost(envelope: Envelope, workspaces: Sequence[str]) -> Sequence[Happening]:
    return [
        WorkspaceLost(event_id=envelope.event_id, platform=PLATFORM, workspace=workspace)
        for workspace in workspaces
    ]


def _stopped(envelope: Envelope) -> Sequence[Happening]:
    event = envelope.event
    channel, thread = event.get("channel") or event.get("channel_id"), event.get("thread_ts")
    return (StopRequested(thread=Thread(envelope.scope(channel), thread)),) if channel and thread else ()


_READERS: dict[str, Callable[[Envelope], Sequence[Happening]]] = {
    "app_mention": read_mention,
    "message": read_message,
    "file_shared": _file_shared,
    "file_change": _file_changed,
    "file_unshared": _file_unshared,
    "file_deleted": _file_deleted,
    "channel_left": _left,
    "group_left": _left,
    "channel_deleted": _left,
    "group_deleted": _left,
    "member_left_channel": _member_left,
    "app_uninstalled": _uninstalled,
    "tokens_revoked": _tokens_revoked,
    "team_access_revoked": _access_revoked,
    "agent_session_stopped": _stopped,
}
