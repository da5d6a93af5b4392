"""Files of offices from the folder to the citation: the place is called what its program calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.citations import block
from pipeline.conversation import Question
from tests.fakes.models import ScriptedReader
from tests.fakes.office import Deck, epub, odf, xlsx
from tests.integration.service.conftest import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from xlsxwriter import Workbook

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

FACT = "The warehouse opens at seven."


def prices(book: Workbook) -> None:
    made = book.add_worksheet("Hours")
    for number, row in enumerate([["Place", "Rule"], ["Shop", "Closed."], ["Depot", FACT]]):
        made.write_row(number, 0, row)


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("deck.pptx", Deck().add("Plan").add("Hours").write(FACT).save(), "slide 2, Hours"),
        ("book.xlsx", xlsx(prices), "sheet Hours, row 3"),
        (
            "page.odt",
            odf("text", f'<text:h text:outline-level="1">Hours</text:h><text:p>{FACT}</text:p>'),
            "Hours",
        ),
        ("novel.epub", epub({"a.xhtml": f"<h1>Hours</h1><p>{FACT}</p>"}), "Hours"),
        ("mail.eml", f"From: a@example.com\nSubject: Hours\n\n{FACT}".encode(), "Hours"),
    ],
)
async def test_a_citation_says_where_to_look(
    opened: Opened, scope: Scope, tmp_path: Path, name: str, data: bytes, place: str
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / name).write_bytes(data)
    async with opened(ScriptedReader(f"{FACT} [1]")) as service:
        await ingest(service, scope, folder)
        question = Question(text="When does the warehouse open?", scope=scope)
        response = await (await service.pipeline()).ask(question)

    assert block(response.citations, response.answer).startswith(f"[1] {name}, {place}")
