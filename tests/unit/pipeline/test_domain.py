from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.domain import Place, Unit
from tests.fakes.pipeline import citation


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(), ""),
        (Place(section="Refunds > Timing"), ""),
        (Place(page=3), "page 3"),
        (Place(page=6, page_label="iv"), "page iv (6)"),
        (Place(lines=(7, 7)), "line 7"),
        (Place(page=3, lines=(10, 20), section="Refunds"), "page 3, lines 10–20"),
        (Place(page=4, section="Goals", unit=Unit.SLIDE), "slide 4"),
        (Place(lines=(12, 30), section="Prices", unit=Unit.SHEET), "rows 12–30"),
        (Place(lines=(7, 7), section="Prices", unit=Unit.ROW), "row 7"),
    ],
)
def test_a_position_is_page_and_lines_in_words(place: Place, words: str) -> None:
    assert place.position == words


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(), ""),
        (Place(page=3, section="Refunds > Timing"), "page 3, Refunds > Timing"),
        (Place(page=4, section="Goals", unit=Unit.SLIDE), "slide 4, Goals"),
        (Place(lines=(12, 30), section="Prices", unit=Unit.SHEET), "sheet Prices, rows 12–30"),
        (
            Place(lines=(2, 3), section="Offer > a.xlsx > Prices", unit=Unit.SHEET),
            "Offer > a.xlsx > sheet Prices, rows 2–3",
        ),
        (Place(lines=(2, 3), unit=Unit.SHEET), "rows 2–3"),
        (Place(lines=(2, 3), section="Offer > a.csv", unit=Unit.ROW), "rows 2–3, Offer > a.csv"),
    ],
)
def test_a_place_is_described_in_the_order_in_which_it_is_looked_up(place: Place, words: str) -> None:
    assert place.described() == words
    assert place.described(str.upper) == words.replace(*_upper(place))


def _upper(place: Place) -> tuple[str, str]:
    section = place.described().replace(place.position, "").strip(", ")
    return section, section.upper()


def test_a_citation_knows_its_place() -> None:
    cited = replace(citation("1"), page=3, lines=(10, 20), section="Refunds", unit=Unit.SLIDE)

    assert cited.place == Place(page=3, lines=(10, 20), section="Refunds", unit=Unit.SLIDE)
