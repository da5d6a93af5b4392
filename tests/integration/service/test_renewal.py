"""After an upgrade every index is made anew in the background, and no question fails by that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.doctor import examine
from bot.library import OUTDATED, ServiceLibrary
from pipeline.catalog import REEMBED, REINDEX
from pipeline.conversation import Question
from pipeline.errors import SourceAway
from pipeline.ingestion.intake import Upload
from pipeline.ingestion.preparation import READING_VERSION
from tests.fakes.models import ScriptedEmbedder
from tests.integration.service.conftest import HANDBOOK, ingest
from tests.integration.service.test_mending import MONTHLY

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    import pytest

    from bot.bootstrap import Service
    from pipeline.domain import Scope
    from pipeline.storage.refs import CatalogRef

    Opened = Callable[..., AbstractAsyncContextManager[Service]]


async def current(service: Service, scope: Scope) -> CatalogRef:
    ref = await service.stores.generations.current(scope)
    assert ref is not None
    return ref


async def kinds(service: Service, scope: Scope) -> list[str]:
    return [job.kind for job in await service.stores.queue.waiting(scope)]


async def test_what_an_earlier_version_has_read_is_read_again_after_a_start(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        service.stores.generations.reading = READING_VERSION - 1
        await ingest(service, scope, folder)
    async with opened(working=False) as service:
        before = await current(service, scope)
        status = await ServiceLibrary(service).status(scope)
        checks = {check.name: check async for check in examine(service.settings)}
        assert await service.renew() == await service.renew() == 1
        queued = await kinds(service, scope)
        meanwhile = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))
        await service.worker.drain(scope)
        after = await current(service, scope)
        assert await service.renew() == 0
        answer = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))

    assert status.remarks == (OUTDATED,)
    assert checks[f"channel {scope}"].status == "warn"
    assert queued == [REINDEX]
    assert (before.reading, after.reading) == (READING_VERSION - 1, READING_VERSION)
    assert meanwhile.success
    assert meanwhile.degraded == ()
    assert answer.success


async def test_another_embedder_is_noticed_at_the_start(
    opened: Opened, scope: Scope, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def chosen(ref: CatalogRef | None) -> object:
        return await service.models.embedder()

    async with opened() as service:
        await ingest(service, scope, folder)
    async with opened(embedder=ScriptedEmbedder(name="scripted:other"), working=False) as service:
        # with 'auto' a channel stays with its own model as long as that can be had
        monkeypatch.setattr(service.models, "embedder_for", chosen)
        await service.renew()
        assert await kinds(service, scope) == [REEMBED]


async def test_a_rebuilding_for_another_reason_does_not_pass_for_reading_again(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        service.stores.generations.reading = READING_VERSION - 1
        service.stores.generations.analyzer -= 1
        await ingest(service, scope, folder)
    async with opened() as service:
        (folder / "new.md").write_text("# New\n\nA file that was not there before.\n")
        await ingest(service, scope, folder)
        assert (await current(service, scope)).reading == READING_VERSION - 1


async def test_files_that_cannot_be_reached_now_keep_their_text_and_are_read_again_some_other_time(
    opened: Opened, scope: Scope
) -> None:
    there = True

    async def fetch(source: str) -> bytes:
        if not there:
            raise SourceAway("The platform could not be reached.")
        return b"# Refunds\n\nA refund for a monthly plan takes five working days.\n"

    async with opened(working=False) as service:
        service.sources.connect("terminal", fetch)
        service.stores.generations.reading = READING_VERSION - 1
        await service.intake.accept(scope, Upload(source="terminal:1", display_name="refunds.md"))
        await service.worker.drain(scope)
        service.stores.generations.reading = READING_VERSION
        stands = []
        for reached in (False, True):
            there = reached
            await service.renew()
            await service.worker.drain(scope)
            stands.append((await current(service, scope)).reading)
        answer = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))

    assert stands == [READING_VERSION - 1, READING_VERSION]
    assert answer.success


async def test_a_question_whose_index_is_replaced_meanwhile_is_answered_from_the_new_one(
    opened: Opened, scope: Scope, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generations: list[int] = []

    async def replace_it(ref: CatalogRef) -> object:
        generations.append(ref.generation)
        if len(generations) == 1:
            await service.chores.reindex(scope)
        return await other.models.embedder()

    async with opened() as service, opened(working=False) as other:
        await ingest(service, scope, folder)
        monkeypatch.setattr(other.models, "embedder_for", replace_it)
        answer = await (await other.pipeline()).ask(Question(text=MONTHLY, scope=scope))

    assert len(set(generations)) == 2
    assert (answer.success, answer.degraded) == (True, ())


async def test_a_list_whose_index_is_replaced_meanwhile_is_that_of_the_new_one(
    opened: Opened, scope: Scope, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as service, opened(working=False) as other:
        await ingest(service, scope, folder)
        old = await current(service, scope)
        await service.chores.reindex(scope)
        latest = other.stores.generations.current
        late = [old]

        async def look_late(asked: Scope) -> CatalogRef | None:
            return late.pop() if late else await latest(asked)

        # it was looked up before the switch, and is opened when it has been dropped
        monkeypatch.setattr(other.stores.generations, "current", look_late)
        assert len(await other.stores.catalog.documents(scope)) == len(HANDBOOK)
        late.append(old)
        assert await other.stores.catalog.open(scope) is not None
