"""From a library's message to our response."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from pipeline.conversation import TokenUsage
from pipeline.generation.response import DEGRADED_KEY, build_response


def test_no_message_is_an_empty_answer() -> None:
    response = build_response(None, ())

    assert response.success
    assert response.answer == ""
    assert response.token_usage is None
    assert response.finish_reason is None


def test_text_usage_and_reason_come_over() -> None:
    message = AIMessage(
        content=" Five days [1]. ",
        usage_metadata={"input_tokens": 12, "output_tokens": 4, "total_tokens": 16},
        response_metadata={"finish_reason": "stop", DEGRADED_KEY: ["generation:context_truncated"]},
    )
    response = build_response(message, ())

    assert response.answer == "Five days [1]."
    assert response.token_usage == TokenUsage(input=12, output=4)
    assert response.finish_reason == "stop"
    assert response.degraded == ("generation:context_truncated",)


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"done_reason": "stop"}, "stop"),
        ({"done_reason": "length"}, "length"),
        ({"stop_reason": "end_turn"}, "stop"),
        ({"stop_reason": "max_tokens"}, "length"),
        ({"finish_reason": "content_filter"}, "content_filter"),
        ({"done": True}, "stop"),
        ({"done": False}, None),
        ({}, None),
    ],
)
def test_reasons_have_one_spelling(metadata: dict[str, Any], reason: str | None) -> None:
    assert build_response(AIMessage(content="x", response_metadata=metadata), ()).finish_reason == reason


def test_of_content_in_blocks_only_the_text_counts() -> None:
    message = AIMessage(
        content=[
            {"type": "thinking", "thinking": "hm", "text": "no"},
            {"type": "text", "text": "Five "},
            "days.",
        ]
    )

    assert build_response(message, ()).answer == "Five days."


def test_an_answer_that_was_cut_at_its_length_says_so() -> None:
    message = AIMessage(content="Half of", response_metadata={"done_reason": "length"})

    assert build_response(message, []).degraded == ("generation:cut_off",)
