"""What was forgotten is not found, not remembered, and not stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.domain import Question
from pipeline.ingestion.intake import Upload
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.index import Indexes
from tests.integration.service.conftest import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

SECRET = "The password of the cellar is zebrafish-4711."


async def converse(service: Service, scope: Scope, thread: str, text: str) -> None:
    pipeline = await service.pipeline()
    question = Question(text=text, scope=scope, thread=thread)
    await pipeline.remember(question, await pipeline.ask(question))


def stored(data: Path, words: str) -> list[str]:
    """Files of the stores that hold these words; the logs hold none, which others test."""
    files = [path for path in data.rglob("*") if path.is_file() and path.parent.name != "logs"]
    return [path.name for path in files if words.encode() in path.read_bytes()]


async def id_of(service: Service, scope: Scope, name: str) -> str:
    documents = await service.stores.catalog.documents(scope)
    return next(each.document_id for each in documents if each.display_name == name)


async def test_a_forgotten_document_is_in_no_file_of_the_stores_any_more(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    (folder / "cellar.md").write_text(f"# Cellar\n\n{SECRET}\n")
    for number in range(20):
        (folder / f"{number:02}.md").write_text(f"# Part {number}\n\nNothing of interest in {number}.\n")
    async with opened() as service:
        await ingest(service, scope, folder)
        await converse(service, scope, "t", "What is the password of the cellar?")
        assert stored(tmp_path / "data", "zebrafish")
        await service.forget(scope, [await id_of(service, scope, "cellar.md")])
        left = await service.stores.catalog.documents(scope)

    assert len(left) == 23
    assert stored(tmp_path / "data", "zebrafish") == []
    assert stored(tmp_path / "data", "cellar.md") == []


async def test_what_was_answered_from_a_forgotten_document_is_not_remembered(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        await converse(service, scope, "refunds", "How long does a refund for a monthly plan take?")
        await converse(service, scope, "leave", "How many days of paid leave a year?")
        threads = service.stores.threads
        before = [(await threads.summary(scope, name)).text for name in ("refunds", "leave")]
        await service.forget(scope, [await id_of(service, scope, "leave.md")])
        after = [(await threads.summary(scope, name)).text for name in ("refunds", "leave")]
        turns = [len(await threads.turns(scope, name, 9)) for name in ("refunds", "leave")]

    assert all(before)
    assert after == [before[0], ""]
    assert turns == [1, 0]


async def test_a_purged_channel_remembers_nothing_of_what_was_said_in_it(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    (folder / "cellar.md").write_text(f"# Cellar\n\n{SECRET}\n")
    async with opened() as service:
        await ingest(service, scope, folder)
        await converse(service, scope, "t", "What is the password of the cellar, in a word?")
        await converse(service, scope, "t", "Qwertz zzyzx?")
        await service.forget(scope, None)
        summary = await service.stores.threads.summary(scope, "t")
        last = await service.stores.threads.last_turn(scope, "t")

    assert (summary.text, last) == ("", None)
    for words in ("zebrafish", "cellar", "zzyzx", "refunds.md"):
        assert stored(tmp_path / "data", words) == []


async def test_a_document_that_comes_back_under_another_name_is_seen_with_that_name(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    indexes = Indexes(analyze=analyze)

    async def names(service: Service) -> set[str]:
        store = await service.stores.catalog.open(scope)
        assert store is not None
        snapshot = await indexes.snapshot(store)
        found = [chunk_id for chunk_id, _ in await snapshot.sparse.search(analyze("paid leave"), 10)]
        return {chunk.display_name for chunk in (await snapshot.fetch(found)).values()}

    async with opened() as service:
        await ingest(service, scope, folder)
        before = await names(service)
        # no question is asked between the two, so that the index in memory sees neither by itself
        await service.forget(scope, [await id_of(service, scope, "leave.md")])
        renamed = (folder / "leave.md").rename(folder / "holidays.md")
        await service.ingest(scope, [(renamed, renamed.name)], lambda done, total, name: None)
        after = await names(service)

    assert "leave.md" in before
    assert "holidays.md" in after
    assert "leave.md" not in after


async def test_forgetting_an_upload_that_waits_takes_it_out_of_the_queue(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(working=False) as service:
        path = folder / "leave.md"
        accepted = await service.intake.accept(scope, Upload(source=path.as_uri(), display_name=path.name))
        assert accepted.document_id
        await service.stores.catalog.request_forget(scope, [accepted.document_id])
        await service.worker.drain(scope)

        assert await service.stores.catalog.documents(scope) == []
