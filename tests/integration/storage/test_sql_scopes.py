"""Channels are found by their workspace and by what was taken into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.domain import Scope
from pipeline.entries import Entry
from pipeline.storage.copies import Copies
from pipeline.storage.generations import Catalogs
from pipeline.storage.job import NewJob
from pipeline.storage.ledger import Ledger
from pipeline.storage.preferences import ChannelChoices
from pipeline.storage.queue import Queue
from pipeline.storage.scopes import Scopes
from pipeline.storage.threads import Threads

if TYPE_CHECKING:
    from pipeline.storage.sql import Database

ONE = Scope("slack", "T_1", "C1")
TWO = Scope("slack", "T_1", "C2")
ELSEWHERE = Scope("slack", "TX1", "C1")
OTHERS = Scope("other", "T_1", "C1")
PLACE = "slack:T_1/F1"


async def queue_upload(database: Database, scope: Scope, source: str) -> None:
    payload = {"source": source, "document_id": "d1"}
    await Queue(database).enqueue(NewJob(kind="ingest", scope=scope, payload=payload))


async def test_a_channel_is_known_by_whatever_is_kept_of_it(database: Database) -> None:
    kept = [Scope("slack", "T1", f"C{number}") for number in range(5)]
    await Catalogs(database).create(kept[0], "fake:unit", 8)
    await queue_upload(database, kept[1], PLACE)
    await Threads(database).save_summary(kept[2], "t", "Said.", expected_version=0)
    await Ledger(database, "me").open(Entry(kind="question", scope=kept[3], id="1", thread="t", author="u"))
    await ChannelChoices(database).save(kept[4], {"follow_ups": "always"})

    found = await Scopes(database).of("slack", "T1")

    assert [scope.key for scope in found] == [scope.key for scope in kept]
    assert found[0] == kept[0]


async def test_other_workspaces_and_platforms_are_left_alone(database: Database) -> None:
    for scope in (ONE, TWO, ELSEWHERE, OTHERS):
        await queue_upload(database, scope, PLACE)

    assert await Scopes(database).of("slack", "T_1") == [ONE, TWO]
    assert await Scopes(database).of("slack", "T2") == []


async def test_the_channels_that_hold_a_file_are_found(database: Database) -> None:
    await queue_upload(database, ONE, f"{PLACE}#https://acme.slack.com/files/U1/F1/plan.md")
    await queue_upload(database, TWO, "slack:T_1/F2")
    await queue_upload(database, ELSEWHERE, PLACE)

    assert await Scopes(database).holding("slack", "T_1", PLACE) == [ONE]
    assert await Scopes(database).holding("slack", "T_1", "slack:T_1/%") == []


async def test_a_copy_counts_as_held_too(database: Database) -> None:
    await Copies(database).add(ONE, PLACE, "d1", {"source": f"{PLACE}#link"})

    assert await Scopes(database).holding("slack", "T_1", PLACE) == [ONE]


async def test_copies_are_kept_by_document_and_the_earliest_comes_first(database: Database) -> None:
    copies = Copies(database)
    await copies.add(ONE, "slack:T/F1", "d1", {"source": "slack:T/F1#old"})
    await copies.add(ONE, "slack:T/F2", "d1", {"source": "slack:T/F2"})
    await copies.add(ONE, "slack:T/F3", "d2", {"source": "slack:T/F3"})
    await copies.add(TWO, "slack:T/F1", "d1", {"source": "slack:T/F1"})

    kept = await copies.of(ONE)

    assert [copy["source"] for copy in kept["d1"]] == ["slack:T/F1#old", "slack:T/F2"]
    assert [copy["place"] for copy in kept["d2"]] == ["slack:T/F3"]


async def test_a_place_holds_one_copy_and_loses_it_when_it_is_struck_off(database: Database) -> None:
    copies = Copies(database)
    await copies.add(ONE, "slack:T/F1", "d1", {"source": "slack:T/F1"})
    await copies.add(ONE, "slack:T/F1", "d2", {"source": "slack:T/F1"})
    assert list(await copies.of(ONE)) == ["d2"]

    await copies.strike(ONE, "slack:T/F1")

    assert await copies.of(ONE) == {}


@pytest.mark.parametrize("everything", [False, True])
async def test_whatever_forgets_a_document_or_its_channel_forgets_its_copies(
    database: Database, everything: bool
) -> None:
    copies = Copies(database)
    await copies.add(ONE, "slack:T/F1", "d1", {"source": "slack:T/F1"})

    await Queue(database).forget(ONE, None if everything else ["d1"])

    assert await copies.of(ONE) == {}


async def test_a_copy_is_no_work_for_anybody(database: Database) -> None:
    queue = Queue(database)
    await Copies(database).add(ONE, "slack:T/F1", "d1", {"source": "slack:T/F1"})

    assert await queue.waiting(ONE) == []
    assert await queue.claim("me") is None
    assert await queue.done(ONE, "ingest") == []
