from __future__ import annotations

import json
from dataclasses import replace

from adapters.cli.questions import describe_response
from pipeline.conversation import GenerationResponse
from pipeline.domain import Unit
from pipeline.verdicts import CheckedClaim, Layer, Standing, Verification
from tests.fakes.pipeline import citation


def test_what_the_gate_found_is_written_statement_by_statement() -> None:
    claim = CheckedClaim(
        text="Five days.",
        span=(0, 14),
        labels=("1",),
        verdict=Standing.UNSUPPORTED,
        layer=Layer.MECHANICAL,
        why="numbers",
        missing=("Five",),
    )
    checked = GenerationResponse(
        success=True, answer="Five days [1].", verification=Verification(claims=(claim,))
    )

    written = describe_response(checked, None, None)["verification"]

    assert json.loads(json.dumps(written))["claims"] == [
        {
            "text": "Five days.",
            "span": [0, 14],
            "labels": ["1"],
            "verdict": "unsupported",
            "layer": "mechanical",
            "why": "numbers",
            "missing": ["Five"],
            "score": None,
        }
    ]
    assert describe_response(GenerationResponse(success=False), None, None)["verification"] is None


def test_a_citation_is_written_with_the_keys_that_scripts_rely_on() -> None:
    cited = replace(citation("1"), unit=Unit.SLIDE)
    response = GenerationResponse(success=True, answer="Five days [1].", citations=(cited,))

    [written] = describe_response(response, None, None)["citations"]

    assert [*written] == [
        *("label", "document_id", "display_name", "chunk_id", "page", "lines", "section", "url", "quote"),
    ]
    assert written["page"] == 3
