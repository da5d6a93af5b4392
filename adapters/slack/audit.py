"""What the app's manifest, as Slack has it, lacks of what Footnote needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.slack.manifest import COMMAND, EVENTS, EVENTS_PATH, REDIRECT_PATH, SHORTCUT, needed
from bot.doctor import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bot.groups import Slack

CORRECT = "correct it in the app's settings; docs/slack-manifest.yaml has it all"


def audit(manifest: Mapping[str, Any], slack: Slack) -> Iterator[Check]:
    """Compare *manifest* with what is needed; a manifest that has it all is one line."""
    found = [*_events(manifest, slack), *_delivery(manifest, slack), *_entries(manifest, slack)]
    if found:
        yield from found
        return
    message = "It subscribes to every event, and every entry is there."
    yield Check(name="slack manifest", status="ok", message=message)


def _events(manifest: Mapping[str, Any], slack: Slack) -> Iterator[Check]:
    subscribed = set(_part(manifest, "settings", "event_subscriptions").get("bot_events") or ())
    for need in needed(EVENTS, agent=slack.agent):
        if need.name not in subscribed:
            yield Check(
                name=f"slack event {need.name}",
                status="fail" if need.required else "warn",
                message=f"{need.name} is not subscribed: {need.without}.",
                remedy="add it under Event Subscriptions, Subscribe to bot events, and save",
            )


def _delivery(manifest: Mapping[str, Any], slack: Slack) -> Iterator[Check]:
    """Look at how Slack delivers what happens."""
    settings = _part(manifest, "settings")
    interactivity = _part(settings, "interactivity")
    if not interactivity.get("is_enabled"):
        yield _fault("Buttons, forms and the shortcut do nothing: interactivity is off.")
    if slack.app_token is not None:
        if not settings.get("socket_mode_enabled"):
            yield _fault(
                "Nothing arrives: Socket Mode is off, and an app token is set.",
                "turn it on under Socket Mode, or unset FOOTNOTE_SLACK__APP_TOKEN",
            )
    elif settings.get("socket_mode_enabled"):
        yield _fault(
            "Nothing arrives over HTTP: Socket Mode is on, and no app token is set.",
            "turn it off under Socket Mode, or set FOOTNOTE_SLACK__APP_TOKEN",
        )
    else:
        yield from _addresses(manifest, interactivity)
    if settings.get("token_rotation_enabled"):
        yield _fault(
            "Token rotation is on, so that tokens expire.",
            "create the app anew from docs/slack-manifest.yaml: it cannot be turned off again",
        )


def _addresses(manifest: Mapping[str, Any], interactivity: Mapping[str, Any]) -> Iterator[Check]:
    subscriptions = _part(manifest, "settings", "event_subscriptions")
    given = {"Event Subscriptions": subscriptions, "Interactivity & Shortcuts": interactivity}
    for place, part in given.items():
        if not str(part.get("request_url") or "").endswith(EVENTS_PATH):
            yield _fault(
                f"{place} has no Request URL that leads to {EVENTS_PATH}.",
                f"enter https://your-address{EVENTS_PATH} there",
            )


def _entries(manifest: Mapping[str, Any], slack: Slack) -> Iterator[Check]:
    """Look at where people find the bot."""
    features = _part(manifest, "features")
    home = _part(features, "app_home")
    if not any(one.get("command") == COMMAND for one in features.get("slash_commands") or ()):
        yield _lack(f"The slash command {COMMAND} does not exist.", "add it under Slash Commands")
    if not any(one.get("callback_id") == SHORTCUT for one in features.get("shortcuts") or ()):
        yield _lack(
            "The message shortcut “Index this” does not exist.",
            f"add it under Interactivity & Shortcuts, on messages, with the callback id {SHORTCUT}",
        )
    if not home.get("messages_tab_enabled") or home.get("messages_tab_read_only_enabled"):
        yield _lack("Nobody can write to the bot directly.", "turn the Messages tab on under App Home")
    if not home.get("home_tab_enabled"):
        yield _lack("The bot has no Home tab.", "turn the Home tab on under App Home")
    yield from _agent(features, wanted=slack.agent)
    redirects = _part(manifest, "oauth_config").get("redirect_urls") or ()
    if slack.client_id and not any(str(url).endswith(REDIRECT_PATH) for url in redirects):
        yield _fault(
            "No workspace can install the app: its redirect URL is missing.",
            f"add https://your-address{REDIRECT_PATH} under OAuth & Permissions",
        )


def _agent(features: Mapping[str, Any], *, wanted: bool) -> Iterator[Check]:
    there = "agent_view" in features or "assistant_view" in features
    if wanted and not there:
        yield _lack(
            "FOOTNOTE_SLACK__AGENT is set, and the app has no agent feature.",
            "turn it on under Agents, or unset FOOTNOTE_SLACK__AGENT",
        )
    elif there and not wanted:
        yield _lack(
            "The app has the agent feature, so that guests cannot use it, and Footnote makes no use of it.",
            "turn it off, or set FOOTNOTE_SLACK__AGENT=true",
        )


def _fault(message: str, remedy: str = CORRECT) -> Check:
    return Check(name="slack manifest", status="fail", message=message, remedy=remedy)


def _lack(message: str, remedy: str) -> Check:
    return Check(name="slack manifest", status="warn", message=message, remedy=remedy)


def _part(whole: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """Return a part of a part; an empty one where there is none."""
    part: Any = whole
    for name in names:
        part = part.get(name) if isinstance(part, dict) else None
    return part if isinstance(part, dict) else {}
