"""Several commands at the same channel at the same time: each does what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.acceptance.conftest import ENDS_S, HANDBOOK

if TYPE_CHECKING:
    from tests.acceptance.conftest import Program

CHANNEL = ("--channel", "terminal:local:busy")


def test_a_channel_is_asked_renewed_and_emptied_of_a_file_while_others_come(footnote: Program) -> None:
    first = footnote("ingest", *CHANNEL, str(HANDBOOK / "refunds.md"), str(HANDBOOK / "leave.md"), "--json")
    ids = {row["display_name"]: row["document_id"] for row in first.json["documents"]}
    more = [str(HANDBOOK / name) for name in ("travel.md", "support.md", "deploys.md")]
    runs = [
        footnote.start(*arguments, *CHANNEL)
        for arguments in (
            ("ingest", *more),
            ("ask", "How long do refunds take?"),
            ("reindex",),
            ("forget", ids["leave.md"]),
        )
    ]
    said = [run.communicate(timeout=ENDS_S) for run in runs]

    assert [run.returncode for run in runs] == [0, 0, 0, 0], said
    assert "refunds.md" in said[1][0]
    documents = footnote("docs", *CHANNEL, "--json").json["documents"]
    assert {row["display_name"]: row["status"] for row in documents} == dict.fromkeys(
        ("refunds.md", "travel.md", "support.md", "deploys.md"), "ready"
    )
