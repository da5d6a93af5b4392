from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.forgetting import Forgetting
from bot.records import Caller, Customs
from pipeline.addresses import source_inside
from pipeline.domain import Scope
from tests.fakes.library import FakeLibrary, document

SCOPE = Scope("fake", "w", "c")
ELSEWHERE = Scope("fake", "w", "other")
ANN = Caller(author="ann")
BOSS = Caller(author="boss", manages=True)
GUEST = Caller(author="ann", outside=True)


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary()


async def forget(library: FakeLibrary, wanted: str, caller: Caller = BOSS) -> str:
    customs = Customs(prefix="/x ", managers="the channel's owners")
    return (await Forgetting(library, customs).forget(SCOPE, wanted, caller)).text


@pytest.mark.parametrize("wanted", ["d2", "`d2`", "notes.md", "Notes.MD"])
async def test_a_document_is_forgotten_by_id_or_name(library: FakeLibrary, wanted: str) -> None:
    library.put(SCOPE, document("d1"), document("d2", "notes.md"))

    assert await forget(library, wanted) == "Forgotten: notes.md."

    assert [d.document_id for d in await library.documents(SCOPE)] == ["d1"]


async def test_documents_of_one_name_are_told_apart_before_any_is_forgotten(library: FakeLibrary) -> None:
    later = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
    library.put(SCOPE, document("d1"), document("d2", uploaded_at=later))

    text = await forget(library, "handbook.pdf")

    assert "`d1`" in text
    assert "uploaded 2026-01-01 00:00:00 UTC · `d1`" in text
    assert "uploaded 2026-02-03 04:05:06 UTC · `d2`" in text
    assert len(await library.documents(SCOPE)) == 2


async def test_all_are_forgotten_only_in_this_channel(library: FakeLibrary) -> None:
    library.put(SCOPE, *(document(f"d{n}", f"{n}.md") for n in range(7)))
    library.put(ELSEWHERE, document("d9"))

    assert (await forget(library, "all")).endswith("4.md and 2 more.")

    assert await library.documents(SCOPE) == []
    assert len(await library.documents(ELSEWHERE)) == 1


async def test_an_archive_goes_with_its_files_and_they_are_counted(library: FakeLibrary) -> None:
    source = "chat://b.zip"
    files = [document(f"f{n}", f"b.zip/{n}.md", source=source_inside(source, "d1", f"{n}.md")) for n in "abc"]
    library.put(SCOPE, document("d1", "b.zip", source=source, files=3), *files, document("d2", "z.md"))

    assert await forget(library, "b.zip") == "Forgotten: b.zip, with the files that came in it alone."
    assert await forget(library, "all") == "Forgotten: b.zip/a.md, b.zip/b.md, b.zip/c.md, z.md."

    library.put(SCOPE, document("d1", "b.zip", source=source, files=3), *files, document("d2", "z.md"))
    assert await forget(library, "all") == "Forgotten: b.zip, with the files that came in it alone, z.md."


async def test_all_of_nothing_is_said_to_be_nothing(library: FakeLibrary) -> None:
    assert "nothing to forget" in await forget(library, "ALL")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [("", "Say which document: `/x forget ID`"), ("d9", "no document “d9”. `/x docs` lists what it has")],
)
async def test_forgetting_nothing_that_is_there_says_what_to_do(
    library: FakeLibrary, wanted: str, words: str
) -> None:
    library.put(SCOPE, document("d1"))

    assert words in await forget(library, wanted)


async def test_people_take_back_what_they_uploaded(library: FakeLibrary) -> None:
    library.put(SCOPE, document("d1", uploader="ann"))

    assert await forget(library, "d1", ANN) == "Forgotten: handbook.pdf."


@pytest.mark.parametrize("uploader", ["ben", None])
async def test_the_files_of_others_stay_and_it_is_said_who_may(
    library: FakeLibrary, uploader: str | None
) -> None:
    library.put(SCOPE, document("d1", uploader=uploader))

    text = await forget(library, "handbook.pdf", ANN)

    assert text == "handbook.pdf can be taken back only by whoever uploaded it or by the channel's owners."
    assert len(await library.documents(SCOPE)) == 1


async def test_everything_at_once_is_for_those_who_manage_the_channel(library: FakeLibrary) -> None:
    library.put(SCOPE, document("d1", uploader="ann"))

    text = await forget(library, "all", ANN)

    assert "only by the channel's owners" in text
    assert "`/x forget ID`" in text
    assert len(await library.documents(SCOPE)) == 1


async def test_guests_take_back_nothing_and_are_told_another_way(library: FakeLibrary) -> None:
    library.put(SCOPE, document("d1", uploader="ann"))

    assert "can delete it in the chat" in await forget(library, "d1", GUEST)
    assert len(await library.documents(SCOPE)) == 1
