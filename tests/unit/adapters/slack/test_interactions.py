from __future__ import annotations

from typing import Any

import pytest

from adapters.slack.interactions import (
    Spot,
    note_form,
    read_command,
    read_form,
    read_press,
    read_reaction,
    read_shortcut,
)

BOT, ANNA = "U0BOT", "U0ANNA"
URL = "https://hooks.slack.com/actions/1"


def interaction(**facts: Any) -> dict[str, Any]:
    return {
        "team": {"id": "T1", "domain": "acme"},
        "enterprise": None,
        "user": {"id": ANNA, "team_id": "T9"},
        "channel": {"id": "C1", "name": "general"},
        "container": {"type": "message", "message_ts": "9.1", "channel_id": "C1"},
        "message": {"ts": "9.1", "thread_ts": "1.1", "user": BOT, "team": "T2"},
        "response_url": URL,
        "trigger_id": "t1",
        "actions": [{"action_id": "footnote:good", "value": "m1", "action_ts": "3.1"}],
        **facts,
    }


def test_a_press_tells_who_did_what_where() -> None:
    press = read_press(interaction())

    assert press is not None
    assert (press.action_id, press.value, press.trigger_id) == ("footnote:good", "m1", "t1")
    assert press.spot == Spot(
        teams=("T2", "T1"),
        channel="C1",
        user=ANNA,
        home="T9",
        thread="1.1",
        bot=BOT,
        response_url=URL,
    )


def test_a_message_that_stands_in_the_channel_itself_is_its_own_thread() -> None:
    press = read_press(interaction(message={"ts": "9.1", "user": BOT}))

    assert press is not None
    assert press.spot.thread == "9.1"


def test_at_a_whisper_only_the_container_tells_the_thread() -> None:
    container = {"type": "message", "message_ts": "9.1", "channel_id": "C1", "thread_ts": "1.1"}

    press = read_press(interaction(message=None, channel=None, container=container))

    assert press is not None
    assert (press.spot.channel, press.spot.thread, press.spot.bot) == ("C1", "1.1", None)


def test_where_the_app_belongs_to_an_organisation_that_stands_for_the_workspace() -> None:
    press = read_press(interaction(team=None, enterprise={"id": "E1"}, message={"ts": "9.1"}))

    assert press is not None
    assert press.spot.teams == ("E1",)


@pytest.mark.parametrize(
    "facts",
    [
        {"actions": []},
        {"channel": None, "container": {"type": "view", "view_id": "V1"}, "message": None},
    ],
)
def test_what_was_pressed_in_no_channel_is_nothing(facts: dict[str, Any]) -> None:
    assert read_press(interaction(**facts)) is None


def test_two_presses_of_one_button_are_two_events() -> None:
    first, second = (read_press(interaction(trigger_id=trigger)) for trigger in ("t1", "t2"))

    assert first is not None and second is not None
    assert first.event_id != second.event_id


def form(metadata: str) -> dict[str, Any]:
    state = {"values": {"b1": {"a1": {"type": "plain_text_input", "value": "It is ten days."}}}}
    return {
        "type": "view_submission",
        "user": {"id": ANNA, "team_id": "T1"},
        "view": {"id": "V1", "private_metadata": metadata, "state": state},
    }


def test_a_form_brings_back_what_it_was_opened_for() -> None:
    spot = Spot(teams=("T2", "T1"), channel="C1", user=ANNA, thread="1.1")

    filled = read_form(form(note_form(spot, "T1", "note", "m1")))

    assert filled is not None
    assert (filled.action, filled.value, filled.text) == ("note", "m1", "It is ten days.")
    assert filled.spot == Spot(teams=("T1",), channel="C1", user=ANNA, home="T1", thread="1.1")


def test_a_form_that_was_left_empty_is_without_text() -> None:
    body = form(note_form(Spot(teams=(), channel="C1", user=ANNA), "T1", "note", "m1"))
    body["view"]["state"] = {"values": {"b1": {"a1": {"type": "plain_text_input", "value": None}}}}

    filled = read_form(body)

    assert filled is not None
    assert filled.text == ""


@pytest.mark.parametrize("metadata", ["", "{}", "[]", "5", "null", "{"])
def test_a_form_of_somebody_else_is_nothing(metadata: str) -> None:
    assert read_form(form(metadata)) is None


@pytest.mark.parametrize(
    ("text", "name", "args"),
    [
        ("", "help", ""),
        ("  ", "help", ""),
        ("Docs", "docs", ""),
        ("forget  My report.pdf ", "forget", "My report.pdf"),
        ("forget Q&amp;A &lt;1&gt;.md", "forget", "Q&A <1>.md"),
    ],
)
def test_a_command_has_a_name_and_what_follows_it(text: str, name: str, args: str) -> None:
    body = {
        "command": "/footnote",
        "text": text,
        "team_id": "T1",
        "channel_id": "C1",
        "user_id": ANNA,
        "response_url": URL,
    }

    typed = read_command(body)

    assert (typed.name, typed.args) == (name, args)
    assert typed.spot == Spot(teams=("T1",), channel="C1", user=ANNA, response_url=URL)


def test_a_picked_message_brings_its_files_and_its_author_is_not_taken_for_us() -> None:
    files = [{"id": "F1"}, {"id": "F2", "mode": "tombstone"}, {"id": "F3", "mode": "hosted"}]

    picked = read_shortcut(
        interaction(message={"ts": "9.1", "user": "U9", "team": "T9", "thread_ts": "1.1", "files": files})
    )

    assert picked is not None
    assert (picked.files, picked.ts, picked.thread_ts) == (("F1", "F3"), "9.1", "1.1")
    assert (picked.spot.teams, picked.spot.bot) == (("T1",), None)


def test_a_reaction_names_its_message() -> None:
    item = {"type": "message", "channel": "C1", "ts": "9.1"}
    event = {"type": "reaction_added", "user": ANNA, "reaction": "+1", "item": item, "item_user": BOT}

    reaction = read_reaction({"event_id": "Ev1", "event": event})

    assert reaction is not None
    assert (reaction.channel, reaction.ts, reaction.emoji, reaction.author) == ("C1", "9.1", "+1", BOT)
    assert read_reaction({"event": {**event, "item": {"type": "file", "file": "F1"}}}) is None
