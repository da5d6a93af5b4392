from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.arrivals import AT_ONCE, PAUSES, Arrivals
from adapters.slack.happenings import FileShared, FileTouched
from bot.arriving import Arriving
from bot.chat import RateLimited, Thread, Unreachable
from bot.incoming import FileRemoved, IncomingFile
from pipeline.domain import Scope
from tests.fakes.clock import FakeClock
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.incoming import Removal

SCOPE = Scope("slack", "T1", "C1")
FILE = FileShared(event_id="Ev1", team="T1", channel="C1", file_id="F1", user="U1", ts="100.1")
EVENT = replace(FILE, event_id="Ev2", ts=None)
CHANGE = replace(FILE, event_id="Ev3", ts=None, channel=None, changed=True)


class Slack:
    """What Slack says of files, and what became of it."""

    def __init__(self) -> None:
        self.asked: list[FileShared] = []
        self.come: list[str] = []
        self.addressed: list[bool] = []
        self.gone: list[Removal] = []
        self.unknown: set[str] = set()
        self.away: list[Exception] = []
        """What is raised instead of an answer, one after the other."""
        self.gate = asyncio.Event()
        self.gate.set()
        self.busy = self.most = 0
        self.error: Exception | None = None
        self.clock = FakeClock()

    async def incoming(self, shared: FileShared) -> Sequence[IncomingFile]:
        self.asked.append(shared)
        self.busy += 1
        self.most = max(self.most, self.busy)
        await self.gate.wait()
        self.busy -= 1
        if self.away:
            raise self.away.pop(0)
        if shared.event_id in self.unknown:
            return []
        return [_file(shared)]

    async def removed(self, touched: FileTouched) -> Sequence[Removal]:
        if self.error is not None:
            raise self.error
        return [FileRemoved(event_id=touched.event_id, scope=SCOPE, source="slack:T1/F1")]

    async def take(self, file: IncomingFile) -> None:
        self.come.append(file.event_id)
        self.addressed.append(file.addressed)


class Reports:
    """Reports on paper."""

    def __init__(self) -> None:
        self.open: dict[str, FileShared] = {}
        self.known: set[str] = set()

    async def note(self, file: FileShared) -> bool:
        if file.event_id in self.known:
            return False
        self.known.add(file.event_id)
        self.open[file.event_id] = file
        return True

    async def end(self, file: FileShared) -> None:
        del self.open[file.event_id]

    async def take_over(self, *, starting: bool) -> Sequence[FileShared]:
        return list(self.open.values())


def _file(shared: FileShared) -> IncomingFile:
    return IncomingFile(
        event_id=shared.event_id,
        file_id=shared.file_id,
        thread=Thread(SCOPE, "100.1"),
        author="U1",
        name="plan.pdf",
        source="slack:T1/F1",
        message_id=shared.ts or "100.1",
        addressed=shared.addressed,
    )


def office(
    slack: Slack, reports: Reports | None = None, arriving: Arriving | None = None, **how: Any
) -> Arrivals:
    take = {"come": slack.take, "go": slack.gone.append, "sleep": slack.clock.sleep, **how}
    return Arrivals(slack, reports or Reports(), arriving=arriving, **take)


async def test_a_file_is_looked_up_and_handed_on() -> None:
    slack, reports = Slack(), Reports()
    arrivals = office(slack, reports)
    arrivals.shared(FILE)
    await arrivals.settled()

    assert (slack.come, reports.open) == (["Ev1"], {})


async def test_reports_of_a_file_that_is_being_looked_up_cost_nothing() -> None:
    slack = Slack()
    arrivals = office(slack)
    for report in (EVENT, FILE, FILE, EVENT):
        arrivals.shared(report)
    await arrivals.settled()

    assert len(slack.asked) == 1


async def test_another_report_is_looked_at_when_the_first_led_to_nothing() -> None:
    slack = Slack()
    slack.unknown = {"Ev2"}
    arrivals = office(slack)
    for report in (EVENT, FILE):
        arrivals.shared(report)
    await arrivals.settled()

    assert slack.come == ["Ev1"]


async def test_a_file_that_is_shared_once_more_meanwhile_is_looked_up_for_that() -> None:
    slack = Slack()
    slack.gate.clear()
    arrivals = office(slack)
    arrivals.shared(FILE)
    await until(lambda: slack.asked)
    arrivals.shared(replace(FILE, event_id="Ev4", ts="200.1"))
    slack.gate.set()
    await arrivals.settled()

    assert slack.come == ["Ev1", "Ev4"]


async def test_the_message_that_another_report_names_need_not_be_searched() -> None:
    slack = Slack()
    arrivals = office(slack)
    for report in (EVENT, FILE):
        arrivals.shared(report)
    await arrivals.settled()

    assert slack.asked == [replace(EVENT, ts="100.1")]


async def test_a_file_whose_message_names_the_bot_is_for_it_whatever_was_told_first() -> None:
    slack = Slack()
    slack.gate.clear()
    arrivals = office(slack)
    arrivals.shared(EVENT)
    await until(lambda: slack.asked)
    arrivals.shared(replace(FILE, addressed=True))
    slack.gate.set()
    await arrivals.settled()

    assert slack.addressed[0]


@pytest.mark.parametrize("error", [Unreachable(), RateLimited(30)])
async def test_while_slack_is_away_a_file_stays_reported_and_is_looked_up_again(error: Exception) -> None:
    slack, reports = Slack(), Reports()
    slack.away = [error] * 3
    arrivals = office(slack, reports)
    arrivals.shared(EVENT)
    await until(lambda: len(slack.asked) == 3)
    assert list(reports.open) == ["Ev2"]
    await arrivals.settled()

    assert (slack.come, reports.open) == (["Ev2"], {})
    assert slack.clock.slept == list(PAUSES[:3])


