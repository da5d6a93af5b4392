"""Questions and titles of a source are no statements of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain import Chunk, Place
from pipeline.generation.statements import Statement, asks, statements


def said(text: str, section: str = "") -> list[Statement]:
    chunk = Chunk(
        chunk_id="d-1",
        document_id="d1",
        display_name="a.md",
        source="",
        chunk_index=0,
        text=text,
        place=Place(section=section or None),
    )
    return [each for each in statements(chunk) if not each.asks]


@pytest.mark.parametrize(
    ("text", "section", "before", "reply"),
    [
        ("**Can I return it?**\nYes, within 30 days.", "", "**Can I return it?**", "Yes, within 30 days."),
        ("**Q: How is it reset?**\nA: At the desk.", "", "**Q: How is it reset?**", "At the desk."),
        ("**Q:** Is it free?\n**A:** No.", "", "**Q:** Is it free?", "No."),
        ("**Is it free?**\n**A: No.**", "", "**Is it free?**", "**No.**"),
        ("Q: Is it free? A: No.", "", "Q: Is it free?", "No."),
        ("Ist es frei? Antwort: Nein.", "", "Ist es frei?", "Nein."),
        ("Lost it? Need another? Call us.", "", "Lost it? Need another?", "Call us."),
        ("- [Is it free?](#free)\n\nNo.", "", "[Is it free?](#free)", "No."),
        ("1. Is it free?\n\nNo.", "", "1. Is it free?", "No."),
        ("Who pays?\n\nThe company does.", "FAQ > Who pays?", "Who pays?", "The company does."),
        ("The company does.", "Who pays?", "Who pays?", "The company does."),
        ("费用是多少？\n三十元。", "", "费用是多少？", "三十元。"),
    ],
)
def test_a_question_is_heard_with_what_answers_it(text: str, section: str, before: str, reply: str) -> None:
    [answer] = said(text, section)

    assert (answer.before, answer.text) == (before, reply)


def test_only_the_sentence_behind_a_question_hears_it() -> None:
    assert [each.heard for each in said("Is it free? A little. A: is a letter.")] == [
        "Is it free? A little.",
        "A: is a letter.",
    ]


def test_questions_of_a_list_are_not_heard_together() -> None:
    [last] = said("- Is it free?\n- Is it safe?\n\nIt is.")

    assert last.before == "Is it safe?"


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (
            "1. Budget\n   It grows by four percent.\n2. New warehouse\n   Leipzig will have it by spring.",
            ["1. Budget: It grows by four percent.", "2. New warehouse: Leipzig will have it by spring."],
        ),
        (
            "2. New warehouse\nFour voted for it. One did not.",
            ["2. New warehouse: Four voted for it.", "One did not."],
        ),
        (
            "- Parking\n  It is free for guests.\n- Bikes\n  They stand in the yard.",
            ["Parking: It is free for guests.", "Bikes: They stand in the yard."],
        ),
        ("1. Build\n2. Wait\n\nRoll back if it fails.", ["1. Build", "2. Wait", "Roll back if it fails."]),
        ("1. Build it.\n   Be quick.\n2. Wait.", ["1. Build it.", "Be quick.", "2. Wait."]),
        ("2. New warehouse", ["2. New warehouse"]),
    ],
)
def test_the_title_of_an_item_goes_with_its_text(text: str, texts: list[str]) -> None:
    assert [each.text for each in said(text)] == texts


@given(st.text(alphabet="aA?:.*1) -\n", max_size=60), st.sampled_from(["", "a?", "a"]))
def test_no_text_breaks_it(text: str, section: str) -> None:
    assert all(each.text and not asks(each.text) for each in said(text, section))
