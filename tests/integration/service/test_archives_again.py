"""What outlives an archive that is forgotten, and how an archive is taken in again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.domain import DocumentStatus, IngestReason
from tests.fakes.documents import archive
from tests.integration.service.test_archives import LEAVE, ONE, TRAVEL, Drive

if TYPE_CHECKING:
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope
    from pipeline.ingestion.results import Ingested
    from tests.integration.service.test_archives import Opened

BOTH: dict[str, str | bytes] = {"leave.md": LEAVE, "travel.md": TRAVEL}


async def take_in(service: Service, scope: Scope, *paths: Path) -> list[Ingested]:
    files = [(path, path.name) for path in paths]
    return await service.chores.ingest(scope, files, lambda done, total, name: None)


async def names(service: Service, scope: Scope) -> list[str]:
    """Return the names of what is ready, once the channel rests."""
    await service.worker.drain(scope)
    found = await service.stores.catalog.documents(scope)
    return sorted(each.display_name for each in found if each.status is DocumentStatus.READY)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


async def test_a_file_that_came_by_itself_after_its_archive_outlives_the_archive(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    bundle, leave = written(tmp_path, "v1.zip", archive(BOTH)), written(tmp_path, "leave.md", LEAVE)
    async with opened() as service:
        whole = (await take_in(service, scope, bundle))[0].accepted.document_id
        (again,) = await take_in(service, scope, leave)
        gone = await service.chores.forget(scope, [whole or ""])

        assert again.accepted.status == "duplicate"
        assert await names(service, scope) == ["leave.md"]
        assert again.accepted.document_id not in gone
        assert len(gone) == 2


async def test_a_file_that_is_in_two_archives_outlives_the_first_and_goes_with_the_second(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    first = written(tmp_path, "v1.zip", archive(BOTH))
    second = written(tmp_path, "other.zip", archive({"also.md": LEAVE, "more.md": "# More\n\nTea.\n"}))
    async with opened() as service:
        rows = await take_in(service, scope, first, second)
        ids = {row.accepted.upload.display_name: row.accepted.document_id or "" for row in rows}
        await service.chores.forget(scope, [ids["v1.zip"]])
        assert await names(service, scope) == ["other.zip", "other.zip/also.md", "other.zip/more.md"]

        listed = await take_in(service, scope, second)
        assert len(listed) == 3
        await service.chores.forget(scope, [ids["other.zip"]])
        assert await names(service, scope) == []


async def test_what_stood_in_a_forgotten_archive_only_as_a_copy_does_not_count_any_more(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    first = written(tmp_path, "v1.zip", archive(BOTH))
    second = written(tmp_path, "other.zip", archive({"also.md": LEAVE}))
    async with opened() as service:
        rows = await take_in(service, scope, first, second)
        ids = {row.accepted.upload.display_name: row.accepted.document_id or "" for row in rows}
        await service.chores.forget(scope, [ids["other.zip"]])
        assert await names(service, scope) == ["v1.zip", "v1.zip/leave.md", "v1.zip/travel.md"]
        await service.chores.forget(scope, [ids["v1.zip"]])
        assert await names(service, scope) == []


async def test_forgetting_an_archive_by_a_command_keeps_what_people_shared_by_itself(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        whole = await drive.share("F1", archive(BOTH))
        await drive.share("F2", LEAVE.encode(), name="leave.md")

        await drive.library.forget(ONE, [whole.document_id or ""])

        assert await names(service, ONE) == ["leave.md"]


async def test_a_file_that_is_named_is_forgotten_wherever_it_stands(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    bundle, leave = written(tmp_path, "v1.zip", archive(BOTH)), written(tmp_path, "leave.md", LEAVE)
    async with opened() as service:
        await take_in(service, scope, bundle)
        (again,) = await take_in(service, scope, leave)
        await service.chores.forget(scope, [again.accepted.document_id or ""])

        assert await names(service, scope) == ["v1.zip", "v1.zip/travel.md"]


async def test_an_archive_that_lost_files_is_taken_in_again_when_somebody_gives_it_again(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    bundle = written(tmp_path, "v1.zip", archive(BOTH))
    whole = ["v1.zip", "v1.zip/leave.md", "v1.zip/travel.md"]
    async with opened() as service:
        rows = await take_in(service, scope, bundle)
        files = [row.accepted.document_id or "" for row in rows[1:]]
        for lost in (files[:1], files):
            await service.chores.forget(scope, lost)
            await take_in(service, scope, bundle)
            assert await names(service, scope) == whole
        assert (await take_in(service, scope, bundle))[0].accepted.status == "duplicate"


async def test_an_archive_whose_copied_file_was_forgotten_brings_it_back_when_it_comes_again(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    bundle, leave = written(tmp_path, "v1.zip", archive(BOTH)), written(tmp_path, "leave.md", LEAVE)
    async with opened() as service:
        (alone,) = await take_in(service, scope, leave)
        await take_in(service, scope, bundle)
        await service.chores.forget(scope, [alone.accepted.document_id or ""])
        await take_in(service, scope, bundle)

        assert await names(service, scope) == ["v1.zip", "v1.zip/leave.md", "v1.zip/travel.md"]


async def test_only_a_new_upload_brings_back_what_was_forgotten_of_an_archive(opened: Opened) -> None:
    async with opened() as service:
        drive = Drive(service)
        data = archive(BOTH)
        await drive.share("F1", data)
        leave = (await drive.documents())["F1.zip/leave.md"].document_id
        await drive.library.forget(ONE, [leave])

        touched = await drive.share("F1", data, changed=True)
        assert (touched.status, await names(service, ONE)) == ("duplicate", ["F1.zip", "F1.zip/travel.md"])

        assert (await drive.share("F2", data)).status == "queued"
        assert await names(service, ONE) == ["F1.zip", "F1.zip/leave.md", "F1.zip/travel.md"]
        await drive.delete("F1")
        assert await names(service, ONE) == ["F2.zip", "F2.zip/leave.md", "F2.zip/travel.md"]


async def test_an_archive_that_an_earlier_version_refused_is_taken_in_by_the_rebuilding(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    bundle = written(tmp_path, "v1.zip", archive(BOTH))
    async with opened() as service:
        whole = (await take_in(service, scope, bundle))[0].document
        assert whole is not None
        await service.chores.forget(scope, [whole.document_id])
        store = await service.stores.catalog.open(scope)
        assert store is not None
        refused = replace(whole, status=DocumentStatus.FAILED, message="Archives cannot be read.", chunks=0)
        await store.put_document(replace(refused, reason=IngestReason.UNSUPPORTED_TYPE, files=None))

        await service.chores.reindex(scope)

        assert await names(service, scope) == ["v1.zip", "v1.zip/leave.md", "v1.zip/travel.md"]
