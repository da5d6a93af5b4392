from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from adapters.discord.permissions import GRANT
from adapters.discord.reduced import NOTE
from bot.chat import Thread
from bot.controls import BAD, GOOD
from bot.incoming import ChannelLost, FileRemoved, StopRequested, WorkspaceLost
from pipeline.domain import Scope
from tests.fakes.discord import (
    ANNA,
    BEN,
    BOT,
    FORUM,
    GENERAL,
    GUILD,
    NO_THREADS,
    PRIVATE,
    ROBOT,
    SECOND,
    Permission,
    held,
    http,
)
from tests.integration.adapters.discord.counter import Counter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import Channel, DiscordServer, Message

SCOPE = Scope("discord", str(GUILD), str(GENERAL))


@pytest.fixture
async def counter(server: DiscordServer) -> AsyncIterator[Counter]:
    async with Counter(server).listening() as counter:
        await counter.settled()
        yield counter


@pytest.fixture
def discord(counter: Counter) -> DiscordServer:
    return counter.server


def mention(text: str = "how many days?") -> str:
    return f"<@{BOT}> {text}"


def answer(discord: DiscordServer, question: Message, text: str = "Five days.") -> Message:
    """Let the bot answer in the channel itself, as where it may open no threads."""
    return discord.say(question.channel, BOT, text, reply_to=question)


def asleep(discord: DiscordServer) -> Channel:
    """Return a thread that discord.py does not know: it is in the archive."""
    thread = discord.start_thread(GENERAL, ANNA, "a thread")
    discord.archive(thread)
    return thread


async def test_a_question_is_handed_over_once_and_its_thread_named_after_it(
    discord: DiscordServer, counter: Counter
) -> None:
    message = discord.say(GENERAL, ANNA, mention())
    await counter.settled()

    (asked,) = counter.asked
    assert asked.thread == Thread(SCOPE, str(message.id))
    assert (asked.text, asked.author, asked.midway) == ("how many days?", str(ANNA), False)
    assert counter.named == {str(message.id): "how many days?"}


async def test_what_happens_costs_no_call(discord: DiscordServer, counter: Counter) -> None:
    thread = discord.start_thread(GENERAL, ANNA, "a thread")
    for number in range(20):
        discord.edit(discord.say(GENERAL, ANNA, mention(f"question {number}")), mention("better"))
        discord.delete(discord.say(thread, BEN, f"talk {number}"))
    await counter.settled()

    assert len(counter.asked) == 40
    assert {call.route for call in discord.calls} == {"me", "application", "gateway bot"}


async def test_questions_keep_their_order(discord: DiscordServer, counter: Counter) -> None:
    for number in range(50):
        discord.say(discord.direct(ANNA), ANNA, f"question {number}")
    await counter.settled()

    assert counter.texts == [f"question {number}" for number in range(50)]


async def test_a_thread_that_nobody_knew_is_looked_up_and_keeps_its_order(
    discord: DiscordServer, counter: Counter
) -> None:
    thread = asleep(discord)
    await counter.settled()
    gate = asyncio.Event()
    discord.fail("channel", held(gate))
    discord.gateway.lose(1, "THREAD_UPDATE")
    first = discord.say(thread, ANNA, mention("question 1"))
    await discord.until(lambda: discord.called("channel"))
    discord.edit(first, mention("question one"))
    discord.say(thread, ANNA, mention("question 2"))
    discord.say(thread, ANNA, "and half days?")
    discord.delete(first)
    discord.say(GENERAL, ANNA, mention("elsewhere"))
    await discord.until(lambda: counter.events)
    gate.set()
    await counter.settled()

    kinds = [(type(event).__name__, getattr(event, "text", "")) for event in counter.events]
    assert kinds == [
        ("IncomingMessage", "elsewhere"),
        ("IncomingMessage", "question one"),  # as it reads when its turn comes
        ("MessageEdited", "question one"),
        ("IncomingMessage", "question 2"),
        ("IncomingMessage", "and half days?"),
        ("MessageDeleted", ""),
    ]
    assert {event.thread for event in counter.asked[1:]} == {Thread(SCOPE, str(thread.id))}
    assert all(event.midway for event in counter.asked[1:])


