"""Signs that are read off a statement and its source without a model."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ingestion.tokens import analyze
from pipeline.sentences import split
from pipeline.verification.mechanical import Kind, Premise, Sign, flatten, inspect, is_verbatim, read_premise
from pipeline.verification.polarity import denies, turned

if TYPE_CHECKING:
    from collections.abc import Callable

HANDBOOK = Path(__file__).resolve().parents[4] / "examples" / "handbook"

SOURCE = """\
Refunds for monthly plans take five working days. A refund is never paid in cash.
The invoice INV-2026-1001 was signed by Maria Gomez on 5 March 2024. “We answer every letter, however long it
may be, within a week”, says the charter. Prices increase by 4 % in January. Cards are accepted everywhere."""


@lru_cache
def premise_of(source: str) -> Premise:
    return read_premise(source, analyze)


def signs(claim: str, source: str = SOURCE) -> dict[Kind, Sign]:
    return {signal.kind: signal.sign for signal in inspect(claim, premise_of(source), analyze)}


def missing(claim: str, source: str = SOURCE) -> tuple[str, ...]:
    found = inspect(claim, read_premise(source, analyze), analyze)
    return tuple(each for signal in found for each in signal.missing)


def test_a_sentence_of_the_source_needs_no_other_sign() -> None:
    assert signs("Refunds for *monthly* plans take five  working days!") == {"verbatim": Sign.SUPPORTED}


def test_a_few_words_that_stand_there_prove_nothing() -> None:
    assert "verbatim" not in signs("take five working")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The fee is 1 €.", "The fee is 1.000 €."),
        ("The fee is 2 €.", "The fee is 2,500 €."),
        ("The fee is 5 €.", "The fee is 5 %."),
        ("The fee is 5 €.", "The fee is -5 €."),
        ("The size is 1.", "The size is 1.5 GB."),
        ("Refunds are possible after 30 days.", "No refunds are possible after 30 days."),
        ("Se permite fumar en el edificio.", "No se permite fumar en el edificio."),
        ("Employees may take the car home.", "Under no circumstances employees may take the car home."),
        ("The rule applies to all people.", "It is wrong that the rule applies to all people."),
        ("The rule applies to all people.", "The rule applies to all people?"),
    ],
)
def test_a_part_of_a_sentence_is_not_what_the_source_says(claim: str, source: str) -> None:
    assert "verbatim" not in signs(claim, source)


@pytest.mark.parametrize(
    ("claim", "source", "sign"),
    [
        ("The fee is 5 €.", "The fee is 5 %.", Sign.CONTRADICTED),
        ("The fee is 5 €.", "The fee is -5 €.", Sign.UNKNOWN),
        ("The fee is -5 €.", "The fee is −5 €.", Sign.SUPPORTED),
    ],
)
def test_unit_and_sign_belong_to_a_number(claim: str, source: str, sign: Sign) -> None:
    assert signs(f"In short: {claim}", source)["numbers"] is sign


def test_a_date_with_dots_is_no_version_and_a_section_no_code() -> None:
    assert "codes" not in signs("It was signed on 05.03.2024.")
    assert "codes" not in signs("Section 2.3.1 says that cards are accepted.")
    assert signs("It needs version 2.13.4.")["codes"] is Sign.CONTRADICTED


def test_a_version_is_the_same_with_a_v() -> None:
    assert signs("It is fixed in v2.13.4.", "Version 2.13.4 fixes it.")["codes"] is Sign.SUPPORTED
    assert signs("It is fixed in v2.13.5.", "Version 2.13.4 fixes it.")["codes"] is Sign.CONTRADICTED


def test_numbers_beside_signs_of_other_scripts_are_no_codes() -> None:
    assert signs("费用是2024欧元。", "费用是12欧元。") == {"numbers": Sign.CONTRADICTED}


def test_inches_are_no_quotation() -> None:
    assert "quotes" not in signs('Use a 15" monitor and a 24" stand.')
    assert signs('Use a 15" monitor, "we answer every letter".')["quotes"] is Sign.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Refunds are not possible after 30 days.", "Refunds are impossible after 30 days."),
        ("Neither cats nor dogs may enter the office.", "No cats or dogs may enter the office."),
        ("Smoking is not allowed in the building here.", "Smoking is prohibited in the building here."),
        ("You must not smoke in the building.", "Smoking in the building is forbidden."),
        ("No se permite fumar en el edificio.", "Está prohibido fumar en el edificio."),
        ("大楼内不允许吸烟。", "大楼内禁止吸烟。"),
    ],
)
def test_the_same_denial_in_other_words_speaks_not_against(claim: str, source: str) -> None:
    assert not {"negation", "direction"} & signs(claim, source).keys()


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Pets are allowed in the office.", "Pets are forbidden in the office."),
        ("Refunds are possible after 30 days.", "No refunds are possible after 30 days."),
        ("Se permite fumar en el edificio.", "No se permite fumar en el edificio."),
        ("Haustiere sind erlaubt im Büro.", "Haustiere sind verboten im Büro."),
    ],
)
def test_what_is_allowed_is_not_forbidden(claim: str, source: str) -> None:
    assert signs(claim, source)["negation"] is Sign.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("退款是可以的。", "退款是不可以的。"),
        ("返金できます。", "返金できません。"),
        ("환불이 가능합니다.", "환불이 가능하지 않습니다."),
    ],
)
def test_denials_without_spaces_are_told(claim: str, source: str) -> None:
    assert (denies(claim), denies(source)) == (False, True)


@pytest.mark.parametrize(
    "claim",
    [
        "The charter says: “we answer every letter, however long it may be”.",
        'The charter says: "We answer every letter … within a week".',
        "Die Satzung sagt: „We answer every letter [...] within a week“.",
        "Sie sagt: »we answer  every letter«.",
    ],
)
def test_a_quotation_is_found_whatever_marks_it_has(claim: str) -> None:
    assert signs(claim)["quotes"] is Sign.SUPPORTED


@pytest.mark.parametrize(
    "claim",
    [
        "The charter says: “we answer every letter within a day”.",
        "The charter says: “within a week … we answer every letter”.",
    ],
)
def test_a_quotation_that_stands_nowhere_speaks_against(claim: str) -> None:
    assert signs(claim)["quotes"] is Sign.CONTRADICTED


def test_words_held_at_arms_length_are_no_quotation() -> None:
    assert "quotes" not in signs("They call it a “fast refund” everywhere.")


def test_numbers_and_codes_decide_and_are_named() -> None:
    assert signs("Refunds take six working days.")["numbers"] is Sign.CONTRADICTED
    assert signs("Somebody signed INV-2026-1001.")["codes"] is Sign.SUPPORTED
    assert missing("Somebody signed INV-2026-1002 and paid 7 %.") == ("7 %", "INV-2026-1002")


def test_a_name_that_is_absent_may_be_spelled_otherwise() -> None:
    assert signs("It was signed by the lawyer Gomez in the end.")["names"] is Sign.SUPPORTED
    assert signs("It was signed by the lawyer Smith in the end.")["names"] is Sign.UNKNOWN


@pytest.mark.parametrize(
    "claim",
    [
        "Die Rückerstattung für Monatstarife dauert laut Handbuch der Buchhaltung einige Tage.",
        "Los reembolsos de los planes mensuales tardan unos días según Gerencia.",
        "払い戻しには五営業日かかります。",
        "ВОЗВРАТ ЗАНИМАЕТ НЕСКОЛЬКО ДНЕЙ",
    ],
)
def test_other_languages_come_to_no_harm(claim: str) -> None:
    assert Sign.CONTRADICTED not in signs(claim).values()
    assert "names" not in signs(claim)


def test_a_denial_on_one_side_decides_between_sentences_of_the_same_words() -> None:
    assert signs("A refund is paid in cash.")["negation"] is Sign.CONTRADICTED
    assert signs("A refund is paid in cash everywhere.")["negation"] is Sign.UNKNOWN
    assert "negation" not in signs("A refund is not paid in cash by us.")
    assert "negation" not in signs("It is not known who is responsible for parking.")


def test_the_other_direction_speaks_against() -> None:
    assert signs("In January, prices decrease by 4 %.")["direction"] is Sign.CONTRADICTED
    assert "direction" not in signs("In January, prices increase by 4 %.")


def test_two_that_are_compared_may_have_changed_places() -> None:
    claim, source = "Costs were lower in 2023 than in 2024.", "Costs were higher in 2024 than in 2023."

    assert signs(claim, source)["direction"] is Sign.UNKNOWN


def handbook() -> list[tuple[str, str]]:
    """Return sentences of the sample handbook, each with the file it stands in."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(HANDBOOK.glob("*.md"))]
    return [
        (sentence, text)
        for text in texts
        for sentence in split(text)
        if 8 <= len(sentence.split()) <= 35 and sentence.endswith(".") and "|" not in sentence
    ]


