from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.events import read_event
from adapters.slack.happenings import FileShared, FileTouched, Speaker
from adapters.slack.workspaces import Identity
from bot.chat import Thread
from bot.incoming import (
    ChannelLost,
    FileDeleted,
    IncomingMessage,
    MessageDeleted,
    MessageEdited,
    StopRequested,
    WorkspaceLost,
)
from pipeline.domain import Scope

if TYPE_CHECKING:
    from adapters.slack.events import Happening

BOT = Identity(team="T1", user_id="U0BOT", bot_id="B0BOT", url="https://acme.slack.com/")
SCOPE = Scope("slack", "T1", "C1")


def body(event: dict[str, Any], **changes: Any) -> dict[str, Any]:
    known = {
        "type": "event_callback",
        "event_id": "Ev1",
        "team_id": "T1",
        "authorizations": [{"team_id": "T1", "enterprise_id": None, "user_id": "U0BOT", "is_bot": True}],
        "event": event,
    }
    return known | changes


def said(text: str = "<@U0BOT> how many days?", **changes: Any) -> dict[str, Any]:
    known = {"type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "ts": "100.1"}
    return {**known, "text": text, "team": "T1", **changes}


def changed(new: dict[str, Any], old: dict[str, Any] | None, **changes: Any) -> dict[str, Any]:
    event = {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "200.1", "message": new}
    return {**event, **({"previous_message": old} if old is not None else {}), **changes}


def happenings(event: dict[str, Any], **changes: Any) -> list[Happening]:
    return list(read_event(body(event, **changes), BOT))


def questions(event: dict[str, Any], **changes: Any) -> list[IncomingMessage]:
    return [one for one in happenings(event, **changes) if isinstance(one, IncomingMessage)]


def edits(event: dict[str, Any]) -> list[MessageEdited]:
    return [one for one in happenings(event) if isinstance(one, MessageEdited)]


def test_a_message_that_names_the_bot_is_a_question() -> None:
    assert happenings(said()) == [
        Speaker(user="U1", team="T1"),
        IncomingMessage(
            event_id="Ev1",
            message_id="100.1",
            thread=Thread(SCOPE, "100.1"),
            author="U1",
            text="how many days?",
            mentioned=True,
            midway=False,
        ),
    ]


def test_a_mention_and_the_message_it_stands_in_are_the_same_question() -> None:
    mention = {key: value for key, value in said().items() if key != "channel_type"} | {"type": "app_mention"}

    assert questions(mention) == questions(said())


def test_a_mention_is_for_the_bot_even_where_the_text_does_not_show_it() -> None:
    (question,) = questions(said("what does `this mean?", type="app_mention"))

    assert question.mentioned


@pytest.mark.parametrize(
    "text", ["how many days?", "write to help@U0BOT.com", "`<@U0BOT>` is how one calls it", ""]
)
def test_talk_in_a_channel_is_not_for_the_bot(text: str) -> None:
    assert happenings(said(text)) == []


def test_a_reply_in_a_thread_may_be_for_the_bot() -> None:
    (question,) = questions(said("and half days?", thread_ts="90.1"))

    assert (question.mentioned, question.midway) == (False, True)
    assert question.thread == Thread(SCOPE, "90.1")


def test_a_reply_that_speaks_to_somebody_else_is_not_for_the_bot() -> None:
    assert happenings(said("<@U2> and half days?", thread_ts="90.1")) == []


def test_a_reply_that_speaks_to_somebody_else_and_names_the_bot_is_for_the_bot() -> None:
    (question,) = questions(said("<@U2> let me ask <@U0BOT>: and half days?", thread_ts="90.1"))

    assert question.mentioned


def test_the_first_message_of_a_thread_is_not_midway() -> None:
    (question,) = questions(said(thread_ts="100.1"))

    assert not question.midway


def test_a_reply_that_is_shown_in_the_channel_as_well_is_a_reply() -> None:
    (question,) = questions(said("and half days?", thread_ts="90.1", subtype="thread_broadcast"))

    assert question.midway


@pytest.mark.parametrize("where", [{"channel_type": "im", "channel": "D1"}, {"channel": "D1"}])
def test_every_direct_message_is_for_the_bot(where: dict[str, Any]) -> None:
    (question,) = questions(said("how many days?", **where))

    assert question.mentioned
    assert question.thread == Thread(Scope("slack", "T1", "D1"), "100.1")


def test_a_group_conversation_is_like_a_channel() -> None:
    assert happenings(said("how many days?", channel_type="mpim", channel="G1")) == []


def test_the_bots_name_alone_is_a_question_too() -> None:
    (question,) = questions(said("<@U0BOT>"))

    assert question.text.strip() == ""


@pytest.mark.parametrize(
    "who",
    [
        {"user": "U0BOT"},
        {"user": "U0BOT", "bot_id": "B0BOT"},
        {"user": "USLACKBOT"},
        {"user": "U7", "bot_id": "B7"},
        {"user": "U7", "bot_profile": {"id": "B7"}},
        {"user": None},
        {"subtype": "bot_message", "user": None, "bot_id": "B7"},
    ],
)
@pytest.mark.parametrize("kind", ["message", "app_mention"])
def test_programs_are_never_answered(who: dict[str, Any], kind: str) -> None:
    assert happenings(said(type=kind, channel="D1", channel_type="im", **who)) == []


@pytest.mark.parametrize(
    "subtype", ["channel_join", "channel_topic", "reminder_add", "pinned_item", "message_replied", "bot_add"]
)
def test_what_slack_reports_in_a_channel_is_no_message(subtype: str) -> None:
    assert happenings(said(subtype=subtype)) == []


def test_the_asker_of_a_shared_channel_is_at_home_elsewhere() -> None:
    asker, question = happenings(said(user_team="T9", team="T9"), team_id="T9")

    assert isinstance(asker, Speaker) and isinstance(question, IncomingMessage)
    assert (asker.team, question.thread.scope.workspace) == ("T9", "T1")


def test_a_message_without_a_team_is_from_where_the_app_is_installed() -> None:
    asker, _ = happenings(said(team=None))

    assert isinstance(asker, Speaker) and asker.team == "T1"


def test_an_app_of_a_whole_organisation_is_installed_there() -> None:
    authorizations = [{"team_id": None, "enterprise_id": "E1", "is_enterprise_install": True}]

    (question,) = questions(said(), authorizations=authorizations)

    assert question.thread.scope.workspace == "E1"


def test_an_event_without_authorizations_is_read_by_its_team() -> None:
    (question,) = questions(said(), authorizations=None)

    assert question.thread.scope.workspace == "T1"


# files

FILES = [{"id": "F1", "name": "plan.pdf"}, {"id": "F2", "mode": "file_access"}]


def shared(file_id: str, **changes: Any) -> FileShared:
    known = {
        "event_id": "Ev1",
        "team": "T1",
        "channel": "C1",
        "file_id": file_id,
        "user": "U1",
        "ts": "100.1",
    }
    return FileShared(**{**known, **changes})


def test_a_comment_on_files_in_a_channel_is_no_question() -> None:
    assert happenings(said("the new plan", subtype="file_share", files=FILES)) == [shared("F1"), shared("F2")]


def test_a_comment_on_files_in_a_thread_is_no_follow_up() -> None:
    found = happenings(said("the new plan", subtype="file_share", files=FILES[:1], thread_ts="90.1"))

    assert found == [shared("F1", thread_ts="90.1")]


@pytest.mark.parametrize("kind", ["message", "app_mention"])
def test_a_question_with_files_is_both(kind: str) -> None:
    found = happenings(said(type=kind, subtype="file_share", files=FILES))

    assert found[:2] == [shared("F1", addressed=True), shared("F2", addressed=True)]
    assert isinstance(found[-1], IncomingMessage) and found[-1].text == "how many days?"


@pytest.mark.parametrize("text", ["", "<@U0BOT>", "<@U0BOT> "])
def test_files_that_only_name_the_bot_ask_nothing(text: str) -> None:
    (found,) = happenings(said(text, subtype="file_share", files=FILES[:1]))

    assert found == shared("F1", addressed=bool(text))


def test_in_a_direct_message_the_comment_on_a_file_is_a_question() -> None:
    found = happenings(said("what is new in it?", channel="D1", channel_type="im", files=FILES[:1]))

    assert found[0] == shared("F1", channel="D1", addressed=True)
    assert isinstance(found[-1], IncomingMessage)


def test_a_file_that_is_gone_already_is_left_alone() -> None:
    files = [{"id": "F1", "mode": "tombstone"}, {"id": "F2", "mode": "hosted"}]

    assert happenings(said("", subtype="file_share", files=files)) == [shared("F2")]


def test_an_upload_is_reported_by_its_id() -> None:
    event = {"type": "file_shared", "file_id": "F1", "user_id": "U1", "channel_id": "C1", "event_ts": "1.1"}

    assert happenings(event) == [shared("F1", ts=None)]


def test_an_upload_in_a_direct_message_is_for_the_bot() -> None:
    event = {"type": "file_shared", "file_id": "F1", "user_id": "U1", "channel_id": "D1", "event_ts": "1.1"}

    assert happenings(event) == [shared("F1", ts=None, channel="D1", addressed=True)]


def test_the_bots_own_uploads_are_left_alone() -> None:
    assert happenings({"type": "file_shared", "file_id": "F1", "user_id": "U0BOT", "channel_id": "C1"}) == []


def test_a_changed_file_is_looked_up_wherever_it_is() -> None:
    event = {"type": "file_change", "file": {"id": "F1"}, "event_ts": "1.1"}

    assert happenings(event) == [shared("F1", channel=None, user=None, ts=None, changed=True)]


def test_a_deleted_file_is_gone_from_every_channel() -> None:
    assert happenings({"type": "file_deleted", "file_id": "F1"}) == [
        FileDeleted(event_id="Ev1", platform="slack", workspace="T1", source="slack:T1/F1")
    ]


@pytest.mark.parametrize("channel", ["C1", None])
def test_a_file_that_is_not_shared_any_more_is_looked_up(channel: str | None) -> None:
    event = {"type": "file_unshared", "file_id": "F1", "channel_id": channel}

    assert happenings(event) == [FileTouched(event_id="Ev1", team="T1", channel=channel, file_id="F1")]


# edits


def test_another_text_is_an_edit() -> None:
    new = said("<@U0BOT> how many half days?", edited={"user": "U1", "ts": "200.1"}, thread_ts="90.1")

    assert happenings(changed(new, said(thread_ts="90.1"))) == [
        MessageEdited(
            event_id="Ev1",
            message_id="100.1",
            thread=Thread(SCOPE, "90.1"),
            author="U1",
            text="how many half days?",
            mentioned=True,
        )
    ]


@pytest.mark.parametrize(
    "extra",
    [
        {"attachments": [{"title": "A page"}]},  # a preview
        {"attachments": [{"title": "A page"}], "edited": {"ts": "150.1"}},  # a preview after an edit
        {"language": {"locale": "en"}},
        {"pinned_to": ["C1"], "edited": {"ts": "150.1"}},
    ],
)
def test_what_changes_besides_the_text_is_no_edit(extra: dict[str, Any]) -> None:
    assert happenings(changed(said(**extra), said())) == []


def test_only_edits_by_people_count() -> None:
    assert happenings(changed(said("<@U0BOT> something else"), said())) == []


def test_the_same_words_written_differently_are_no_edit() -> None:
    new = said("<@U0BOT>  how many days?", edited={"ts": "200.1"})

    assert happenings(changed(new, said("<@U0BOT> how many days?"))) == []


def test_to_name_the_bot_later_is_an_edit() -> None:
    (edit,) = edits(changed(said(edited={"ts": "200.1"}), said("how many days?")))

    assert (edit.text, edit.mentioned) == ("how many days?", True)


def test_an_edit_that_does_not_name_the_bot_any_more_is_told_as_such() -> None:
    (edit,) = edits(changed(said("how many days?", edited={"ts": "200.1"}), said()))

    assert not edit.mentioned


def test_an_edit_of_a_direct_message_is_for_the_bot() -> None:
    new = said("and half days?", edited={"ts": "200.1"})

    (edit,) = edits(changed(new, said("how many days?"), channel="D1", channel_type="im"))

    assert edit.mentioned and edit.thread.scope.channel == "D1"


def test_an_edit_is_told_when_the_text_before_it_is_unknown() -> None:
    assert len(edits(changed(said(edited={"ts": "200.1"}), None))) == 1


def test_a_comment_that_was_emptied_asks_nothing_any_more() -> None:
    new = said("", files=FILES[:1], edited={"ts": "200.1"}, subtype="file_share")

    assert happenings(changed(new, said("what is new?", files=FILES[:1]), channel="D1")) == [
        MessageDeleted(event_id="Ev1", message_id="100.1", scope=Scope("slack", "T1", "D1"))
    ]


@pytest.mark.parametrize("who", [{"user": "U0BOT"}, {"bot_id": "B7"}])
def test_edits_of_programs_are_left_alone(who: dict[str, Any]) -> None:
    assert happenings(changed(said("another text", edited={"ts": "200.1"}, **who), said(**who))) == []


def test_a_file_that_was_taken_out_of_a_message_is_looked_up() -> None:
    new = said("the plans", files=[FILES[1], {"id": "F1", "mode": "tombstone"}])

    assert happenings(changed(new, said("the plans", files=FILES))) == [
        FileTouched(event_id="Ev1", team="T1", channel="C1", file_id="F1")
    ]


def test_a_file_that_was_put_into_a_message_later_is_new() -> None:
    assert happenings(changed(said("the plans", files=FILES), said("the plans", files=FILES[:1]))) == [
        shared("F2")
    ]


# deletions


def test_a_deleted_message_takes_its_files_along() -> None:
    event = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": "C1",
        "ts": "200.1",
        "deleted_ts": "100.1",
        "previous_message": said(files=FILES[:1]),
    }

    assert happenings(event) == [
        MessageDeleted(event_id="Ev1", message_id="100.1", scope=SCOPE),
        FileTouched(event_id="Ev1", team="T1", channel="C1", file_id="F1"),
    ]


