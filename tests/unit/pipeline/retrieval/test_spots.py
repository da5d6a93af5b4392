from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.domain import Chunk, Document, Filters, Place, RankedChunk, Retrieval, Unit
from pipeline.retrieval.spots import Spot, asks_for_it, meant, preferred, spot_in
from tests.fakes.stored import chunk_of, document_of

ANY = Filters()


def named(document_id: str, name: str) -> Document:
    return replace(document_of(document_id, chunks=3), display_name=name)


DECK, HANDBOOK, OTHER = named("a", "deck.pptx"), named("b", "hr/Handbook.pdf"), named("c", "team-rules.md")


def chunks(*places: Place) -> list[Chunk]:
    return [replace(chunk_of("a", index, f"text {index}"), place=place) for index, place in enumerate(places)]


def ranked(*found: Chunk) -> Retrieval:
    return Retrieval(
        ranked=tuple(
            RankedChunk(chunk=chunk, score=1.0, dense_rank=1, sparse_rank=1, cosine=0.5, coverage=0.5)
            for chunk in found
        )
    )


@pytest.mark.parametrize(
    ("question", "spot"),
    [
        ("What is on slide 3 of deck.pptx?", Spot("slide", "3")),
        ("Summarize page 4 of the handbook", Spot("page", "4")),
        ("Was steht auf Seite 2?", Spot("page", "2")),
        ("¿Qué dice la página 7?", Spot("page", "7")),
        ("in section 4.2 of the lease, who pays?", Spot("section", "4.2")),
        ("What do pages 3 to 5 say?", None),
        ("Compare page 3 and page 5", None),
        ("page 3-5", None),
        ("How many pages are there?", None),
        ("What is on the page?", None),
    ],
)
def test_a_place_is_named_by_one_number(question: str, spot: Spot | None) -> None:
    assert spot_in(question) == spot


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("What is on slide 3 of deck.pptx?", DECK),
        ("What is on page 4 of the handbook?", HANDBOOK),
        ("What is on page 1 of the team rules?", OTHER),
        ("What is on page 4?", None),
        ("Is page 4 of the handbook in deck.pptx?", None),
        ("What is on page 4 of the handbooks?", None),
    ],
)
def test_one_document_must_be_meant(question: str, document: Document | None) -> None:
    assert meant(question, [DECK, HANDBOOK, OTHER], ANY) == document


def test_the_only_document_that_is_searched_need_not_be_named() -> None:
    assert meant("What is on page 4?", [DECK], ANY) == DECK
    assert meant("What is on page 4?", [DECK, HANDBOOK], Filters(document_ids=frozenset({"b"}))) == HANDBOOK
    assert meant("What is on page 4?", [], ANY) is None


@pytest.mark.parametrize(
    ("spot", "place", "there"),
    [
        (Spot("slide", "3"), Place(page=3, unit=Unit.SLIDE), True),
        (Spot("page", "3"), Place(page=3, unit=Unit.SLIDE), False),
        (Spot("page", "3"), Place(page=3), True),
        (Spot("page", "3"), Place(page=3, page_label="iii"), False),
        (Spot("page", "3"), Place(page=9, page_label="3"), True),
        (Spot("page", "3"), Place(lines=(3, 3)), False),
        (Spot("section", "4.2"), Place(section="Lease > 4 Rent > 4.2 Deposit"), True),
        (Spot("section", "4.2"), Place(section="Lease > Section 4.2: Deposit"), True),
        (Spot("section", "4.2"), Place(section="Lease > 4.21 Keys"), False),
        (Spot("section", "4"), Place(section="Lease > 4.2 Deposit"), False),
        (Spot("section", "4"), Place(section="Lease > 4. Rent"), True),
    ],
)
def test_a_place_is_there_or_not(spot: Spot, place: Place, *, there: bool) -> None:
    assert spot.holds(place) is there


def test_what_stands_there_comes_first_and_nothing_else_is_left_out() -> None:
    first, second, third = chunks(*(Place(page=page, unit=Unit.SLIDE) for page in (1, 2, 3)))

    found = preferred(ranked(first, third), [first, second, third], Spot("slide", "2"), 6)
    kept = preferred(ranked(first, third), [first, second, third], Spot("slide", "3"), 6)

    assert found is not None
    assert kept is not None
    assert [each.chunk for each in found.ranked] == [second, first, third]
    assert [(each.chunk, each.cosine) for each in kept.ranked] == [(third, 0.5), (first, 0.5)]
    assert preferred(ranked(first), [first], Spot("slide", "9"), 6) is None


def test_no_more_than_top_k_are_shown() -> None:
    one, two = chunks(Place(page=1), Place(page=2))

    found = preferred(ranked(one), [one, two], Spot("page", "2"), 1)

    assert found is not None
    assert [each.chunk for each in found.ranked] == [two]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is on page 4?", True),
        ("What does slide 4 of deck.pptx say about pumps?", True),
        ("What does section 3 of the German constitution say about equality?", False),
        ("What does section 2 of budget.xlsx say about marketing?", False),
    ],
)
def test_a_place_answers_for_itself_only_in_a_named_document_or_if_nothing_else_is_asked(
    question: str, asked: bool
) -> None:
    assert asks_for_it(question, DECK) is asked


@pytest.mark.parametrize("section", ["Top 2 reasons", "Bonus 2 weeks", "2-3 days", "10 2 things"])
def test_a_number_within_a_heading_is_no_section(section: str) -> None:
    assert not Spot("section", "2").holds(Place(section=section))


@pytest.mark.parametrize("section", ["2 Scope", "Section 2: Scope", "§ 2 Scope", "Abschnitt 2", "2. Scope"])
def test_a_numbered_heading_is_one(section: str) -> None:
    assert Spot("section", "2").holds(Place(section=f"Contract > {section}"))
