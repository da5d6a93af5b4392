"""What a source lists and what adds up in it need not be written there as a number."""

from __future__ import annotations

import pytest

from pipeline.ingestion.tokens import analyze
from pipeline.verification.mechanical import Sign, inspect, read_premise


def numbers_sign(claim: str, source: str, *, listed: int = 0, abroad: bool = False) -> Sign | None:
    found = inspect(claim, read_premise(source, analyze), analyze, listed=listed, abroad=abroad)
    return {each.kind: each.sign for each in found}.get("numbers")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("There are four sizes in the shop.", "The sizes are S, M, L and XL."),
        ("Es gibt vier Größen im Laden.", "Größen: S, M, L und XL"),
        ("There are four sizes in it: S, M, L and XL.", "It comes as S or M, as L, or as XL."),
        ("There are five different sizes.", "Our sizes:\n\n- S\n- M\n- L\n- XL\n- XXL\n\nAsk us."),
        ("The shop has 4 plans.", "| Plan | Price |\n|---|---|\n| A | 1 |\n| B | 2 |\n| C | 3 |\n| D | 5 |"),
    ],
)
def test_things_that_are_listed_may_be_counted(claim: str, source: str) -> None:
    assert numbers_sign(claim, source) is Sign.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("There are five sizes in the shop.", "The sizes are S, M, L and XL."),
        ("There are four colours in the shop.", "The sizes are S, M, L and XL."),
        ("It takes four days.", "The days are long, warm, dry and calm."),
        ("There are 0 sizes in the shop.", "The sizes are S, M, L and XL."),
        ("It costs 4 € a size.", "The sizes are S, M, L and XL."),
    ],
)
def test_other_things_than_are_listed_are_missing(claim: str, source: str) -> None:
    assert numbers_sign(claim, source) is Sign.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Together it is 30 €.", "Entry costs 20 € and a meal 10 €."),
        ("The difference is 10 percent.", "It was 25 % in May and 35 % in June."),
        ("You have 21 days to test it in all.", "The test lasts 14 days. It can be extended by a week."),
        ("There are 12 users altogether.", "5 users are in Oslo and 7 users in Porto."),
    ],
)
def test_a_sum_of_two_numbers_is_doubtful_and_not_missing(claim: str, source: str) -> None:
    assert numbers_sign(claim, source) is Sign.UNKNOWN


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Together it is 31 €.", "Entry costs 20 € and a meal 10 €."),
        ("It is 30 € in total.", "It takes 20 days and 10 %."),
        ("In total it is room 30.", "Rooms 20 and 10 are free."),
        ("It is 30 €.", "Entry costs 20 € and a meal 10 €."),
    ],
)
def test_numbers_of_other_kinds_do_not_add_up(claim: str, source: str) -> None:
    assert numbers_sign(claim, source) is Sign.CONTRADICTED


def test_what_the_answer_itself_goes_on_to_list_may_be_counted() -> None:
    assert numbers_sign("Here are the 5 prices:", "They are 20 and 90.", listed=5) is Sign.SUPPORTED
    assert numbers_sign("Here are the 5 prices:", "They are 20 and 90.", listed=4) is Sign.CONTRADICTED
    assert numbers_sign("It costs 5 euros:", "They are 20 and 90.", listed=5) is Sign.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "source", "sign"),
    [
        ("It costs 5 dirhams.", "وبعد ذلك يكلف خمسة دراهم للساعة", Sign.UNKNOWN),
        ("It costs 500 dirhams.", "وبعد ذلك يكلف خمسة دراهم للساعة", Sign.CONTRADICTED),
        ("It is 70 percent of the forest.", "El setenta por ciento de los bosques", Sign.UNKNOWN),
        ("It takes 7 days.", "Los gastos se pagan en cinco días", Sign.CONTRADICTED),
        ("It takes 30 days.", "Das dauert nicht mehr als zwanzig Tage", Sign.CONTRADICTED),
    ],
)
def test_abroad_a_small_number_may_be_a_word_that_is_not_read(claim: str, source: str, sign: Sign) -> None:
    assert numbers_sign(claim, source, abroad=True) is sign


def test_at_home_it_is_missing() -> None:
    assert numbers_sign("Ci vogliono 5 giorni.", "Ci vogliono 10 giorni.") is Sign.CONTRADICTED


MEMBERS = "The team has 5 members: Anna, Bob, Cara, Dan and Eve."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The team has 3 members: Anna, Bob and Cara.", MEMBERS),
        ("The rate rose by 5 percentage points.", "The rate rose from 10% to 15%."),
        ("Der Umsatz lag bei 1,23 Mio.", "Der Umsatz betrug 1.234.567,89 €."),
        ("Der Umsatz lag bei 1,23 Mio. €.", "Der Umsatz betrug 1.234.567,89 €."),
    ],
)
def test_what_the_source_tells_otherwise_or_exactly_makes_doubtful(claim: str, source: str) -> None:
    assert numbers_sign(claim, source) is Sign.UNKNOWN


def test_a_number_rounded_to_another_one_is_missing() -> None:
    assert (
        numbers_sign("Der Umsatz lag bei 1,25 Mio. €.", "Der Umsatz betrug 1.234.567 €.") is Sign.CONTRADICTED
    )