def test_a_deletion_need_not_say_what_was_deleted() -> None:
    event = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": "C1",
        "ts": "2.1",
        "deleted_ts": "1.1",
    }

    assert happenings(event) == [MessageDeleted(event_id="Ev1", message_id="1.1", scope=SCOPE)]


def test_what_is_left_of_a_deleted_message_with_replies_is_a_deletion() -> None:
    left = said("This message was deleted.", subtype="tombstone", user="USLACKBOT", thread_ts="100.1")

    assert happenings(changed(left, said(files=FILES[:1]))) == [
        MessageDeleted(event_id="Ev1", message_id="100.1", scope=SCOPE),
        FileTouched(event_id="Ev1", team="T1", channel="C1", file_id="F1"),
    ]


# channels, workspaces, and the rest


@pytest.mark.parametrize(
    "event",
    [
        {"type": "channel_left", "channel": "C1", "actor_id": "U1"},
        {"type": "group_left", "channel": "C1"},
        {"type": "channel_deleted", "channel": "C1"},
        {"type": "group_deleted", "channel": "C1"},
        {"type": "member_left_channel", "channel": "C1", "user": "U0BOT"},
    ],
)
def test_a_channel_can_be_lost_in_several_ways(event: dict[str, Any]) -> None:
    assert happenings(event) == [ChannelLost(event_id="Ev1", scope=SCOPE)]


