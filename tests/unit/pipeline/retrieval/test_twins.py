from __future__ import annotations

from pipeline.retrieval.twins import collapse
from tests.fakes.stored import chunk_of

RULE = (
    "Refunds for monthly plans take five working days. Ask the billing desk, not support, for a longer wait."
)


def kept(*texts: str) -> list[tuple[int, list[int]]]:
    """Return the places of the chunks that are kept, each with those of its copies."""
    found = collapse([chunk_of("d1", place, text) for place, text in enumerate(texts)])
    return [(chunk.chunk_index, [copy.chunk_index for copy in copies]) for chunk, copies in found]


def test_of_the_same_text_the_best_is_kept_and_knows_the_others() -> None:
    assert kept(RULE, "something else here", RULE, RULE.upper()) == [(0, [2, 3]), (1, [])]


def test_other_white_space_and_punctuation_make_no_other_text() -> None:
    assert kept(RULE, RULE.replace(". ", ".\n\n- ")) == [(0, [1])]


def test_two_versions_that_differ_by_one_number_are_both_kept_however_long_they_are() -> None:
    long = " ".join([RULE, *(f"Step {number} needs form {number * 7}." for number in range(40))])

    assert len(kept(long, long.replace("five", "nine"))) == 2
    assert len(kept(long, long)) == 1


def test_a_passage_that_says_more_is_kept() -> None:
    assert len(kept(RULE, f"{RULE} Sundays do not count.")) == 2
    assert len(kept(f"{RULE} Sundays do not count.", RULE)) == 2


def test_the_same_words_in_another_order_say_something_else() -> None:
    mixed = (
        "Support, not the billing desk, ask for a longer wait. "
        "Refunds for five monthly plans take working days."
    )

    assert len(kept(RULE, mixed)) == 2


def test_passages_of_a_few_words_are_copies_only_if_they_are_the_same() -> None:
    assert kept("not paid", "paid not", "Not paid.", "", "") == [(0, [2]), (1, []), (3, [4])]
