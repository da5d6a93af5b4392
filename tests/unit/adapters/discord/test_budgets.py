"""How often messages may be sent and edited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.budgets import CHANNEL, EVERYTHING, OLD, Budgets
from bot.budgets import SHARE
from bot.chat import RateLimited

INTERMEDIATE = int(CHANNEL.most * SHARE)


def taken(budgets: Budgets, times: int, now: float = 0.0, *, channel: int = 1, **more: bool) -> None:
    for _ in range(times):
        budgets.take(channel, now, **more)


def test_of_five_calls_in_five_seconds_one_is_kept_for_the_last_word() -> None:
    budgets = Budgets()
    taken(budgets, 4, intermediate=True)

    with pytest.raises(RateLimited) as caught:
        budgets.take(1, 1.0, intermediate=True)
    budgets.take(1, 1.0)
    with pytest.raises(RateLimited):
        budgets.take(1, 1.0)

    assert INTERMEDIATE == 4
    assert caught.value.retry_after == pytest.approx(CHANNEL.seconds - 1.0)


def test_channels_have_budgets_of_their_own() -> None:
    budgets = Budgets()
    taken(budgets, CHANNEL.most)

    taken(budgets, CHANNEL.most, channel=2)


def test_what_neither_sends_nor_edits_counts_towards_everything_only() -> None:
    budgets = Budgets()
    taken(budgets, CHANNEL.most)

    budgets.take(None, 0.0)


def test_all_calls_together_stay_below_what_discord_takes_in_a_second() -> None:
    budgets = Budgets()
    for channel in range(EVERYTHING.most):
        budgets.take(channel, 0.0)

    with pytest.raises(RateLimited) as caught:
        budgets.take(None, 0.1)

    assert EVERYTHING.most < 50
    assert caught.value.retry_after == pytest.approx(EVERYTHING.seconds - 0.1)


def test_old_messages_are_edited_less_often_than_new_ones() -> None:
    budgets = Budgets()
    taken(budgets, OLD.most, old=True)

    with pytest.raises(RateLimited) as caught:
        budgets.take(1, 6.0, old=True)
    budgets.take(1, 6.0)

    assert caught.value.retry_after == pytest.approx(OLD.seconds - 6.0)


def test_a_wait_that_discord_asks_for_blocks_the_channel_only() -> None:
    budgets = Budgets()
    budgets.limited(1, 0.0, 7.0)

    with pytest.raises(RateLimited) as caught:
        budgets.take(1, 2.0)
    budgets.take(2, 2.0)
    budgets.take(1, 7.0)

    assert caught.value.retry_after == pytest.approx(5.0)


@given(st.lists(st.tuples(st.floats(0.0, 2.0), st.booleans()), max_size=200))
def test_no_five_seconds_see_more_than_five_calls(steps: list[tuple[float, bool]]) -> None:
    budgets, now, sent = Budgets(), 0.0, list[float]()
    for wait, intermediate in steps:
        now += wait
        try:
            budgets.take(1, now, intermediate=intermediate)
        except RateLimited:
            continue
        sent.append(now)

    assert all(sum(start <= at < start + 5.0 for at in sent) <= 5 for start in sent)


@given(st.floats(1.3, 1.5))
def test_edits_at_the_pace_that_the_adapter_promises_are_never_refused(interval: float) -> None:
    budgets = Budgets()

    for step in range(200):
        budgets.take(1, step * interval, intermediate=True)
