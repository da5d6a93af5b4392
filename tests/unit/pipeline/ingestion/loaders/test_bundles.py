from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders import bundles, load
from pipeline.ingestion.loaders.bundles import unpack
from pipeline.ingestion.loaders.sniff import is_archive
from tests.fakes.documents import archive, docx, pdf
from tests.integration.ingestion.seeds import tarred

NOTES = b"The office is in Kiel."


def files(data: bytes, *, max_bytes: int = 1_000_000) -> dict[str, bytes | IngestReason]:
    members = unpack(data, is_archive, max_bytes=max_bytes)
    return {m.name: m.content.reason if isinstance(m.content, IngestError) else m.content for m in members}


def refusal(data: bytes) -> IngestReason:
    with pytest.raises(IngestError) as caught:
        unpack(data, is_archive, max_bytes=1_000_000)
    return caught.value.reason


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_files_are_taken_apart_however_they_are_compressed(mode: str) -> None:
    data = tarred({"a/notes.txt": NOTES, "b.txt": b"More."}, mode)

    assert load(data, "any-name").is_archive
    assert files(data) == {"a/notes.txt": NOTES, "b.txt": b"More."}


def test_zip_files_are_taken_apart_and_their_files_come_by_name() -> None:
    data = archive({"b.txt": "More.", "a/notes.txt": NOTES})

    assert load(data, "bundle.zip").is_archive
    assert list(files(data)) == ["a/notes.txt", "b.txt"]


def test_an_archive_whose_first_file_is_a_pdf_is_an_archive_all_the_same() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as container:
        container.writestr("a.pdf", pdf(["Hello"]))

    assert load(out.getvalue(), "bundle.zip").is_archive
    assert load(tarred({"a.pdf": pdf(["Hello"])}, "w"), "bundle.tar").is_archive


def test_a_folder_that_is_called_as_in_office_files_makes_no_office_file() -> None:
    assert is_archive(archive({"word/notes.txt": NOTES, "readme.txt": NOTES}))
    assert not is_archive(docx(("", "Hello")))


@pytest.mark.parametrize(
    "name", ["word/notes.txt", "xl/notes.txt", "ppt/notes.txt", "content.xml", "Index.zip"]
)
def test_one_name_as_in_office_files_makes_no_office_file(name: str) -> None:
    assert is_archive(archive({name: NOTES}))
    assert is_archive(archive({name: NOTES, "content.xml.bak": NOTES}))


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("../../etc/passwd.txt", "etc/passwd.txt"),
        ("/etc/passwd.txt", "etc/passwd.txt"),
        ("..\\..\\windows\\a.txt", "windows/a.txt"),
        ("a/./b//c.txt", "a/b/c.txt"),
        ("a\x07\u200bb.txt", "ab.txt"),
    ],
)
def test_a_name_leads_nowhere(name: str, label: str) -> None:
    assert list(files(tarred({name: NOTES}))) == [label]


def test_what_systems_put_beside_files_is_left_out() -> None:
    data = archive(
        {"a.txt": NOTES, "__MACOSX/._a.txt": "x", ".DS_Store": "x", "b/Thumbs.db": "x", ".git/config": "x"}
    )

    assert list(files(data)) == ["a.txt"]


def test_files_of_one_name_are_told_apart() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as container:
        for content in (b"one", b"two"):
            info = tarfile.TarInfo("a.txt")
            info.size = 3
            container.addfile(info, io.BytesIO(content))

    assert files(out.getvalue()) == {"a.txt": b"one", "a (2).txt": b"two"}


def test_links_and_devices_are_no_files() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as container:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo(f"x{kind.decode()}")
            info.type, info.linkname = kind, "/etc/passwd"
            container.addfile(info)

    assert files(out.getvalue()) == {}


def test_archives_in_archives_are_taken_apart_down_to_a_depth() -> None:
    data = archive({"x.txt": NOTES})
    for _ in range(bundles.MAX_DEPTH):
        data = archive({"in.zip": data, "y.txt": NOTES})

    found = files(data)

    deepest = "/".join(["in.zip"] * bundles.MAX_DEPTH)
    assert found[deepest] is IngestReason.TOO_LARGE
    assert found["in.zip/in.zip/y.txt"] == NOTES


