from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from adapters.slack.backlog import Backlog
from adapters.slack.happenings import FileShared
from pipeline.storage.ledger import Ledger
from pipeline.storage.sql import Database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

FILE = FileShared(event_id="Ev1", team="T1", channel="C1", file_id="F1", user="U1", ts="100.1")
CHANGE = FileShared(event_id="Ev2", team="T1", channel=None, file_id="F1", user=None, changed=True)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.connect(f"sqlite+aiosqlite:///{tmp_path / 'db.sqlite3'}")
    await database.prepare()
    yield database
    await database.close()


async def test_what_was_reported_and_not_looked_up_is_found_after_a_crash(database: Database) -> None:
    before, after = Backlog(Ledger(database, "one")), Backlog(Ledger(database, "two"))
    for file in (FILE, CHANGE, replace(FILE, file_id="F2")):
        assert await before.note(file)
    await before.end(replace(FILE, file_id="F2"))

    assert await after.take_over(starting=True) == [FILE, CHANGE]


async def test_of_all_processes_one_looks_a_file_up(database: Database) -> None:
    one, two = Backlog(Ledger(database, "one")), Backlog(Ledger(database, "two"))

    assert await one.note(FILE)
    assert not await two.note(replace(FILE, event_id="Ev9"))  # the same message, in another event
    assert await two.take_over(starting=False) == []


async def test_a_file_that_is_shared_or_changed_once_more_is_looked_up_once_more(database: Database) -> None:
    backlog = Backlog(Ledger(database, "one"))
    for file in (FILE, CHANGE):
        await backlog.note(file)
        await backlog.end(file)

    assert await backlog.note(replace(FILE, ts="200.1"))
    assert await backlog.note(replace(CHANGE, event_id="Ev3"))
    assert not await backlog.note(FILE)
