from __future__ import annotations

import asyncio
import gc
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.chat import Capabilities, Share, Thread, Threading
from bot.pacing import CALM, RECENT, WIDEN, WIDEST, Limiter, Limiters, first_of
from pipeline.domain import Scope

ONE = Thread(Scope("fake", "w", "c"), "1")
TWO = Thread(Scope("fake", "w", "c"), "2")
ELSEWHERE = Thread(Scope("fake", "w2", "c"), "1")


def capabilities(share: Share) -> Capabilities:
    return Capabilities(max_chars=100, edit_interval=1.2, threading=Threading.NATIVE, edit_share=share)


def test_the_first_edit_goes_at_once_and_the_second_after_the_interval() -> None:
    limiter = Limiter(2.0)
    assert limiter.delay(10.0) == 0

    limiter.take(10.0)

    assert limiter.delay(10.5) == 1.5
    assert limiter.delay(12.0) == 0


def test_a_final_edit_does_not_wait_for_the_interval() -> None:
    limiter = Limiter(2.0)

    limiter.take(10.0)

    assert limiter.delay(10.0, final=True) == 0


def test_a_final_edit_waits_out_what_the_platform_asked_for() -> None:
    limiter = Limiter(2.0)

    limiter.limited(10.0, 7.0)

    assert limiter.delay(12.0, final=True) == 5.0
    assert limiter.delay(17.0, final=True) == 0


def test_a_platform_that_asks_to_wait_for_no_time_is_not_asked_again_at_once() -> None:
    limiter = Limiter(2.0)

    limiter.limited(10.0, 0.0)

    assert limiter.delay(10.0, final=True) > 0


def test_while_a_final_edit_is_pending_no_other_goes() -> None:
    limiter = Limiter(2.0)

    with limiter.finishing():
        assert limiter.delay(10.0) > 0
        assert limiter.delay(10.0, final=True) == 0

    assert limiter.delay(10.0) == 0


def test_a_limit_widens_the_interval_and_success_narrows_it_again() -> None:
    limiter = Limiter(1.0)
    limiter.limited(0.0, 1.0)
    limiter.limited(1.0, 1.0)
    assert limiter.interval == 4.0

    for _ in range(50):
        limiter.landed()

    assert limiter.interval == 1.0


def test_a_limit_is_forgotten_with_time_where_nothing_lands() -> None:
    limiter = Limiter(1.0)
    for _ in range(6):
        limiter.limited(0.0, 5.0)
    assert limiter.interval == WIDEST

    limiter.take(5.0 + CALM)
    assert limiter.interval == WIDEST / 2

    limiter.take(5.0 + 10 * CALM)
    assert limiter.interval == 1.0


def test_caution_does_not_shrink_while_the_platform_still_asks_to_wait() -> None:
    limiter = Limiter(1.0)
    limiter.limited(0.0, 100.0)

    limiter.take(90.0)

    assert limiter.interval == WIDEN


@given(st.lists(st.floats(0, 60), min_size=1, max_size=6), st.integers(1, 4), st.floats(0, 9))
def test_after_each_wait_there_is_none(limits: list[float], burst: int, now: float) -> None:
    limiter = Limiter(1.3, burst)
    for seconds in limits:
        limiter.limited(now, seconds)

    for _ in range(10):
        now += limiter.delay(now)
        assert limiter.delay(now) == 0
        limiter.take(now)


def test_what_is_owed_shrinks_with_the_interval() -> None:
    limiter = Limiter(1.0, burst=3)
    for _ in range(6):
        limiter.limited(0.0, 5.0)
    for _ in range(3):
        limiter.take(5.0)
    owed = limiter.delay(5.0)

    assert owed > WIDEST
    assert limiter.delay(5.0 + 4 * CALM) == 0
    assert owed + 3 * WIDEST > 4 * CALM


