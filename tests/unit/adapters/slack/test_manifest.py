"""The manifest that newcomers paste, the list it is made from, and what the doctor looks for agree."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from adapters.slack.audit import audit
from adapters.slack.manifest import COMMAND, EVENTS, SCOPES, SHORTCUT, needed, scopes
from bot.groups import Slack
from scripts import manifest

TEXT = manifest.PAGE.read_text(encoding="utf-8")
SOCKET: dict[str, Any] = {"bot_token": "xoxb-1", "app_token": "xapp-1"}
HTTP: dict[str, Any] = {"bot_token": "xoxb-1", "signing_secret": "s"}
MANY: dict[str, Any] = {
    "client_id": "1.2",
    "client_secret": "s",
    "signing_secret": "s",
    "encryption_key": "A" * 43 + "=",
}


def read(*marks: str) -> dict[str, Any]:
    """Read the manifest with the lines of *marks* taken in."""
    text = TEXT
    for mark in marks:
        text = re.sub(rf"# {mark}: (?!false)", "", text)
    if "HTTP" in marks:
        text = text.replace("socket_mode_enabled: true # HTTP: false", "socket_mode_enabled: false")
    parsed: dict[str, Any] = yaml.safe_load(text)
    return parsed


def complaints(parsed: dict[str, Any], **slack: Any) -> list[str]:
    return [check.message for check in audit(parsed, Slack(**slack)) if check.status != "ok"]


def test_the_file_is_what_the_list_makes_of_it() -> None:
    assert manifest.page() == TEXT


def test_the_file_asks_for_what_is_needed_and_no_more() -> None:
    parsed = read()

    assert parsed["oauth_config"]["scopes"]["bot"] == scopes(agent=False)
    assert parsed["settings"]["event_subscriptions"]["bot_events"] == [
        need.name for need in needed(EVENTS, agent=False)
    ]
    assert parsed["features"]["slash_commands"][0]["command"] == COMMAND
    assert parsed["features"]["shortcuts"][0]["callback_id"] == SHORTCUT


def test_slack_takes_its_texts() -> None:
    parsed = read("HTTP", "agent", "many")

    assert len(parsed["display_information"]["name"]) <= 35
    assert len(parsed["display_information"]["description"]) <= 140
    assert len(parsed["features"]["shortcuts"][0]["name"]) <= 24


@pytest.mark.parametrize(
    ("marks", "slack"),
    [
        ((), SOCKET),
        (("HTTP",), HTTP),
        (("HTTP", "many"), MANY),
        (("agent",), {**SOCKET, "agent": True}),
    ],
)
def test_the_manifest_with_the_lines_of_a_way_to_run_satisfies_the_doctor(
    marks: tuple[str, ...], slack: dict[str, Any]
) -> None:
    (only,) = audit(read(*marks), Slack(**slack))

    assert only.status == "ok"


@pytest.mark.parametrize("need", [need for need in EVENTS if not need.agent])
def test_an_event_that_is_not_subscribed_is_named_with_what_does_not_work(need: Any) -> None:
    parsed = read()
    parsed["settings"]["event_subscriptions"]["bot_events"].remove(need.name)

    (check,) = audit(parsed, Slack(**SOCKET))

    assert check.name == f"slack event {need.name}"
    assert need.without in check.message
    assert "Event Subscriptions" in str(check.remedy)


def test_whatever_else_is_missing_is_named() -> None:
    parsed = read()
    parsed["features"] = {"agent_view": {}}
    parsed["settings"]["interactivity"] = {"is_enabled": False}
    parsed["settings"]["socket_mode_enabled"] = False
    parsed["settings"]["token_rotation_enabled"] = True

    said = "\n".join(complaints(parsed, **SOCKET))

    for part in ("interactivity is off", "Socket Mode is off", "rotation", COMMAND, "Index this"):
        assert part in said
    for part in ("write to the bot directly", "no Home tab", "guests cannot use it"):
        assert part in said


def test_an_app_for_socket_mode_receives_nothing_over_http() -> None:
    (said,) = complaints(read(), **HTTP)

    assert "Socket Mode is on" in said


def test_addresses_that_slack_sends_to_are_looked_at() -> None:
    parsed = read("HTTP")
    parsed["settings"]["event_subscriptions"]["request_url"] = "https://example.com/other"
    parsed["settings"]["interactivity"].pop("request_url")

    assert len(complaints(parsed, **HTTP)) == 2


def test_an_app_without_a_redirect_url_cannot_be_installed() -> None:
    (said,) = complaints(read("HTTP"), **MANY)

    assert "redirect URL" in said


def test_the_agent_feature_is_wanted_or_not() -> None:
    said = complaints(read(), **SOCKET, agent=True)

    assert any("has no agent feature" in one for one in said)
    assert any("agent_session_stopped" in one for one in said)


@pytest.mark.parametrize("odd", [{}, {"settings": None, "features": [], "oauth_config": "x"}])
def test_a_manifest_of_another_shape_is_a_list_of_faults_and_no_crash(odd: dict[str, Any]) -> None:
    assert len(complaints(odd, **SOCKET)) > len(EVENTS) - 2


def test_scopes_say_what_does_not_work_without_them() -> None:
    assert all(need.without for need in (*SCOPES, *EVENTS))
    assert len({need.name for need in SCOPES}) == len(SCOPES)


def test_the_page_about_slack_explains_every_scope_and_every_event() -> None:
    page = (manifest.PAGE.parent / "slack.md").read_text(encoding="utf-8")

    assert [need.name for need in (*SCOPES, *EVENTS) if f"`{need.name}`" not in page] == []
