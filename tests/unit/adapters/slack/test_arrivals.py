from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.slack.arrivals import AT_ONCE, Arrivals
from adapters.slack.happenings import FileShared, FileTouched
from bot.chat import Thread, Unreachable
from bot.incoming import FileRemoved, IncomingFile
from pipeline.domain import Scope
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

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
        self.gone: list[Removal] = []
        self.unknown: set[str] = set()
        self.gate = asyncio.Event()
        self.gate.set()
        self.busy = self.most = 0
        self.error: Exception | None = None

    async def incoming(self, shared: FileShared) -> Sequence[IncomingFile]:
        self.asked.append(shared)
        self.busy += 1
        self.most = max(self.most, self.busy)
        await self.gate.wait()
        self.busy -= 1
        if shared.event_id in self.unknown:
            return []
        return [_file(shared)]

    async def removed(self, touched: FileTouched) -> Sequence[Removal]:
        if self.error is not None:
            raise self.error
        return [FileRemoved(event_id=touched.event_id, scope=SCOPE, source="slack:T1/F1")]

    def take(self, file: IncomingFile) -> None:
        self.come.append(file.event_id)


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
    )


def office(slack: Slack, reports: Reports | None = None) -> Arrivals:
    return Arrivals(slack, reports or Reports(), come=slack.take, go=slack.gone.append)


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

    assert slack.asked == [EVENT]


async def test_another_report_is_looked_at_when_the_first_led_to_nothing() -> None:
    slack = Slack()
    slack.unknown = {"Ev2"}
    arrivals = office(slack)
    for report in (EVENT, FILE):
        arrivals.shared(report)
    await arrivals.settled()

    assert slack.come == ["Ev1"]


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
