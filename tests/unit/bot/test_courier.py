from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat import Body, Button, MessageGone, NotAllowed, RateLimited, Share, Thread, TooLong, Unreachable
from bot.courier import Courier, bodies, courier_for
from bot.pacing import Limiter, Limiters
from pipeline.domain import Scope
from tests.fakes.chat import EDITED, FLAT, STREAMED, FakeChat
from tests.fakes.clock import FakeClock

THREAD = Thread(Scope("fake", "w", "c"), "1")
LONG = " ".join(f"Sentence {number}." for number in range(300))


def courier(chat: FakeChat, clock: FakeClock | None = None) -> Courier:
    return Courier(chat, Limiter(1.0), clock or FakeClock())


async def test_a_long_body_is_posted_in_parts_and_in_order() -> None:
    chat = FakeChat()

    refs = await courier(chat).post(THREAD, Body(text=LONG, preview="In short", nonce="n"))

    assert refs == list(chat.messages)
    assert " ".join(chat.texts()) == LONG
    previews = [shown.body.preview for shown in chat.messages.values()]
    assert previews == ["In short", None, None]


async def test_limits_and_losses_are_waited_out() -> None:
    clock = FakeClock()
    chat = FakeChat()
    chat.fail("post", RateLimited(9.0), Unreachable(), Unreachable(), RateLimited(1.0))

    await courier(chat, clock).post(THREAD, Body(text="Hello."))

    assert chat.texts() == ["Hello."]
    assert clock.monotonic() == 9.0 + 1.0 + 2.0 + 1.0


async def test_a_part_that_is_too_long_once_rendered_is_split_again() -> None:
    chat = FakeChat(overhead=900)

    await courier(chat).post(THREAD, Body(text=LONG, nonce="n"))

    assert " ".join(chat.texts()) == LONG


async def test_what_no_splitting_helps_is_raised() -> None:
    with pytest.raises(TooLong):
        await courier(FakeChat(overhead=1990)).post(THREAD, Body(text=LONG))


async def test_what_is_forbidden_is_raised_at_once() -> None:
    chat = FakeChat()
    chat.fail("post", NotAllowed())

    with pytest.raises(NotAllowed):
        await courier(chat).post(THREAD, Body(text="Hello."))

    assert chat.count("post") == 1


async def test_removing_goes_on_past_what_is_gone_or_may_not_be_removed() -> None:
    chat = FakeChat()
    carrier = courier(chat)
    refs = [ref for n in range(3) for ref in await carrier.post(THREAD, Body(text=f"{n}"))]
    chat.fail("delete", MessageGone(), NotAllowed())

    await carrier.remove(refs)

    assert chat.texts() == ["0", "1"]


async def test_a_status_is_said_once_and_taken_back_once() -> None:
    chat = FakeChat()
    carrier = courier(chat)

    await carrier.show_status(THREAD, "Searching…")
    await carrier.show_status(THREAD, "Searching…")
    await carrier.end_status()
    await carrier.end_status()

    assert chat.statuses == ["Searching…", None]


async def test_a_status_uses_up_no_budget_and_may_be_lost() -> None:
    chat = FakeChat()
    carrier = courier(chat)
    chat.fail("set_status", RateLimited(100.0), Unreachable())

    await carrier.show_status(THREAD, "Searching…")
    await carrier.end_status()

    assert carrier.delay == 0


async def test_what_the_platform_streams_uses_up_a_budget_of_its_own() -> None:
    chat = FakeChat()
    carrier = Courier(chat, Limiter(1.0), FakeClock(), feed=Limiter(2.0))

    await carrier.streaming.once(lambda: chat.post(THREAD, Body(text="Hello.")))

    assert carrier.delay == 0
    assert carrier.streaming.delay == 2.0


async def test_where_threads_share_a_budget_of_edits_an_answer_appears_and_ends_without_it() -> None:
    chat, limiters, clock = FakeChat(STREAMED), Limiters(), FakeClock()
    one, other = (courier_for(chat, Thread(THREAD.scope, key), limiters, clock) for key in "12")

    await one.alone.once(lambda: chat.post(THREAD, Body(text="Hello.")))

    assert (one.delay, one.alone.delay, other.alone.delay) == (0, 0, 0)


async def test_an_answer_that_is_refused_a_place_waits_alone() -> None:
    chat, limiters, clock = FakeChat(STREAMED), Limiters(), FakeClock()
    one, other = (courier_for(chat, Thread(THREAD.scope, key), limiters, clock) for key in "12")
    chat.fail("post", RateLimited(7.0))

    with pytest.raises(RateLimited):
        await one.alone.once(lambda: chat.post(THREAD, Body(text="Hello.")))

    assert (one.alone.delay, one.delay, other.alone.delay) == (7.0, 0, 0)


async def test_where_each_thread_has_its_own_budget_all_of_an_answer_uses_it_up() -> None:
    chat = FakeChat(replace(EDITED, edit_share=Share.THREAD))
    carrier = courier_for(chat, THREAD, Limiters(), FakeClock())

    await carrier.alone.once(lambda: chat.post(THREAD, Body(text="Hello.")))

    assert carrier.delay == 1.0


def test_buttons_go_to_the_last_part_up_to_what_the_platform_shows() -> None:
    buttons = tuple(Button(label=f"{n}", action="a", fallback=f"do {n}") for n in range(7))

    pieces = bodies(Body(text=LONG, buttons=buttons), EDITED)

    assert [len(piece.buttons) for piece in pieces] == [0, 0, 5]
    assert pieces[-1].text.endswith("do 5\n\ndo 6")


def test_a_button_without_a_fallback_may_be_left_out() -> None:
    (piece,) = bodies(Body(text="Hello.", buttons=(Button(label="x", action="a"),)), FLAT)

    assert piece == Body(text="Hello.")


def test_an_empty_body_still_shows_something() -> None:
    assert [piece.text for piece in bodies(Body(text=" "), FLAT)] == ["…"]