async def test_a_message_whose_thread_cannot_be_looked_up_is_read_with_the_next_one(
    discord: DiscordServer, counter: Counter
) -> None:
    thread = asleep(discord)
    await counter.settled()
    discord.fail("channel", http(503), times=None)
    discord.gateway.lose(1, "THREAD_UPDATE")
    discord.say(thread, ANNA, mention("question 1"))
    await counter.settled()
    discord.heal()
    discord.say(thread, ANNA, mention("question 2"))
    await counter.settled()

    assert counter.texts == ["question 1", "question 2"]


async def test_a_forums_post_is_a_question(discord: DiscordServer, counter: Counter) -> None:
    post = discord.start_post(FORUM, ANNA, "Days", mention())
    discord.say(post, ANNA, "and half days?")
    await counter.settled()

    first, second = counter.asked
    scope = Scope("discord", str(GUILD), str(FORUM))
    assert first.thread == second.thread == Thread(scope, str(post.id))
    assert (first.midway, second.midway) == (False, True)
    assert counter.named == {}


async def test_a_private_thread_is_a_channel_of_its_own(discord: DiscordServer, counter: Counter) -> None:
    thread = discord.start_thread(GENERAL, ANNA, "secret", private=True, members=[BOT])
    discord.say(thread, ANNA, mention())
    await counter.settled()

    (asked,) = counter.asked
    assert asked.thread == Thread(Scope("discord", str(GUILD), str(thread.id)), str(thread.id))


async def test_everything_said_directly_is_a_question(discord: DiscordServer, counter: Counter) -> None:
    direct = discord.direct(ANNA)
    message = discord.say(direct, ANNA, "how many days?")
    discord.edit(message, "how many half days?")
    discord.delete(message)
    await counter.settled()

    scope = Scope("discord", "direct", str(direct.id))
    (asked,), (edited,), (deleted,) = counter.asked, counter.edits, counter.deletions
    assert asked.thread == edited.thread == Thread(scope, str(direct.id))
    assert deleted.scope == scope


async def test_programs_and_talk_are_not_heard(discord: DiscordServer, counter: Counter) -> None:
    discord.say(GENERAL, ROBOT, mention())
    discord.say(GENERAL, ANNA, "@everyone how many days?")
    discord.start_thread(GENERAL, ANNA, "talk", start=discord.say(GENERAL, ANNA, "hello"))
    await counter.settled()

    assert counter.events == []


async def test_a_reply_to_an_answer_in_the_channel_goes_on_with_its_conversation(
    discord: DiscordServer, counter: Counter
) -> None:
    question = discord.say(NO_THREADS, ANNA, mention())
    follow_up = discord.say(
        NO_THREADS, ANNA, "and half days?", reply_to=answer(discord, question), ping=False
    )
    await counter.settled()
    discord.edit(follow_up, "and quarters of days?")
    discord.say(NO_THREADS, BEN, "I see.", reply_to=question, ping=False)
    await counter.settled()

    scope = Scope("discord", str(GUILD), str(NO_THREADS))
    assert counter.texts == ["how many days?", "and half days?"]
    assert counter.asked[1].thread == counter.edits[0].thread == Thread(scope, str(question.id))
    assert not counter.asked[1].mentioned


async def test_a_reply_with_a_ping_and_no_words_asks_nothing(
    discord: DiscordServer, counter: Counter
) -> None:
    question = discord.say(GENERAL, ANNA, mention())
    discord.say(GENERAL, ANNA, reply_to=answer(discord, question), files=[("plan.md", "# Plan")])
    await counter.settled()

    assert counter.texts == ["how many days?"]
    assert counter.names == ["plan.md"]


async def test_files_are_handed_over_at_once_and_before_the_question_about_them(
    discord: DiscordServer, counter: Counter
) -> None:
    discord.say(GENERAL, ANNA, mention("what is the plan?"), files=[("a.md", "# A"), ("b.md", "# B")])
    discord.say(discord.start_thread(GENERAL, ANNA, "a thread"), BEN, files=[("c.md", "# C")])
    discord.say(GENERAL, ROBOT, files=[("d.md", "# D")])
    await counter.settled()

    assert counter.names == ["a.md", "b.md", "c.md"]
    assert counter.texts == ["what is the plan?"]


async def test_an_edit_is_told_once_and_a_preview_or_pin_is_none(
    discord: DiscordServer, counter: Counter
) -> None:
    message = discord.say(GENERAL, ANNA, mention())
    discord.unfurl(message)
    discord.edit(message, mention("how many half days?"))
    discord.pin(message)
    await counter.settled()

    assert [edit.text for edit in counter.edits] == ["how many half days?"]


