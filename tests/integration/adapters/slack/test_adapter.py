"""Statuses, marks, history and the opening of streams."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from adapters.slack.budgets import TIER_2
from bot.chat import Body, Mark, MessageGone, NotAllowed, RateLimited, Unreachable
from bot.recent import PAUSE
from tests.fakes.slack import ANNA, BEN, ROBOT, error, rate_limited, reset_before
from tests.integration.adapters.slack.speaking import CHANNEL, DIRECT, QUESTION, TEAM, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


def reactions(room: Speaking, ts: str) -> list[str]:
    return [name for name, users in room.slack.message(CHANNEL, ts).reactions.items() if users]


async def test_a_status_stands_below_its_thread_until_it_is_taken_back(room: Speaking) -> None:
    await room.adapter.set_status(room.thread, "Searching <!channel>…")
    shown = room.slack.statuses[CHANNEL, room.thread.key]
    await room.adapter.set_status(room.thread, None)

    assert shown.startswith("Searching")
    assert "<!" not in shown
    assert room.slack.called("assistant.threads.setStatus")[-1].arguments["status"] == ""


@pytest.mark.parametrize("code", ["missing_scope", "not_agent_app", "feature_not_enabled"])
async def test_where_no_status_can_be_shown_slack_is_asked_once(room: Speaking, code: str) -> None:
    room.slack.fail("assistant.threads.setStatus", error(code), times=None)

    for text in ("Searching…", "Writing…"):
        with pytest.raises(NotAllowed):
            await room.adapter.set_status(room.thread, text)
    await room.adapter.set_status(room.thread, None)

    assert room.count("assistant.threads.setStatus") == 1


async def test_after_a_while_it_is_tried_again_what_was_not_allowed(room: Speaking) -> None:
    room.slack.fail("assistant.threads.setStatus", error("missing_scope"))
    room.slack.fail("reactions.add", error("missing_scope"))
    with pytest.raises(NotAllowed):
        await room.adapter.set_status(room.thread, "Searching…")
    await room.adapter.mark(room.thread, room.thread.key, Mark.DONE)
    room.clock.advance(PAUSE)

    await room.adapter.set_status(room.thread, "Searching…")
    await room.adapter.mark(room.thread, room.thread.key, Mark.DONE)

    assert room.slack.statuses
    assert reactions(room, room.thread.key) == ["white_check_mark"]


async def test_a_status_that_failed_for_its_thread_does_not_end_all_of_them(room: Speaking) -> None:
    room.slack.fail("assistant.threads.setStatus", error("channel_not_found"))
    room.slack.fail("assistant.threads.setStatus", error("invalid_thread_ts"))
    for kind in (NotAllowed, MessageGone):
        with pytest.raises(kind):
            await room.adapter.set_status(room.thread, "Searching…")

    await room.adapter.set_status(room.thread, "Searching…")

    assert room.slack.statuses


async def test_a_mark_takes_the_place_of_the_one_before(room: Speaking) -> None:
    ts = room.thread.key

    await room.adapter.mark(room.thread, ts, Mark.WORKING)
    assert reactions(room, ts) == ["hourglass_flowing_sand"]
    await room.adapter.mark(room.thread, ts, Mark.FAILED)
    assert reactions(room, ts) == ["x"]
    await room.adapter.mark(room.thread, ts, Mark.WORKING)
    await room.adapter.mark(room.thread, ts, Mark.DONE)
    assert reactions(room, ts) == ["white_check_mark"]


async def test_a_mark_that_stands_already_or_never_stood_is_fine(room: Speaking) -> None:
    for _ in range(2):
        await room.adapter.mark(room.thread, room.thread.key, Mark.DONE)

    assert reactions(room, room.thread.key) == ["white_check_mark"]


async def test_after_a_restart_the_hourglass_is_still_taken_back(room: Speaking) -> None:
    bot = room.slack.team.bot
    room.slack.message(CHANNEL, room.thread.key).reactions["hourglass_flowing_sand"] = [bot]

    await room.adapter.mark(room.thread, room.thread.key, Mark.DONE)

    assert reactions(room, room.thread.key) == ["white_check_mark"]


async def test_where_the_app_may_not_react_slack_is_asked_once(room: Speaking) -> None:
    room.slack.team.scopes.discard("reactions:write")

    for mark in Mark:
        await room.adapter.mark(room.thread, room.thread.key, mark)

    assert room.count("reactions.add") == 1
    assert room.count("reactions.remove") == 0


async def test_a_mark_at_a_deleted_message_says_that_it_is_gone(room: Speaking) -> None:
    with pytest.raises(MessageGone):
        await room.adapter.mark(room.thread, "1600000000.000001", Mark.WORKING)


async def test_a_mark_that_slack_took_only_half_of_is_completed_when_it_is_repeated(room: Speaking) -> None:
    ts = room.thread.key
    await room.adapter.mark(room.thread, ts, Mark.WORKING)
    room.slack.fail("reactions.remove", rate_limited(3))
    with pytest.raises(RateLimited):
        await room.adapter.mark(room.thread, ts, Mark.DONE)
    assert reactions(room, ts) == ["hourglass_flowing_sand", "white_check_mark"]
    room.clock.advance(3)

    await room.adapter.mark(room.thread, ts, Mark.DONE)

    assert reactions(room, ts) == ["white_check_mark"]
    assert room.count("reactions.add") == 2


async def test_more_files_than_marks_can_be_taken_back_leave_no_hourglass_behind(room: Speaking) -> None:
    files = [room.slack.say(CHANNEL, ANNA, "A file", events=()).ts for _ in range(20)]

    for mark in (Mark.WORKING, Mark.DONE):
        for ts in files:
            await room.adapter.mark(room.thread, ts, mark)

    assert all(reactions(room, ts) == ["white_check_mark"] for ts in files)


async def test_history_tells_people_other_bots_and_itself_apart(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five **days** [1]."))
    room.slack.say(CHANNEL, BEN, "Is that &lt;sure&gt;?", room.thread.key, events=())
    room.slack.say(CHANNEL, ROBOT, "Build 7 failed.", room.thread.key, events=())
    live = await room.stream()
    await live.append("Yes, quite ")
    await live.close(Body(text="Yes, quite sure."))

    turns = await room.adapter.history(room.thread, limit=10)

    assert [(turn.author, turn.own) for turn in turns] == [
        (ANNA, False),
        ("U0BOT", True),
        (BEN, False),
        (ROBOT, False),
        ("U0BOT", True),
    ]
    assert turns[0].text == QUESTION
    assert turns[2].text == "Is that <sure>?"
    assert turns[4].text == "Yes, quite sure."


async def test_history_is_the_end_of_a_thread_of_many_pages(room: Speaking) -> None:
    for number in range(1, 1_203):
        room.slack.say(CHANNEL, BEN, f"Number {number}.", room.thread.key, events=())

    turns = await room.adapter.history(room.thread, limit=3)

    assert [turn.text for turn in turns] == ["Number 1200.", "Number 1201.", "Number 1202."]
    assert await room.adapter.history(room.thread, limit=0) == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(error("missing_scope"), NotAllowed), (rate_limited(60), RateLimited), (reset_before(), Unreachable)],
    ids=["scope", "rate", "reset"],
)
async def test_history_that_cannot_be_read_says_why(
    room: Speaking, fault: object, kind: type[Exception]
) -> None:
    room.slack.fail("conversations.replies", fault, times=None)  # type: ignore[arg-type]

    with pytest.raises(kind):
        await room.adapter.history(room.thread, limit=3)


async def test_a_stream_in_a_channel_is_for_whoever_asked(room: Speaking) -> None:
    room.adapter.note_home(BEN, "T9OTHER")
    live = await room.stream(asker=BEN)
    await live.append("Five days.")

    (start,) = room.slack.called("chat.startStream")
    assert start.arguments["recipient_user_id"] == BEN
    assert start.arguments["recipient_team_id"] == "T9OTHER"
    assert start.arguments["thread_ts"] == room.thread.key


async def test_no_stream_is_opened_in_a_channel_for_nobody(room: Speaking) -> None:
    assert await room.adapter.open_stream(room.ask()) is None


async def test_direct_messages_need_no_asker(room: Speaking) -> None:
    thread = room.ask(DIRECT)
    live = await room.stream(thread, asker=None)
    await live.append("Five days.")

    assert room.shown(thread) == ["Five days."]


async def test_opening_a_stream_calls_nobody(room: Speaking) -> None:
    await room.stream()

    assert room.slack.calls == []


async def test_a_channel_that_takes_no_streams_is_not_asked_again(room: Speaking) -> None:
    room.slack.streams_supported = False
    live, opened = await room.stream(), await room.stream(room.ask())
    for stream in (live, opened):
        with pytest.raises(NotAllowed):
            await stream.append("Five days.")

    assert room.count("chat.startStream") == 1
    assert await room.adapter.open_stream(room.ask(), asker=ANNA) is None
    assert await room.adapter.open_stream(room.ask("C0SECOND"), asker=ANNA) is not None
    assert live.message is None


@pytest.mark.parametrize("code", ["missing_recipient_user_id", "not_in_channel", "user_not_found"])
async def test_a_refusal_that_concerns_one_person_or_moment_says_nothing_of_the_channel(
    room: Speaking, code: str
) -> None:
    room.slack.fail("chat.startStream", error(code))
    live = await room.stream()
    with pytest.raises(NotAllowed):
        await live.append("Five days.")

    assert await room.adapter.open_stream(room.ask(), asker=ANNA) is not None


async def test_no_stream_is_opened_when_the_starts_are_used_up(room: Speaking) -> None:
    for _ in range(TIER_2.most):
        live = await room.stream(room.ask())
        await live.append("Five days.")
        await live.close(Body(text="Five days."))

    assert await room.adapter.open_stream(room.ask(), asker=ANNA) is None
    room.clock.advance(61.0)
    assert await room.adapter.open_stream(room.ask(), asker=ANNA) is not None


async def test_as_many_streams_begin_as_can_be_ended_in_the_same_minute(room: Speaking) -> None:
    room.slack.rates.enforced = True
    opened = [await room.stream(room.ask()) for _ in range(40)]
    begun = []
    for live in opened:
        try:
            await live.append("Five days.")
        except NotAllowed:
            assert live.message is None
        else:
            begun.append(live)

    await asyncio.gather(*(live.close(Body(text="Five days.")) for live in begun))

    assert 10 <= len(begun) <= TIER_2.most
    assert room.slack.rates.over() == {}


async def test_a_start_that_slack_limits_is_edited_instead(room: Speaking) -> None:
    room.slack.fail("chat.startStream", rate_limited(30))
    live = await room.stream()

    with pytest.raises(NotAllowed):
        await live.append("Five days.")

    assert live.message is None
    assert await room.adapter.open_stream(room.ask(), asker=ANNA) is None


async def test_the_workspaces_of_others_are_not_touched_by_a_limit(room: Speaking) -> None:
    room.calls.budgets.limited("T9OTHER", "chat.startStream", room.clock.monotonic(), 60.0)

    assert await room.adapter.open_stream(room.thread, asker=ANNA) is not None
    assert room.thread.scope.workspace == TEAM