def test_a_budget_without_an_interval_is_paced_only_after_a_limit() -> None:
    limiter = Limiter(0.0)
    limiter.take(0.0)
    assert limiter.delay(0.0) == 0

    limiter.limited(0.0, 3.0)

    assert limiter.delay(0.0) == 3.0


@given(
    st.lists(st.tuples(st.sampled_from(["take", "limited", "landed"]), st.floats(0, 60)), max_size=50),
    st.integers(1, 5),
)
def test_no_history_makes_a_limiter_wait_for_ever(history: list[tuple[str, float]], burst: int) -> None:
    limiter, now = Limiter(1.0, burst), 0.0

    for event, seconds in history:
        now += seconds
        if event == "take":
            now += limiter.delay(now)
            limiter.take(now)
        elif event == "limited":
            limiter.limited(now, seconds)
        else:
            limiter.landed()

    assert limiter.delay(now) <= 60 + 16 * burst


def test_threads_of_one_workspace_share_a_budget_where_the_platform_counts_them_together() -> None:
    limiters = Limiters()

    limiter = limiters.of(ONE, capabilities(Share.WORKSPACE))

    assert limiters.of(TWO, capabilities(Share.WORKSPACE)) is limiter
    assert limiters.of(ELSEWHERE, capabilities(Share.WORKSPACE)) is not limiter


def test_threads_have_budgets_of_their_own_where_the_platform_counts_them_apart() -> None:
    limiters = Limiters()

    limiter = limiters.of(ONE, capabilities(Share.THREAD))

    assert limiters.of(ONE, capabilities(Share.THREAD)) is limiter
    assert limiters.of(TWO, capabilities(Share.THREAD)) is not limiter


def test_what_the_platform_streams_has_a_budget_of_its_own() -> None:
    limiters = Limiters()
    shared = replace(capabilities(Share.WORKSPACE), stream_interval=0.5)

    feed = limiters.of(ONE, shared, streaming=True)

    assert feed is not limiters.of(ONE, shared)
    assert feed is limiters.of(TWO, shared, streaming=True)
    assert (feed.interval, limiters.of(ONE, shared).interval) == (0.5, 1.2)


def test_without_a_pace_of_their_own_streams_go_at_that_of_edits() -> None:
    assert Limiters().of(ONE, capabilities(Share.THREAD), streaming=True).interval == 1.2


def test_a_budget_is_remembered_between_two_questions_and_forgotten_after_many_others() -> None:
    limiters, shared = Limiters(), capabilities(Share.THREAD)
    limiters.of(ONE, shared).take(10.0)
    gc.collect()
    assert limiters.of(ONE, shared).delay(10.0) > 0

    for number in range(RECENT + 1):
        limiters.of(Thread(ONE.scope, f"t{number}"), shared)
    gc.collect()

    assert len(limiters._limiters) == RECENT
    assert limiters.of(ONE, shared).delay(10.0) == 0


def test_after_a_pause_as_many_calls_as_the_burst_allows_go_at_once() -> None:
    limiter = Limiter(2.0, burst=3)

    for _ in range(3):
        assert limiter.delay(10.0) == 0
        limiter.take(10.0)

    assert limiter.delay(10.0) == 2.0
    assert limiter.delay(12.0) == 0


def test_a_burst_does_not_change_what_the_budget_carries_for_ever() -> None:
    limiter, now = Limiter(2.0, burst=5), 0.0

    for _ in range(100):
        now += limiter.delay(now)
        limiter.take(now)

    assert now == 2.0 * 95


def test_after_a_limit_there_is_no_burst_until_the_budget_has_recovered() -> None:
    limiter = Limiter(1.0, burst=4)

    limiter.limited(0.0, 10.0)
    assert limiter.delay(10.0) == 0
    limiter.take(10.0)
    limiter.landed()

    assert limiter.delay(10.0) > 1.0


async def test_the_first_of_several_ends_the_others() -> None:
    never = asyncio.get_running_loop().create_future()

    await first_of(asyncio.sleep(0), never)

    assert never.cancelled()
