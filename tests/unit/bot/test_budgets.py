"""Budgets of calls, whatever the platform counts them by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.budgets import SHARE, Window, Windows
from bot.chat import RateLimited

SHORT, LONG = Window(5.0, 5), Window(60.0, 20)


def taken(windows: Windows[str], times: int, now: float = 0.0, *, intermediate: bool = False) -> None:
    for _ in range(times):
        windows.count([("a", (SHORT, LONG))], now, intermediate=intermediate)


def test_a_refusal_says_when_there_is_room_again() -> None:
    windows = Windows[str](60.0)
    taken(windows, 2, now=0.0)
    taken(windows, 3, now=2.0)

    with pytest.raises(RateLimited) as caught:
        taken(windows, 1, now=3.0)

    assert caught.value.retry_after == pytest.approx(2.0)
    taken(windows, 1, now=5.0)


def test_of_two_windows_the_one_that_is_full_for_longer_counts() -> None:
    windows = Windows[str](60.0)
    for start in (0.0, 5.0, 10.0, 15.0):
        taken(windows, 5, now=start)

    with pytest.raises(RateLimited) as caught:
        taken(windows, 1, now=20.0)

    assert caught.value.retry_after == pytest.approx(40.0)


def test_a_refused_call_uses_nothing_up_of_any_budget() -> None:
    windows = Windows[str](60.0)
    taken(windows, SHORT.most)

    for _ in range(10):
        with pytest.raises(RateLimited):
            windows.count([("b", (SHORT,)), ("a", (SHORT,))], 1.0)

    assert windows.room("a", SHORT, 5.0) == SHORT.most
    assert windows.room("b", SHORT, 1.0) == SHORT.most


def test_asking_whether_there_is_room_uses_nothing_up() -> None:
    windows = Windows[str](60.0)
    for _ in range(10):
        windows.check([("a", (SHORT,))], 0.0)
    taken(windows, SHORT.most)

    with pytest.raises(RateLimited):
        windows.check([("a", (SHORT,))], 0.0)


def test_a_shorter_wait_does_not_end_a_longer_one() -> None:
    windows = Windows[str](60.0)
    windows.block("a", 0.0, 30.0)
    windows.block("a", 1.0, 1.0)

    with pytest.raises(RateLimited) as caught:
        taken(windows, 1, now=29.0)

    assert caught.value.retry_after == pytest.approx(1.0)
    assert windows.room("a", SHORT, 29.0) == 0
    taken(windows, 1, now=30.0)


def test_what_may_be_left_out_leaves_room_for_what_may_not() -> None:
    windows = Windows[str](60.0)
    used = int(SHORT.most * SHARE)
    taken(windows, used, intermediate=True)

    with pytest.raises(RateLimited):
        taken(windows, 1, now=1.0, intermediate=True)
    taken(windows, SHORT.most - used, now=1.0)


def test_what_counts_no_longer_is_forgotten() -> None:
    windows = Windows[str](60.0)
    for number in range(500):
        windows.count([(f"sent {number}", (SHORT,))], 0.0)
        windows.block(f"blocked {number}", 0.0, 5.0)
    assert len(windows) == 1_000

    taken(windows, 1, now=120.0)

    assert len(windows) == 1


@given(st.lists(st.tuples(st.floats(0.0, 2.0), st.booleans()), max_size=200))
def test_no_window_is_ever_overrun(steps: list[tuple[float, bool]]) -> None:
    windows, now, sent = Windows[str](60.0), 0.0, list[float]()
    for wait, intermediate in steps:
        now += wait
        try:
            taken(windows, 1, now=now, intermediate=intermediate)
        except RateLimited:
            continue
        sent.append(now)

    for window in (SHORT, LONG):
        assert all(sum(0 <= at - start < window.seconds for at in sent) <= window.most for start in sent)
