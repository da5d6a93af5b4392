"""Delays between attempts grow, stay bounded, and differ between jobs that failed together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.storage.worker import backoff

jitters = st.floats(0, 1, exclude_max=True)


@given(st.integers(1, 50), jitters)
def test_a_delay_is_at_least_a_second_and_at_most_a_minute_and_a_half(attempts: int, jitter: float) -> None:
    assert 1 <= backoff(attempts, jitter).total_seconds() <= 90


@given(st.integers(1, 49), jitters)
def test_delays_never_shrink(attempts: int, jitter: float) -> None:
    assert backoff(attempts, jitter) <= backoff(attempts + 1, jitter)


def test_the_first_delays_are_two_six_and_eighteen_seconds() -> None:
    assert [backoff(attempts, 0.5).total_seconds() for attempts in (1, 2, 3)] == [2, 6, 18]
