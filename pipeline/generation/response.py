"""From a model library's message to our own response, in one function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipeline.conversation import GenerationResponse, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.conversation import CitedSource

DEGRADED_KEY: Final = "degraded"
"""Where a reader notes in its message's metadata what the answer had to do without."""

CUT_OFF: Final = "generation:cut_off"
"""The model stopped at the length limit, so the answer may end in the middle."""

_REASON_KEYS: Final = ("done_reason", "finish_reason", "stop_reason")
"""Ollama, OpenAI-compatible servers, Anthropic."""

_REASONS: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
}


def build_response(message: object | None, sources: Sequence[CitedSource]) -> GenerationResponse:
    """Return what *message* says as a response; the guardrail of answers judges it afterwards.

    *message* is what a `Reading` holds once drained. None is an empty answer, not a fault.
    """
    metadata: Mapping[str, Any] = getattr(message, "response_metadata", None) or {}
    ended = finish_reason(message)
    return GenerationResponse(
        success=True,
        answer=answer_text(message),
        sources=tuple(sources),
        token_usage=token_usage(message),
        finish_reason=ended,
        degraded=(*metadata.get(DEGRADED_KEY, ()), *((CUT_OFF,) if ended == "length" else ())),
    )


def answer_text(message: object | None) -> str:
    """Return the text of *message*; of content in blocks only the text, never the reasoning."""
    content = getattr(message, "content", "")
    if isinstance(content, str):
        return content.strip()
    return "".join(_block_text(block) for block in content).strip()


def _block_text(block: str | Mapping[str, Any]) -> str:
    if isinstance(block, str):
        return block
    return str(block.get("text", "")) if block.get("type") == "text" else ""


def token_usage(message: object | None) -> TokenUsage | None:
    """Return the tokens that the server counted; None if it counted none."""
    usage: Mapping[str, int] | None = getattr(message, "usage_metadata", None)
    if not usage:
        return None
    return TokenUsage(input=usage.get("input_tokens", 0), output=usage.get("output_tokens", 0))


def finish_reason(message: object | None) -> str | None:
    """Return why the model stopped: ``stop``, ``length`` or the server's own word; None: it never said."""
    metadata: Mapping[str, Any] = getattr(message, "response_metadata", None) or {}
    word = next((metadata[key] for key in _REASON_KEYS if metadata.get(key)), None)
    if word is None:
        # servers of Ollama's protocol before 0.1.40 say only that they are done
        return "stop" if metadata.get("done") else None
    return _REASONS.get(str(word), str(word))
