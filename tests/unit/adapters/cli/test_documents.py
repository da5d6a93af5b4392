from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from adapters.cli.documents import describe_result, result_line, tell_empty
from pipeline.archives import LACKING
from pipeline.domain import DocumentStatus, IngestReason
from pipeline.ingestion.intake import Accepted, Upload
from pipeline.ingestion.results import Ingested
from tests.fakes.library import document

if TYPE_CHECKING:
    from pipeline.domain import Document


def result(
    found: Document | None,
    status: Literal["queued", "duplicate", "failed"] = "queued",
    namesakes: tuple[str, ...] = (),
) -> Ingested:
    upload = Upload(source="file:///handbook.pdf", display_name="handbook.pdf")
    accepted = Accepted(upload=upload, status=status, document_id="d1", namesakes=namesakes)
    return Ingested(path=Path("handbook.pdf"), accepted=accepted, document=found)


@pytest.mark.parametrize(
    ("found", "status", "line"),
    [
        (document("d1"), "ready", "handbook.pdf: 12 pages, 60 passages"),
        (
            document("d1", message="3 of 12 pages hold no text and are not searched."),
            "ready",
            "handbook.pdf: 12 pages, 60 passages; 3 of 12 pages hold no text and are not searched.",
        ),
        (
            document(
                "d1",
                status=DocumentStatus.FAILED,
                reason=IngestReason.MODEL_UNAVAILABLE,
                message="The server is down.",
            ),
            "failed",
            "handbook.pdf: failed: The server is down.",
        ),
        (None, "failed", "handbook.pdf: failed: It was taken back while it was being indexed."),
    ],
)
def test_what_became_of_a_file_is_said_in_a_line(found: Document | None, status: str, line: str) -> None:
    row = describe_result(result(found))

    assert row["status"] == status
    assert result_line(row) == line


def test_the_same_bytes_again_are_said_to_be_here() -> None:
    row = describe_result(result(document("d1"), "duplicate"))

    assert (row["status"], row["chunks"]) == ("duplicate", 60)
    assert result_line(row) == "handbook.pdf: already here"


def test_the_same_bytes_under_another_name_are_said_to_be_here_under_that() -> None:
    row = describe_result(result(replace(document("d1"), display_name="copy.pdf"), "duplicate"))

    assert result_line(row) == "handbook.pdf: already here; under the name copy.pdf"


@pytest.mark.parametrize(("status", "older"), [("queued", ["d0"]), ("duplicate", ["d0"]), ("failed", [])])
def test_older_documents_of_the_name_are_listed_also_for_what_is_here_already(
    status: Literal["queued", "duplicate", "failed"], older: list[str]
) -> None:
    assert describe_result(result(document("d1"), status, ("d0",)))["older"] == older


def test_an_archive_that_lacks_a_file_says_how_to_bring_it_back() -> None:
    row = describe_result(result(document("d1", message=f"1 of 1 file indexed. {LACKING}"), "duplicate"))

    assert result_line(row) == f"handbook.pdf: already here; {LACKING}"


def test_a_folder_without_files_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tell_empty([tmp_path])

    assert capsys.readouterr().err.startswith(f"footnote: {tmp_path} holds no files to index; hidden files")
