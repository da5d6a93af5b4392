"""What people pressed, filled in, typed and picked, read from what Slack delivers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.slack import blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEAM, _ENTERPRISE = "team", "enterprise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Who did something where, and how they alone can be answered."""

    teams: tuple[str, ...]
    """Workspaces that the channel may belong to for us, the likeliest first."""
    channel: str
    user: str
    home: str | None = None
    """The workspace that the person belongs to; None: Slack does not say."""
    thread: str | None = None
    """None: it was done in no thread."""
    bot: str | None = None
    """The author of the message it was done at, which is us if it has our buttons; None: unknown."""
    response_url: str | None = None
    """Where answers may be sent for half an hour; None: nowhere."""
    closed: bool = False
    """Whether it is a private channel or a group conversation, as far as Slack says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A button was pressed."""

    spot: Spot
    event_id: str
    action_id: str
    value: str
    trigger_id: str
    """With it a form can be opened, for three seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A form was sent."""

    spot: Spot
    event_id: str
    action: str
    value: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A slash command was given."""

    spot: Spot
    name: str
    args: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """A message was picked by its menu."""

    spot: Spot
    event_id: str
    ts: str
    thread_ts: str | None
    """The thread of the message; None: it stands in the channel itself."""
    files: tuple[str, ...]
    """Ids of the files that it carries, as far as anything is left of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacted:
    """Somebody put an emoji at a message."""

    event_id: str
    channel: str
    ts: str
    user: str
    author: str | None
    """Who wrote the message."""
    emoji: str


def read_press(body: Mapping[str, Any]) -> Press | None:
    """Read a ``block_actions`` body; None: it was done in no channel, or nothing was pressed."""
    action = next(iter(body.get("actions") or ()), None)
    spot = _spot(body)
    if action is None or spot is None:
        return None
    return Press(
        spot=spot,
        event_id=f"{body.get('trigger_id')}/{action.get('action_ts')}",
        action_id=str(action.get("action_id") or ""),
        value=str(action.get("value") or ""),
        trigger_id=str(body.get("trigger_id") or ""),
    )


def note_form(spot: Spot, team: str, action: str, value: str) -> str:
    """Return what a form must carry along so that `read_form` knows what it was about."""
    return json.dumps(
        {"team": team, "channel": spot.channel, "thread": spot.thread, "action": action, "value": value}
    )


def read_form(body: Mapping[str, Any]) -> Filled | None:
    """Read a ``view_submission`` body; None: it is no form of ours."""
    view = body["view"]
    try:
        noted = json.loads(view.get("private_metadata") or "")
        spot = Spot(
            teams=(noted["team"],),
            channel=noted["channel"],
            user=body["user"]["id"],
            home=body["user"].get("team_id"),
            thread=noted["thread"],
        )
        about = noted["action"], noted["value"]
    except (ValueError, TypeError, KeyError):
        return None
    return Filled(
        spot=spot,
        event_id=str(view.get("id")),
        action=about[0],
        value=about[1],
        text=blocks.modal_text(view.get("state") or {}),
    )


def read_command(body: Mapping[str, Any]) -> Typed:
    """Read a slash command; without a name it is ``help``."""
    name, _, args = " ".join(_unescaped(str(body.get("text") or "")).split()).partition(" ")
    spot = Spot(
        teams=tuple(filter(None, (body.get("team_id"), body.get("enterprise_id")))),
        channel=body["channel_id"],
        user=body["user_id"],
        response_url=body.get("response_url"),
        closed=_is_closed(body.get("channel_name")),
    )
    return Typed(spot=spot, name=name.lower() or "help", args=args)


def read_shortcut(body: Mapping[str, Any]) -> Picked | None:
    """Read a ``message_action`` body; None: it was done in no channel."""
    message = body.get("message") or {}
    spot = _spot({**body, "message": {**message, "user": None, "team": None}})  # anybody may have written it
    if spot is None:
        return None
    return Picked(
        spot=spot,
        event_id=str(body.get("trigger_id") or body.get("action_ts")),
        ts=str(message.get("ts") or body.get("message_ts")),
        thread_ts=message.get("thread_ts"),
        files=tuple(file["id"] for file in message.get("files") or () if file.get("mode") != "tombstone"),
    )


def read_reaction(body: Mapping[str, Any]) -> Reacted | None:
    """Read a ``reaction_added`` event; None: it is not at a message."""
    event = body["event"]
    item = event.get("item") or {}
    if item.get("type") != "message":
        return None
    return Reacted(
        event_id=str(body.get("event_id") or event.get("event_ts")),
        channel=item["channel"],
        ts=item["ts"],
        user=event["user"],
        author=event.get("item_user"),
        emoji=str(event.get("reaction") or ""),
    )


def _spot(body: Mapping[str, Any]) -> Spot | None:
    container, message = body.get("container") or {}, body.get("message") or {}
    channel = (body.get("channel") or {}).get("id") or container.get("channel_id")
    if not channel:
        return None
    places = (message.get(_TEAM), _id(body.get(_TEAM)), _id(body.get(_ENTERPRISE)))
    threads = (message.get("thread_ts"), container.get("thread_ts"), message.get("ts"))
    return Spot(
        teams=tuple(dict.fromkeys(filter(None, places))),
        channel=channel,
        user=body["user"]["id"],
        home=body["user"].get("team_id"),
        thread=next((ts for ts in threads if ts), container.get("message_ts")),
        bot=message.get("user"),
        response_url=body.get("response_url"),
        closed=_is_closed((body.get("channel") or {}).get("name")),
    )


def _is_closed(name: Any) -> bool:
    """Tell whether a channel's *name* is what Slack calls every private channel, or a group's."""
    return isinstance(name, str) and (name == "privategroup" or name.startswith("mpdm-"))


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _id(place: Any) -> str | None:
    return place.get("id") if isinstance(place, dict) else None
