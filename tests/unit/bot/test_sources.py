from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources import LENGTH, at_length, cited
from tests.fakes.pipeline import citation

QUOTE = "Refunds are paid within five days."


def shown(text: str, quote: str | None = QUOTE) -> str:
    source = cited({"citations": [{"label": "1", "display_name": "a.md", "chunk_id": "c", "quote": quote}]})
    return at_length(source, {"c": text})


def test_citations_come_in_the_order_of_their_labels() -> None:
    kept = [{"label": label, "chunk_id": label} for label in ("10", "2", "1")]

    assert [each.label for each in cited({"citations": kept})] == ["1", "2", "10"]


@pytest.mark.parametrize("response", [{}, {"citations": None}, {"citations": []}])
def test_a_response_without_citations_has_none(response: dict[str, Any]) -> None:
    assert cited(response) == []


def test_what_the_journal_kept_becomes_the_citation_it_was() -> None:
    kept = {
        "label": "1",
        "document_id": "d1",
        "display_name": "a.py",
        "chunk_id": "d1-00000",
        "page": None,
        "lines": [10, 20],
        "section": None,
        "url": None,
        "quote": None,
        "of_a_later_version": True,
    }

    (found,) = cited({"citations": [kept]})

    assert found.place.position == "lines 10–20"


@pytest.mark.parametrize(("unit", "position"), [("slide", "slide 4"), (None, "page 4"), ("scene", "page 4")])
def test_a_slide_is_still_a_slide_when_the_journal_is_read(unit: str | None, position: str) -> None:
    (found,) = cited({"citations": [{"label": "1", "page": 4, "unit": unit}]})

    assert found.place.position == position


def test_a_short_passage_is_shown_whole() -> None:
    assert shown(f"Before.\n\n{QUOTE} After.") == f"[1] a.md\n> Before. {QUOTE} After."


def test_of_a_long_passage_the_part_around_the_quote_is_shown() -> None:
    text = shown(f"{'early ' * 400}{QUOTE}{' later' * 400}")

    passage = text.partition("\n> ")[2]
    assert passage.startswith("…early ")
    assert passage.endswith(" later…")
    assert QUOTE in passage
    assert LENGTH - 20 < len(passage) <= LENGTH + 2


@pytest.mark.parametrize("text", ["", "The file says something else now."])
def test_where_the_file_changed_the_quote_stands_alone(text: str) -> None:
    assert shown(text) == f"[1] a.md\n> {QUOTE}"


def test_a_passage_of_a_file_on_the_servers_disk_is_not_linked() -> None:
    text = at_length([citation("1", url="file:///srv/a.md"), citation("2", url="https://e.example")], {})

    assert "srv" not in text
    assert "(<https://e.example>)" in text


def test_a_citation_without_a_quote_is_just_its_place() -> None:
    assert shown("Anything.", None) == "[1] a.md"


def test_a_passage_is_shown_and_not_obeyed() -> None:
    assert shown(f"# {QUOTE} <!channel> *x*").endswith(f"> # {QUOTE} \\<!channel> \\*x\\*")


@given(st.text("ab \n", max_size=3000), st.text("ab \n", max_size=1200), st.text("ab \n", max_size=3000))
def test_however_long_a_passage_is_it_keeps_its_quote_and_its_limit(
    before: str, quote: str, after: str
) -> None:
    text = shown(f"{before} {quote} {after}", quote)

    passage = text.partition("\n> ")[2]
    said = " ".join(quote.split())
    assert len(passage) <= LENGTH + 3
    if len(said) <= LENGTH:
        assert said in passage


def test_several_passages_stand_apart() -> None:
    text = at_length([citation("1"), citation("2")], {})

    assert text.count("\n\n[") == 1
