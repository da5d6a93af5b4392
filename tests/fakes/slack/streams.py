"""``chat.startStream``, ``chat.appendStream`` and ``chat.stopStream``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.slack.blocks import MARKDOWN, check
from tests.fakes.slack.chat import (
    changed,
    clear_status,
    conversation,
    expired,
    metadata,
    own_message,
    tell,
    writable,
)
from tests.fakes.slack.web_api import ApiError, Caller, method

if TYPE_CHECKING:
    from tests.fakes.slack.state import State
    from tests.fakes.slack.world import Message

SESSION = frozenset({"active", "processing", "suspended", "closed"})


@method("chat.startStream", scope="chat:write")
def start(state: State, caller: Caller) -> dict[str, Any]:
    channel = writable(state, caller)
    if not state.streams_supported:
        raise ApiError(state.stream_refusal)
    if channel.kind != "im":
        for name in ("recipient_team_id", "recipient_user_id"):
            if not caller.arguments.get(name):
                raise ApiError(f"missing_{name}")
    (thread,) = caller.need("thread_ts")
    message = own_message(state, caller, channel)
    message.streamed = message.streaming = True
    message.stream_at = state.clock()
    _write(state, message, caller.arguments)
    channel.messages[message.ts] = message
    clear_status(state, message)
    state.sessions[channel.id, thread] = "processing"
    tell(state, caller, channel, message)
    return {"channel": channel.id, "ts": message.ts}


@method("chat.appendStream", scope="chat:write")
def append(state: State, caller: Caller) -> dict[str, Any]:
    message = _live(state, caller)
    if not caller.arguments.get("markdown_text") and not caller.arguments.get("chunks"):
        raise ApiError("no_text")
    _write(state, message, caller.arguments)
    return {"channel": message.channel, "ts": message.ts}


@method("chat.stopStream", scope="chat:write")
def stop(state: State, caller: Caller) -> dict[str, Any]:
    message = _live(state, caller)
    before = message.described()
    status = caller.arguments.get("session_status") or "active"
    if status not in SESSION:
        raise ApiError("invalid_arguments")
    blocks = caller.arguments.get("blocks") or []
    check(blocks, measure=state.measure)
    kept = metadata(caller.arguments)
    _write(state, message, caller.arguments)
    message.blocks += blocks
    message.metadata = kept or message.metadata
    message.streaming = False
    message.note()
    state.sessions[message.channel, message.thread] = status
    channel = caller.workspace.channels[message.channel]
    state.echo_event(changed(message, before, channel, state.ts()), caller.workspace)
    described = message.described(metadata=True)
    return {"channel": message.channel, "ts": message.ts, "message": described}


def _live(state: State, caller: Caller) -> Message:
    channel = conversation(caller)
    (ts,) = caller.need("ts")
    message = channel.messages.get(ts)
    if message is None or message.deleted:
        raise ApiError("message_not_found")
    if message.user != caller.workspace.bot:
        raise ApiError("message_not_owned_by_app")
    if message.stopped:
        raise ApiError("stopped_by_user")
    if expired(state, message):
        raise ApiError("message_not_in_streaming_state")
    return message


def _write(state: State, message: Message, arguments: dict[str, Any]) -> None:
    chunks = arguments.get("chunks") or []
    if not isinstance(chunks, list) or any(not isinstance(chunk, dict) for chunk in chunks):
        raise ApiError("invalid_chunks")
    if state.measure(arguments.get("markdown_text") or "") > MARKDOWN:
        raise ApiError("msg_too_long")
    written = message.markdown + (arguments.get("markdown_text") or "")
    tasks, blocks = dict(message.tasks), list(message.blocks)
    for chunk in chunks:
        written += _chunk(state, chunk, tasks, blocks)
    message.markdown, message.tasks, message.blocks = written, tasks, blocks
    message.note()


def _chunk(
    state: State, chunk: dict[str, Any], tasks: dict[str, dict[str, Any]], blocks: list[dict[str, Any]]
) -> str:
    match chunk.get("type"):
        case "markdown_text":
            if state.measure(chunk["text"]) > MARKDOWN:
                raise ApiError("msg_too_long")
            return str(chunk["text"])
        case "task_update":
            before = tasks.get(chunk["id"], {})
            details = before.get("details", "") + (chunk.get("details") or "")
            tasks[chunk["id"]] = {**before, **chunk, "details": details}
        case "plan_update":
            tasks["plan"] = chunk
        case "blocks":
            check([*blocks, *chunk["blocks"]], measure=state.measure)
            blocks += chunk["blocks"]
        case _:
            raise ApiError("invalid_chunks")
    return ""