def test_sentences_of_a_real_handbook_are_found_and_none_of_them_is_spoken_against() -> None:
    for sentence, text in handbook():
        assert signs(sentence, text) == {"verbatim": Sign.SUPPORTED}
        assert Sign.CONTRADICTED not in signs(f"In short, {sentence}", text).values()


@pytest.mark.parametrize(
    ("kind", "pattern", "change"),
    [
        ("numbers", r"\d+", lambda found: str(int(found[0]) + 7919)),
        ("negation", r" (?:is|are|may|must) (?!not\b)", lambda found: f"{found[0]}not "),
    ],
)
def test_a_change_of_one_word_is_noticed(
    kind: Kind, pattern: str, change: Callable[[re.Match[str]], str]
) -> None:
    changed = [
        (re.sub(pattern, change, f"In short, {sentence}", count=1), text)
        for sentence, text in handbook()
        if re.search(pattern, sentence) and not denies(sentence)
    ]
    noticed = [signs(sentence, text).get(kind) is Sign.CONTRADICTED for sentence, text in changed]

    assert len(noticed) > 50
    assert sum(noticed) >= 0.95 * len(noticed)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It is not allowed.", True),
        ("It isn't allowed.", True),
        ("Das ist nicht erlaubt.", True),
        ("Es gibt keinen Zuschlag.", True),
        ("It is allowed.", False),
        ("It is not only fast but cheap.", False),
        ("It is never not allowed.", False),
        ("No, it is not allowed.", True),
        ("No, it is allowed.", False),
        ("Room no. 5 is free.", False),
        ("Non-profit organisations pay less.", False),
        ("Neither cats nor dogs may enter.", True),
        ("It is impossible.", True),
        ("It is false that it is allowed.", True),
        ("不同的价格。", False),
        ("支払わなければならない。", False),
    ],
)
def test_denials_are_told(sentence: str, expected: bool) -> None:
    assert denies(sentence) is expected


def test_a_sentence_that_names_both_directions_points_nowhere() -> None:
    up, both = frozenset({"increas"}), frozenset({"increas", "decreas"})

    assert not turned(up, both)
    assert turned(up, frozenset({"decreas"}))


@given(st.text(max_size=150), st.text(max_size=300))
def test_no_text_breaks_the_signs(claim: str, source: str) -> None:
    signs(claim, source)


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "12", "seven"]), min_size=4, max_size=9))
def test_what_the_source_says_is_never_spoken_against(words: list[str]) -> None:
    text = " ".join(["So", *words])

    assert is_verbatim(f"{text}.", read_premise(f"First this. {text}! Then that.", analyze))
    assert flatten(flatten(text)) == flatten(text)