async def test_an_edit_that_is_told_again_after_a_later_one_does_not_count(
    discord: DiscordServer, counter: Counter
) -> None:
    message = discord.say(GENERAL, ANNA, mention("one"))
    discord.edit(message, mention("two"))
    discord.edit(message, mention("three"))
    await counter.settled()
    discord.gateway.rewind = 3
    discord.gateway.drop()
    await discord.gateway.ready(resumed=1)
    await counter.settled()

    assert [edit.text for edit in counter.edits] == ["two", "three"]


async def test_a_question_that_loses_its_mention_is_told_to_whom_it_may_concern(
    discord: DiscordServer, counter: Counter
) -> None:
    discord.edit(discord.say(GENERAL, ANNA, mention()), "how many half days?")
    await counter.settled()

    (edited,) = counter.edits
    assert not edited.mentioned


async def test_where_the_bot_does_not_see_everything_only_what_it_sees_counts(
    server: DiscordServer,
) -> None:
    server.privileged = 0
    async with Counter(server).listening() as counter:
        message = server.say(GENERAL, ANNA, mention())
        await counter.settled()
        server.edit(message, "how many half days?")
        server.say(server.start_thread(GENERAL, ANNA, "a thread"), ANNA, "and half days?")
        server.say(GENERAL, ANNA, mention("why?"))
        server.say(server.direct(ANNA), ANNA, "really?")
        await counter.settled()

    assert counter.texts == ["how many days?", "why?", "really?"]
    assert (counter.edits, counter.deletions) == ([], [])
    assert counter.posted == [(str(message.id), NOTE)]


async def test_what_the_bot_lacks_in_a_channel_is_named_once_to_whoever_mentions_it_there(
    discord: DiscordServer, counter: Counter
) -> None:
    discord.overwrite(SECOND, BOT, deny=Permission.ADD_REACTIONS | Permission.CREATE_PUBLIC_THREADS)
    await counter.settled()
    first = discord.say(SECOND, ANNA, mention())
    discord.say(SECOND, BEN, mention("and half days?"))
    discord.say(GENERAL, ANNA, mention())
    discord.say(discord.direct(ANNA), ANNA, "really?")
    await counter.settled()

    lacks = "Here I am not permitted: **Create Public Threads**, **Add Reactions**."
    assert counter.posted == [(str(first.id), f"{lacks} {GRANT}")]


async def test_in_a_thread_only_what_counts_there_is_lacking(
    discord: DiscordServer, counter: Counter
) -> None:
    thread = discord.start_thread(SECOND, ANNA, "a thread")
    discord.overwrite(SECOND, BOT, deny=Permission.CREATE_PUBLIC_THREADS)
    await counter.settled()
    discord.say(thread, ANNA, mention())
    await counter.settled()

    assert counter.posted == []


async def test_where_the_bot_may_not_write_it_says_nothing_and_can_say_it_later(
    discord: DiscordServer, counter: Counter
) -> None:
    discord.overwrite(SECOND, BOT, deny=Permission.SEND_MESSAGES | Permission.ADD_REACTIONS)
    await counter.settled()
    discord.say(SECOND, ANNA, mention())
    await counter.settled()
    assert counter.posted == []

    discord.overwrite(SECOND, BOT, deny=Permission.ADD_REACTIONS)
    await counter.settled()
    later = discord.say(SECOND, ANNA, mention())
    await counter.settled()

    assert [key for key, _ in counter.posted] == [str(later.id)]


async def test_a_file_that_is_taken_off_its_message_is_gone(discord: DiscordServer, counter: Counter) -> None:
    message = discord.say(GENERAL, ANNA, files=[("a.md", "# A"), ("b.md", "# B")])
    await counter.settled()
    discord.remove_file(message, "a.md")
    await counter.settled()

    a, b = (file.source.partition("#")[0] for file in counter.files)
    (removed,) = counter.removals
    assert isinstance(removed, FileRemoved)
    assert (removed.scope, removed.source) == (SCOPE, a)
    assert counter.gone == [a] != [b]


@pytest.mark.parametrize("remembered", [True, False])
async def test_files_that_discord_hides_are_not_gone(server: DiscordServer, *, remembered: bool) -> None:
    server.privileged = 0
    async with Counter(server).listening() as counter:
        message = server.say(GENERAL, ANNA, mention("here is the file"), files=[("a.md", "# A")])
        await counter.settled()
        (file,) = counter.files
        counter.held.append((SCOPE, file.source))
        if not remembered:
            counter.client._connection._messages.clear()  # type: ignore[union-attr]
        server.edit(message, "here is the file")
        await counter.settled()
        assert counter.removals == []

        server.edit(message, mention("here is the file"))
        server.remove_file(message, "a.md")
        await counter.settled()
        assert counter.gone == [file.source.partition("#")[0] if remembered else file.source]


