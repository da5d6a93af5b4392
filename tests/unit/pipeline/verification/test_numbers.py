"""Numbers and dates agree however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.verification.numbers import claimed_figures, known_figures


def lacking(claim: str, source: str) -> list[str]:
    return known_figures(source).lacks(claimed_figures(claim))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It costs 1,000 euros.", "Preis: 1.000 €"),
        ("There are 1 000 users.", "1,000 users"),
        ("There are 1'000 users.", "1000 users"),
        ("Growth is 5 percent.", "growth 5%"),
        ("Es sind 1,5 Prozent.", "1.5 %"),
        ("It takes five days.", "within 5 days"),
        ("Es dauert zwölf Tage.", "12 Tage"),
        ("It takes 12 days.", "twelve days"),
        ("The budget is $1.5bn.", "1.5 billion dollars"),
        ("Das sind 5 Mio. Euro.", "5,000,000 €"),
        ("It was paid on 5 March 2024.", "2024-03-05"),
        ("It was paid on March 5th.", "am 5. März 2024"),
        ("It was paid on 05.03.24.", "March 5, 2024"),
        ("It was paid on 3/5/2024.", "5 March 2024"),
        ("It was in March 2024.", "Paid on 2024-03-05."),
        ("It was paid on 5 March 2024.", "In 2024 it was paid on 5 March."),
        ("It happened in 2024.", "on 05.03.2024"),
        ("It opens at 10:30.", "um 10.30 Uhr"),
        ("Between 10-20 days.", "10 to 20 days"),
        ("A 5GB disk.", "5 GB"),
        ("The 20th time.", "20 times"),
        ("There are two ways to do it.", "Either call or write."),
        ("1. Check the cable.", "Check the cable."),
        ("It runs on x86 and INV-2026-1001.", "nothing"),
    ],
)
def test_the_same_figure_is_found_in_another_spelling(claim: str, source: str) -> None:
    assert lacking(claim, source) == []


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("It costs 1,001 euros.", "1.000 €", ["1,001 euros"]),
        ("Growth is 5%.", "It costs $5.", ["5%"]),
        ("It takes five days.", "10 days", ["five"]),
        ("It takes two days.", "It takes ten days.", ["two"]),
        ("It was paid on 4 March 2024.", "5 March 2024", ["4 March 2024"]),
        ("It was paid on March 5.", "May 5", ["March 5"]),
        ("It was paid in March 2023.", "5 March 2024", ["March 2023"]),
        ("It costs 5 million.", "5 thousand", ["5 million"]),
        ("It has 1.50 metres.", "1,5 and 15", []),
    ],
)
def test_another_figure_is_missed_as_the_claim_writes_it(claim: str, source: str, missing: list[str]) -> None:
    assert lacking(claim, source) == missing


def test_a_version_is_no_date_and_no_number() -> None:
    figures = claimed_figures("Version 2.13.4 of 1.30.20")

    assert (figures.numbers, figures.days) == ((), ())


@given(st.integers(min_value=0, max_value=10**12))
def test_grouping_does_not_change_a_number(number: int) -> None:
    grouped = f"{number:,}"

    for mark in (",", ".", " ", "’", "\u202f"):
        assert lacking(f"It is {grouped.replace(',', mark)} now", f"It was {number} then") == []


@given(st.text(max_size=200))
def test_every_text_has_its_own_figures(text: str) -> None:
    assert lacking(text, text) == []
