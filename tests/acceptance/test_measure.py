from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Program

pytestmark = pytest.mark.timeout(300)  # each test starts the program several times

DOCUMENTS = {
    "boats": "The harbour rents out rowing boats by the hour, and each boat carries four people.",
    "bread": "The bakery on the corner sells rye bread on Tuesdays and white bread on every other day.",
    "bells": "The bells of the town hall ring at noon, except on the day of the autumn fair.",
    "bikes": "Bicycles may be taken onto the ferry without a fare outside the morning hours.",
}
QUESTIONS: list[dict[str, Any]] = [
    {"qid": "1", "question": "How many people fit into a rowing boat?", "gold_docs": [{"doc_id": "boats"}]},
    {
        "qid": "2",
        "question": "When is rye bread sold?",
        "gold_docs": [{"doc_id": "bread"}],
        "answerable": True,
    },
    {"qid": "3", "question": "Who is the mayor of Zyx-9000?", "gold_docs": [], "answerable": False},
    {
        "qid": "4",
        "question": "And may a bicycle come along?",
        "gold_docs": [{"doc_id": "bikes"}],
        "history": [
            {"role": "user", "content": "When does the ferry leave?"},
            {"role": "assistant", "content": "The ferry leaves every hour."},
        ],
    },
]
MEASURES = {"recall@1", "recall@5", "recall@10", "ndcg@10"}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "town"
    folder.mkdir()
    documents = [{"doc_id": doc_id, "title": "", "text": text} for doc_id, text in DOCUMENTS.items()]
    for name, rows in (("documents", documents), ("questions", QUESTIONS)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


def test_a_dataset_is_scored_by_arm_with_intervals_and_only_in_the_parts_that_it_tests(
    footnote: Program, dataset: Path
) -> None:
    result = footnote("eval", str(dataset), "--json")
    report = result.json

    assert result.status == 0, result.err
    assert (report["dataset"], report["questions"]) == ("town", 3)
    assert set(report) == {"dataset", "questions", "arms", "abstention", "follow_up"}
    assert set(report["arms"]) == {"sparse", "dense", "hybrid"}
    for arm in report["arms"].values():
        assert set(arm) >= MEASURES
        assert all(0 <= arm[f"{name}_ci"][0] <= arm[name] <= arm[f"{name}_ci"][1] <= 1 for name in MEASURES)
    assert report["arms"]["hybrid"]["recall@5"] == 1
    assert list((footnote.data / "eval").iterdir())


def test_people_read_a_table_of_the_scores(footnote: Program, dataset: Path) -> None:
    result = footnote("eval", str(dataset))

    assert result.status == 0, result.err
    assert all(word in result.out for word in ("town", "sparse", "dense", "hybrid"))


def test_a_run_is_kept_compared_with_and_shown_as_a_page(
    footnote: Program, dataset: Path, tmp_path: Path
) -> None:
    kept, page = tmp_path / "kept.json", tmp_path / "page.html"

    first = footnote("eval", str(dataset), "--only", "arms", "--answers", "--save", str(kept), "--json")
    second = footnote("eval", str(dataset), "--against", str(kept), "--page", str(page), "--json")

    assert (first.status, second.status) == (0, 0), first.err + second.err
    assert set(first.json) == {"dataset", "questions", "arms"}
    compared = second.json["comparison"]["parts"]["arms.hybrid"]["recall@5"]
    assert (compared["questions"], compared["difference"], compared["wins"]) == (3, 0, 0)
    assert "<svg" in page.read_text("utf-8")


def test_answers_are_scored_when_they_are_asked_for(footnote: Program, dataset: Path) -> None:
    result = footnote("eval", str(dataset), "--only", "answers", "--answers", "--json")

    assert result.status == 0, result.err
    assert result.json["answers"]["reader"] == "extractive"
    assert result.json["answers"]["cites_gold"] == 1


@pytest.mark.parametrize("option", ["--against", "--save", "--page"])
def test_a_file_that_cannot_be_used_is_one_sentence(
    footnote: Program, dataset: Path, tmp_path: Path, option: str
) -> None:
    result = footnote("eval", str(dataset), "--only", "arms", option, str(tmp_path / "no" / "such"))

    assert result.status == 1
    assert len(result.err.splitlines()) == 1
    assert "such" in result.err


def test_a_folder_that_is_no_dataset_is_one_sentence(footnote: Program, tmp_path: Path) -> None:
    result = footnote("eval", str(tmp_path))

    assert result.status == 1
    assert "documents.jsonl" in result.err
    assert len(result.err.splitlines()) == 1


def test_the_benchmark_explains_itself(footnote: Program) -> None:
    result = footnote("bench", "--help")

    assert result.status == 0
    assert "--only" in result.out
    assert "--json" in result.out


def test_a_figure_is_measured_beside_the_bare_thing_on_a_machine_that_is_described(
    footnote: Program,
) -> None:
    result = footnote("bench", "--only", "start.help", "--quick", "--json")

    assert result.status == 0, result.err
    assert set(result.json) == {"machine", "figures"}
    assert result.json["machine"]["cpus"]
    (figure,) = result.json["figures"]
    assert set(figure) == {"name", "value", "unit", "against", "ratio", "runs"}
    assert (figure["name"], figure["unit"]) == ("start.help", "ms")
    assert figure["ratio"] > 1


def test_a_figure_that_there_is_not_is_wrong_usage(footnote: Program) -> None:
    result = footnote("bench", "--only", "no such figure", "--json")

    assert (result.status, result.out) == (2, "")
    assert len(result.err.splitlines()) == 1
