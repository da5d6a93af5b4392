"""An answer becomes statements, and can lose some of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.verification.claims import find_claims, without
from pipeline.verification.lines import line_kinds

LONG = """\
Sure, here is what I found:

## Refunds

**Note:** Refunds take five days [1]. They are paid to the card. Is that right?

The plans are [3]:
- Free plan
- Pro plan costs $5 [1]

| Plan | Price |
|------|-------|
| Free | 0 [1] |
| Pro | 5 |

[2]

```python
total = rows[0]
```

The documents do not mention refunds for students. Yes [1].
I hope this helps!"""


def claims(answer: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.text, claim.labels) for claim in find_claims(answer)]


def test_a_long_answer_is_read_as_people_read_it() -> None:
    assert claims(LONG) == [
        ("Note: Refunds take five days.", ("1",)),
        ("They are paid to the card.", ()),
        ("Free plan", ("3",)),
        ("Pro plan costs $5", ("1",)),
        ("Free, 0", ("1",)),
        ("Pro, 5", ("2",)),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Yes [1].",
        "I don't know.",
        "I could not find that in the files.",
        "The documents do not say how long it takes.",
        "The sources don't directly mention prices [1].",
        "There is no information about this in the files.",
        "Die Dokumente enthalten dazu keine Angaben.",
        "In den Unterlagen steht dazu nichts, was nicht erwähnt ist.",
        "Let me know if you need more.",
        "Falls Sie weitere Fragen haben, schreiben Sie mir.",
        "# Refunds and payments in our company",
        "**Refunds and payments here**",
        "Which plan do you mean?",
        "```\nrefunds = rows[1]\n```",
    ],
)
def test_what_states_nothing_is_no_claim(answer: str) -> None:
    assert claims(answer) == []


@pytest.mark.parametrize(
    "answer", ["The document is not confidential [1].", "Five days [1].", "Fünf Tage [1]", "五天 [1]。"]
)
def test_a_short_statement_with_a_source_is_a_claim(answer: str) -> None:
    assert [labels for _, labels in claims(answer)] == [("1",)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("**The fee is 99 €**: [1]", ("The fee is 99 €:", ("1",))),
        ("**The fee is due [1].**", ("The fee is due.", ("1",))),
        ("# The fee is 99 €", ("The fee is 99 €", ())),
        ("The fee is 99 € [1]:", ("The fee is 99 €:", ("1",))),
        ("Refunds are fine [1]:\n\nAnd so on?", ("Refunds are fine:", ("1",))),
        ("It is 99 €, isn't it [1]?", ("It is 99 €, isn't it?", ("1",))),
        ("Here is the answer: the fee is 99 €.", ("Here is the answer: the fee is 99 €.", ())),
        ("The document does not mention VAT, but the fee is 99 € [1].", ("the fee is 99 €.", ("1",))),
        ("No information on VAT is in the file, so the fee is 99 € [1].", ("the fee is 99 €.", ("1",))),
        ("~~~ The fee is 99 € [1].", ("~~~ The fee is 99 €.", ("1",))),
        ("~~~\nThe fee is 99 € [1].", ("The fee is 99 €.", ("1",))),
        ("Use ``` here? The fee is 99 € [1].", ("The fee is 99 €.", ("1",))),
    ],
)
def test_a_number_or_a_source_makes_a_statement_of_what_looks_like_none(
    answer: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    assert claims(answer) == [expected]


@pytest.mark.parametrize(
    "answer",
    [
        "The documents do not mention 2025.",
        "I could not find it in the 12 files.",
        "Here are the 5 steps:",
        "Which of the 3 plans do you mean?",
        "~~~python\nfee = 99\n~~~",
        "## The year 2024",
    ],
)
def test_a_number_in_what_states_nothing_makes_no_statement(answer: str) -> None:
    assert claims(answer) == []


LIST = """\
Here are the 5 prices, from 20 to 90 euros:

1. Basic is 20 €. It is cheap [1].
2. Pro is 30 € [1]
3. Team is 90 € [2][3]

The end is near."""


def test_what_leads_in_to_a_list_is_judged_with_the_sources_of_its_items() -> None:
    lead, *others = find_claims(LIST)

    assert (lead.labels, lead.listed, lead.mild) == (("1", "2", "3"), 3, True)
    assert not any(each.mild for each in others)


def test_a_list_that_stays_keeps_a_sign_of_its_lead_in() -> None:
    lead, *others = find_claims(LIST)

    assert without(LIST, [lead.span]) == LIST.replace("Here are the 5 prices, from 20 to 90 euros:", "…:")
    assert without(LIST, [lead.span, *(each.span for each in others[:-1])]) == "The end is near."


def test_a_clarifying_question_is_no_statement_unless_it_tells_a_number() -> None:
    assert claims("Do you mean the Pro plan [1] or the Basic plan [2]?") == []
    [asked] = find_claims("Do you mean the plan for 20 € [1]?")
    [tagged] = find_claims("It is 99 €, isn't it [1]?")

    assert (asked.mild, tagged.mild) == (True, False)


def test_a_line_is_judged_once_however_many_sentences_it_holds() -> None:
    answer = "The fee is due. " * 300 + "\n- Free plan\n| a | b |"

    assert [kind for _, kind in line_kinds(answer)] == ["prose", "item", "row"]


def test_emphasis_that_lost_its_other_half_goes() -> None:
    answer = "**It is false [1]. It is due [1].**"

    assert without(answer, [find_claims(answer)[0].span]) == "It is due [1]."


def test_several_sources_of_one_statement_stay_together() -> None:
    assert claims("It takes five days [1][3], or ten [2].") == [
        ("It takes five days, or ten.", ("1", "3", "2"))
    ]


def test_where_a_statement_stands_is_told() -> None:
    answer = "It takes five days [1]. Cards take ten [2]."

    assert [answer[slice(*claim.span)] for claim in find_claims(answer)] == [
        "It takes five days [1].",
        "Cards take ten [2].",
    ]


def test_lines_that_say_nothing_any_more_go_with_what_was_taken() -> None:
    gone = [
        claim.span for claim in find_claims(LONG) if claim.text.startswith(("Free", "Pro", "Note", "They"))
    ]
    left = without(LONG, gone)

    assert "plan" not in left.lower()
    assert "Price" not in left
    assert "## Refunds\n\nIs that right?" in left
    assert "total = rows[0]" in left


def test_a_sentence_is_taken_out_of_its_line() -> None:
    answer = "One is here [1]. Two is false [2]. Three stays [3]."

    assert without(answer, [find_claims(answer)[1].span]) == "One is here [1]. Three stays [3]."


def test_a_list_of_which_nothing_is_left_loses_its_lead_in() -> None:
    answer = "It is so [1].\n\nThe reasons are:\n\n- because of that [2]\n- because of this [2]"
    _, *reasons = find_claims(answer)

    assert without(answer, [reason.span for reason in reasons]) == "It is so [1]."


def test_a_lead_in_to_what_stays_stays() -> None:
    answer = "It is wrong [1]. Run this:\n\n```\nmake demo\n```\n\nThen this:\n- stop it now [2]"

    assert without(answer, [find_claims(answer)[0].span]) == answer.removeprefix("It is wrong [1]. ")


@given(st.text(alphabet="ab .!?[]12:|-*#`\n", max_size=120))
def test_every_claim_stands_where_it_says_and_can_be_taken_out(answer: str) -> None:
    found = find_claims(answer)

    for claim in found:
        start, end = claim.span
        assert 0 <= start < end <= len(answer)
    assert sorted(claim.span for claim in found) == [claim.span for claim in found]
    # what was too short to be one may become one together with the next line
    left = [claim for claim in find_claims(without(answer, [claim.span for claim in found])) if claim.labels]
    assert left == []
