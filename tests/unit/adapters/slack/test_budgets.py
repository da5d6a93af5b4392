"""How often each method may be called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.adapter import BURST, EDIT_INTERVAL, STREAM_INTERVAL
from adapters.slack.budgets import MINUTE, POST, TIER_2, TIER_3, TIER_4, Budgets
from bot.budgets import SHARE
from bot.chat import RateLimited

TIERS = {"chat.startStream": 20, "chat.update": 50, "chat.appendStream": 100, "something.new": 20}
"""Slack's own figures."""


def taken(budgets: Budgets, method: str, times: int, now: float = 0.0, **more: bool) -> None:
    for _ in range(times):
        budgets.take("T1", method, "C1", now, **more)


@pytest.mark.parametrize("method", TIERS)
def test_a_method_is_refused_before_its_tier_is_used_up(method: str) -> None:
    budgets = Budgets()

    with pytest.raises(RateLimited):
        taken(budgets, method, TIERS[method])


def test_a_refusal_says_when_there_is_room_again() -> None:
    budgets = Budgets()
    taken(budgets, "chat.update", 10, now=0.0)
    taken(budgets, "chat.update", TIER_3.most - 10, now=20.0)

    with pytest.raises(RateLimited) as caught:
        budgets.take("T1", "chat.update", "C1", 30.0)

    assert caught.value.retry_after == pytest.approx(MINUTE - 30.0)
    budgets.take("T1", "chat.update", "C1", 30.0 + caught.value.retry_after)


def test_methods_and_workspaces_have_budgets_of_their_own() -> None:
    budgets = Budgets()
    taken(budgets, "chat.update", TIER_3.most)

    budgets.take("T2", "chat.update", "C1", 0.0)
    budgets.take("T1", "chat.delete", "C1", 0.0)


def test_channels_share_what_is_counted_per_workspace() -> None:
    budgets = Budgets()
    taken(budgets, "chat.update", TIER_3.most)

    with pytest.raises(RateLimited):
        budgets.take("T1", "chat.update", "C2", 0.0)


def test_posts_are_counted_per_channel_with_short_bursts() -> None:
    budgets = Budgets()
    taken(budgets, POST, 8)

    with pytest.raises(RateLimited) as caught:
        budgets.take("T1", POST, "C1", 1.0)
    budgets.take("T1", POST, "C2", 1.0)

    assert caught.value.retry_after == pytest.approx(4.0)


def test_posts_of_a_whole_minute_stay_below_one_a_second() -> None:
    budgets, sent = Budgets(), 0
    for tenth in range(600):
        try:
            budgets.take("T1", POST, "C1", tenth / 10)
        except RateLimited:
            continue
        sent += 1

    assert 40 <= sent <= 60


def test_a_wait_that_slack_asks_for_blocks_the_method_in_that_workspace_only() -> None:
    budgets = Budgets()
    budgets.limited("T1", "chat.update", 0.0, 7.0)

    with pytest.raises(RateLimited) as caught:
        budgets.take("T1", "chat.update", "C2", 2.0)
    budgets.take("T2", "chat.update", "C1", 2.0)
    budgets.take("T1", "chat.delete", "C1", 2.0)

    assert caught.value.retry_after == pytest.approx(5.0)
    assert budgets.spare("T1", "chat.update", 2.0) == 0
    budgets.take("T1", "chat.update", "C1", 7.0)


@given(st.lists(st.tuples(st.floats(0.0, 5.0), st.booleans()), max_size=300))
def test_no_window_of_slacks_is_ever_overrun(steps: list[tuple[float, bool]]) -> None:
    budgets, now, sent = Budgets(), 0.0, list[float]()
    for wait, intermediate in steps:
        now += wait
        try:
            budgets.take("T1", "chat.update", "C1", now, intermediate=intermediate)
        except RateLimited:
            continue
        sent.append(now)

    assert all(sum(start <= at < start + 60.0 for at in sent) <= 50 for start in sent)


@pytest.mark.parametrize(
    ("method", "interval"), [("chat.update", EDIT_INTERVAL), ("chat.appendStream", STREAM_INTERVAL)]
)
def test_the_pace_that_the_adapter_promises_is_never_refused(method: str, interval: float) -> None:
    budgets = Budgets()
    rest = int(TIER_3.most * SHARE) if method == "chat.update" else TIER_4.most
    assert MINUTE / interval + BURST <= rest

    for _ in range(3):  # what was saved up by a pause goes out at once, then the pace is kept
        start = budgets._swept + 1_000.0
        taken(budgets, method, BURST, now=start, intermediate=method == "chat.update")
        for step in range(1, 400):
            budgets.take("T1", method, "C1", start + step * interval, intermediate=method == "chat.update")


def test_tiers_keep_a_margin_below_slacks_figures() -> None:
    assert (TIER_2.most, TIER_3.most, TIER_4.most) < (20, 50, 100)
    assert MINUTE > 60.0
