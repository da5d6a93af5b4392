from __future__ import annotations

from typing import Any

import pytest

from bot.explanation import ITEMS, explain
from pipeline.conversation import Reason

NAMES = {"dabc": "handbook.pdf"}


def steps(*events: dict[str, Any]) -> list[str]:
    return explain({"trace": list(events)}, None, NAMES).split("**Steps**\n\n")[1].split("\n")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (True, "yes"),
        (False, "no"),
        (7, "7"),
        (0.123456, "0.123"),
        ("stop", "stop"),
        ("dabc", "handbook.pdf"),
        ("dabc-00011", "handbook.pdf passage 12"),
        ("dabc-odd", "handbook.pdf"),
        ("dgone-00001", "dgone-00001"),
        ([], "none"),
        (["dabc-00000", "x"], "handbook.pdf passage 1 · x"),
        (list(range(12)), "0 · 1 · 2 · 3 · 4 · 5 · 6 · 7 · 8 · 9 and 2 more"),
        ({"a": 1}, "{'a': 1}"),
    ],
)
def test_every_kind_of_fact_is_shown(value: object, words: str) -> None:
    assert steps({"event": "a.b", "fact": value}) == [f"- a b: fact {words}"]


def test_rows_are_shown_below_their_event_and_counted() -> None:
    rows = [{"chunk": f"dabc-{n:05d}", "rank": n + 1} for n in range(ITEMS + 3)]

    lines = steps({"event": "retrieval.fused", "kept": 3, "ranks": rows})

    assert lines[0] == "- retrieval fused: kept 3"
    assert lines[1] == "  - chunk handbook.pdf passage 1, rank 1"
    assert lines[-1] == "  - … and 3 more"


def test_an_event_without_facts_is_just_named() -> None:
    assert steps({"event": "guard.passed"}) == ["- guard passed"]


def test_an_empty_record_still_says_how_it_ended() -> None:
    assert explain({}, None, {}).endswith("- Outcome: answered")
    assert "NO_DOCUMENTS" in explain({}, Reason.NO_DOCUMENTS, {})


def test_what_happened_is_told_in_plain_words_before_the_steps() -> None:
    trace = [
        {"event": "memory.recalled", "characters": 120, "version": 2},
        {"event": "retrieval.dense", "hits": 40},
        {"event": "retrieval.sparse", "hits": 1},
        {"event": "generation.budget", "kept": 6, "dropped": 1},
    ]

    told = explain({"trace": trace}, None, {}, which="this answer").split("**Steps**")[0]

    assert told.startswith("**How this answer came about**")
    assert "- Read in the light of what was said before in the thread." in told
    assert "- Found 40 passages by meaning and 1 passage by words." in told
    assert "- The model read 6 passages; 1 passage did not fit." in told


def test_facts_cannot_format_the_explanation() -> None:
    (line,) = steps({"event": "a", "fact": "**x**\n- y"})

    assert line == "- a: fact \\*\\*x\\*\\* - y"
