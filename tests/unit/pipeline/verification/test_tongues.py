"""A few words tell whether a statement is in another language than its source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.verification.tongues import is_abroad, tongues

ENGLISH = tongues("The per diem in Oslo is 79 €. It is paid with the next payment, as you can see.")
GERMAN = tongues("Der Keller hat 64 Plätze für Räder. Private Pakete werden mittwochs angenommen.")


@pytest.mark.parametrize(
    ("statement", "known"),
    [
        ("Das Tagegeld in Oslo beträgt 79 €.", ENGLISH),
        ("Il rimborso richiede cinque giorni.", ENGLISH),
        ("El código API-4031 significa que la clave es de solo lectura.", ENGLISH),
        ("De terugbetaling duurt vijf dagen.", ENGLISH),
        ("会议室可容纳二十二人。", ENGLISH),
        ("The basement has room for 64 bicycles.", GERMAN),
        ("Refunds take five days.", tongues("退款需要五天。")),
        ("会议室可容纳二十二人。", tongues("バスは七時四十五分に出ます。")),
        ("Автобус отправляется утром.", tongues("يكلف الوقوف خمسة دراهم")),
    ],
)
def test_another_language_is_told(statement: str, known: frozenset[str]) -> None:
    assert is_abroad(statement, statement, known)


@pytest.mark.parametrize(
    ("statement", "known"),
    [
        ("The per diem is 79 €.", ENGLISH),
        ("No refunds.", ENGLISH),
        ("79 €", GERMAN),
        ("El Niño brings rain in winter.", ENGLISH),
        ("Fahrradkeller: 64", ENGLISH),
        ("Das sind 64 Plätze.", GERMAN),
        ("Das sind 64 Plätze.", ENGLISH | GERMAN),
        ("会议室 Wellington 可容纳二十二人", tongues("会议室 A 可容纳 22 人")),
        ("Anything", frozenset()),
    ],
)
def test_in_doubt_it_is_the_same(statement: str, known: frozenset[str]) -> None:
    assert not is_abroad(statement, statement, known)


def test_a_statement_that_shows_no_language_has_the_one_of_its_answer() -> None:
    answer = "Hier sind die Preise, die für Sie gelten:\n- Tagegeld Oslo: 79 €"

    assert is_abroad("Tagegeld Oslo: 79 €", answer, ENGLISH)


@given(st.text(max_size=100))
def test_no_text_is_in_another_language_than_itself(text: str) -> None:
    assert not is_abroad(text, text, tongues(text))
