from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.cli import measure
from adapters.cli.scores import print_report
from pipeline.evaluation.run import PARTS
from tests.fakes.reports import REPORT

if TYPE_CHECKING:
    import pytest


def test_every_part_is_a_table_and_nothing_of_a_dataset_is_taken_for_a_mark(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")

    print_report(REPORT | {"dataset": "[red]house"})
    shown = capsys.readouterr().out

    for title in (
        "search, 4",
        "follow-ups",
        "changes of",
        "orders in",
        "obeyed by",
        "by words",
        "files",
        "kept",
    ):
        assert title in shown
    assert "[red]house" in shown
    assert "0.500 [0.400, 0.600]" in shown


def test_the_command_offers_every_part_that_can_be_scored() -> None:
    assert measure._PARTS == PARTS
