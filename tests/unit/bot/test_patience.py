from __future__ import annotations

import pytest

from bot.chat import ChatError, NotAllowed, RateLimited, Unreachable
from bot.patience import ATTEMPTS, LONGEST, PATIENCE, patiently
from tests.fakes.clock import FakeClock


class Work:
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.begun = 0

    async def __call__(self) -> str:
        self.begun += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


async def test_what_slack_asks_to_wait_for_is_waited_for() -> None:
    clock, work = FakeClock(), Work(RateLimited(7), RateLimited(3))

    assert await patiently(work, clock.sleep) == "done"
    assert clock.slept == [7, 3]


async def test_without_a_word_from_slack_each_wait_is_twice_as_long() -> None:
    clock, work = FakeClock(), Work(*[Unreachable()] * 3)

    assert await patiently(work, clock.sleep) == "done"
    assert clock.slept == [1, 2, 4]


@pytest.mark.parametrize(
    ("error", "attempts"),
    [(Unreachable(), ATTEMPTS), (RateLimited(60), PATIENCE // 60 + 1), (RateLimited(0), PATIENCE + 1)],
)
async def test_in_the_end_the_error_is_raised_as_it_is(error: ChatError, attempts: float) -> None:
    work = Work(*[error] * 999)

    with pytest.raises(type(error)) as raised:
        await patiently(work, FakeClock().sleep)

    assert raised.value is error
    assert work.begun == attempts


async def test_waiting_for_a_budget_that_others_use_up_is_no_attempt() -> None:
    clock, work = FakeClock(), Work(*[RateLimited(2)] * 20, Unreachable(), *[RateLimited(2)] * 20)

    assert await patiently(work, clock.sleep) == "done"
    assert clock.monotonic() == 81


@pytest.mark.parametrize("error", [NotAllowed(), RateLimited(LONGEST + 1), ValueError("ours")])
async def test_what_waiting_cannot_help_is_not_repeated(error: Exception) -> None:
    work = Work(error)

    with pytest.raises(type(error)):
        await patiently(work, FakeClock().sleep)

    assert work.begun == 1
