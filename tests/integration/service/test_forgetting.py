"""What was forgotten is not found, not remembered, and not stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete

from pipeline.conversation import Question
from pipeline.entries import Entry
from pipeline.ingestion.intake import Upload
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.index import Indexes
from pipeline.storage.refs import StoredChunk
from pipeline.storage.schema import turns
from tests.fakes.models import ScriptedReader
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
        await service.chores.forget(scope, [await id_of(service, scope, "cellar.md")])
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
        await service.chores.forget(scope, [await id_of(service, scope, "leave.md")])
        after = [(await threads.summary(scope, name)).text for name in ("refunds", "leave")]
        kept = [len(await threads.turns(scope, name, 9)) for name in ("refunds", "leave")]

    assert all(before)
    assert after == [before[0], ""]
    assert kept == [1, 0]


async def test_a_purged_channel_remembers_nothing_of_what_was_said_in_it(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    (folder / "cellar.md").write_text(f"# Cellar\n\n{SECRET}\n")
    async with opened() as service:
        await ingest(service, scope, folder)
        await converse(service, scope, "t", "What is the password of the cellar, in a word?")
        await converse(service, scope, "t", "Qwertz zzyzx?")
        await service.chores.forget(scope, None)
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
        await service.chores.forget(scope, [await id_of(service, scope, "leave.md")])
        renamed = (folder / "leave.md").rename(folder / "holidays.md")
        await service.chores.ingest(scope, [(renamed, renamed.name)], lambda done, total, name: None)
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


async def test_a_summary_goes_with_a_document_that_its_answer_came_from_without_citing_it(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    (folder / "cellar.md").write_text(f"# Cellar\n\n{SECRET}\n")
    # a small model that leaves the marker out, and one that gives the wrong one
    for number, text in enumerate(("It is zebrafish-4711.", "It is zebrafish-4711 [2].")):
        async with opened(reader=ScriptedReader(text)) as service:
            await ingest(service, scope, folder)
            await converse(service, scope, f"t{number}", "What is the password of the cellar?")
            kept = await service.stores.threads.summary(scope, f"t{number}")
            await service.chores.forget(scope, [await id_of(service, scope, "cellar.md")])
            left = await service.stores.threads.summary(scope, f"t{number}")
        assert "zebrafish" in kept.text
        assert left.text == ""
        assert stored(tmp_path / "data", "zebrafish-4711") == []


async def test_a_summary_that_outlived_its_first_turn_still_goes_with_its_document(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        await converse(service, scope, "t", "How many days of paid leave a year?")
        await converse(service, scope, "t", "And how long does a refund for a monthly plan take?")
        threads = service.stores.threads
        leave = await id_of(service, scope, "leave.md")
        summary = await threads.summary(scope, "t")
        async with service.stores.database.write() as connection:
            await connection.execute(delete(turns))
        await service.chores.forget(scope, [leave])
        left = await threads.summary(scope, "t")

    assert leave in summary.documents
    assert summary.text
    assert (left.text, left.documents) == ("", frozenset())


async def test_an_answer_that_was_under_way_while_its_document_was_forgotten_is_not_remembered(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    (folder / "cellar.md").write_text(f"# Cellar\n\n{SECRET}\n")
    async with opened(reader=ScriptedReader("It is zebrafish-4711 [1].")) as service:
        await ingest(service, scope, folder)
        pipeline = await service.pipeline()
        question = Question(text="What is the password of the cellar?", scope=scope, thread="t")
        answer = await pipeline.ask(question)
        await service.chores.forget(scope, [await id_of(service, scope, "cellar.md")])
        await pipeline.remember(question, answer)
        summary = await service.stores.threads.summary(scope, "t")

    assert answer.success
    assert summary.text == ""
    assert stored(tmp_path / "data", "zebrafish-4711") == []


async def test_what_a_rebuilding_left_unfinished_goes_with_what_is_forgotten(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    (folder / "cellar.md").write_text(f"# Cellar\n\n{SECRET}\n")
    async with opened() as service:
        await ingest(service, scope, folder)
        store = await service.stores.catalog.open(scope)
        assert store is not None
        cellar = await id_of(service, scope, "cellar.md")
        # as a killed rebuilding leaves it
        half = await service.stores.generations.begin(scope, store.ref.embedder, store.ref.dimension)
        rows = await store.read_chunks([cellar], vectors=True)
        assert rows.vectors is not None
        chunks = [
            StoredChunk(chunk=chunk, tokens=tuple(tokens), vector=vector)
            for chunk, tokens, vector in zip(rows.chunks, rows.tokens, rows.vectors, strict=True)
        ]
        await (await service.stores.vectors.catalog(half)).write_chunks(cellar, chunks)
        await service.chores.forget(scope, [cellar])

    assert stored(tmp_path / "data", "zebrafish-4711") == []


async def test_the_ledger_keeps_no_name_of_a_file_that_a_command_forgets(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        leave = await id_of(service, scope, "leave.md")
        entry = Entry(
            kind="file",
            scope=scope,
            id="f1",
            thread="t",
            author="ann",
            payload={"name": "salaries-4711.md", "source": "file:///salaries-4711.md", "document_id": leave},
        )
        assert await service.stores.ledger.open(entry)
        assert stored(tmp_path / "data", "salaries-4711")
        await service.chores.forget(scope, [leave])
        left = await service.stores.ledger.find(scope, "file", "f1")

    assert left is not None
    assert (left.state, left.payload) == ("gone", {})
    assert stored(tmp_path / "data", "salaries-4711") == []


async def test_bytes_that_wait_in_memory_go_with_what_is_forgotten(opened: Opened, scope: Scope) -> None:
    async def fetch(source: str) -> bytes:
        return SECRET.encode()

    async with opened(working=False) as service:
        service.sources.connect("far", fetch)
        upload = Upload(source="far:1", display_name="cellar.md")
        accepted = await service.intake.accept(scope, upload)
        assert accepted.document_id
        await service.stores.catalog.request_forget(scope, [accepted.document_id])
        await service.worker.drain(scope)
        assert service.kept.take(accepted.document_id) is None