def test_others_come_and_go_without_consequence() -> None:
    assert happenings({"type": "member_left_channel", "channel": "C1", "user": "U1"}) == []
    assert happenings({"type": "member_joined_channel", "channel": "C1", "user": "U1"}) == []


def test_a_workspace_is_lost_when_the_app_is_removed_or_its_token_is_taken() -> None:
    lost = [WorkspaceLost(event_id="Ev1", platform="slack", workspace="T1")]

    assert happenings({"type": "app_uninstalled"}) == lost
    assert happenings({"type": "tokens_revoked", "tokens": {"bot": ["U0BOT"], "oauth": []}}) == lost
    assert happenings({"type": "tokens_revoked", "tokens": {"oauth": ["U1"]}}) == []


def test_a_workspace_is_lost_although_nobody_knows_who_the_bot_was_there() -> None:
    assert len(read_event(body({"type": "app_uninstalled"}), None)) == 1


def test_the_stop_button_of_slack_stops_the_answer() -> None:
    event = {"type": "agent_session_stopped", "channel": "C1", "thread_ts": "90.1", "user": "U1"}

    assert happenings(event) == [StopRequested(thread=Thread(SCOPE, "90.1"))]
    assert happenings({**event, "thread_ts": None}) == []


@pytest.mark.parametrize("kind", ["user_change", "app_home_opened", "reaction_added", "team_join", "hello"])
def test_other_events_mean_nothing_here(kind: str) -> None:
    assert happenings({"type": kind, "user": "U1"}) == []


