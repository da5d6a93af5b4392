from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.domain import Place
from tests.fakes.pipeline import citation


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(), ""),
        (Place(section="Refunds > Timing"), ""),
        (Place(page=3), "page 3"),
        (Place(lines=(7, 7)), "line 7"),
        (Place(page=3, lines=(10, 20), section="Refunds"), "page 3, lines 10–20"),
    ],
)
def test_a_position_is_page_and_lines_in_words(place: Place, words: str) -> None:
    assert place.position == words


def test_a_citation_knows_its_place() -> None:
    cited = replace(citation("1"), page=3, lines=(10, 20), section="Refunds")

    assert cited.place == Place(page=3, lines=(10, 20), section="Refunds")
