"""What is only worth knowing for a while."""

from __future__ import annotations

from bot.recent import Pauses, Recent


def test_the_last_notes_are_kept() -> None:
    recent: Recent[str, int] = Recent(most=2)
    for number, key in enumerate("abcd"):
        recent.note(key, number)

    assert recent.items() == [("c", 2), ("d", 3)]
    assert "a" not in recent
    assert recent.get("a") is None
    assert len(recent) == 2


def test_noting_something_again_makes_it_new() -> None:
    recent: Recent[str, int] = Recent(most=2)
    for key, number in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        recent.note(key, number)

    assert recent.items() == [("a", 3), ("c", 4)]


def test_what_was_forgotten_is_gone_and_may_be_forgotten_again() -> None:
    recent: Recent[str, int] = Recent()
    recent.note("a", 1)
    for _ in range(2):
        recent.forget("a")

    assert "a" not in recent


def test_what_pauses_is_tried_again_after_a_while() -> None:
    now = [0.0]
    pauses: Pauses[str] = Pauses(lambda: now[0], seconds=10.0)
    pauses.begin("a")

    assert "a" in pauses
    assert "b" not in pauses
    now[0] = 10.0
    assert "a" not in pauses
