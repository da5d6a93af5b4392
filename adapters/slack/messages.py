"""Messages: written, changed and taken back; and the files that they carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adapters.slack.addressing import Envelope, is_midway
from adapters.slack.happenings import FileShared, FileTouched, Speaker
from bot.chat import MessageGone, Said
from bot.incoming import IncomingMessage, MessageDeleted, MessageEdited

if TYPE_CHECKING:
    from adapters.markup.spoken import Spoken
    from adapters.slack.workspaces import Identity
    from bot.incoming import Incoming
    from pipeline.domain import Scope

    Found = list[Incoming | Speaker | FileShared | FileTouched]

_SAID = frozenset({None, "file_share", "me_message", "thread_broadcast"})
"""Subtypes of what people say; the others report something (joined, renamed) or come from programs."""
_TOMBSTONE = "tombstone"
_EMPTY = frozenset({_TOMBSTONE, "hidden_by_limit"})
"""Modes of files of which nothing is left."""


def read_mention(envelope: Envelope) -> Found:
    """Read a message that names the bot; the same one comes as an ordinary message too."""
    return _written(envelope, named=True)


def read_message(envelope: Envelope) -> Found:
    """Read an event about a message."""
    match envelope.event.get("subtype"):
        case "message_changed":
            return _changed(envelope)
        case "message_deleted":
            event = envelope.event
            return _gone(envelope, event["deleted_ts"], event.get("previous_message") or {})
        case _:
            return _written(envelope, named=False)


def reread(scope: Scope, message: Mapping[str, Any], identity: Identity) -> Said | None:
    """Return how a *message* of people's reads that they have edited; None: they have not.

    Raises `MessageGone` where nothing is left of it.
    """
    ts, team = message["ts"], scope.workspace
    envelope = Envelope(event_id=f"{ts}/reread", team=team, event=message, identity=identity)
    if message.get("subtype") == _TOMBSTONE:
        raise MessageGone
    if message.get("subtype") not in _SAID or not envelope.is_by_person(message):
        return None
    for edited in _said_anew(envelope, scope.channel, message, {}):
        if isinstance(edited, MessageDeleted):
            raise MessageGone
        return Said(text=edited.text, mentioned=edited.mentioned)
    return None


def _written(envelope: Envelope, *, named: bool) -> Found:
    message = envelope.event
    if message.get("subtype") not in _SAID or not envelope.is_by_person(message):
        return []
    channel = message["channel"]
    shared = [_shared(envelope, channel, message, file_id) for file_id in _files(message)]
    return [*shared, *_said(envelope, channel, message, named=named)]


def _said(envelope: Envelope, channel: str, message: Mapping[str, Any], *, named: bool) -> Found:
    """Return the message if it may be for the bot: comments on files and talk among others are not.

    Slack reports a mention in a code sample or an address as well. One that is not in the text is believed.
    """
    spoken = envelope.spoken(message)
    mentioned = _is_for_bot(envelope, channel, spoken) or (named and not envelope.names_bot(message))
    follows = is_midway(message) and not message.get("files") and not spoken.others_first
    if not (mentioned or follows) or _says_nothing(message, spoken, mentioned=mentioned):
        return []
    thread = envelope.thread(channel, message)
    said = IncomingMessage(
        event_id=envelope.event_id,
        message_id=message["ts"],
        thread=thread,
        author=message["user"],
        text=spoken.text,
        mentioned=mentioned,
        midway=is_midway(message),
    )
    return [Speaker(user=said.author, team=envelope.home(message)), said]


def _changed(envelope: Envelope) -> Found:
    """Read what people did to a message; Slack reports as well that a preview was added or such."""
    channel = envelope.event["channel"]
    new, old = envelope.event["message"], envelope.event.get("previous_message") or {}
    if new.get("subtype") == _TOMBSTONE:  # what is left of a message that has replies
        return _gone(envelope, new["ts"], old)
    if new.get("subtype") not in _SAID or not envelope.is_by_person(new):
        return []
    before, after = _files(old), _files(new)
    found: Found = [_touched(envelope, channel, file_id) for file_id in before if file_id not in after]
    if old:
        found += [_shared(envelope, channel, new, file_id) for file_id in after if file_id not in before]
    return [*found, *_said_anew(envelope, channel, new, old)]


def _said_anew(
    envelope: Envelope, channel: str, new: Mapping[str, Any], old: Mapping[str, Any]
) -> list[MessageEdited | MessageDeleted]:
    if not new.get("edited"):
        return []
    after, before = envelope.spoken(new), envelope.spoken(old)
    if old and (after.text, after.mentioned) == (before.text, before.mentioned):
        return []
    mentioned = _is_for_bot(envelope, channel, after)
    thread = envelope.thread(channel, new)
    if _says_nothing(new, after, mentioned=mentioned):
        return [MessageDeleted(event_id=envelope.event_id, message_id=new["ts"], scope=thread.scope)]
    edited = MessageEdited(
        event_id=envelope.event_id,
        message_id=new["ts"],
        thread=thread,
        author=new["user"],
        text=after.text,
        mentioned=mentioned,
    )
    return [edited]


def _gone(envelope: Envelope, ts: str, old: Mapping[str, Any]) -> Found:
    channel = envelope.event["channel"]
    deleted = MessageDeleted(event_id=envelope.event_id, message_id=ts, scope=envelope.scope(channel))
    return [deleted, *(_touched(envelope, channel, file_id) for file_id in _files(old))]


def _is_for_bot(envelope: Envelope, channel: str, spoken: Spoken) -> bool:
    return spoken.mentioned or envelope.is_direct(channel)


def _says_nothing(message: Mapping[str, Any], spoken: Spoken, *, mentioned: bool) -> bool:
    """Tell whether there is nothing to answer; naming the bot and nothing else is worth a sentence."""
    return not spoken.text.strip() and (bool(message.get("files")) or not mentioned)


def _files(message: Mapping[str, Any]) -> list[str]:
    listed = [file for file in message.get("files") or () if isinstance(file, Mapping)]
    return [str(file["id"]) for file in listed if file.get("id") and file.get("mode") not in _EMPTY]


def _shared(envelope: Envelope, channel: str, message: Mapping[str, Any], file_id: str) -> FileShared:
    return FileShared(
        addressed=_is_for_bot(envelope, channel, envelope.spoken(message)),
        event_id=envelope.event_id,
        team=envelope.team,
        channel=channel,
        file_id=file_id,
        user=message.get("user"),
        ts=message["ts"],
        thread_ts=message.get("thread_ts"),
    )


def _touched(envelope: Envelope, channel: str, file_id: str) -> FileTouched:
    return FileTouched(event_id=envelope.event_id, team=envelope.team, channel=channel, file_id=file_id)
