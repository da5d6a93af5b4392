from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.errors import DatasetError
from pipeline.evaluation.comparison import compare, kept, paired, read
from pipeline.evaluation.notes import Notes
from pipeline.evaluation.run import Outcome

if TYPE_CHECKING:
    from pathlib import Path


def notes(**values: float) -> Notes:
    return Notes(series={"arms.hybrid": {"recall@5": values}})


def test_the_difference_is_taken_question_by_question() -> None:
    found = paired([0.0, 1.0, 0.5, 0.0], [1.0, 1.0, 0.0, 1.0])

    assert found["questions"] == 4
    assert (found["before"], found["after"], found["difference"]) == (0.375, 0.75, 0.375)
    assert (found["wins"], found["losses"]) == (2, 1)
    low, high = found["difference_ci"]
    assert low < 0.375 < high


def test_pairs_tell_more_than_the_means_do() -> None:
    before = [number / 100 for number in range(100)]

    assert paired(before, [value + 0.01 for value in before])["difference_ci"] == [0.01, 0.01]


def test_only_questions_that_both_runs_have_are_compared() -> None:
    found = compare(notes(a=0.0, b=0.0), notes(b=1.0, c=0.0))

    assert found["parts"]["arms.hybrid"]["recall@5"]["questions"] == 1
    assert found["parts"]["arms.hybrid"]["recall@5"]["difference"] == 1
    with pytest.raises(DatasetError, match="in common"):
        compare(notes(a=0.0), notes(b=1.0))


def test_fewer_refusals_of_answerable_questions_are_a_win() -> None:
    before = Notes(series={"abstention": {"refused_answerable": {"a": 1.0, "b": 0.0}}})
    after = Notes(series={"abstention": {"refused_answerable": {"a": 0.0, "b": 0.0}}})

    found = compare(before, after)["parts"]["abstention"]["refused_answerable"]

    assert (found["wins"], found["losses"], found["difference"]) == (1, 0, -0.5)


def test_scores_are_compared_by_their_curves() -> None:
    before = Notes(scored={"abstention.x": {"a": (0.1, True), "b": (0.9, False), "c": (0.5, True)}})
    after = Notes(scored={"abstention.x": {"a": (0.9, True), "b": (0.1, False), "c": (0.5, True)}})

    found = compare(before, after)["scores"]["abstention.x"]

    assert (found["before"], found["after"], found["difference"], found["cases"]) == (0, 1, 1, 3)


def test_a_run_that_is_kept_is_read_again(tmp_path: Path) -> None:
    run = Notes(series={"answers": {"uncited": {"q›1": 0.5}}}, scored={"abstention.x": {"a": (0.25, True)}})
    path = tmp_path / "run.json"
    path.write_text(kept(Outcome(report={"dataset": "house"}, notes=run)), encoding="utf-8")

    assert read(path) == run


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"form": 1}', '{"form": 1, "series": {}, "scored": {"a": 1}}']
)
def test_a_file_that_is_no_run_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)

    with pytest.raises(DatasetError, match=r"run\.json"):
        read(path)


def test_a_run_that_is_not_there_or_was_kept_in_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    with pytest.raises(DatasetError, match=r"run\.json"):
        read(path)
    path.write_text('{"form": 0}')
    with pytest.raises(DatasetError, match="score the dataset again"):
        read(path)
