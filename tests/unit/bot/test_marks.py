"""One mark at a time at each message."""

from __future__ import annotations

import pytest

from bot.chat import Mark, NotAllowed, RateLimited, Thread
from bot.marks import Marks
from bot.recent import PAUSE
from pipeline.domain import Scope

THREAD = Thread(Scope("fake", "w", "c"), "t")
OTHER = Thread(Scope("fake", "v", "c"), "t")


class Board:
    """A platform on which marks can be added and removed."""

    def __init__(self) -> None:
        self.standing: set[Mark] = set()
        self.calls = 0
        self.refuses = False
        self.stays: list[Exception] = []
        """What the next removals end with."""

    async def add(self, thread: Thread, message_id: str, mark: Mark) -> None:
        self.calls += 1
        if self.refuses:
            raise NotAllowed
        self.standing.add(mark)

    async def remove(self, thread: Thread, message_id: str, mark: Mark) -> None:
        self.calls += 1
        if self.stays:
            raise self.stays.pop()
        self.standing.discard(mark)


async def test_a_mark_takes_the_place_of_the_one_before() -> None:
    board = Board()
    marks = Marks(board.add, board.remove)

    for mark in (Mark.WORKING, Mark.FAILED, Mark.WORKING, Mark.DONE):
        await marks.put(THREAD, "m", mark)
        assert board.standing == {mark}


async def test_after_a_restart_the_sign_of_work_is_taken_back() -> None:
    board = Board()
    board.standing.add(Mark.WORKING)

    await Marks(board.add, board.remove).put(THREAD, "m", Mark.DONE)

    assert board.standing == {Mark.DONE}


async def test_where_a_mark_was_left_out_there_is_nothing_to_remove() -> None:
    board = Board()
    marks = Marks(board.add, board.remove)
    marks.leave_out(THREAD, "m")

    await marks.put(THREAD, "m", Mark.DONE)

    assert board.calls == 1


async def test_where_a_mark_was_left_out_what_stood_before_is_still_taken_back() -> None:
    board = Board()
    marks = Marks(board.add, board.remove)
    await marks.put(THREAD, "m", Mark.DONE)
    marks.leave_out(THREAD, "m")

    await marks.put(THREAD, "m", Mark.FAILED)

    assert board.standing == {Mark.FAILED}


async def test_what_could_not_be_taken_back_is_when_that_is_repeated() -> None:
    board = Board()
    marks = Marks(board.add, board.remove)
    await marks.put(THREAD, "m", Mark.WORKING)
    board.stays = [RateLimited(3), RateLimited(3)]
    for _ in range(2):
        with pytest.raises(RateLimited):
            await marks.put(THREAD, "m", Mark.DONE)
    assert marks.working("w") == 1
    before = board.calls

    await marks.put(THREAD, "m", Mark.DONE)

    assert board.standing == {Mark.DONE}
    assert (board.calls - before, marks.working("w")) == (1, 0)


async def test_a_mark_that_was_refused_does_not_stand() -> None:
    board = Board()
    marks = Marks(board.add, board.remove)
    board.refuses = True
    with pytest.raises(NotAllowed):
        await marks.put(THREAD, "m", Mark.WORKING)

    assert marks.working("w") == 0


async def test_the_signs_of_work_are_counted_by_workspace() -> None:
    board = Board()
    marks = Marks(board.add, board.remove)
    for thread, message in ((THREAD, "m"), (THREAD, "n"), (OTHER, "m")):
        await marks.put(thread, message, Mark.WORKING)
    await marks.put(THREAD, "n", Mark.DONE)

    assert marks.working("w") == marks.working("v") == 1


async def test_where_marks_are_forbidden_none_is_tried_for_a_while() -> None:
    board, now = Board(), [0.0]
    board.refuses = True
    marks = Marks(board.add, board.remove, forbids=lambda _: "forbidden", monotonic=lambda: now[0])
    for message in "mn":
        await marks.put(THREAD, message, Mark.WORKING, within="here")
    assert board.calls == 1

    await marks.put(OTHER, "m", Mark.WORKING, within="there")
    assert board.calls == 2

    board.refuses = False
    now[0] = PAUSE
    await marks.put(THREAD, "m", Mark.DONE, within="here")
    assert board.standing == {Mark.DONE}


async def test_a_refusal_of_one_message_is_told() -> None:
    board = Board()
    board.refuses = True

    with pytest.raises(NotAllowed):
        await Marks(board.add, board.remove, forbids=lambda _: None).put(THREAD, "m", Mark.DONE)
