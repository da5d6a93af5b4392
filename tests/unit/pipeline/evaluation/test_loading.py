from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import DatasetError
from pipeline.evaluation.loading import plain, read_samples

if TYPE_CHECKING:
    from pathlib import Path


def test_forms_of_letters_case_gaps_and_bars_of_tables_do_not_matter() -> None:
    assert plain("| Ｐrice |\n ﬁve") == plain("price FIVE") == "pricefive"


def test_a_manifest_says_what_may_become_of_a_file(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"file": "a.pdf", "expect": "text", "snippets": [{"text": "one", "page": 2}]},
        {"file": "b.pdf", "expect": "error:encrypted", "snippets": []},
        {"file": "c.pdf", "expect": "text_or_error:no_text"},
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for row in rows:
        (tmp_path / row["file"]).write_bytes(b"")

    first, second, third = read_samples(tmp_path)

    assert (first.text, first.reasons, first.snippets[0].page) == (True, frozenset(), 2)
    assert (second.text, set(second.reasons)) == (False, {IngestReason.ENCRYPTED})
    assert (third.text, set(third.reasons)) == (True, {IngestReason.NO_TEXT})


@pytest.mark.parametrize(
    "row", [{"file": "gone.pdf", "expect": "text"}, {"file": "a"}, {"file": "a", "expect": "error:odd"}]
)
def test_a_manifest_that_cannot_be_followed_is_refused(tmp_path: Path, row: dict[str, str]) -> None:
    (tmp_path / "manifest.jsonl").write_text(json.dumps(row))

    with pytest.raises(DatasetError):
        read_samples(tmp_path)
