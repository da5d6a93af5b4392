"""The register of indexes never loses or reuses a generation."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from pipeline.domain import Scope
from pipeline.errors import CatalogError
from pipeline.storage.generations import Catalogs
from pipeline.storage.queue import NewJob, Queue
from pipeline.storage.refs import FIRST_ANALYZER

if TYPE_CHECKING:
    from pipeline.storage.sql import Database

SCOPE = Scope("slack", "T024BE7LD", "C0123456789")
OTHER = Scope("slack", "T024BE7LD", "C2")


@pytest.fixture
def catalogs(database: Database) -> Catalogs:
    return Catalogs(database)


async def test_a_channel_without_an_index_has_no_current_generation(catalogs: Catalogs) -> None:
    assert await catalogs.current(SCOPE) is None
    assert await catalogs.scopes() == []


async def test_the_first_generation_is_current_at_once(catalogs: Catalogs) -> None:
    ref = await catalogs.create(SCOPE, "embedded:small", 384)
    assert (ref.generation, ref.embedder, ref.dimension) == (1, "embedded:small", 384)
    assert await catalogs.current(SCOPE) == ref
    assert await catalogs.scopes() == [SCOPE]


async def test_a_catalog_knows_by_which_analyzer_it_was_written(database: Database) -> None:
    before = await Catalogs(database, analyzer=1).create(SCOPE, "embedded:small", 384)
    later = Catalogs(database, analyzer=2)
    assert await later.current(SCOPE) == before
    renewed = await later.begin(SCOPE, "embedded:small", 384)
    await later.activate(renewed)
    current = await later.current(SCOPE)
    assert current is not None
    assert (before.analyzer, current.analyzer) == (1, 2)


async def test_a_program_that_knows_of_no_analyzers_has_the_first(database: Database) -> None:
    catalogs = Catalogs(database, analyzer=3)
    ref = await catalogs.create(SCOPE, "embedded:small", 384)
    async with database.write() as connection:
        await connection.execute(text("DELETE FROM catalogs"))
        await connection.execute(
            text(
                "INSERT INTO catalogs (scope_key, generation, embedder, dimension, state, created_at) "
                "VALUES (:key, :generation, 'embedded:small', 384, 'current', '2026-03-01 12:00:00')"
            ),
            {"key": SCOPE.key, "generation": ref.generation},
        )
    current = await catalogs.current(SCOPE)
    assert current is not None
    assert current.analyzer == FIRST_ANALYZER


async def test_creating_twice_keeps_the_index_that_is_there(catalogs: Catalogs) -> None:
    first = await catalogs.create(SCOPE, "embedded:small", 384)
    assert await catalogs.create(SCOPE, "ollama:large", 768) == first


async def test_creating_at_the_same_time_gives_one_index(catalogs: Catalogs) -> None:
    refs = await asyncio.gather(*(catalogs.create(SCOPE, "embedded:small", 384) for _ in range(8)))
    assert len({ref.name for ref in refs}) == 1
    assert await catalogs.current(SCOPE) == refs[0]


async def test_two_spellings_of_a_channel_share_its_index(catalogs: Catalogs) -> None:
    ref = await catalogs.create(SCOPE, "embedded:small", 384)
    assert await catalogs.current(Scope("slack", "t024be7ld", "c0123456789")) == ref


async def test_questions_see_the_old_generation_until_the_new_one_is_activated(catalogs: Catalogs) -> None:
    old = await catalogs.create(SCOPE, "embedded:small", 384)
    new = await catalogs.begin(SCOPE, "ollama:large", 768)
    assert new.generation > old.generation
    assert await catalogs.current(SCOPE) == old
    assert await catalogs.activate(new) == old
    assert await catalogs.current(SCOPE) == new
    assert await catalogs.activate(new) is None


async def test_a_channel_without_an_index_can_begin_one(catalogs: Catalogs) -> None:
    ref = await catalogs.begin(SCOPE, "embedded:small", 384)
    assert await catalogs.activate(ref) is None
    assert await catalogs.current(SCOPE) == ref


async def test_a_replaced_generation_stays_registered_until_its_store_is_gone(catalogs: Catalogs) -> None:
    old = await catalogs.create(SCOPE, "embedded:small", 384)
    await catalogs.activate(await catalogs.begin(SCOPE, "embedded:small", 384))
    assert await catalogs.retired() == [old]
    await catalogs.discard(old)
    assert await catalogs.retired() == []


async def test_the_current_generation_cannot_be_struck_off(catalogs: Catalogs) -> None:
    ref = await catalogs.create(SCOPE, "embedded:small", 384)
    await catalogs.discard(ref)
    assert await catalogs.current(SCOPE) == ref


async def test_a_removed_channel_leaves_its_generations_to_be_dropped(catalogs: Catalogs) -> None:
    current = await catalogs.create(SCOPE, "embedded:small", 384)
    building = await catalogs.begin(SCOPE, "embedded:small", 384)
    await catalogs.create(OTHER, "embedded:small", 384)
    assert await catalogs.remove(SCOPE) == [current, building]
    assert await catalogs.current(SCOPE) is None
    assert await catalogs.retired() == [current, building]
    assert await catalogs.scopes() == [OTHER]


async def test_a_generation_number_is_not_used_again_after_the_channel_was_removed(
    catalogs: Catalogs,
) -> None:
    first = await catalogs.create(SCOPE, "embedded:small", 384)
    for ref in await catalogs.remove(SCOPE):
        await catalogs.discard(ref)
    assert (await catalogs.create(SCOPE, "embedded:small", 384)).generation > first.generation


async def test_an_index_built_for_a_channel_that_was_removed_meanwhile_is_not_activated(
    catalogs: Catalogs,
) -> None:
    building = await catalogs.begin(SCOPE, "embedded:small", 384)
    await catalogs.remove(SCOPE)
    with pytest.raises(CatalogError, match="removed"):
        await catalogs.activate(building)
    assert await catalogs.current(SCOPE) is None


async def test_a_failed_activation_keeps_the_current_index(catalogs: Catalogs) -> None:
    current = await catalogs.create(SCOPE, "embedded:small", 384)
    overtaken = await catalogs.begin(SCOPE, "embedded:small", 384)
    await catalogs.begin(SCOPE, "embedded:small", 384)
    with pytest.raises(CatalogError):
        await catalogs.activate(overtaken)
    assert await catalogs.current(SCOPE) == current


async def test_an_unfinished_generation_is_given_up_once_nobody_works_on_its_channel(
    database: Database, catalogs: Catalogs
) -> None:
    queue = Queue(database)
    await queue.enqueue(NewJob(kind="reindex", scope=SCOPE))
    job = await queue.claim("worker")
    assert job is not None
    building = await catalogs.begin(SCOPE, "embedded:small", 384)
    assert await catalogs.retired() == []
    await queue.finish(job)
    assert await catalogs.retired() == [building]
