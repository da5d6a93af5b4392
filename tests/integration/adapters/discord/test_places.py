"""Where conversations stand: in threads, in posts of forums, in channels without threads, in private."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.calls import Refused
from adapters.discord.places import LONGEST_NAME, UNNAMED, Places, title
from bot.chat import Body, MessageGone, NotAllowed, RateLimited, Thread, Unreachable
from pipeline.domain import Scope
from tests.fakes.discord import (
    ANNA,
    BEN,
    BOT,
    FORUM,
    GENERAL,
    GUILD,
    HIDDEN,
    NEWS,
    NO_THREADS,
    Permission,
    http,
    rate_limited,
    refused,
    reset_after,
)
from tests.integration.adapters.discord.speaking import QUESTION, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ONE, TWO = Body(text="Five days.", nonce="k-0"), Body(text="Six days.", nonce="k-1")


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


def hurry(room: Speaking, seconds: float) -> None:
    """Let no answer wait for its thread any longer."""
    room.places = Places(room.client, room.calls, opening=seconds)
    room.adapter = DiscordAdapter(room.client, room.calls, room.places)


def threads(room: Speaking, channel: int = GENERAL) -> list[str]:
    return [thread.name for thread in room.discord.threads(channel)]


async def test_an_answer_opens_a_thread_that_is_named_after_its_question(room: Speaking) -> None:
    thread = room.ask(text="What is   the\nrefund policy?")

    ref = await room.adapter.post(thread, ONE)
    await room.adapter.post(thread, TWO)

    assert threads(room) == ["What is the refund policy?"]
    assert room.room(thread).id == int(thread.key)
    assert room.message(ref).channel is room.room(thread)
    assert [one.shown for one in room.discord.replies(GENERAL)] == []


async def test_nothing_is_opened_before_there_is_something_to_say(room: Speaking) -> None:
    room.ask()

    assert threads(room) == []
    assert room.called() == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x" * 300, "x" * (LONGEST_NAME - 1) + "…"),
        ("Who " + "pays " * 40, "Who " + "pays " * 18 + "pays…"),
        ("  \n ", UNNAMED),
        ("Who pays?", "Who pays?"),
        ("w" * LONGEST_NAME, "w" * LONGEST_NAME),
    ],
)
def test_names_are_short_single_lines(text: str, name: str) -> None:
    assert title(text) == name
    assert len(title(text)) <= LONGEST_NAME


async def test_after_a_restart_a_thread_is_found_again(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    room.renew()

    await room.adapter.edit(ref, TWO)
    await room.adapter.post(room.thread, Body(text="Seven days."))

    assert room.shown() == ["Six days.", "Seven days."]
    assert room.count("channel") == 2  # by the first process and by the second
    assert room.count("thread") == 1


async def test_a_question_that_nobody_noted_still_names_its_thread(room: Speaking) -> None:
    thread = room.ask(text=f"<@{BEN}> asks who pays", noted=False)

    await room.adapter.post(thread, ONE)

    assert threads(room) == ["@Ben asks who pays"]


async def test_a_thread_is_not_named_after_the_bot(room: Speaking) -> None:
    thread = room.ask(text=f"<@{BOT}> who pays?", noted=False)

    await room.adapter.post(thread, ONE)

    assert threads(room) == ["who pays?"]


async def test_a_message_that_is_only_a_file_names_its_thread(room: Speaking) -> None:
    message = room.discord.say(GENERAL, ANNA, files=[("handbook.pdf", b"%PDF")])

    await room.adapter.post(room.thread_of(message), ONE)

    assert threads(room) == ["handbook.pdf"]


async def test_where_messages_cannot_be_read_a_thread_has_a_plain_name(room: Speaking) -> None:
    thread = room.ask(noted=False)
    room.discord.fail("fetch", refused(50001))

    await room.adapter.post(thread, ONE)

    assert threads(room) == [UNNAMED]


async def test_a_thread_that_somebody_else_opened_from_the_question_is_used(room: Speaking) -> None:
    thread = room.ask()
    room.discord.start_thread(GENERAL, BEN, "My thread", start=room.discord.message(int(thread.key)))

    await room.adapter.post(thread, ONE)

    assert threads(room) == ["My thread"]
    assert room.shown(thread) == ["Five days."]


@pytest.mark.parametrize("fault", [reset_after(), http(503, done=True)], ids=["reset", "503"])
async def test_a_thread_whose_opening_was_not_confirmed_is_opened_once(room: Speaking, fault: object) -> None:
    thread = room.ask()
    room.discord.fail("thread", fault)  # type: ignore[arg-type]
    with pytest.raises(Unreachable):
        await room.adapter.post(thread, ONE)

    await room.adapter.post(thread, ONE)

    assert threads(room) == [QUESTION]
    assert room.shown(thread) == ["Five days."]


async def test_two_that_open_a_thread_at_once_share_it(room: Speaking) -> None:
    thread = room.ask()

    await asyncio.gather(room.adapter.post(thread, ONE), room.adapter.post(thread, TWO))

    assert threads(room) == [QUESTION]
    assert sorted(room.shown(thread)) == ["Five days.", "Six days."]


async def test_a_limit_on_opening_threads_is_told(room: Speaking) -> None:
    thread = room.ask()
    room.discord.fail("thread", rate_limited(3, via=False))
    with pytest.raises(RateLimited) as caught:
        await room.adapter.post(thread, ONE)
    await room.adapter.post(thread, ONE)

    assert caught.value.retry_after == 3.0
    assert threads(room) == [QUESTION]


async def test_a_limit_for_all_calls_that_outlasts_an_answers_patience_ends(room: Speaking) -> None:
    hurry(room, 0.05)
    room.discord.fail("thread", rate_limited(0.3, "global"))

    async with asyncio.timeout(5.0):
        await room.adapter.post(room.ask(), ONE)
        await room.adapter.post(room.ask(NO_THREADS), ONE)

    assert room.client.breakable


async def test_threads_are_opened_one_after_the_other_although_their_limit_lasts_long(room: Speaking) -> None:
    room.discord.rates.told = room.discord.rates.enforced = True
    for number in range(3):
        await room.adapter.post(room.ask(text=f"Number {number}?"), ONE)

    assert threads(room) == ["Number 0?", "Number 1?", "Number 2?"]


async def test_when_no_more_threads_may_be_opened_for_now_answers_are_replies(room: Speaking) -> None:
    room.discord.rates.told = room.discord.rates.enforced = True
    room.discord.rates.change("threads", 1)
    hurry(room, 1.0)
    first, *others = [room.ask(text=f"Number {number}?") for number in range(5)]

    async with asyncio.timeout(4.0):  # only the first of them waits for what does not come
        for thread in (first, *others):
            await room.adapter.post(thread, ONE)

    assert threads(room) == ["Number 0?"]
    assert room.shown(first) == ["Five days."]
    assert room.shown(others[0]) == ["Five days."] * 4
    assert room.discord.rates.refusals == 0


async def test_threads_that_are_opened_at_once_do_not_make_discord_py_wait(room: Speaking) -> None:
    """It counts calls that are on their way twice."""
    room.discord.rates.told = room.discord.rates.enforced = True
    room.discord.rates.change("threads", 20)
    hurry(room, 5.0)
    conversations = [room.ask() for _ in range(15)]

    await asyncio.gather(*(room.adapter.post(thread, ONE) for thread in conversations))

    assert len(threads(room)) == 15
    assert room.count("channel") == 0  # nothing that took too long was looked for


async def test_what_forbids_a_thread_is_remembered_although_the_answer_was_not_sent(room: Speaking) -> None:
    thread = room.ask(NO_THREADS)
    room.discord.fail("send", http(503))
    with pytest.raises(Unreachable):
        await room.adapter.post(thread, ONE)

    await room.adapter.post(thread, ONE)

    assert room.count("thread") == 1


async def test_that_there_is_no_thread_yet_is_asked_once(room: Speaking) -> None:
    for _ in range(3):
        await room.adapter.set_status(room.thread, "Searching…")
    await room.adapter.post(room.thread, ONE)

    assert room.count("channel") == 1
    assert room.shown() == ["Five days."]


async def test_an_announcement_channel_has_threads_too(room: Speaking) -> None:
    thread = room.ask(NEWS)

    await room.adapter.post(thread, ONE)

    assert room.shown(thread) == ["Five days."]


async def test_where_no_thread_may_be_opened_the_question_is_replied_to(room: Speaking) -> None:
    thread = room.ask(NO_THREADS)
    room.discord.say(NO_THREADS, BEN, "Something else")

    refs = [await room.adapter.post(thread, body) for body in (ONE, TWO)]
    await room.adapter.edit(refs[0], Body(text="Seven days."))

    assert threads(room, NO_THREADS) == []
    assert room.shown(thread) == ["Seven days.", "Six days."]
    assert {one.answered for one in room.replies(thread)} == {room.discord.message(int(thread.key))}
    assert room.discord.pings == []
    assert room.count("thread") == 1


@pytest.mark.parametrize("code", [50024, 160006, 200000, 50013])
async def test_whatever_forbids_a_thread_the_answer_is_a_reply(room: Speaking, code: int) -> None:
    thread = room.ask()
    room.discord.fail("thread", refused(code, 403), times=None)

    await room.adapter.post(thread, ONE)

    assert [one.shown for one in room.discord.replies(GENERAL)] == ["Five days."]


async def test_after_a_restart_replies_are_edited_and_continued_in_the_channel(room: Speaking) -> None:
    thread = room.ask(NO_THREADS)
    ref = await room.adapter.post(thread, ONE)
    room.renew()
    role = room.discord.guild.role_of(BOT)

    await room.adapter.edit(ref, Body(text="Seven days."))
    room.discord.channel(NO_THREADS).overwrites.clear()
    await room.adapter.post(thread, TWO)

    assert role.permissions & Permission.CREATE_PUBLIC_THREADS
    assert threads(room, NO_THREADS) == []
    assert room.shown(thread) == ["Seven days.", "Six days."]


async def test_a_reply_without_the_right_to_read_history_is_a_plain_message(room: Speaking) -> None:
    thread = room.ask(NO_THREADS)
    room.discord.fail("send", refused(160002))

    await room.adapter.post(thread, ONE)

    (message,) = room.replies(thread)
    assert message.shown == "Five days."
    assert message.answered is None


async def test_the_answer_to_a_question_that_was_deleted_has_no_place(room: Speaking) -> None:
    for noted in (True, False):
        thread = room.ask(noted=noted)
        room.discord.delete(room.discord.message(int(thread.key)))

        with pytest.raises(MessageGone):
            await room.adapter.post(thread, ONE)

    assert threads(room) == []


async def test_a_thread_that_was_deleted_is_gone_with_its_messages(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    room.discord.close_channel(room.room())

    for call in (room.adapter.edit(ref, TWO), room.adapter.delete(ref)):
        with pytest.raises(MessageGone) as gone:
            await call
        assert gone.value.everything

    assert threads(room) == []


@pytest.mark.parametrize("cached", [True, False])
async def test_what_is_said_after_a_thread_was_deleted_replies_to_the_question(
    room: Speaking, cached: bool
) -> None:
    await room.adapter.post(room.thread, ONE)
    if not cached:
        room.renew()
        await room.places.open(room.thread)
    room.discord.close_channel(room.room())

    ref = await room.adapter.post(room.thread, TWO)
    await room.adapter.edit(ref, ONE)
    await room.adapter.post(room.thread, Body(text="Six days.", nonce="k-2"))

    assert threads(room) == []
    said = room.discord.replies(GENERAL)
    assert [(one.shown, one.answered) for one in said] == [
        ("Five days.", room.question),
        ("Six days.", room.question),
    ]


async def test_where_the_channel_was_deleted_with_its_threads_nothing_is_said(room: Speaking) -> None:
    await room.adapter.post(room.thread, ONE)
    room.discord.delete_channel(GENERAL)

    with pytest.raises(MessageGone):
        await room.adapter.post(room.thread, TWO)


async def test_a_channel_out_of_sight_is_not_allowed(room: Speaking) -> None:
    with pytest.raises(NotAllowed):
        await room.adapter.post(room.ask(HIDDEN), ONE)


async def test_a_post_in_a_forum_is_answered_in_itself(room: Speaking) -> None:
    post = room.discord.start_post(FORUM, ANNA, "Refunds", "How long do they take?")
    thread = Thread(await room.places.scope(GUILD, post.id), str(post.id))

    await room.adapter.post(thread, ONE)

    assert thread.scope.channel == str(FORUM)
    assert [one.shown for one in room.discord.replies(post)] == ["Five days."]
    assert room.count("thread", "new thread") == 0


async def test_a_thread_that_discord_py_does_not_know_is_written_in(room: Speaking) -> None:
    channel = room.discord.start_thread(GENERAL, BEN, "Old talk")
    room.discord.archive(channel)
    thread = Thread(await room.places.scope(GUILD, channel.id), str(channel.id))

    await room.adapter.post(thread, ONE)

    assert thread.scope.channel == str(GENERAL)
    assert [one.shown for one in room.discord.replies(channel)] == ["Five days."]


async def test_direct_messages_are_one_conversation(room: Speaking) -> None:
    direct = room.discord.direct(ANNA)
    scope = await room.places.scope(None, direct.id)
    thread = Thread(scope, str(direct.id))

    ref = await room.adapter.post(thread, ONE)
    await room.adapter.edit(ref, TWO)

    assert str(scope) == str(Scope("discord", "direct", str(direct.id)))
    assert [one.shown for one in room.discord.replies(direct)] == ["Six days."]
    assert room.called() == ["send", "edit"]


async def test_a_person_who_takes_no_messages_is_not_allowed(room: Speaking) -> None:
    direct = room.discord.direct(ANNA)
    room.discord.fail("send", refused(50007))

    with pytest.raises(Refused):
        await room.adapter.post(Thread(Scope("discord", "direct", str(direct.id)), str(direct.id)), ONE)


async def test_a_private_thread_keeps_its_files_to_itself(room: Speaking) -> None:
    secret = room.discord.start_thread(GENERAL, ANNA, "Secret", private=True, members=[BOT])
    shared = room.discord.start_thread(GENERAL, ANNA, "Open")

    scopes = [await room.places.scope(GUILD, one) for one in (secret.id, shared.id, GENERAL, secret.id)]

    assert [scope.channel for scope in scopes] == [str(secret.id), str(GENERAL), str(GENERAL), str(secret.id)]
    assert room.count("channel") == 3
    ref = await room.adapter.post(Thread(scopes[0], str(secret.id)), ONE)
    assert room.message(ref).channel is secret


async def test_a_scope_that_cannot_be_told_is_an_error(room: Speaking) -> None:
    with pytest.raises(MessageGone):
        await room.places.scope(GUILD, 1)
    with pytest.raises(NotAllowed):
        await room.places.scope(GUILD, HIDDEN)


async def said(room: Speaking, text: str, answered: object) -> object:
    """Let Ben reply to a message, and return what discord.py makes of it."""
    message = room.discord.say(NO_THREADS, BEN, text, reply_to=answered)  # type: ignore[arg-type]
    return await room.client.get_partial_messageable(NO_THREADS).fetch_message(message.id)


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_reply_to_an_answer_in_a_channel_goes_on_with_its_conversation(
    room: Speaking, restarted: bool
) -> None:
    thread = room.ask(NO_THREADS)
    ref = await room.adapter.post(thread, ONE)
    follow_up = await said(room, "And in June?", room.message(ref))
    room.places.note_question(thread, "And in June?", follow_up)  # type: ignore[arg-type]
    second = await room.adapter.post(thread, TWO)
    if restarted:
        room.renew()
    third = await said(room, "And in July?", room.message(second))
    asked_before = room.count("fetch")

    assert await room.places.continued(thread.scope, follow_up) == thread  # type: ignore[arg-type]
    assert await room.places.continued(thread.scope, third) == thread  # type: ignore[arg-type]
    assert (room.count("fetch") > asked_before) is restarted
    assert room.message(second).answered is room.discord.message(follow_up.id)  # type: ignore[attr-defined]


async def test_a_reply_to_somebody_else_goes_on_with_nothing(room: Speaking) -> None:
    scope = Scope("discord", str(GUILD), str(NO_THREADS))
    first = room.discord.say(NO_THREADS, ANNA, "Lunch?")
    reply = await said(room, "Yes", first)
    third = await said(room, "Where?", room.discord.message(reply.id))  # type: ignore[attr-defined]
    channel = room.client.get_partial_messageable(NO_THREADS)

    assert await room.places.continued(scope, reply) is None  # type: ignore[arg-type]
    assert await room.places.continued(scope, third) is None  # type: ignore[arg-type]
    assert await room.places.continued(scope, await channel.fetch_message(first.id)) is None
    room.discord.delete(first)
    again = await channel.fetch_message(reply.id)  # type: ignore[attr-defined]
    assert await room.places.continued(scope, again) is None


async def test_a_reply_to_an_answer_whose_question_is_gone_still_belongs_to_it(room: Speaking) -> None:
    thread = room.ask(NO_THREADS)
    ref = await room.adapter.post(thread, ONE)
    room.discord.delete(room.discord.message(int(thread.key)))
    room.renew()

    reply = await said(room, "And in June?", room.message(ref))

    assert await room.places.continued(thread.scope, reply) == thread  # type: ignore[arg-type]
