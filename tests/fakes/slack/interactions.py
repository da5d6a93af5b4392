"""What people press, fill in and call, and where they come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tests.fakes.slack.acts import Acts
from tests.fakes.slack.blocks import buttons, interactive
from tests.fakes.slack.state import ResponseUrl
from tests.fakes.slack.world import ANNA, Ephemeral, Message, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.slack.deliveries import Delivery
    from tests.fakes.slack.world import Workspace


class Interactions(Acts):
    """People use what the bot offers them."""

    def press(self, where: Message | Ephemeral | View, button: str, user: str = ANNA) -> Delivery:
        """Press a button, named by its label, its value or its action id."""
        if isinstance(where, View):
            return self._press_in_view(where, button)
        action, space = _action(where.blocks, button, self.ts()), self.home_of(where.channel)
        hidden = isinstance(where, Ephemeral)
        container = {
            "type": "message",
            "message_ts": where.ts,
            "channel_id": where.channel,
            "is_ephemeral": hidden,
            **({"thread_ts": where.thread_ts} if where.thread_ts else {}),
        }
        channel = self.channel(where.channel)
        payload = self._interaction("block_actions", user, space) | {
            "container": container,
            "channel": {"id": channel.id, "name": channel.told},
            "state": {"values": {}},
            "response_url": self.response_url(channel.id, user, ts=where.ts, thread=where.thread_ts),
            "actions": [action],
        }
        if isinstance(where, Message):
            payload["message"] = where.described()
        return self.deliver("interactive", payload)

    def submit_modal(self, view: View, values: Mapping[str, str]) -> Delivery:
        """Fill in a modal, by action id, and send it."""
        state: dict[str, Any] = {}
        for block, element in interactive(view.view["blocks"]):
            if element["action_id"] in values:
                filled = {"type": element["type"], "value": values[element["action_id"]]}
                state.setdefault(block["block_id"], {})[element["action_id"]] = filled
        payload = self._interaction("view_submission", view.user, self.workspaces[view.team])
        payload |= {"view": {**self._view(view), "state": {"values": state}}, "response_urls": []}
        return self.deliver("interactive", payload, on_ack=lambda sent: _submitted(view, sent.answer))

    def command(self, command: str, text: str = "", user: str = ANNA, channel: str | None = None) -> Delivery:
        """Type a slash command."""
        place = self.channel(channel) if channel else next(self.channels())
        space, person = self.home_of(place.id), self.user(user)
        payload = {
            "token": "not-used-any-more",
            "team_id": space.id,
            "team_domain": space.domain,
            "channel_id": place.id,
            "channel_name": place.told,
            "user_id": user,
            "user_name": person.name,
            "command": command,
            "text": text,
            "api_app_id": self.app_id,
            "is_enterprise_install": "false",
            "response_url": self.response_url(place.id, user),
            "trigger_id": self.trigger(user),
        }
        return self.deliver("slash_commands", payload, on_ack=lambda sent: self._told(sent, place.id, user))

    def shortcut(self, callback_id: str, message: Message | None = None, user: str = ANNA) -> Delivery:
        """Choose a shortcut, from the menu of *message* or from the global one."""
        if message is None:
            space = next(iter(self.workspaces.values()))
            payload = self._interaction("shortcut", user, space) | {"callback_id": callback_id}
            return self.deliver("interactive", payload | {"action_ts": self.ts()})
        space, channel = self.home_of(message.channel), self.channel(message.channel)
        payload = self._interaction("message_action", user, space) | {
            "callback_id": callback_id,
            "action_ts": self.ts(),
            "message_ts": message.ts,
            "channel": {"id": channel.id, "name": channel.told},
            "message": message.described(),
            "response_url": self.response_url(channel.id, user, ts=message.ts, thread=message.thread_ts),
        }
        return self.deliver("interactive", payload)

    def open_home(self, user: str = ANNA, tab: str = "home", workspace: str | None = None) -> Delivery:
        """Open the app's Home or Messages tab."""
        space = self.workspaces[workspace] if workspace else next(iter(self.workspaces.values()))
        event = {"type": "app_home_opened", "user": user, "tab": tab, "event_ts": self.ts()}
        direct = [one.id for one in space.channels.values() if one.kind == "im" and user in one.members]
        return self.event(event | {"channel": (direct or ["D0000000"])[0]}, space)

    def stop_session(self, message: Message, user: str = ANNA) -> Delivery:
        """Press Slack's own stop button while the bot streams *message*."""
        message.streaming, message.stopped = False, True
        event = {
            "type": "agent_session_stopped",
            "channel": message.channel,
            "thread_ts": message.thread,
            "user": user,
            "streaming_message_ts": [message.ts],
            "event_ts": self.ts(),
        }
        return self.event(event, self.home_of(message.channel))

    def join_channel(self, channel: str, user: str) -> Delivery:
        """Let somebody, or the bot, join a channel."""
        place, space = self.channel(channel), self.home_of(channel)
        place.members.append(user)
        return self.event(self._member_event("member_joined_channel", channel, user), space)

    def leave_channel(self, channel: str, user: str | None = None) -> None:
        """Let somebody leave a channel; without a *user*, the bot is removed from it."""
        place, space = self.channel(channel), self.home_of(channel)
        leaver = user or space.bot
        place.members.remove(leaver)
        if leaver == space.bot:
            kind = "channel_left" if place.kind == "public" else "group_left"
            self.event({"type": kind, "channel": channel, "actor_id": ANNA, "event_ts": self.ts()}, space)
        self.event(self._member_event("member_left_channel", channel, leaver), space)

    def archive_channel(self, channel: str, user: str = ANNA) -> Delivery:
        place = self.channel(channel)
        place.archived = True
        kind = "channel_archive" if place.kind == "public" else "group_archive"
        return self.event(
            {"type": kind, "channel": channel, "user": user, "event_ts": self.ts()}, self.home_of(channel)
        )

    def delete_channel(self, channel: str) -> Delivery:
        place, space = self.channel(channel), self.home_of(channel)
        kind = "channel_deleted" if place.kind == "public" else "group_deleted"
        del space.channels[channel]
        return self.event({"type": kind, "channel": channel, "event_ts": self.ts()}, space)

    def uninstall(self, workspace: str | None = None) -> None:
        """Remove the app from a workspace."""
        space = self.workspaces[workspace] if workspace else next(iter(self.workspaces.values()))
        space.installed = False
        tokens = {"oauth": [], "bot": [space.bot]}
        self.event({"type": "tokens_revoked", "tokens": tokens, "event_ts": self.ts()}, space)
        self.event({"type": "app_uninstalled", "event_ts": self.ts()}, space)

    def grant(self, workspace: str) -> str:
        """Let an admin install the app. Returns the OAuth code to exchange."""
        code = uuid4().hex
        self.codes[code] = workspace
        return code

    def response_url(
        self, channel: str, user: str, *, ts: str | None = None, thread: str | None = None
    ) -> str:
        """Return a new address to answer an interaction at."""
        secret = uuid4().hex
        self.response_urls[secret] = ResponseUrl(
            channel=channel, user=user, made=self.clock(), ts=ts, thread=thread
        )
        return f"{self.base_url.removesuffix('api/')}response/{secret}"

    def _press_in_view(self, view: View, button: str) -> Delivery:
        payload = self._interaction("block_actions", view.user, self.workspaces[view.team]) | {
            "container": {"type": "view", "view_id": view.id},
            "view": self._view(view),
            "actions": [_action(view.view["blocks"], button, self.ts())],
        }
        return self.deliver("interactive", payload)

    def _interaction(self, kind: str, user: str, workspace: Workspace) -> dict[str, Any]:
        person = self.user(user)
        return {
            "type": kind,
            "team": {"id": workspace.id, "domain": workspace.domain},
            "user": {"id": user, "username": person.name, "name": person.name, "team_id": person.team},
            "api_app_id": self.app_id,
            "token": "not-used-any-more",
            "enterprise": None,
            "is_enterprise_install": False,
            "trigger_id": self.trigger(user),
        }

    def _view(self, view: View) -> dict[str, Any]:
        more = {"id": view.id, "team_id": view.team, "app_id": self.app_id, "hash": "1.x"}
        return {"private_metadata": "", "callback_id": "", **view.view, **more}

    def _member_event(self, kind: str, channel: str, user: str) -> dict[str, Any]:
        place = self.channel(channel)
        letter = "C" if place.kind == "public" else "G"
        return {
            "type": kind,
            "user": user,
            "channel": channel,
            "channel_type": letter,
            "team": self.home_of(channel).id,
            "event_ts": self.ts(),
        }

    def _told(self, sent: Delivery, channel: str, user: str) -> None:
        """Show what came with the acknowledgement of a command."""
        answer = sent.answer or {}
        text, blocks = str(answer.get("text") or ""), answer.get("blocks") or []
        if text or blocks:
            self.ephemerals.append(
                Ephemeral(
                    channel=channel, user=user, text=text, blocks=blocks, ts=self.ts(), arguments=answer
                )
            )


def _submitted(view: View, answer: dict[str, Any] | None) -> None:
    kind = (answer or {}).get("response_action")
    view.errors = dict((answer or {}).get("errors") or {})
    if kind in {"update", "push"}:
        view.view = (answer or {})["view"]
    else:
        view.open = kind == "errors"


def _action(blocks: list[dict[str, Any]], button: str, ts: str) -> dict[str, Any]:
    for number, (block, element) in enumerate(interactive(blocks)):
        for label, value in buttons(element):
            if button in {label, value, element["action_id"]}:
                action: dict[str, Any] = {
                    "type": element["type"],
                    "action_id": element["action_id"],
                    "block_id": block.get("block_id") or f"b{number}",
                    "action_ts": ts,
                    "text": {"type": "plain_text", "text": label},
                }
                return action | ({} if value is None else {"value": value})
    raise LookupError(f"no button {button!r}")
