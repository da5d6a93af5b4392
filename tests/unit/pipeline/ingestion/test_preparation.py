from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.domain import Place, Unit
from pipeline.ingestion.chunker import Piece
from pipeline.ingestion.preparation import Preparation
from pipeline.ingestion.wire import Parsed
from tests.fakes.models import ScriptedEmbedder
from tests.fakes.stored import document_of

if TYPE_CHECKING:
    from pipeline.domain import Chunk, Document


async def cut(parsed: Parsed) -> tuple[Document, list[Chunk]]:
    async def fetch(source: str) -> bytes:
        return source.encode()

    async def parse(data: bytes, name: str) -> Parsed:
        return parsed

    async def embedder(ref: object) -> ScriptedEmbedder:
        return ScriptedEmbedder(dimension=8)

    preparation = Preparation(fetch=fetch, parse=parse, analyze=str.split, embedder=embedder)
    return await preparation.cut(document_of("d1"), b"")


@pytest.mark.parametrize(("unit", "words"), [(None, "pages"), (Unit.SLIDE, "slides")])
async def test_what_holds_no_text_is_called_what_it_is(unit: Unit | None, words: str) -> None:
    piece = Piece(text="Text.", place=Place(page=1, unit=unit))
    document, chunks = await cut(Parsed(pages=3, pieces=(piece,), blank_pages=2))

    assert document.message == f"2 of 3 {words} hold no text and are not searched."
    assert [chunk.place for chunk in chunks] == [piece.place]


async def test_what_a_loader_notes_is_what_the_document_says() -> None:
    piece = Piece(text="Text.", place=Place())
    document, _ = await cut(Parsed(pages=None, pieces=(piece,), note="Attached and not searched: a.png."))

    assert document.message == "Attached and not searched: a.png."
