from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.errors import DatasetError
from pipeline.evaluation.checkers import Closeness, WordOverlap
from pipeline.evaluation.citation import Pair, halved, measure, read_pairs
from pipeline.evaluation.notes import Notes
from tests.fakes.embedding import WordEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

REFERENCE = "Refunds take five days. Pumps are oiled on Mondays."


class Told:
    """Says of each claim what it was told."""

    def __init__(self, scores: dict[str, float]) -> None:
        self._scores = scores

    async def __call__(self, claim: str, references: Sequence[str]) -> float:
        return self._scores[claim]


def silent(done: int, total: int, what: str) -> None:
    pass


def row(label: str, src: str) -> dict[str, Any]:
    return {"claim": "Refunds take five days.", "references": [REFERENCE], "label": label, "src": src}


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def made(*sources: str, each: int) -> list[Pair]:
    """Return pairs whose claims are numbers; those with even numbers are supported."""
    return [
        Pair(
            id=f"{source}{number}",
            claim=str(number),
            references=(),
            supported=number % 2 == 0,
            source=source,
        )
        for source in sources
        for number in range(each)
    ]


def test_sources_with_one_kind_of_label_are_joined_by_their_first_word(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        row("supported", "Facts YES"),
        row("unsupported", "Facts NO"),
        row("supported", "Both of them"),
        row("unsupported", "Both of them"),
        row("partly", "Both of them"),
    )

    pairs = read_pairs(folder)

    assert [each.source for each in pairs] == ["Facts", "Facts", "Both of them", "Both of them"]
    assert [each.supported for each in pairs] == [True, False, True, False]
    assert len({each.id for each in pairs}) == 4


@pytest.mark.parametrize("rows", [[{"label": "supported"}], [row("supported", "a")], []])
def test_pairs_that_nothing_can_be_told_apart_in_are_refused(
    tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    with pytest.raises(DatasetError):
        read_pairs(write(tmp_path, *rows))


def test_half_of_each_source_and_label_is_chosen_on_and_always_the_same_half() -> None:
    pairs = made("a", "b", each=8)

    chosen = halved(pairs)

    assert chosen == halved(pairs)
    for source in "ab":
        for supported in (True, False):
            ids = {each.id for each in pairs if (each.source, each.supported) == (source, supported)}
            assert len(ids & chosen) == 2


async def test_a_limit_is_scored_on_other_pairs_than_it_was_chosen_on() -> None:
    pairs = made("house", each=40)
    chosen, notes = halved(pairs), Notes()
    right = {each.claim: float(each.supported) for each in pairs}
    lucky = {each.claim: abs(right[each.claim] - (each.id not in chosen)) for each in pairs}

    report = await measure(pairs, {"good": Told(right), "lucky": Told(lucky)}, notes=notes, progress=silent)

    good, bad = (report["checkers"][name]["house"] for name in ("good", "lucky"))
    assert good["balanced_accuracy"] == good["auc"] == good["unsupported_caught"] == 1
    assert good["supported_rejected"] == 0
    assert (bad["balanced_accuracy_where_chosen"], bad["balanced_accuracy"]) == (1, 0)
    assert notes.scored["citation.good"]["house0"] == (1.0, True)


async def test_one_limit_for_all_sources_is_scored_for_each() -> None:
    pairs = made("a", "b", each=20)
    right = {each.claim: float(each.supported) for each in pairs}

    report = (await measure(pairs, {"good": Told(right)}, notes=Notes(), progress=silent))["checkers"]

    assert {source: each["pairs"] for source, each in report["good"].items()} == {"all": 40, "a": 20, "b": 20}
    assert report["good"]["a"]["at_common_limit"] == 1


async def test_words_of_a_claim_are_looked_for_in_all_references() -> None:
    check = WordOverlap()

    assert await check("Refunds take five days", ["Refunds are slow.", "It takes five days."]) == 1
    assert await check("Refunds", ["Pumps are oiled."]) == 0
    assert await check("the", [REFERENCE]) == 0


async def test_the_closest_sentence_of_any_reference_counts() -> None:
    check = Closeness(WordEmbedder())

    same = await check("Refunds take five days.", ["Lunch is at noon.", REFERENCE])
    other = await check("Refunds take five days.", ["Lunch is at noon."])

    assert same == pytest.approx(1)
    assert other < 0.5
    assert await check("Refunds take five days.", [""]) == 0
