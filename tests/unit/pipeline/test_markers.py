from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import markers

TEXTS = st.text(alphabet="a1 2,;、[]【】().`\n", max_size=40)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Five days [1].", {"1"}),
        ("Five days [1, 3]【2】.", {"1", "2", "3"}),
        ("Five days [ 01 ;2].", {"1", "2"}),
        ("Use `rows[1]`.\n```\nrows[2]\n``` [3]", {"3"}),
        ("[12345] and [a] and [] and [1", set()),
    ],
)
def test_the_labels_that_a_text_cites_are_read_outside_code(text: str, labels: set[str]) -> None:
    assert markers.cited_in(text) == labels


@given(TEXTS)
def test_nothing_is_left_to_cite_once_markers_are_removed_or_defused(text: str) -> None:
    assert not markers.MARKER.search(markers.defused(text))
    bare = text
    while (shorter := markers.without_markers(bare)) != bare:  # "[[1]2]" holds another one inside out
        bare = shorter
    assert not markers.MARKER.search(bare)


def test_a_removed_marker_leaves_no_gap_and_a_defused_one_stays_readable() -> None:
    assert markers.without_markers("Five days [1], as said [2, 3].") == "Five days, as said."
    assert markers.defused("as shown before [12] and 【3】.") == "as shown before (12) and (3)."


def test_only_issued_labels_survive_in_a_marker() -> None:
    marker = markers.MARKER.match("[1, 9; 03]")

    assert marker is not None
    assert markers.issued(marker, {"1", "3"}) == ("[1][3]", 1)


@given(st.sets(st.integers(1, 99).map(str), min_size=1, max_size=12))
def test_a_marker_of_all_labels_is_within_the_bound(labels: set[str]) -> None:
    assert len("[" + ", ".join(labels) + "]") <= markers.longest(labels)


def test_spans_of_code_are_known_by_where_they_stand() -> None:
    text = "Use `rows[0]` and ` a ` twice."

    assert [text[begin:end] for begin, end in markers.code_spans(text)] == ["`rows[0]`", "` a `"]
