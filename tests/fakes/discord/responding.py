"""``/interactions/…`` and ``/webhooks/…``: how the bot answers those who use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.discord import components
from tests.fakes.discord.describing import message_object
from tests.fakes.discord.drafting import draft
from tests.fakes.discord.errors import ApiError, Problem
from tests.fakes.discord.mentioning import DEFAULT_OF_INTERACTIONS
from tests.fakes.discord.messages import COMMAND, CONTEXT_MENU, EPHEMERAL, LOADING, REPLY, Message
from tests.fakes.discord.posting import changed, reference_to
from tests.fakes.discord.rest import Call, route
from tests.fakes.discord.using import (
    CHOICES,
    COMPLETING,
    DEFERRED,
    DEFERRED_UPDATE,
    MESSAGE,
    MODAL,
    PRESSED,
    SUBMITTED,
    UPDATE,
    USED,
    Interaction,
)

if TYPE_CHECKING:
    from tests.fakes.discord.rooms import Rooms

WEBHOOK = "/webhooks/{application}/{token}"
ANSWER = WEBHOOK + "/messages/{message}"
ALLOWED = {
    USED: {MESSAGE, DEFERRED, MODAL},
    PRESSED: {MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, MODAL},
    COMPLETING: {CHOICES},
    SUBMITTED: {MESSAGE, DEFERRED},
}
MOST_CHOICES = 25


@route("respond", "POST", "/interactions/{interaction}/{token}/callback", open=True)
def respond(server: Rooms, call: Call) -> dict[str, Any] | None:
    interaction = next((one for one in server.interactions if one.token == call.ids["token"]), None)
    if interaction is None or interaction.failed or interaction.id != call.id("interaction"):
        raise ApiError(10062)
    if interaction.response:
        raise ApiError(40060)
    kind, data = int(call.body["type"]), call.body.get("data") or {}
    if kind not in ALLOWED[interaction.kind] | (
        {DEFERRED_UPDATE, UPDATE} if interaction.from_message else set()
    ):
        message = f"Value must be one of {tuple(sorted(ALLOWED[interaction.kind]))}."
        raise Problem("type", "BASE_TYPE_CHOICES", message)
    _apply(server, interaction, kind, data, call)
    interaction.respond(kind)
    return _outcome(server, interaction) if call.query.get("with_response") in {"1", "true"} else None


@route("follow up", "POST", WEBHOOK, limit="webhook", open=True)
def follow_up(server: Rooms, call: Call) -> dict[str, Any] | None:
    interaction = _by_token(server, call)
    original = interaction.original
    if original is not None and original.flags & LOADING:
        message = _change(server, original, call.body, call)
    else:
        message = _answer(server, interaction, call.body, call)
        if original is not None:
            message.reference, message.type = reference_to(original), REPLY
    return message_object(server, message) if call.query.get("wait") in {"1", "true", "True"} else None


@route("fetch answer", "GET", ANSWER, limit="webhook", open=True)
def fetch(server: Rooms, call: Call) -> dict[str, Any]:
    return message_object(server, _named(server, call))


@route("edit answer", "PATCH", ANSWER, limit="webhook", open=True)
def edit(server: Rooms, call: Call) -> dict[str, Any]:
    return message_object(server, _change(server, _named(server, call), call.body, call))


@route("delete answer", "DELETE", ANSWER, limit="webhook", open=True)
def delete(server: Rooms, call: Call) -> None:
    message = _named(server, call)
    if message.seen_by is None:
        server.remove([message])
    message.deleted = True


def _apply(server: Rooms, interaction: Interaction, kind: int, data: dict[str, Any], call: Call) -> None:
    if kind == MESSAGE:
        interaction.original = _answer(server, interaction, data, call)
    elif kind == DEFERRED:
        flags = LOADING | (int(data.get("flags") or 0) & EPHEMERAL)
        interaction.original = _place(server, interaction, {"flags": flags}, None, data)
    elif kind == CHOICES:
        interaction.choices = _choices(data)
    elif kind == MODAL:
        components.check_modal(data)
        interaction.modal = data
    else:
        interaction.original = interaction.message
        if kind == UPDATE and interaction.message is not None:
            _change(server, interaction.message, data, call)


def _answer(server: Rooms, interaction: Interaction, data: dict[str, Any], call: Call) -> Message:
    made = draft(server, interaction.channel, data, call.files)
    return _place(server, interaction, made.fields, made.allowed, data)


def _place(
    server: Rooms, interaction: Interaction, fields: dict[str, Any], allowed: Any, data: dict[str, Any]
) -> Message:
    target = interaction.message
    hidden = bool(fields["flags"] & EPHEMERAL)
    message = Message(
        id=server.snowflake(),
        channel=interaction.channel,
        author=server.bot,
        at=server.wall(),
        type=_type(interaction),
        reference=reference_to(target) if target is not None and target.seen_by is None else None,
        interaction=_metadata(server, interaction),
        seen_by=interaction.user if hidden else None,
        payload=data,
        **fields,
    )
    interaction.answers.append(message)
    if hidden:
        message.note(server.wall())
        server.ephemerals.append(message)
        return message
    return server.add(message, allowed, default=DEFAULT_OF_INTERACTIONS)


def _type(interaction: Interaction) -> int:
    if interaction.kind == PRESSED or interaction.from_message:
        return REPLY
    return CONTEXT_MENU if interaction.message is not None else COMMAND


def _metadata(server: Rooms, interaction: Interaction) -> dict[str, Any]:
    said: dict[str, Any] = {
        "id": str(interaction.id),
        "type": interaction.kind,
        "user": server.users[interaction.user].described(),
        "authorizing_integration_owners": {},
    }
    if interaction.kind == PRESSED and interaction.message is not None:
        said["interacted_message_id"] = str(interaction.message.id)
    if interaction.kind == SUBMITTED and interaction.begun_by is not None:
        said["triggering_interaction_metadata"] = _metadata(server, interaction.begun_by)
    return said


def _change(server: Rooms, message: Message, data: dict[str, Any], call: Call) -> Message:
    fields = changed(server, message, data, call)
    fields["flags"] &= ~LOADING
    allowed = data.get("allowed_mentions")
    return server.change(message, allowed, default=DEFAULT_OF_INTERACTIONS, **fields)


def _choices(data: dict[str, Any]) -> list[dict[str, Any]]:
    choices = list(data.get("choices") or [])
    if len(choices) > MOST_CHOICES:
        raise Problem("data.choices", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    for number, one in enumerate(choices):
        if not 1 <= len(str(one.get("name") or "")) <= 100:
            message = "Must be between 1 and 100 in length."
            raise Problem(f"data.choices.{number}.name", "BASE_TYPE_BAD_LENGTH", message)
        if len(str(one.get("value"))) > 100:
            message = "Must be 100 or fewer in length."
            raise Problem(f"data.choices.{number}.value", "BASE_TYPE_MAX_LENGTH", message)
    return choices


def _outcome(server: Rooms, interaction: Interaction) -> dict[str, Any]:
    said: dict[str, Any] = {"id": str(interaction.id), "type": interaction.kind}
    outcome: dict[str, Any] = {"interaction": said}
    message = interaction.original
    if message is not None and interaction.response != DEFERRED_UPDATE:
        said |= {
            "response_message_id": str(message.id),
            "response_message_loading": bool(message.flags & LOADING),
            "response_message_ephemeral": bool(message.flags & EPHEMERAL),
        }
        outcome["resource"] = {"type": interaction.response, "message": message_object(server, message)}
    return outcome


def _by_token(server: Rooms, call: Call) -> Interaction:
    interaction = next((one for one in server.interactions if one.token == call.ids["token"]), None)
    if interaction is None or not interaction.response or call.id("application") != server.application:
        raise ApiError(10015)
    if server.clock() - interaction.at > server.token_seconds:
        raise ApiError(50027)
    return interaction


def _named(server: Rooms, call: Call) -> Message:
    interaction = _by_token(server, call)
    name = call.ids["message"]
    found = interaction.original if name == "@original" else None
    if name.isdigit():
        found = next((one for one in interaction.answers if one.id == int(name)), None)
    if found is None or found.deleted:
        raise ApiError(10008)
    return found