def test_an_event_without_an_id_gets_one() -> None:
    (lost,) = happenings({"type": "channel_left", "channel": "C1", "event_ts": "5.1"}, event_id=None)

    assert isinstance(lost, ChannelLost) and lost.event_id == "channel_left/5.1"


@pytest.mark.parametrize(
    "text",
    [
        "use `<@U0BOT> hi` to call it",
        "```\n<@U0BOT> how many days?\n```",
        "write to x<@U0BOT>.com",
        "see https://x.example/<@U0BOT>",
    ],
)
def test_a_name_in_a_sample_or_an_address_is_no_mention_whatever_slack_reports(text: str) -> None:
    assert questions(said(text, type="app_mention")) == []


def test_a_mention_that_the_text_does_not_hold_is_believed() -> None:
    assert len(questions(said("how many days?", type="app_mention"))) == 1


@pytest.mark.parametrize("changes", [{"subtype": "me_message"}, {"app_id": "A7", "client_msg_id": "c"}])
def test_whatever_people_type_in_whatever_way_is_heard(changes: dict[str, Any]) -> None:
    assert len(questions(said(**changes))) == 1


@pytest.mark.parametrize("files", [[None], [{"name": "x"}], ["F1"], None])
def test_a_file_that_is_none_does_not_swallow_the_question(files: object) -> None:
    assert len(questions(said(subtype="file_share", files=files))) == 1


def test_an_event_that_does_not_say_whence_it_comes_is_of_the_workspace_that_is_served() -> None:
    event = body(said(), team_id=None, authorizations=None)

    assert [one.thread.scope for one in read_event(event, BOT) if isinstance(one, IncomingMessage)] == [SCOPE]


def test_an_organisation_can_take_the_app_from_some_workspaces() -> None:
    lost = happenings({"type": "team_access_revoked", "team_ids": ["T2", "T3"]})

    assert [one.workspace for one in lost if isinstance(one, WorkspaceLost)] == ["T2", "T3"]