async def test_a_file_of_which_slack_never_says_anything_is_given_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    slack, reports = Slack(), Reports()
    slack.away = [Unreachable()] * 999
    arrivals = office(slack, reports)
    arrivals.shared(EVENT)
    await arrivals.settled()

    assert (slack.come, reports.open) == ([], {})
    assert len(slack.asked) == len(PAUSES)
    assert "given up" in caplog.text


async def test_a_report_stays_until_the_file_is_noted_elsewhere() -> None:
    slack, reports, noted = Slack(), Reports(), asyncio.Event()

    async def take(file: IncomingFile) -> None:
        slack.come.append(file.event_id)
        await noted.wait()

    arrivals = office(slack, reports, come=take)
    arrivals.shared(FILE)
    await until(lambda: slack.come)
    assert list(reports.open) == ["Ev1"]

    noted.set()
    await arrivals.settled()
    assert reports.open == {}


async def test_a_file_that_somebody_asks_for_is_handed_on_and_kept_over_a_restart() -> None:
    slack, reports = Slack(), Reports()
    slack.gate.clear()
    wanted = replace(FILE, wanted=True)
    asking = asyncio.create_task(office(slack, reports).wanted(wanted))
    await until(lambda: slack.asked)
    assert reports.open == {"Ev1": wanted}
    asking.cancel()
    slack.gate.set()
    after = office(slack, reports)
    await after.resume(starting=True)
    await after.settled()

    assert (slack.come, reports.open) == (["Ev1"], {})


async def test_whoever_asks_for_a_file_that_is_gone_is_told_so() -> None:
    slack = Slack()
    slack.unknown = {"Ev1"}

    assert not await office(slack).wanted(FILE)
    assert await office(slack).wanted(EVENT)


async def test_a_file_is_on_its_way_as_soon_as_it_is_reported() -> None:
    slack, arriving = Slack(), Arriving()
    slack.gate.clear()
    arrivals = office(slack, arriving=arriving)
    arrivals.shared(EVENT)
    assert arriving.count(SCOPE) == 1
    assert await arriving.wanted(Thread(SCOPE, "100.1")) == frozenset()

    arrivals.shared(FILE)
    assert arriving.count(SCOPE) == 1
    assert await arriving.wanted(Thread(SCOPE, "100.1")) == {"slack:T1/F1"}

    slack.gate.set()
    await arrivals.settled()
    assert arriving.count(SCOPE) == 0


async def test_so_is_one_that_a_process_that_died_has_left() -> None:
    slack, reports, arriving = Slack(), Reports(), Arriving()
    slack.gate.clear()
    reports.open["Ev1"] = FILE
    arrivals = office(slack, reports, arriving)
    await arrivals.resume(starting=True)
    await until(lambda: arriving.count(SCOPE))

    slack.gate.set()
    await arrivals.settled()
    assert arriving.count(SCOPE) == 0


async def test_a_change_while_a_change_is_being_looked_up_is_not_missed() -> None:
    slack = Slack()
    slack.gate.clear()
    arrivals = office(slack)
    arrivals.shared(CHANGE)
    await until(lambda: slack.asked)
    for number in range(4, 30):
        arrivals.shared(replace(CHANGE, event_id=f"Ev{number}"))
    slack.gate.set()
    await arrivals.settled()

    assert slack.come == ["Ev3", "Ev29"]


async def test_a_report_that_comes_again_is_left_alone() -> None:
    slack = Slack()
    arrivals = office(slack)
    for _ in range(2):
        arrivals.shared(FILE)
        await arrivals.settled()

    assert slack.come == ["Ev1"]


async def test_a_file_is_found_again_after_a_crash() -> None:
    slack, reports = Slack(), Reports()
    slack.gate.clear()
    before = office(slack, reports)
    before.shared(FILE)
    await until(lambda: slack.asked)
    await before.stop()
    slack.gate.set()
    after = office(slack, reports)
    await after.resume(starting=True)
    await after.settled()

    assert (slack.come, reports.open) == (["Ev1"], {})


async def test_many_files_are_looked_up_a_few_at_a_time_and_none_is_lost() -> None:
    slack = Slack()
    slack.gate.clear()
    arrivals = office(slack)
    for number in range(50):
        arrivals.shared(replace(FILE, event_id=f"Ev{number}", file_id=f"F{number}"))
    await until(lambda: slack.busy == AT_ONCE)
    slack.gate.set()
    await arrivals.settled()

    assert (len(slack.come), slack.most) == (50, AT_ONCE)


async def test_a_file_that_left_is_told() -> None:
    slack = Slack()
    arrivals = office(slack)
    arrivals.touched(FileTouched(event_id="Ev1", team="T1", channel="C1", file_id="F1"))
    await arrivals.settled()

    assert slack.gone == [FileRemoved(event_id="Ev1", scope=SCOPE, source="slack:T1/F1")]


async def test_a_file_of_which_slack_says_nothing_stays(caplog: pytest.LogCaptureFixture) -> None:
    slack = Slack()
    slack.error = Unreachable()
    arrivals = office(slack)
    arrivals.touched(FileTouched(event_id="Ev1", team="T1", channel="C1", file_id="F1"))
    await arrivals.settled()

    assert slack.gone == []
    assert "Unreachable" in caplog.text
