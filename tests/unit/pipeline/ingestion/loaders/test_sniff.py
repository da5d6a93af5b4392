from __future__ import annotations

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders import load
from pipeline.ingestion.loaders.formats import FORMATS, supported
from pipeline.ingestion.loaders.sniff import sniff
from tests.fakes.documents import archive, docx, encrypted_office, pdf, zip_bomb

PAGE = b"<!DOCTYPE html><html><body><p>Sign in</p></body></html>"


def refusal(data: bytes, name: str) -> IngestError:
    with pytest.raises(IngestError) as caught:
        load(data, name)
    return caught.value


@pytest.mark.parametrize(
    ("data", "name", "label"),
    [
        (docx(("", "Hello")), "wrong.pdf", "Word (.docx)"),
        (pdf(["Hello"]), "wrong.txt", "PDF"),
        (b"\n\n%PDF-1.4", "late.pdf", "PDF"),
        (PAGE, "page.txt", "HTML"),
        ("\ufeff<html>".encode("utf-16"), "page.bin", "HTML"),
        (b"<?xml version='1.0'?><!-- x --><HTML>", "page.xhtml", "HTML"),
        (PAGE, "template.php", "source code"),
        (b"# Title", "README.MD", "Markdown"),
        (b"a,b", "table.csv", "CSV"),
        (b"x = 1", "module.py", "source code"),
        (b"Hello", "noname", "plain text"),
        (b"A PDF begins with %PDF-1.7 and ends.", "notes.txt", "plain text"),
        (b'{"a": 1}', "data.json", "JSON"),
        (b"a: 1", "data.yml", "YAML"),
        (b"<a/>", "data.xml", "XML"),
        (b"<?xml version='1.0'?><html/>", "page.xsl", "XML"),
        (b"[a]", "data.toml", "configuration files"),
        (b"Hello", "guide.rst", "reStructuredText"),
        (b"{}", "work.ipynb", "Jupyter notebooks"),
        (b"BMW builds cars", "cars.txt", "plain text"),
    ],
)
def test_the_content_decides_and_the_name_tells_kinds_of_text_apart(
    data: bytes, name: str, label: str
) -> None:
    assert sniff(data, name).label == label


def test_an_empty_file_is_refused() -> None:
    assert refusal(b"", "a.pdf").reason is IngestReason.EMPTY_FILE


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html", "a.py"])
def test_a_file_of_white_space_has_no_text(name: str) -> None:
    assert refusal(b" \n\t\n  ", name).reason is IngestReason.NO_TEXT


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (archive({"Index/Document.iwa": "x"}), "a Pages, Numbers or Keynote document"),
        (b"Rar!\x1a\x07\x00\0", "a compressed archive"),
        (b"MZ\x90\0\x03\0", "a program"),
        (bytes(range(256)) * 40, "no text"),
    ],
)
def test_what_cannot_be_read_is_named_beside_what_can(data: bytes, named: str) -> None:
    error = refusal(data, "upload")

    assert error.reason is IngestReason.UNSUPPORTED_TYPE
    assert named in str(error)
    assert all(row.label in str(error) for row in FORMATS)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a picture"),
        (b"OggS\0\2", "a sound recording"),
        (b"\0\0\0\x18ftypmp42\0\0", "a video or picture"),
    ],
)
def test_pictures_sound_and_video_are_refused_in_one_sentence(data: bytes, what: str) -> None:
    assert str(refusal(data, "upload")) == f"The file is {what}, which cannot be read."


@pytest.mark.parametrize("suffix", [".xlsb", ".xls", ".ppsx", ".odg"])
def test_the_list_of_what_can_be_read_names_the_less_known_office_files(suffix: str) -> None:
    assert suffix in supported()


def test_a_web_page_in_place_of_a_document_is_refused_as_a_failed_download() -> None:
    error = refusal(PAGE, "handbook.pdf")

    assert error.reason is IngestReason.UNSUPPORTED_TYPE
    assert "login page" in str(error)


def test_office_files_with_a_password_are_told_from_those_of_before_2007() -> None:
    old = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(600)

    assert refusal(encrypted_office(), "report.docx").reason is IngestReason.ENCRYPTED
    assert refusal(encrypted_office(), "report").reason is IngestReason.ENCRYPTED
    assert refusal(old, "report.doc").reason is IngestReason.UNSUPPORTED_TYPE


def test_a_zip_bomb_is_refused_by_its_declared_size() -> None:
    assert refusal(zip_bomb(), "report.docx").reason is IngestReason.TOO_LARGE


def test_a_zip_file_that_was_cut_off_is_damaged() -> None:
    assert refusal(docx(("", "Hello"))[:-30], "report.docx").reason is IngestReason.CORRUPT


def test_a_new_format_is_a_row_and_a_module() -> None:
    assert len({row.module for row in FORMATS}) == len(FORMATS)
    suffixes = [suffix for row in FORMATS for suffix in row.suffixes]
    assert len(suffixes) == len(set(suffixes))
