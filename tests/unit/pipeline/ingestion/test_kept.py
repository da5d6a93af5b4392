from __future__ import annotations

from pipeline.ingestion.kept import Kept


def test_what_was_kept_is_taken_once() -> None:
    kept = Kept()
    kept.keep("d1", b"text")

    assert [kept.take("d1"), kept.take("d1"), kept.take("d2")] == [b"text", None, None]


def test_what_was_kept_longest_ago_makes_room() -> None:
    kept = Kept(most=10)
    for name in ("d1", "d2", "d3"):
        kept.keep(name, b"1234")

    assert [kept.take(name) for name in ("d1", "d2", "d3")] == [None, b"1234", b"1234"]


def test_what_is_too_large_is_not_kept_and_pushes_nothing_out() -> None:
    kept = Kept(most=10)
    kept.keep("d1", b"1234")
    kept.keep("d2", b"12345678901")

    assert [kept.take("d2"), kept.take("d1")] == [None, b"1234"]


def test_keeping_something_again_takes_no_more_room() -> None:
    kept = Kept(most=10)
    for _ in range(9):
        kept.keep("d1", b"123456")
    kept.keep("d2", b"1234")

    assert [kept.take("d1"), kept.take("d2")] == [b"123456", b"1234"]


def test_an_empty_file_is_kept_too() -> None:
    kept = Kept(most=0)
    kept.keep("d1", b"")

    assert kept.take("d1") == b""
