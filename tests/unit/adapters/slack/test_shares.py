from __future__ import annotations

import pytest

from adapters.slack.calls import Refused
from adapters.slack.facts import FRESH, Facts, SlackFile
from adapters.slack.shares import LOOKS, Shares, is_in
from bot.chat import ChatError, RateLimited, Unreachable
from pipeline.domain import Scope
from tests.fakes.clock import FakeClock
from tests.fakes.slackweb import FakeWeb, info

ONE = Scope("slack", "T1", "C1")
TWO = Scope("slack", "T1", "C2")
SOURCE = "slack:T1/F1#https://acme.slack.com/files/U1/F1/plan.md"
DELETED = Refused("file_deleted")


class Place:
    def __init__(self, *answers: object) -> None:
        self.clock = FakeClock()
        self.web = FakeWeb(files_info=list(answers))  # type: ignore[arg-type]  # any mixture of answers
        self.shares = Shares(Facts(self.web, self.clock.monotonic), sleep=self.clock.sleep)


@pytest.fixture
def place() -> Place:
    return Place(info())


async def test_a_file_that_is_still_there_is_not_gone() -> None:
    assert not await Place(info()).shares.gone(ONE, SOURCE)


@pytest.mark.parametrize(
    "answer", [DELETED, Refused("file_not_found"), {"file": {"id": "F1", "mode": "tombstone"}}]
)
async def test_a_deleted_file_is_gone(answer: object) -> None:
    assert await Place(answer).shares.gone(ONE, SOURCE)


async def test_a_file_is_gone_from_the_channel_that_it_is_not_shared_with_any_more() -> None:
    moved = info(channels=["C2"], shares={"public": {"C2": [{"ts": "2.1"}]}})

    assert await Place(moved).shares.gone(ONE, SOURCE)
    assert not await Place(moved).shares.gone(TWO, SOURCE)


async def test_a_file_of_which_slack_does_not_say_where_it_is_shared_is_not_gone() -> None:
    hidden = {"file": {"id": "F1", "mode": "hidden_by_limit"}}

    assert not await Place(hidden).shares.gone(ONE, SOURCE)
    assert await Place(hidden).shares.left([ONE], SOURCE) == []


async def test_a_file_counts_as_shared_only_where_slack_says_so() -> None:
    for answer, seen in ((info(), True), (info(channels=..., groups=..., ims=..., shares=...), False)):
        file = SlackFile.read("T1", answer["file"])

        assert is_in(ONE, file) is seen
        assert not is_in(TWO, file)


async def test_what_was_learnt_lately_will_do_where_that_is_said(place: Place) -> None:
    assert not await place.shares.gone(ONE, SOURCE)
    for _ in range(3):
        assert not await place.shares.gone(ONE, SOURCE, lately=True)
    assert len(place.web.calls) == 1

    await place.shares.gone(ONE, SOURCE)
    place.clock.advance(FRESH)
    await place.shares.gone(ONE, SOURCE, lately=True)
    assert len(place.web.calls) == 3


async def test_that_a_file_left_is_learnt_from_the_event_at_the_latest() -> None:
    place = Place(info(), info(channels=[], shares={}))
    assert not await place.shares.gone(ONE, SOURCE)

    assert await place.shares.left([ONE], SOURCE) == [ONE]
    assert await place.shares.gone(ONE, SOURCE, lately=True)
    assert len(place.web.calls) == 2


@pytest.mark.parametrize(
    "error", [RateLimited(9), Unreachable(), Refused("missing_scope"), Refused("access_denied")]
)
async def test_an_error_that_says_nothing_never_makes_a_file_gone(error: ChatError) -> None:
    with pytest.raises(type(error)):
        await Place(error).shares.gone(ONE, SOURCE)


async def test_a_file_from_elsewhere_is_never_asked_about() -> None:
    place = Place(DELETED)

    assert not await place.shares.gone(ONE, "file:///srv/plan.md")
    assert place.web.calls == []


async def test_questions_that_can_wait_leave_room_for_others() -> None:
    place = Place(info())
    await place.shares.gone(ONE, SOURCE)
    await place.shares.left([ONE], SOURCE)

    assert place.web.intermediate[0]
    assert not any(place.web.intermediate[1:])


async def test_after_an_event_slacks_records_are_given_time() -> None:
    place = Place(info(), info(), info(channels=[], shares={}))

    assert await place.shares.left([ONE], SOURCE) == [ONE]
    assert place.clock.slept == list(LOOKS)


async def test_a_file_that_stays_is_looked_at_a_few_times_and_then_believed() -> None:
    place = Place(info())

    assert await place.shares.left([ONE], SOURCE) == []
    assert len(place.web.calls) == len(LOOKS) + 1


async def test_of_several_channels_those_are_told_that_it_has_left() -> None:
    place = Place(info())

    assert await place.shares.left([ONE, TWO], SOURCE) == [TWO]
    assert place.clock.slept == []


async def test_nothing_is_asked_where_nobody_has_the_file() -> None:
    place = Place(DELETED)

    assert await place.shares.left([], SOURCE) == []
    assert place.web.calls == []


async def test_after_an_event_a_busy_slack_is_waited_for() -> None:
    place = Place(RateLimited(5), Unreachable(), DELETED)

    assert await place.shares.left([ONE], SOURCE) == [ONE]
    assert place.clock.slept == [5, 1]