def test_each_file_that_cannot_be_had_has_a_reason_of_its_own() -> None:
    data = bytearray(
        archive({"a.txt": NOTES, "empty.txt": "", "large.txt": b"ab" * 5_000, "z.txt": NOTES * 9})
    )
    data[data.index(b"z.txt") + len("z.txt") + 2] ^= 0xFF

    assert files(bytes(data), max_bytes=1_000) == {
        "a.txt": NOTES,
        "empty.txt": IngestReason.EMPTY_FILE,
        "large.txt": IngestReason.TOO_LARGE,
        "z.txt": IngestReason.CORRUPT,
    }


def test_a_file_with_a_password_is_refused_alone() -> None:
    data = bytearray(archive({"a.txt": NOTES, "b.txt": NOTES}))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1

    assert files(bytes(data)) == {"a.txt": IngestReason.ENCRYPTED, "b.txt": NOTES}


def test_names_in_utf_8_are_read_where_the_zip_does_not_say_so() -> None:
    name = "übersicht.txt".encode()
    data = archive({"#" * len(name): NOTES}).replace(b"#" * len(name), name)

    assert list(files(data)) == ["übersicht.txt"]


@pytest.mark.parametrize(
    "data",
    [
        archive({"a.txt": b" " * 12_000_000}),
        tarred({"a.txt": b" " * 12_000_000}),
        tarred({"a.txt": b" " * 12_000_000}, "w:xz"),
        gzip.compress(tarred({"a.txt": b" " * 12_000_000}, "w")),
    ],
)
def test_a_bomb_is_refused_before_it_is_unpacked(data: bytes) -> None:
    assert refusal(data) is IngestReason.TOO_LARGE


def test_a_bomb_in_an_archive_is_refused_alone() -> None:
    bomb = archive({"a.txt": b" " * 12_000_000})

    assert files(archive({"bomb.zip": bomb, "b.txt": NOTES})) == {
        "b.txt": NOTES,
        "bomb.zip": IngestReason.TOO_LARGE,
    }


def test_a_file_that_claims_more_than_there_is_is_damaged() -> None:
    info = tarfile.TarInfo("a.txt")
    info.size = 10**12

    assert refusal(info.tobuf() + b"\0" * 1024) is IngestReason.CORRUPT


def test_more_files_than_one_archive_may_bring_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MAX_FILES", 3)
    within = archive({f"{number}.txt": NOTES for number in range(3)})

    assert len(files(within)) == 3
    assert refusal(archive({f"{number}.txt": NOTES for number in range(4)})) is IngestReason.TOO_LARGE
    nested = files(archive({"in.zip": within, "a.txt": NOTES}))
    assert nested["in.zip"] is IngestReason.TOO_LARGE


def test_an_archive_that_was_cut_off_is_damaged() -> None:
    assert refusal(archive({"a.txt": NOTES})[:-30]) is IngestReason.CORRUPT
    assert refusal(tarred({"a.txt": NOTES * 99, "b.txt": NOTES}, "w")[:700]) is IngestReason.CORRUPT


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp932", "日本語資料.md"),
        ("cp932", "表/テスト.md"),
        ("gbk", "文件/说明.md"),
        ("cp949", "회의 자료.md"),
        ("cp866", "Документы/отчёт.md"),
        ("cp437", "Übersicht.md"),
        ("cp850", "größe.md"),
        ("cp1252", "Übersicht.md"),
    ],
)
def test_names_in_the_code_page_of_a_system_are_read(encoding: str, name: str) -> None:
    raw = name.encode(encoding)
    data = archive({"#" * len(raw): NOTES, "plain.md": NOTES}).replace(b"#" * len(raw), raw)

    assert sorted(files(data)) == sorted([name, "plain.md"])


def test_names_in_a_tar_file_of_an_old_system_are_read() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="koi8-r") as container:
        info = tarfile.TarInfo("Документы/отчет.md")
        info.size = 3
        container.addfile(info, io.BytesIO(b"one"))

    assert list(files(out.getvalue())) == ["Документы/отчет.md"]


def test_nothing_in_a_name_breaks_the_line_or_turns_it_around() -> None:
    assert list(files(archive({"a\nb\u202egpj\u2067.md": NOTES}))) == ["abgpj.md"]


def test_a_numbered_name_is_not_given_twice() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = archive_of([("a.txt", "1"), ("a.txt", "2"), ("a (2).txt", "3"), ("a.txt", "4")])

    assert list(files(data)) == ["a (2).txt", "a.txt", "a (3).txt", "a (4).txt"]


def archive_of(members: list[tuple[str, str]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as container:
        for name, content in members:
            container.writestr(name, content)
    return out.getvalue()