async def test_a_file_that_is_taken_off_an_old_message_is_gone_too(
    discord: DiscordServer, counter: Counter
) -> None:
    message = discord.say(GENERAL, ANNA, files=[("a.md", "# A"), ("b.md", "# B")])
    await counter.settled()
    counter.held += [(SCOPE, file.source) for file in counter.files]
    counter.client._connection._messages.clear()  # type: ignore[union-attr]
    discord.remove_file(message, "a.md")
    await counter.settled()

    assert counter.gone == [counter.files[0].source]


async def test_the_files_of_messages_that_are_deleted_are_gone(
    discord: DiscordServer, counter: Counter
) -> None:
    messages = [discord.say(GENERAL, ANNA, files=[(f"{name}.md", f"# {name}")]) for name in "abcd"]
    await counter.settled()
    counter.held += [(SCOPE, file.source) for file in counter.files]
    discord.delete(messages[0])
    discord.delete(*messages[1:3])
    await counter.settled()

    assert counter.gone == [file.source for file in counter.files[:3]]
    assert [one.message_id for one in counter.deletions] == [str(one.id) for one in messages[:3]]


async def test_the_files_of_a_message_that_is_forwarded_come_and_go_with_the_one_that_forwards_it(
    discord: DiscordServer, counter: Counter
) -> None:
    original = discord.say(SECOND, BEN, files=[("a.md", "# A")])
    forward = discord.forward(original, discord.channel(GENERAL), ANNA)
    await counter.settled()
    first, second = counter.files
    counter.held += [(one.thread.scope, one.source) for one in counter.files]
    assert second.source.startswith(f"discord:{GUILD}/{GENERAL}/{forward.id}/")
    assert counter.texts == []

    discord.delete(forward)
    await counter.settled()
    assert counter.gone == [second.source]

    discord.delete(original)
    await counter.settled()
    assert counter.gone == [second.source, first.source]


async def test_a_question_that_the_bot_shows_for_somebody_is_taken_back_with_its_message(
    discord: DiscordServer, counter: Counter
) -> None:
    shown = discord.say(GENERAL, BOT, "anna asks: how many days?")
    discord.delete(shown)
    await counter.settled()

    assert [one.message_id for one in counter.deletions] == [str(shown.id)]


async def test_deletions_in_a_thread_in_the_archive_reach_its_channel(
    discord: DiscordServer, counter: Counter
) -> None:
    thread = discord.start_thread(GENERAL, ANNA, "a thread")
    message = discord.say(thread, ANNA, mention(), files=[("a.md", "# A")])
    await counter.settled()
    counter.held.append((SCOPE, counter.files[0].source))
    discord.archive(thread)
    discord.delete(message)
    await counter.settled()

    (deleted,) = counter.deletions
    assert deleted.scope == SCOPE
    assert counter.gone == [counter.files[0].source]


@pytest.mark.parametrize("archived", [False, True])
async def test_the_files_of_a_thread_that_is_deleted_are_gone(
    discord: DiscordServer, counter: Counter, archived: bool
) -> None:
    thread = discord.start_thread(GENERAL, ANNA, "a thread")
    discord.say(thread, ANNA, files=[("a.md", "# A")])
    discord.say(GENERAL, ANNA, files=[("b.md", "# B")])
    await counter.settled()
    counter.held += [(SCOPE, file.source) for file in counter.files]
    if archived:
        discord.archive(thread)
    discord.close_channel(thread)
    await counter.settled()

    assert counter.gone == [counter.files[0].source]


async def test_a_private_thread_that_is_deleted_is_a_lost_channel(
    discord: DiscordServer, counter: Counter
) -> None:
    thread = discord.start_thread(GENERAL, ANNA, "secret", private=True, members=[BOT])
    discord.close_channel(thread)
    await counter.settled()

    (lost,) = counter.removals
    assert isinstance(lost, ChannelLost)
    assert lost.scope == Scope("discord", str(GUILD), str(thread.id))


