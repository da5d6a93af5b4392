"""``chat.*``: messages that apps post, change and delete."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.fakes.slack.blocks import MARKDOWN, check
from tests.fakes.slack.web_api import ApiError, Caller, method
from tests.fakes.slack.world import Channel, Ephemeral, Message, Workspace

if TYPE_CHECKING:
    from tests.fakes.slack.state import State

TS = re.compile(r"\d{10}\.\d{6}")


@method("chat.postMessage", scope="chat:write")
def post(state: State, caller: Caller) -> dict[str, Any]:
    channel = writable(state, caller)
    said = content(state, caller.arguments)
    text = said.pop("text")
    warning = {"warning": "message_truncated"} if state.measure(text) > 40_000 else {}
    message = own_message(state, caller, channel, text=text[:40_000], **said)
    channel.messages[message.ts] = message
    message.note()
    clear_status(state, message)
    tell(state, caller, channel, message)
    described = message.described(metadata=True)
    return {"channel": channel.id, "ts": message.ts, "message": described, **warning}


@method("chat.update", scope="chat:write")
def update(state: State, caller: Caller) -> dict[str, Any]:
    channel = conversation(caller)
    message = own(caller, channel, "cant_update_message")
    if message.streaming and not expired(state, message):
        raise ApiError("streaming_state_conflict")
    if channel.archived:
        raise ApiError("is_archived")
    said = content(state, caller.arguments)
    if state.measure(said["text"]) > 4_000:
        raise ApiError("msg_too_long")
    before = message.described()
    message.text, message.markdown, message.blocks = said["text"], said["markdown"], said["blocks"]
    message.streamed = message.broken = False
    message.tasks.clear()
    message.metadata = said["metadata"] or message.metadata
    message.edited = state.ts()
    message.note()
    state.echo_event(changed(message, before, channel, message.edited), caller.workspace)
    described = message.described(metadata=True)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": described}


@method("chat.delete", scope="chat:write")
def delete(state: State, caller: Caller) -> dict[str, Any]:
    channel = conversation(caller)
    message = own(caller, channel, "cant_delete_message")
    if message.streaming and not expired(state, message):
        raise ApiError("streaming_state_conflict")
    message.deleted = True
    state.echo_event(removed(message, channel, state.ts()), caller.workspace)
    return {"channel": channel.id, "ts": message.ts}


@method("chat.postEphemeral", scope="chat:write")
def post_ephemeral(state: State, caller: Caller) -> dict[str, Any]:
    channel = writable(state, caller)
    (user,) = caller.need("user")
    if user not in channel.members:
        raise ApiError("user_not_in_channel")
    said = content(state, caller.arguments)
    ephemeral = Ephemeral(
        channel=channel.id,
        user=user,
        text=said["text"],
        blocks=said["blocks"],
        ts=state.ts(),
        thread_ts=caller.arguments.get("thread_ts"),
        arguments=caller.arguments,
    )
    state.ephemerals.append(ephemeral)
    return {"message_ts": ephemeral.ts}


@method("chat.getPermalink")
def permalink(_: State, caller: Caller) -> dict[str, Any]:
    channel = conversation(caller)
    (ts,) = caller.need("message_ts")
    message = channel.messages.get(ts)
    if message is None or message.deleted:
        raise ApiError("message_not_found")
    link = f"{caller.workspace.url}archives/{channel.id}/p{ts.replace('.', '')}"
    if message.thread_ts:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def conversation(caller: Caller, name: str = "channel") -> Channel:
    """Return the conversation that a call names, if the bot may know of it."""
    channel = caller.workspace.channels.get(str(caller.arguments.get(name) or ""))
    if channel is None or (channel.kind != "public" and caller.workspace.bot not in channel.members):
        raise ApiError("channel_not_found")
    return channel


def writable(state: State, caller: Caller) -> Channel:
    """Return the conversation that a call names, if the bot may write there."""
    named = str(caller.arguments.get("channel") or "")
    if named in caller.workspace.users:
        return direct(state, caller.workspace, named)
    channel = conversation(caller)
    if channel.archived:
        raise ApiError("is_archived")
    if caller.workspace.bot not in channel.members:
        raise ApiError("not_in_channel")
    return channel


def direct(state: State, workspace: Workspace, user: str) -> Channel:
    """Return the direct messages between *user* and the bot, opened if need be."""
    for channel in workspace.channels.values():
        if channel.kind == "im" and user in channel.members:
            return channel
    members = [user, workspace.bot]
    channel = Channel(id=f"D{state.number():07d}", name="", kind="im", members=members, creator=user)
    workspace.channels[channel.id] = channel
    return channel


def own(caller: Caller, channel: Channel, otherwise: str) -> Message:
    """Return the message a call names; it must be the bot's own."""
    (ts,) = caller.need("ts")
    message = channel.messages.get(ts)
    if message is None or message.deleted:
        raise ApiError("message_not_found")
    if message.user != caller.workspace.bot:
        raise ApiError(otherwise)
    return message


