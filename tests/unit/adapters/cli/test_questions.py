from __future__ import annotations

from dataclasses import replace

from adapters.cli.questions import describe_response
from pipeline.domain import GenerationResponse, Unit
from tests.fakes.pipeline import citation


def test_a_citation_is_written_with_the_keys_that_scripts_rely_on() -> None:
    cited = replace(citation("1"), unit=Unit.SLIDE)
    response = GenerationResponse(success=True, answer="Five days [1].", citations=(cited,))

    [written] = describe_response(response, None, None)["citations"]

    assert [*written] == [
        *("label", "document_id", "display_name", "chunk_id", "page", "lines", "section", "url", "quote"),
    ]
    assert written["page"] == 3
