from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pipeline.addresses import inside_of, link_of, original_of, place_of, source_inside
from pipeline.archives import LACKING, bereaved, lacking, lacks_files, summed_up, without_archives
from pipeline.domain import Document, DocumentStatus, IngestReason

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
BUNDLE = Document(
    document_id="d1",
    display_name="bundle.zip",
    source="slack:T1/F1#https://acme.example.org/1",
    uploader="U1",
    uploaded_at=WHEN,
    status=DocumentStatus.READY,
)


def file(name: str, status: DocumentStatus, **more: Any) -> Document:
    return Document(
        document_id=f"d-{name}",
        display_name=f"bundle.zip/{name}",
        source=source_inside(BUNDLE.source, "d1", name),
        uploader="U1",
        uploaded_at=WHEN,
        status=status,
        **more,
    )


def bundle(*files: Document, message: str | None = None) -> Document:
    return summed_up([*files, replace(BUNDLE, message=message)])[-1]


READY = file("a.md", DocumentStatus.READY, chunks=2)
PICTURE = file(
    "b.png",
    DocumentStatus.FAILED,
    reason=IngestReason.UNSUPPORTED_TYPE,
    message="The file is a picture, which cannot be read. Supported are texts.",
)


def test_an_archive_is_at_work_until_its_last_file_has_ended() -> None:
    for status in (DocumentStatus.QUEUED, DocumentStatus.INDEXING):
        assert bundle(READY, file("c.md", status)).status is DocumentStatus.INDEXING


def test_an_archive_says_how_many_files_are_indexed_and_which_are_not() -> None:
    summed = bundle(READY, PICTURE)

    assert (summed.status, summed.chunks, summed.files) == (DocumentStatus.READY, 2, 2)
    assert summed.message == (
        "1 of 2 files indexed; not: b.png (The file is a picture, which cannot be read)."
    )


def test_of_many_files_that_failed_a_few_are_named() -> None:
    failed = [
        file(f"{number}.png", DocumentStatus.FAILED, reason=IngestReason.CORRUPT, message="It is damaged.")
        for number in range(8)
    ]

    assert (bundle(READY, *failed).message or "").endswith(
        "not: 0.png, 1.png, 2.png, 3.png, 4.png (It is damaged), 3 more."
    )


def test_an_archive_of_which_nothing_could_be_indexed_has_failed() -> None:
    summed = bundle(PICTURE)

    assert (summed.status, summed.reason) == (DocumentStatus.FAILED, IngestReason.UNSUPPORTED_TYPE)
    assert (summed.message or "").startswith("Its only file could not be indexed: b.png")


def test_an_archive_says_that_a_file_of_it_was_taken_back_and_fails_as_before() -> None:
    poorer = lacking(BUNDLE)

    assert lacking(poorer) == poorer
    assert lacks_files(poorer)
    assert not lacks_files(BUNDLE)
    assert bundle(READY, message=LACKING).message == f"1 of 1 file indexed. {LACKING}"
    assert bundle(message=LACKING).message == LACKING
    failed = bundle(PICTURE, message=LACKING)
    assert failed.status is DocumentStatus.FAILED
    assert lacks_files(failed)


def test_an_archive_lacks_files_only_when_it_stays_itself() -> None:
    assert bereaved([BUNDLE, READY, PICTURE], {READY.document_id}) == {"d1"}
    assert bereaved([BUNDLE, READY, PICTURE], {READY.document_id, "d1"}) == set()
    assert bereaved([BUNDLE, READY], {"d9"}) == set()


def test_an_archive_is_a_container_and_no_document() -> None:
    assert without_archives([bundle(READY, PICTURE), READY, PICTURE]) == [READY, PICTURE]


def test_files_that_stand_elsewhere_in_the_channel_keep_it_from_failing() -> None:
    said = "2 files in it were in the channel already."

    assert bundle(PICTURE, message=said).status is DocumentStatus.READY
    assert bundle(message=said).message == said


def test_documents_beside_archives_stay_as_they_are() -> None:
    assert summed_up([READY]) == [READY]


def test_the_place_of_a_file_in_an_archive_leads_back_to_the_archive() -> None:
    name = "in ner/ü!#?.pdf"
    for archive in (BUNDLE.source, "discord:1/2/3/4", "file:///srv/b%21.zip"):
        source = source_inside(archive, "d1", name)

        assert inside_of(source) == (archive, "d1", name)
        assert original_of(source) == archive
        assert link_of(source) == link_of(archive)
        assert place_of(source) not in (place_of(archive), place_of(source_inside(archive, "d1", "other")))
        assert inside_of(archive) is None
