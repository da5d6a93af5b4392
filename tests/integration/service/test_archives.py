"""An archive's files become documents of their own, and come and go with it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from adapters.cli.questions import with_archives
from bot.library import ServiceLibrary
from pipeline.archives import lacks_files
from pipeline.conversation import Question
from pipeline.domain import DocumentStatus, Filters, IngestReason, Scope
from pipeline.errors import IngestError
from pipeline.lookup import narrow
from pipeline.storage.job import NewJob
from tests.fakes.documents import archive, pdf
from tests.integration.service.conftest import ingest
from tests.integration.service.test_places import incoming, place

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Document
    from pipeline.ingestion.intake import Accepted

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

ONE = Scope("slack", "T1", "C1")
LEAVE = "# Leave\n\nEvery employee has 28 days of paid leave a year.\n"
TRAVEL = "# Travel\n\nTrains are booked second class.\n"
PICTURE = b"\x89PNG\r\n\x1a\n\0\0"
FILES: dict[str, str | bytes] = {
    "hr/leave.md": LEAVE,
    "plan.pdf": pdf(["The launch is in May"]),
    "x.png": PICTURE,
}


class Drive:
    """A platform that keeps files as bytes."""

    def __init__(self, service: Service) -> None:
        self.files: dict[str, bytes] = {}
        self.fetched = 0
        self.library = ServiceLibrary(service)
        self._service = service
        service.sources.connect("slack", self.fetch)

    async def fetch(self, source: str) -> bytes:
        where = source.partition("#")[0]
        if where not in self.files:
            raise IngestError(IngestReason.UNREADABLE, "It was deleted.")
        self.fetched += 1
        return self.files[where]

    async def share(
        self, file_id: str, data: bytes, *, name: str = "", changed: bool = False, rests: bool = True
    ) -> Accepted:
        self.files[place(file_id, ONE)] = data
        file = incoming(file_id, ONE, name or f"{file_id}.zip", changed=changed)
        accepted = await self.library.accept(ONE, file)
        if rests:
            await self.idle()
        return accepted

    async def delete(self, file_id: str) -> None:
        del self.files[place(file_id, ONE)]
        await self.library.withdraw(ONE, place(file_id, ONE))
        await self.idle()

    async def idle(self) -> None:
        await self._service.worker.drain(ONE)

    async def documents(self) -> dict[str, Document]:
        return {each.display_name: each for each in await self.library.documents(ONE)}

    async def names(self) -> list[str]:
        return sorted(await self.documents())


async def test_each_file_is_a_document_and_the_archive_sums_them_up(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "bundle.zip").write_bytes(archive(FILES))
    async with opened() as service:
        results = await ingest(service, scope, folder)
        again = await ingest(service, scope, folder)

    rows = {result.accepted.upload.display_name: result.document for result in results}
    assert list(rows) == ["bundle.zip", "bundle.zip/hr/leave.md", "bundle.zip/plan.pdf", "bundle.zip/x.png"]
    whole, leave, plan, picture = rows.values()
    assert whole and leave and plan and picture
    assert (whole.status, whole.chunks) == (DocumentStatus.READY, 2)
    assert (whole.message or "").startswith("2 of 3 files indexed; not: x.png")
    assert (plan.status, plan.pages) == (DocumentStatus.READY, 1)
    assert (picture.status, picture.reason) == (DocumentStatus.FAILED, IngestReason.UNSUPPORTED_TYPE)
    assert [result.accepted.status for result in again] == ["duplicate", "duplicate", "duplicate", "queued"]


async def test_the_files_are_found_and_cited_and_lead_to_the_archive(opened: Opened) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        await drive.share("F1", archive(FILES))
        found = (await drive.documents())["F1.zip/hr/leave.md"]
        (chunk,) = await service.stores.catalog.chunks(ONE, found.document_id)

    assert (chunk.display_name, chunk.place.section) == ("F1.zip/hr/leave.md", "Leave")


async def test_a_question_can_be_limited_to_an_archive(opened: Opened) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        await drive.share("F1", archive(FILES))
        await drive.share("F2", archive({"other.md": b"# Other\n\nSomething else.\n"}))
        files = await drive.documents()
        asked = Question(text="How long is leave, only in F1.zip?", scope=ONE)
        found = await narrow(service.stores.catalog, asked, datetime.now(UTC))

    assert found is not None
    assert found.names == ("F1.zip",)
    inside = {document.document_id for name, document in files.items() if name.startswith("F1.zip")}
    assert found.document_ids == frozenset(inside)


async def test_an_archive_is_fetched_once_for_all_its_files(opened: Opened) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        await drive.share("F1", archive({f"{number}.md": f"# Plan {number}\n" for number in range(20)}))

        assert len(await drive.documents()) == 21
        assert drive.fetched == 1


async def test_the_same_archive_again_is_a_duplicate_and_a_job_done_twice_changes_nothing(
    opened: Opened,
) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        data = archive(FILES)
        first = await drive.share("F1", data)
        before = await drive.documents()
        again = await drive.share("F1", data)
        (job,) = [
            job
            for job in await service.stores.queue.done(ONE, "ingest")
            if job.payload["document_id"] == first.document_id
        ]
        same = NewJob(kind=job.kind, scope=ONE, payload=job.payload, dedupe_key=job.dedupe_key)
        await service.stores.queue.enqueue(same)
        await drive.idle()

        assert again.status == "duplicate"
        after = await drive.documents()
        assert {name: each.status for name, each in after.items()} == {
            name: each.status for name, each in before.items()
        }
        assert after["F1.zip/hr/leave.md"].revision == before["F1.zip/hr/leave.md"].revision


async def test_deleting_the_archive_takes_all_of_its_files_and_nothing_else(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        await drive.share("F1", archive(FILES))
        await drive.share("F2", archive({"travel.md": TRAVEL}))

        await drive.delete("F1")

        assert await drive.names() == ["F2.zip", "F2.zip/travel.md"]


async def test_forgetting_the_archive_takes_its_files_too_and_one_file_can_be_forgotten_alone(
    opened: Opened,
) -> None:
    async with opened() as service:
        drive = Drive(service)
        await drive.share("F1", archive(FILES))
        documents = await drive.documents()
        await drive.library.forget(ONE, [documents["F1.zip/plan.pdf"].document_id])
        assert await drive.names() == ["F1.zip", "F1.zip/hr/leave.md", "F1.zip/x.png"]

        await drive.library.forget(ONE, [documents["F1.zip"].document_id])

        assert await drive.names() == []


async def test_a_file_that_is_in_the_channel_already_stays_one_document_until_both_are_gone(
    opened: Opened,
) -> None:
    async with opened() as service:
        drive = Drive(service)
        await drive.share("F1", LEAVE.encode(), name="leave.md")
        await drive.share("F2", archive({"again.md": LEAVE, "travel.md": TRAVEL}))
        assert await drive.names() == ["F2.zip", "F2.zip/travel.md", "leave.md"]
        message = (await drive.documents())["F2.zip"].message
        assert message == "1 of 1 file indexed. 1 file in it was in the channel already."

        await drive.delete("F1")
        assert await drive.names() == ["F2.zip", "F2.zip/again.md", "F2.zip/travel.md"]

        await drive.delete("F2")
        assert await drive.names() == []


async def test_a_file_that_came_in_an_archive_first_stays_when_only_the_archive_goes(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        await drive.share("F1", archive({"again.md": LEAVE, "travel.md": TRAVEL}))
        assert (await drive.share("F2", LEAVE.encode(), name="leave.md")).status == "duplicate"

        await drive.delete("F1")

        assert await drive.names() == ["leave.md"]


async def test_of_two_uploads_of_one_archive_the_files_stay_while_one_is_there(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        data = archive({"leave.md": LEAVE})
        await drive.share("F1", data)
        assert (await drive.share("F2", data)).status == "duplicate"

        await drive.delete("F1")
        assert await drive.names() == ["F2.zip", "F2.zip/leave.md"]

        await drive.delete("F2")
        assert await drive.names() == []


async def test_a_changed_archive_keeps_what_it_still_has_and_loses_the_rest(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        await drive.share("F1", archive({"leave.md": LEAVE, "plan.pdf": pdf(["Old plan"])}))
        await drive.share("F1", archive({"leave.md": LEAVE, "travel.md": TRAVEL}), changed=True)

        assert await drive.names() == ["F1.zip", "F1.zip/leave.md", "F1.zip/travel.md"]
        assert {each.status for each in (await drive.documents()).values()} == {DocumentStatus.READY}


async def test_an_archive_without_anything_to_read_has_failed(opened: Opened) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        await drive.share("F1", archive({"x.png": PICTURE}))
        await drive.share("F2", archive({"__MACOSX/._a": "x"}))
        documents = await drive.documents()

    assert documents["F1.zip"].reason is IngestReason.UNSUPPORTED_TYPE
    assert documents["F2.zip"].reason is IngestReason.NO_TEXT
    assert documents["F2.zip"].message == "The archive holds no files."


async def test_a_bomb_is_refused_and_the_channel_goes_on(opened: Opened) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        await drive.share("F1", archive({"a.txt": b" " * 12_000_000}))
        await drive.share("F2", archive({"leave.md": LEAVE}))
        documents = await drive.documents()

    assert documents["F1.zip"].reason is IngestReason.TOO_LARGE
    assert documents["F2.zip/leave.md"].status is DocumentStatus.READY


async def test_a_reindex_reads_every_file_again_from_the_archive(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        await drive.share("F1", archive(FILES))
        before = await drive.documents()

        await service.chores.reindex(ONE)

        after = await drive.documents()
        assert {name: each.status for name, each in after.items()} == {
            name: each.status for name, each in before.items()
        }
        assert after["F1.zip"].message == before["F1.zip"].message
        assert drive.fetched == 2


async def test_an_archive_counts_as_its_files_only(opened: Opened) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        await drive.share("F1", archive(FILES))
        holdings = await service.stores.catalog.holdings(ONE)

    assert (holdings.ready, holdings.failed) == (2, 1)


@pytest.mark.parametrize("name", ["bundle.zip", "bundle"])
async def test_places_of_files_in_an_archive_are_asked_for_by_the_archives(opened: Opened, name: str) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        await drive.share("F1", archive(FILES), name=name)
        sources = [source async for _, source in drive.library.sources("slack")]

    assert len(sources) == 1
    assert sources[0].startswith(place("F1", ONE))


async def test_after_one_file_was_forgotten_the_archive_says_how_to_bring_it_back(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        data = archive(FILES)
        await drive.share("F1", data)
        await drive.library.forget(ONE, [(await drive.documents())["F1.zip/plan.pdf"].document_id])
        whole = (await drive.documents())["F1.zip"]
        assert (whole.message or "").startswith("1 of 2 files indexed; not: x.png")
        assert lacks_files(whole)

        await drive.library.forget(ONE, [whole.document_id])
        await drive.share("F1", data)

        after = await drive.documents()
        assert after["F1.zip/plan.pdf"].status is DocumentStatus.READY
        assert not lacks_files(after["F1.zip"])


async def test_all_files_that_cannot_be_read_are_written_at_once_and_once(opened: Opened) -> None:
    async with opened(working=False) as service:
        drive = Drive(service)
        data = archive({"leave.md": LEAVE, **{f"{number}.txt": b"" for number in range(30)}})
        first = await drive.share("F1", data)
        store = await service.stores.catalog.open(ONE)
        assert store is not None
        written, _ = await store.versions()
        assert written < 20
        before = [each for each in await store.documents() if each.reason]
        assert len(before) == 30
        (job,) = [
            job
            for job in await service.stores.queue.done(ONE, "ingest")
            if job.payload["document_id"] == first.document_id
        ]
        payload = {**job.payload, "uploaded_at": datetime(2031, 1, 1, tzinfo=UTC).isoformat()}
        await service.stores.queue.enqueue(NewJob(kind=job.kind, scope=ONE, payload=payload))
        await drive.idle()

        assert [each for each in await store.documents() if each.reason] == before


async def test_a_question_to_an_archive_is_one_to_its_files(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        await drive.share("F1", LEAVE.encode(), name="leave.md")
        await drive.share("F2", archive({"again.md": LEAVE, "travel.md": TRAVEL}))
        await drive.share("F3", archive({"plan.pdf": pdf(["The launch is in May"])}))
        ids = {name: each.document_id for name, each in (await drive.documents()).items()}
        narrowed = Filters(document_ids=frozenset({ids["F2.zip"]}))
        asked = await with_archives(service, Question(text="?", scope=ONE, filters=narrowed))
        unnarrowed = Question(text="?", scope=ONE)

        assert await with_archives(service, unnarrowed) == unnarrowed
    wanted = frozenset(ids[name] for name in ("F2.zip", "F2.zip/travel.md", "leave.md"))
    assert asked.filters.document_ids == wanted
