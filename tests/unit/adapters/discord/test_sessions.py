"""How often sessions may begin."""

from __future__ import annotations

from adapters.discord.sessions import LONGEST_S, Sessions

DAY = 24 * 3600.0
ALLOWED = 1000
"""Sessions of a day, with which Discord changes the token."""


def test_the_first_sessions_of_an_hour_wait_for_nothing() -> None:
    sessions = Sessions(lambda: 0.0)

    for _ in range(2):
        assert sessions.pause(None) == 0.0
        sessions.begin(None)

    assert sessions.pause(None) > 0.0


def test_sessions_that_end_at_once_begin_ever_more_rarely() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    pauses = []
    while now[0] < DAY:
        pauses.append(sessions.pause(None))
        now[0] += pauses[-1]
        sessions.begin(None)
        now[0] += 1.0

    assert pauses[:9] == [0.0, 0.0, 4.0, 9.0, 19.0, 39.0, 79.0, 159.0, 319.0]
    assert max(pauses) < LONGEST_S
    assert len(pauses) < ALLOWED / 3


def test_sessions_that_last_long_are_followed_by_the_next_at_once() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    for _ in range(50):
        assert sessions.pause(None) == 0.0
        sessions.begin(None)
        now[0] += 1_900.0


def test_each_shard_has_sessions_of_its_own() -> None:
    sessions = Sessions(lambda: 0.0)
    for _ in range(9):
        sessions.begin(1)

    assert sessions.pause(2) == 0.0
    assert sessions.pause(1) == LONGEST_S
