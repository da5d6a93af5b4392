"""Messages that are posted, changed and taken back, whatever happens to Discord's answers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from adapters.discord.budgets import CHANNEL
from adapters.discord.calls import Refused
from adapters.discord.strays import REMEMBERED
from bot.budgets import SHARE
from bot.chat import Body, Button, MessageGone, MessageRef, NotAllowed, RateLimited, Unreachable
from bot.controls import under_answer, while_writing
from tests.contracts.posts import ONE, PostsContract
from tests.fakes.discord import ANNA, Fault, Permission, http, refused, reset_after, reset_before
from tests.integration.adapters.discord.speaking import Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HOUR = 3_600.0


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


class TestPostsOnDiscord(PostsContract):
    posting, editing, fault = "send", "edit", Fault


def payload(room: Speaking, route: str) -> dict[str, Any]:
    return room.discord.called(route)[-1].body


async def test_every_call_pings_nobody_and_hides_previews(room: Speaking) -> None:
    room.client._connection.allowed_mentions = None  # some of discord.py's calls forget the client's own
    ref = await room.adapter.post(room.thread, ONE)
    await room.adapter.edit(ref, Body(text="Six days: https://example.com", buttons=under_answer("1")))

    assert payload(room, "send")["allowed_mentions"] == {"parse": []}
    assert payload(room, "edit")["allowed_mentions"] == {"parse": []}
    assert "flags" not in payload(room, "edit")
    assert all(moment.flags & 4 for moment in room.message(ref).moments)


async def test_an_edit_replaces_the_buttons_too(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, Body(text="Wait", buttons=while_writing("1")))
    assert room.message(ref).buttons == ["Stop"]

    await room.adapter.edit(ref, Body(text="Done", buttons=under_answer("1")))
    assert room.message(ref).buttons == ["👍", "👎", "Sources", "Why this answer"]
    await room.adapter.edit(ref, Body(text="Done"))
    assert room.message(ref).buttons == []


async def test_views_are_not_kept_by_the_client(room: Speaking) -> None:
    for number in range(3):
        ref = await room.adapter.post(room.thread, Body(text="Wait", buttons=while_writing(str(number))))
        await room.adapter.edit(ref, Body(text="Done", buttons=under_answer(str(number))))
        room.clock.advance(10.0)

    assert room.client.persistent_views == []


@pytest.mark.parametrize("fault", [reset_after(), http(503, done=True)], ids=["reset", "503"])
async def test_a_post_whose_answer_was_lost_is_not_posted_again(room: Speaking, fault: Fault) -> None:
    room.discord.fail("send", fault)
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    ref = await room.adapter.post(room.thread, ONE)

    assert [str(one.id) for one in room.replies()] == [ref.id]
    assert room.count("history") == 0


async def test_a_post_that_discord_py_repeats_by_itself_stands_once(room: Speaking) -> None:
    room.discord.fail("send", http(502, done=True))

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1
    assert room.count("send") == 2


@pytest.mark.parametrize("fault", [reset_before(), http(503)], ids=["reset", "503"])
async def test_a_post_that_never_arrived_is_posted(room: Speaking, fault: Fault) -> None:
    room.discord.fail("send", fault)
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1


async def test_what_discord_has_forgotten_is_found_by_its_words(room: Speaking) -> None:
    room.discord.nonce_seconds = REMEMBERED
    room.discord.fail("send", reset_after())
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)
    room.clock.advance(2 * REMEMBERED)

    ref = await room.adapter.post(room.thread, ONE)
    await room.adapter.post(room.thread, Body(text=ONE.text, nonce="k-1"))

    assert str(room.replies()[0].id) == ref.id
    assert len(room.shown()) == 2


async def test_what_discord_has_forgotten_is_found_by_what_its_buttons_are_about(room: Speaking) -> None:
    room.discord.nonce_seconds = REMEMBERED
    room.discord.fail("send", reset_after())
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, Body(text="Wait", nonce="k-0", buttons=while_writing("17")))
    room.clock.advance(2 * REMEMBERED)

    await room.adapter.post(room.thread, Body(text="Done", nonce="k-0", buttons=under_answer("17")))

    assert len(room.shown()) == 1


async def test_what_cannot_be_told_now_is_not_posted_twice(room: Speaking) -> None:
    room.discord.nonce_seconds = REMEMBERED
    room.discord.fail("send", reset_after())
    room.discord.fail("history", http(503))
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)
    room.clock.advance(2 * REMEMBERED)
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1


async def test_once_it_was_looked_for_discord_is_trusted_again(room: Speaking) -> None:
    for fault in (reset_before(), reset_after()):
        room.clock.advance(2 * REMEMBERED)
        room.discord.fail("send", fault)
        with pytest.raises(Unreachable):
            await room.adapter.post(room.thread, ONE)

    await room.adapter.post(room.thread, Body(text="Six days.", nonce=ONE.nonce))

    assert len(room.shown()) == 1
    assert room.count("history") == 1


async def test_where_history_cannot_be_read_a_second_message_is_better_than_none(room: Speaking) -> None:
    room.discord.fail("send", reset_before())
    room.discord.fail("history", refused(50001), times=None)
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)
    room.clock.advance(2 * REMEMBERED)

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1


@pytest.mark.parametrize("minutes", [0, 30])
async def test_a_new_process_finds_what_a_dead_one_had_just_posted(room: Speaking, minutes: int) -> None:
    ref = await room.adapter.post(
        room.thread, Body(text="_Searching…_", nonce="k-0", buttons=while_writing("17"))
    )
    room.clock.advance(60.0 * minutes)
    room.renew()
    again = Body(text="Five days.", nonce="k-0", repeated=True, buttons=while_writing("17"))

    assert await room.adapter.post(room.thread, again) == ref
    assert len(room.shown()) == 1


async def test_a_new_process_takes_nothing_for_its_own_that_is_about_something_else(room: Speaking) -> None:
    for text, buttons in (
        ("Five days.", under_answer("16")),
        ("**a.pdf** was indexed.", ()),
        ("**b.pdf** was indexed.", (Button(label="Retire", action="forget", value="d1"),)),
    ):
        await room.adapter.post(room.thread, Body(text=text, buttons=buttons))
    room.renew()

    for n, buttons in enumerate(
        ((), (Button(label="Retire", action="forget", value="d1"),), while_writing("17"))
    ):
        body = Body(text="**a.pdf** was indexed.", nonce=f"k-{n}", repeated=True, buttons=buttons)
        await room.adapter.post(room.thread, body)

    assert len(room.shown()) == 6


async def test_a_message_that_is_known_here_is_not_taken_for_a_lost_one(room: Speaking) -> None:
    room.renew()
    first = Body(text="One.", nonce="k-0", repeated=True, buttons=while_writing("17"))
    second = Body(text="Two.", nonce="k-1", repeated=True, buttons=under_answer("17"))

    refs = [await room.adapter.post(room.thread, body) for body in (first, second)]

    assert len(set(refs)) == len(room.shown()) == 2


async def test_a_lost_message_that_somebody_deleted_is_posted_anew(room: Speaking) -> None:
    room.discord.fail("send", reset_after())
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)
    room.discord.delete(room.replies()[0])

    room.discord.fail("send", reset_after(), skip=1)
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)
    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1


async def test_the_same_nonce_in_another_conversation_is_another_message(room: Speaking) -> None:
    other = room.ask()
    for thread in (room.thread, other):
        await room.adapter.post(thread, ONE)

    assert len(room.shown()) == len(room.shown(other)) == 1


async def test_nothing_is_looked_up_when_nothing_went_wrong(room: Speaking) -> None:
    thread = room.ask()
    refs = [await room.adapter.post(thread, Body(text="One.", nonce=f"k-{n}")) for n in range(2)]
    await room.adapter.edit(refs[0], ONE)

    assert room.called() == ["thread", "send", "send", "edit"]


async def test_an_edit_that_can_be_stopped_leaves_room_for_the_last_one(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, Body(text="0 …", buttons=while_writing("q")))
    for number in range(1, int(CHANNEL.most * SHARE)):
        await room.adapter.edit(ref, Body(text=f"{number} …", buttons=while_writing("q")))
    with pytest.raises(RateLimited):
        await room.adapter.edit(ref, Body(text="One more …", buttons=while_writing("q")))

    await room.adapter.edit(ref, Body(text="The last one."))

    assert room.shown() == ["The last one."]
    assert room.discord.rates.over() == {}


async def test_a_post_that_can_be_stopped_leaves_room_for_the_last_one(room: Speaking) -> None:
    for number in range(int(CHANNEL.most * SHARE)):
        await room.adapter.post(room.thread, Body(text=f"{number} …", buttons=while_writing("q")))
    with pytest.raises(RateLimited):
        await room.adapter.post(room.thread, Body(text="One more …", buttons=while_writing("q")))

    await room.adapter.post(room.thread, Body(text="The last one."))

    assert room.discord.rates.over() == {}


async def test_no_edit_that_may_be_left_out_is_held_back_by_discord_py(room: Speaking) -> None:
    """It waits inside the call that uses a limit up, until that is over; the last word may."""
    room.discord.rates.told = room.discord.rates.enforced = True
    async with asyncio.timeout(4.0):
        ref = await room.adapter.post(room.thread, Body(text="0 …", buttons=while_writing("q")))
        for number in range(1, 4):
            await room.adapter.edit(ref, Body(text=f"{number} …", buttons=while_writing("q")))
        with pytest.raises(RateLimited):
            await room.adapter.edit(ref, Body(text="One more …", buttons=while_writing("q")))

    last = asyncio.create_task(room.adapter.edit(ref, Body(text="The last one.")))
    await room.discord.until(lambda: room.shown() == ["The last one."])
    await asyncio.wait([last], timeout=0.05)

    assert not last.done()
    assert room.discord.rates.refusals == 0
    last.cancel()


async def test_a_client_that_was_closed_is_unreachable(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    await room.client.close()

    for call in (room.adapter.edit(ref, ONE), room.adapter.post(room.thread, ONE)):
        with pytest.raises(Unreachable):
            await call


async def test_an_answer_that_is_no_answer_of_discords_is_unreachable(room: Speaking) -> None:
    room.discord.fail("send", http(203))
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1


async def test_a_message_of_somebody_else_cannot_be_edited(room: Speaking) -> None:
    await room.adapter.post(room.thread, ONE)
    theirs = room.discord.say(room.room(), ANNA, "Thanks")

    with pytest.raises(NotAllowed):
        await room.adapter.edit(MessageRef(room.thread, str(theirs.id)), ONE)


async def test_a_message_that_nobody_knows_is_gone(room: Speaking) -> None:
    await room.adapter.post(room.thread, ONE)
    ref = MessageRef(room.thread, "1")

    for call in (room.adapter.edit(ref, ONE), room.adapter.delete(ref)):
        with pytest.raises(MessageGone):
            await call


async def test_what_automatic_moderation_blocks_is_not_allowed(room: Speaking) -> None:
    room.discord.fail("send", refused(200000))

    with pytest.raises(Refused) as caught:
        await room.adapter.post(room.thread, ONE)

    assert caught.value.code == 200000


async def test_the_last_word_takes_a_thread_out_of_the_archive(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    room.discord.archive(room.room())

    with pytest.raises(NotAllowed):
        await room.adapter.edit(ref, Body(text="Still at it", buttons=while_writing("q")))
    assert room.shown() == [ONE.text]
    await room.adapter.edit(ref, Body(text="Six days."))

    assert room.shown() == ["Six days."]


async def test_a_message_takes_its_thread_out_of_the_archive_by_itself(room: Speaking) -> None:
    await room.adapter.post(room.thread, ONE)
    room.discord.archive(room.room())

    await room.adapter.post(room.thread, Body(text="Two."))

    assert len(room.shown()) == 2
    assert room.count("change channel") == 0


async def test_a_locked_thread_is_not_written_in(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    room.discord.archive(room.room(), locked=True)

    for call in (room.adapter.post(room.thread, ONE), room.adapter.edit(ref, ONE)):
        with pytest.raises(NotAllowed):
            await call


async def test_messages_of_more_than_an_hour_are_edited_rarely(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    room.clock.advance(2 * HOUR)
    for number in range(2):
        await room.adapter.edit(ref, Body(text=f"{number} …", buttons=while_writing("q")))
    with pytest.raises(RateLimited):
        await room.adapter.edit(ref, Body(text="One more …", buttons=while_writing("q")))

    await room.adapter.edit(ref, Body(text="The last one."))

    assert room.shown() == ["The last one."]
    assert room.discord.rates.over() == {}


async def test_a_message_that_stays_too_old_to_be_edited_makes_room_for_a_new_one(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    too_old = refused(30046)
    room.discord.fail("edit", too_old, times=None)
    with pytest.raises(RateLimited):
        await room.adapter.edit(ref, Body(text="Six days."))
    room.clock.advance(10.0)

    with pytest.raises(MessageGone):
        await room.adapter.edit(ref, Body(text="Six days."))

    assert room.shown() == []


async def test_permissions_that_were_taken_are_not_allowed(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    room.discord.guild.role_of(room.discord.bot.id).permissions &= ~Permission.VIEW_CHANNEL
    room.discord.guild.everyone.permissions &= ~Permission.VIEW_CHANNEL

    for call in (room.adapter.post(room.thread, ONE), room.adapter.edit(ref, ONE), room.adapter.delete(ref)):
        with pytest.raises(NotAllowed):
            await call
