"""Bombs of every kind of office file, and what the container of old ones tells."""

from __future__ import annotations

import io
import zipfile

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders import load
from pipeline.ingestion.loaders.members import parse
from tests.fakes.compound import compound, xls
from tests.fakes.documents import archive, docx
from tests.fakes.office import Deck, epub, odf, xlsx

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)
FILES = {
    "word/document.xml": docx(("", "Hello")),
    "ppt/slides/slide1.xml": Deck().add("Hello").save(),
    "xl/worksheets/sheet1.xml": xlsx(lambda book: book.add_worksheet("A").write(0, 0, "Hello")),
    "content.xml": odf("text", "<text:p>Hello</text:p>"),
    "OEBPS/book.opf": epub({"a.xhtml": "<p>Hello</p>"}),
}


def members(data: bytes) -> dict[str, str | bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def refusal(data: bytes, name: str = "upload") -> IngestError:
    with pytest.raises(IngestError) as caught:
        load(data, name)
    return caught.value


@pytest.mark.parametrize("member", FILES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_that_declares_entities_is_refused_before_any_parser_sees_it(member: str, encoding: str) -> None:
    inside = members(FILES[member])
    xml = inside[member]
    assert isinstance(xml, bytes)
    body = xml.decode().partition("?>")[2] if xml.startswith(b"<?xml") else xml.decode()
    comment = f"<!-- {'long ' * 3_000} -->"
    bomb = f'<?xml version="1.0" encoding="{encoding}"?>{comment}{LAUGHS}{body}'.encode(encoding)

    assert load(FILES[member], "upload").blocks
    assert refusal(archive({**inside, member: bomb})).reason is IngestReason.TOO_LARGE


@pytest.mark.parametrize("member", FILES)
def test_members_that_unpack_to_far_more_are_refused(member: str) -> None:
    data = archive({**members(FILES[member]), "padding.bin": bytes(60_000_000)})

    assert refusal(data).reason is IngestReason.TOO_LARGE


@pytest.mark.parametrize("member", FILES)
def test_a_member_with_garbled_bytes_is_damage(member: str) -> None:
    whole = archive(members(FILES[member]))
    name = member.encode()
    start = whole.index(name) + len(name) + 10
    broken = whole[:start] + b"\xff" * 20 + whole[start + 20 :]

    assert refusal(broken).reason is IngestReason.CORRUPT


@pytest.mark.parametrize("encoding", ["nonsense", "shift_jis"])
def test_xml_in_an_encoding_that_may_hide_something_is_refused(encoding: str) -> None:
    inside = {
        **members(FILES["word/document.xml"]),
        "word/x.xml": f'<?xml version="1.0" encoding="{encoding}"?><x/>',
    }

    assert refusal(archive(inside)).reason is IngestReason.CORRUPT


def test_a_document_type_without_entities_is_fine() -> None:
    ncx = b'<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "ncx.dtd"><ncx><docTitle/></ncx>'

    assert [element.tag for element in parse(ncx).iter()] == ["ncx", "docTitle"]


@pytest.mark.parametrize("suffix", [".docx", ".xlsx", ".pptx"])
def test_an_office_file_with_a_password_is_named_as_such(suffix: str) -> None:
    bare = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(600)

    assert (
        refusal(compound({"EncryptionInfo": b"", "EncryptedPackage": b""})).reason is IngestReason.ENCRYPTED
    )
    assert refusal(bare, f"report{suffix}").reason is IngestReason.ENCRYPTED


@pytest.mark.parametrize(
    ("stream", "advice"),
    [
        ("WordDocument", "save it as .docx or PDF"),
        ("PowerPoint Document", "save it as .pptx or PDF"),
        ("__properties_version1.0", "save it as .eml or PDF"),
        ("Contents", "save it as .docx or PDF"),
    ],
)
def test_the_refusal_of_an_old_format_says_what_to_do(stream: str, advice: str) -> None:
    error = refusal(compound({stream: b""}), "old.doc")

    assert error.reason is IngestReason.UNSUPPORTED_TYPE
    assert advice in str(error)


def test_a_workbook_is_known_by_its_content_and_not_by_its_name() -> None:
    assert load(xls({"A": [["b"]]}), "renamed.xlsx").kind == "workbook"
    assert refusal(compound({"WordDocument": b"", "Workbook": b""})).reason is IngestReason.UNSUPPORTED_TYPE