async def test_a_channel_is_lost_with_its_private_threads(discord: DiscordServer, counter: Counter) -> None:
    known = discord.start_thread(GENERAL, ANNA, "secret", private=True, members=[BOT])
    unknown = discord.start_thread(GENERAL, ANNA, "secret", private=True, members=[BOT])
    other = discord.start_thread(SECOND, ANNA, "secret", private=True, members=[BOT])
    places = [GENERAL, known.id, unknown.id, other.id, SECOND]
    scopes = [Scope("discord", str(GUILD), str(place)) for place in places]
    counter.held += [(scope, f"discord:{GUILD}/{scope.channel}/1/1") for scope in scopes]
    discord.archive(unknown)
    discord.archive(other)
    await counter.settled()
    discord.close_channel(discord.channel(GENERAL))
    await counter.settled()

    lost = [removal.scope for removal in counter.removals if isinstance(removal, ChannelLost)]
    assert set(lost) == set(scopes[:3])
    assert len(counter.removals) == len(lost)


async def test_a_server_that_removes_the_bot_is_lost(discord: DiscordServer, counter: Counter) -> None:
    discord.remove_bot()
    await counter.settled()

    (lost,) = counter.removals
    assert isinstance(lost, WorkspaceLost)
    assert (lost.platform, lost.workspace) == ("discord", str(GUILD))


async def test_an_outage_takes_nothing_away(discord: DiscordServer, counter: Counter) -> None:
    counter.held.append((SCOPE, f"discord:{GUILD}/{GENERAL}/1/1"))
    discord.outage()
    await counter.settled()
    discord.recover()
    discord.say(GENERAL, ANNA, mention())
    await counter.settled()

    assert counter.removals == []
    assert counter.texts == ["how many days?"]


@pytest.mark.parametrize(("emoji", "action"), [("👍", GOOD), ("👎", BAD), ("👍🏽", GOOD)])
async def test_a_thumb_at_an_answer_judges_it(
    discord: DiscordServer, counter: Counter, emoji: str, action: str
) -> None:
    reply = answer(discord, discord.say(GENERAL, ANNA, mention()))
    thread = Thread(SCOPE, "1")
    counter.questions[str(reply.id)] = thread, "question"
    for user in (ANNA, ROBOT, BOT):
        discord.react(reply, emoji, user)
    discord.react(discord.say(GENERAL, BEN, "I see."), emoji, ANNA)
    await counter.settled()

    (act,) = counter.acts
    assert (act.action, act.value, act.thread, act.author) == (action, "question", thread, str(ANNA))


async def test_a_thumb_at_an_answer_in_a_direct_conversation_judges_it(
    discord: DiscordServer, counter: Counter
) -> None:
    direct = discord.direct(ANNA)
    thread = Thread(Scope("discord", "direct", str(direct.id)), str(direct.id))
    reply = answer(discord, discord.say(direct, ANNA, "how many days?"))
    counter.questions[str(reply.id)] = thread, "question"
    discord.react(reply, "👎", ANNA)
    discord.react(reply, "👎", BOT)
    await counter.settled()

    (act,) = counter.acts
    assert (act.action, act.value, act.thread, act.author) == (BAD, "question", thread, str(ANNA))


async def test_a_stop_sign_stops_the_answer_from_being_written(
    discord: DiscordServer, counter: Counter
) -> None:
    question = discord.say(GENERAL, ANNA, mention())
    thread = Thread(SCOPE, str(question.id))
    counter.questions[str(question.id)] = thread, str(question.id)
    discord.react(question, "🛑", BEN)
    discord.react(discord.say(GENERAL, BEN, "I see."), "🛑", BEN)
    await counter.settled()

    assert counter.events[-1] == StopRequested(thread=thread)
    assert counter.acts == []


async def test_a_question_comes_once_for_each_time_it_is_told_and_always_as_the_same(
    discord: DiscordServer, counter: Counter
) -> None:
    discord.gateway.copies = 2
    discord.say(GENERAL, ANNA, mention())
    await counter.settled()

    assert len({event.message_id for event in counter.asked}) == 1


async def test_a_message_that_cannot_be_read_holds_up_no_other_and_stays_private(
    discord: DiscordServer,
    counter: Counter,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO)

    def fail(*_: object, **__: object) -> None:
        monkeypatch.undo()
        raise KeyError("my secret")

    monkeypatch.setattr("adapters.discord.messages.read_message", fail)
    discord.say(PRIVATE, ANNA, mention("my secret"))
    discord.say(PRIVATE, ANNA, mention())
    await counter.settled()

    assert counter.texts == ["how many days?"]
    assert "KeyError" in caplog.text
    assert "secret" not in caplog.text