def content(state: State, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return text, markdown, blocks, attachments and metadata of a call, within Slack's limits."""
    markdown, blocks = arguments.get("markdown_text") or "", arguments.get("blocks") or []
    if markdown and ("text" in arguments or "blocks" in arguments):
        raise ApiError("markdown_text_conflict")
    if state.measure(markdown) > MARKDOWN:
        raise ApiError("msg_too_long")
    if not isinstance(blocks, list):
        raise ApiError("invalid_blocks_format")
    check(blocks, measure=state.measure)
    text, attachments = str(arguments.get("text") or ""), arguments.get("attachments") or []
    if not (text.strip() or markdown.strip() or blocks or attachments):
        raise ApiError("no_text")
    return {
        "text": text,
        "markdown": markdown,
        "blocks": blocks,
        "attachments": attachments,
        "metadata": metadata(arguments),
    }


def metadata(arguments: dict[str, Any]) -> dict[str, Any] | None:
    given = arguments.get("metadata")
    if given is None:
        return None
    if not isinstance(given, dict) or not {"event_type", "event_payload"} <= given.keys():
        raise ApiError("invalid_metadata_format")
    return given


def own_message(state: State, caller: Caller, channel: Channel, **content: Any) -> Message:
    """Return a new message of the bot, in the thread that the call names."""
    space = caller.workspace
    return Message(
        channel=channel.id,
        ts=state.ts(),
        user=space.bot,
        bot_id=space.bot_id,
        team=space.id,
        thread_ts=root(channel, caller.arguments.get("thread_ts")),
        arguments=caller.arguments,
        **content,
    )


def root(channel: Channel, ts: Any) -> str | None:
    """Return the thread that *ts* leads into; a reply leads into the thread it is in."""
    if not ts:
        return None
    if not TS.fullmatch(str(ts)):
        raise ApiError("invalid_thread_ts")
    parent = channel.messages.get(str(ts))
    return parent.thread if parent is not None else str(ts)


def expired(state: State, message: Message) -> bool:
    """Let the stream of *message* die when its time is over, and say whether it did."""
    if message.streaming and state.clock() - message.stream_at >= state.stream_seconds:
        message.streaming, message.broken = False, True
    return not message.streaming


def tell(state: State, caller: Caller, channel: Channel, message: Message) -> None:
    """Tell the bot of its own new message."""
    where = {"channel": channel.id, "channel_type": channel.type, "event_ts": message.ts}
    state.echo_event(message.described() | where, caller.workspace)


def clear_status(state: State, message: Message) -> None:
    """A message takes the place of the status below its thread."""
    if state.statuses.pop((message.channel, message.thread), ""):
        state.status_history.append((message.channel, message.thread, ""))


def changed(message: Message, before: dict[str, Any], channel: Channel, ts: str) -> dict[str, Any]:
    """Return the event that says a message has changed."""
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": channel.id,
        "channel_type": channel.type,
        "ts": ts,
        "event_ts": ts,
        "message": message.described(),
        "previous_message": before,
    }


def removed(message: Message, channel: Channel, ts: str) -> dict[str, Any]:
    """Return the event that says a message was deleted."""
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "channel": channel.id,
        "channel_type": channel.type,
        "ts": ts,
        "event_ts": ts,
        "deleted_ts": message.ts,
        "previous_message": message.described(),
    }
