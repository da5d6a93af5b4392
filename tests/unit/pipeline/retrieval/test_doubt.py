from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.doubt import READ, names, undenied


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many days of leave do people in the Berlin office have?", {"berlin"}),
        ("What does the Platinum plan cost in 2027?", {"platinum", "2027"}),
        ("Is Utrecht's office open?", {"utrecht"}),
        ("Berlin office hours?", set()),  # the first word is always large
        ("I lost my card. What now?", set()),
        ("When am I paid? Because I'm ill", set()),
        ("She said “no.” Where is it? (Also: Who decides?)", set()),
        ("how many days do people in berlin have?", set()),
        ("HOW LONG DO REFUNDS TAKE IN PORTO", set()),
        ("How Long Do Refunds Take in 2027?", {"2027"}),
        ("May I, as a “Senior” engineer, park?", {"senior"}),
        ("", set()),
    ],
)
def test_names_are_large_words_within_a_sentence_and_numbers(question: str, expected: set[str]) -> None:
    assert names(question, analyze) == {t for name in expected for t in analyze(name)}


@given(st.text())
def test_names_are_words_of_the_question(question: str) -> None:
    assert names(question, analyze) <= set(analyze(question))


PAID = "Travel by train is booked by the office. Interns are paid for public holidays."


@pytest.mark.parametrize(
    "question",
    [
        "Who is not paid for public holidays?",
        "Which interns aren't paid for public holidays?",
        "How many interns were never paid for public holidays?",
        "For what are no interns paid on public holidays?",
    ],
)
def test_a_denial_that_is_asked_about_must_stand_in_the_nearest_sentence(question: str) -> None:
    assert undenied(question, [PAID], analyze)


@pytest.mark.parametrize(
    "question",
    [
        "Who is paid for public holidays?",
        "Are interns not paid for public holidays?",  # a sentence that says they are answers it
        "Interns are not paid for public holidays.",
        "Who is paid not only for public holidays?",
        "Who is paid no later than on public holidays?",
        "Which notebook is in room No. 4?",
        "",
    ],
)
def test_other_questions_deny_nothing(question: str) -> None:
    assert not undenied(question, [PAID], analyze)


@pytest.mark.parametrize(
    "text",
    [
        "Freelancers are not paid for public holidays.",
        "Everyone but freelancers is paid for public holidays.",
        "Only employees are paid for public holidays.",
        "Freelancers work on public holidays without being paid.",
    ],
)
def test_a_sentence_that_denies_or_leaves_out_may_answer(text: str) -> None:
    assert not undenied("Who is not paid for public holidays?", [PAID, text], analyze)


def test_a_denial_further_off_changes_nothing() -> None:
    far = "Dogs are not allowed in the building."

    assert undenied("Who is not paid for public holidays?", [far, PAID], analyze)


def test_only_the_best_passages_are_read() -> None:
    before, denial = [PAID, *["Hello."] * (READ - 2)], "Freelancers are not paid for public holidays."

    assert not undenied("Who is not paid for public holidays?", [*before, denial], analyze)
    assert undenied("Who is not paid for public holidays?", [*before, "Hello.", denial], analyze)


@pytest.mark.parametrize("passages", [[], [""], ["Zebra crossing."]])
def test_nothing_is_known_where_no_sentence_shares_a_word(passages: list[str]) -> None:
    assert not undenied("Who is not paid?", passages, analyze)


@given(st.text(), st.lists(st.text(), max_size=4))
def test_any_text_is_judged(question: str, passages: list[str]) -> None:
    assert undenied(question, passages, analyze) in {True, False}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the invoice no.?", "Invoice number: RX-88172."),
        ("How much do I pay if I am not a member?", "Guests pay 5 euros to swim. Members pay 3 euros."),
        ("If I am not a member, how much do I pay?", "Guests pay 5 euros to swim. Members pay 3 euros."),
        ("What time is it if none is given?", "The default time is noon."),
        ("Which tickets are not refunded?", "Tickets of this kind are non-refundable."),
    ],
)
def test_a_condition_and_an_abbreviation_deny_nothing(question: str, text: str) -> None:
    assert not undenied(question, [text], analyze)


def test_a_question_that_begins_with_when_may_deny() -> None:
    assert undenied("When is the pool not open to guests?", ["The pool is open on Monday."], analyze)
