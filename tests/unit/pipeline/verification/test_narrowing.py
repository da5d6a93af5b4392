"""The lines and rows that a citation names."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk
from pipeline.ingestion.chunker import ChunkLimits, chunk
from pipeline.ingestion.loaders import load
from pipeline.ingestion.tokens import analyze
from pipeline.sentences import split
from pipeline.verification.attribution import Attributor
from pipeline.verification.citations import resolve
from pipeline.verification.narrowing import cited_lines, line_numbers
from tests.fakes.models import ScriptedEmbedder
from tests.fakes.office import xlsx

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xlsxwriter import Workbook

SMALL = ChunkLimits(target=120, maximum=180)
STAFF = [
    ("Name", "Town", "Desk"),
    *((f"Person{number}", f"Town{number % 5}", f"D{number}") for number in range(2, 60)),
]


def chunks(data: bytes, name: str, limits: ChunkLimits | None = None) -> list[Chunk]:
    return [
        Chunk(
            chunk_id=f"d-{index}",
            document_id="d",
            display_name=name,
            source="",
            chunk_index=index,
            text=piece.text,
            place=piece.place,
        )
        for index, piece in enumerate(chunk(load(data, name), limits=limits))
    ]


def as_csv(rows: Sequence[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def as_sheet(rows: Sequence[Sequence[str]]) -> bytes:
    def write(book: Workbook) -> None:
        made = book.add_worksheet("Staff")
        for number, row in enumerate(rows):
            made.write_row(number, 0, row)

    return xlsx(write)


MAKERS = {"staff.csv": as_csv, "staff.xlsx": as_sheet}


async def places(found: list[Chunk], answer: str, question: str) -> list[str]:
    sources = [CitedSource(label=str(number), chunk=each) for number, each in enumerate(found, start=1)]
    quotes = await Attributor(ScriptedEmbedder(dimension=256), analyze).choose_quotes(
        answer, sources, question
    )
    return [citation.place.position for citation in resolve(sources, quotes)]


@pytest.mark.parametrize("name", MAKERS)
async def test_a_citation_names_the_row_that_says_it(name: str) -> None:
    found = chunks(MAKERS[name](STAFF), name)
    holding = [each for each in found if "Person33" in each.text]

    assert await places(holding, "Person33 has the desk D33 in Town3 [1].", "Where is Person33?") == [
        "row 33"
    ]


@pytest.mark.parametrize("name", MAKERS)
async def test_a_citation_of_two_rows_names_both_and_what_is_between(name: str) -> None:
    holding = [each for each in chunks(MAKERS[name](STAFF), name) if "Person33" in each.text]
    answer = "Person33 has the desk D33 [1]. Person36 has the desk D36 [1]."

    assert await places(holding, answer, "Who has which desk?") == ["rows 33–36"]


async def test_a_citation_of_text_names_the_lines_of_its_sentence() -> None:
    text = b"# Rules\n\nCards are accepted.\n\nRefunds take five days\nafter the request.\n\nNo dogs.\n"

    assert await places(chunks(text, "rules.md"), "Refunds take five days [1].", "How long?") == ["lines 5–6"]


async def test_a_source_without_a_quote_keeps_its_whole_place() -> None:
    sources = [CitedSource(label="1", chunk=chunks(b"one\ntwo\n", "a.txt")[0])]

    assert [citation.lines for citation in resolve(sources, {})] == [(1, 2)]


def test_no_row_is_named_where_empty_rows_leave_open_which_it_is() -> None:
    rows = [
        ("Name", "Town"),
        ("Ann", "Rome"),
        *[("", "")] * 5,
        ("Bob", "Oslo"),
        *[("", "")] * 3,
        ("Cy", "Bern"),
    ]
    [only] = chunks(as_sheet(rows), "staff.xlsx")

    assert cited_lines(only, "Bob | Oslo", "Bob lives in Oslo", analyze) is None
    assert cited_lines(only, "Cy | Bern", "Cy lives in Bern", analyze) == (12, 12)


def test_of_a_wide_table_without_a_repeated_header_the_first_row_is_a_row() -> None:
    names = [f"a rather long name of column {column}" for column in range(12)]
    rows = [names, *([f"v{row}c{column}" for column in range(12)] for row in range(2, 9))]
    limits = ChunkLimits(target=1_500, maximum=2_000)
    [both] = [each for each in chunks(as_csv(rows), "wide.csv", limits) if each.place.lines == (4, 5)]
    first, second = both.text.split("\n")

    assert cited_lines(both, split(first)[0], "v4c1", analyze) == (4, 4)
    assert cited_lines(both, split(first)[0], "v4c1 and v5c1", analyze) == (4, 5)
    assert cited_lines(both, split(second)[0], "v5c1", analyze) == (5, 5)


ROWS = st.lists(st.sampled_from(["", "word", "several words, of it", "long " * 30]), min_size=3, max_size=40)


@pytest.mark.parametrize("name", MAKERS)
@given(notes=ROWS, empty=st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_row_that_is_numbered_has_its_number(name: str, notes: list[str], empty: bool) -> None:
    """Each row names itself; with *empty*, those without a note are left empty."""
    rows = [("Key", "Note")] + [
        ("", "") if empty and not note else (f"r{number}", note) for number, note in enumerate(notes, start=2)
    ]

    for each in chunks(MAKERS[name](rows), name, SMALL):
        lines = each.text.split("\n")
        numbers = line_numbers(each)
        told = [
            (line.split(" |")[0], number)
            for line, number in zip(lines, numbers, strict=True)
            if number is not None and line.startswith("r")
        ]
        assert [key for key, _ in told] == [f"r{number}" for _, number in told]
        if not empty:
            assert all(number is not None for number in numbers[1:])


UNDERLINES = {"=" * 10, "-" * 10}
PARAGRAPHS = st.lists(
    st.sampled_from(
        [
            "Word of it.",
            "Two lines\nof words.",
            "",
            "## Heading",
            "Title here\n==========\nPart of it\n----------\nText below it.",
            "- item\n- other",
            "| a | b |\n|---|---|\n| c | d |",
        ]
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.parametrize("name", ["page.md", "page.txt", "page.yaml", "page.rst"])
@given(paragraphs=PARAGRAPHS)
@settings(max_examples=60, deadline=None)
def test_every_line_that_is_numbered_has_its_number(name: str, paragraphs: list[str]) -> None:
    text = "\n\n".join(
        f"{paragraph} {number}" if paragraph else "" for number, paragraph in enumerate(paragraphs)
    )
    written = f"Begin\n\n{text}\n".split("\n")

    for each in chunks("\n".join(written).encode(), name, SMALL):
        for line, number in zip(each.text.split("\n"), line_numbers(each), strict=True):
            if number is not None:
                # of a heading whose underline is left out, either line may be named
                own = {written[number - 1].strip(), written[number - 2].strip()}
                assert line.strip() == written[number - 1].strip() or (
                    line.strip() in own and own & UNDERLINES
                )


@given(
    lines=st.lists(st.text(alphabet="ab |.\n", max_size=12), max_size=8),
    claim=st.text(alphabet="ab ", max_size=9),
)
def test_cited_lines_are_within_the_place(lines: list[str], claim: str) -> None:
    for each in chunks(("word\n" + "\n".join(lines)).encode(), "a.md"):
        for sentence in split(each.text):
            found = cited_lines(each, sentence, claim, analyze)
            assert each.place.lines is not None
            assert found is None or each.place.lines[0] <= found[0] <= found[1] <= each.place.lines[1]
