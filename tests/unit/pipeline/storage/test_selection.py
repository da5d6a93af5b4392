from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.storage.selection import select

IDS = st.frozensets(st.sampled_from("abcdefghij"))


@given(present=IDS, allowed=IDS)
def test_a_selection_matches_exactly_the_documents_in_both_sets(
    present: frozenset[str], allowed: frozenset[str]
) -> None:
    selection = select(present, allowed)
    matched = {each for each in present if (each in selection.ids) != selection.inverted}
    assert matched == present & allowed


@given(present=IDS, allowed=IDS)
def test_a_selection_never_names_more_than_half_of_the_documents(
    present: frozenset[str], allowed: frozenset[str]
) -> None:
    assert len(select(present, allowed).ids) <= len(present) / 2


@given(present=IDS, allowed=IDS)
def test_empty_and_everything_say_what_they_mean(present: frozenset[str], allowed: frozenset[str]) -> None:
    selection = select(present, allowed)
    assert selection.empty == (not present & allowed)
    assert selection.everything == (bool(present) and present <= allowed)
