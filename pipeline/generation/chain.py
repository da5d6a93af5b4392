"""Prompt and model, composed with LCEL, and the stream that comes out of them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.prompts import ChatPromptTemplate
from langsmith import tracing_context

from pipeline.errors import ModelUnavailable
from pipeline.generation import prompts
from pipeline.generation.budget import DROPPED, estimate_tokens, least_tokens, refit, room
from pipeline.generation.faults import translated
from pipeline.generation.limiter import Limiter, Priority
from pipeline.generation.profiles import thinks_aloud
from pipeline.generation.response import DEGRADED_KEY, answer_text, finish_reason, token_usage
from pipeline.generation.thinking import ReasoningFilter, without_reasoning
from pipeline.observability.metrics import SANITIZED
from pipeline.observability.trace import record

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence

    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk
    from langchain_core.runnables import Runnable

    from pipeline.conversation import CitedSource, TokenUsage
    from pipeline.generation.faults import Server

    Chain = Runnable[dict[str, Any], Any]

TRUNCATED: Final = "generation:context_truncated"

SUMMARY_TOKENS: Final = 200
"""Three sentences; a limit of the runtime, not a request in the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call may take."""

    num_ctx: int
    """Tokens of the model's context window, prompt and answer together."""
    num_predict: int
    """Tokens of the answer."""
    first_token_s: float
    """Seconds until the model shows a sign of life; loading its weights counts."""
    total_s: float
    """Seconds until the answer is complete, waiting in the queue not counted."""


class ModelReader:
    """Words answers with a chat model. One instance serves all questions at once."""

    def __init__(
        self, model: BaseChatModel, server: Server, *, name: str, limits: Limits, limiter: Limiter
    ) -> None:
        self._chain = compose(prompts.SYSTEM, model)
        self._server = server
        self._name = name
        self._limits = limits
        self._limiter = limiter
        self._aloud = thinks_aloud(server.model)

    @property
    def name(self) -> str:
        return self._name

    @property
    def source_budget(self) -> int:
        return room(
            num_ctx=self._limits.num_ctx,
            num_predict=self._limits.num_predict,
            prompt_tokens=estimate_tokens(prompts.SYSTEM),
        )

    def read(
        self,
        question: str,
        sources: Sequence[CitedSource],
        summary: str,
        *,
        waiting: Callable[[int], None],
    ) -> ModelReading:
        # the caller has fitted the sources; this is the guarantee that the server never cuts them
        fitted = refit(sources, summary=summary, question=question, budget=self.source_budget)
        human = prompts.human_message(question, fitted.kept, fitted.summary)
        return ModelReading(
            self._answer(human, waiting),
            human,
            aloud=self._aloud,
            learn=self._learn,
            dropped=bool(fitted.dropped),
        )

    async def _answer(
        self, human: str, waiting: Callable[[int], None]
    ) -> AsyncGenerator[AIMessageChunk, None]:
        async with (
            self._limiter.slot(Priority.ANSWER, waiting=waiting),
            aclosing(stream(self._chain, human, self._server, self._limits)) as chunks,
        ):
            async for chunk in chunks:
                yield chunk

    def _learn(self) -> None:
        """Remember that this model reasons aloud, so that its next answers are held from the start."""
        self._aloud = True


class ModelReading:
    """One answer on its way. Close its iterator (`aclosing`) to stop the model."""

    def __init__(
        self,
        chunks: AsyncGenerator[AIMessageChunk, None],
        human: str,
        *,
        aloud: bool,
        learn: Callable[[], None],
        dropped: bool,
    ) -> None:
        self._source = chunks
        self._human = human
        self._aloud = aloud
        self._learn = learn
        self._degraded = [DROPPED] if dropped else []
        self._chunks: list[AIMessageChunk] = []

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()

    @property
    def message(self) -> AIMessageChunk | None:
        """All that came, reasoning taken out; None if nothing came."""
        if not self._chunks:
            return None
        whole = add_ai_message_chunks(*self._chunks)
        text = final_text(whole, aloud=self._aloud)
        degraded = [*self._degraded, *([TRUNCATED] if was_truncated(whole, self._human) else [])]
        metadata = {**whole.response_metadata, DEGRADED_KEY: degraded}
        return whole.model_copy(update={"content": text, "response_metadata": metadata})

    async def _text(self) -> AsyncGenerator[str, None]:
        reasoning = ReasoningFilter(aloud=self._aloud)
        async with aclosing(self._source) as chunks:
            async for chunk in chunks:
                self._chunks.append(chunk)
                if piece := reasoning.feed(chunk.text):
                    yield piece
        message = self.message
        if rest := reasoning.finish(cut=finish_reason(message) == "length"):
            yield rest
        if reasoning.met_lone_closer:
            self._learn()
        if message is not None:
            _report(message, self._human)
            _count_reasoning(add_ai_message_chunks(*self._chunks), message.text)


def _count_reasoning(whole: AIMessageChunk, left: str) -> None:
    """Count an answer of which a part was taken for reasoning; *left* is what is shown."""
    taken = len(answer_text(whole)) - len(left)
    if taken > 0:
        SANITIZED.labels("reasoning").inc()
        record("generation.reasoning_removed", characters=taken)


def _report(message: AIMessageChunk, human: str) -> None:
    usage = token_usage(message)
    record(
        "generation.finished",
        finish_reason=finish_reason(message),
        estimated_input=estimate_tokens(prompts.SYSTEM + human),
        input=usage.input if usage else None,
        output=usage.output if usage else None,
    )
    for code in message.response_metadata[DEGRADED_KEY]:
        record("generation.degraded", code=code)


class ModelSummarizer:
    """Writes rolling summaries with a chat model, behind the answers that wait."""

    def __init__(self, model: BaseChatModel, server: Server, *, limits: Limits, limiter: Limiter) -> None:
        self._chain = compose(prompts.SUMMARY_SYSTEM, model)
        self._server = server
        self._limits = limits
        self._limiter = limiter

    async def summarize(self, previous: str, question: str, answer: str) -> tuple[str, TokenUsage | None]:
        """Return the proposed summary and its cost. Raises `ModelError`."""
        human = prompts.summary_message(previous, question, answer)
        async with self._limiter.slot(Priority.BACKGROUND):
            chunks = [chunk async for chunk in stream(self._chain, human, self._server, self._limits)]
        if not chunks:
            return "", None
        whole = add_ai_message_chunks(*chunks)
        text = final_text(whole, aloud=thinks_aloud(self._server.model))
        _count_reasoning(whole, text)
        return text, token_usage(whole)


def final_text(whole: AIMessageChunk, *, aloud: bool) -> str:
    """Return the text of a whole message without the reasoning in it."""
    return without_reasoning(answer_text(whole), aloud=aloud, cut=finish_reason(whole) == "length")


async def stream(
    chain: Chain, human: str, server: Server, limits: Limits
) -> AsyncGenerator[AIMessageChunk, None]:
    """Yield what the model sends, in time and to its end. Raises `ModelError`.

    A stream that stops before the server called it done was broken off, whatever it held.
    """
    clock = asyncio.get_running_loop().time
    ends = clock() + limits.total_s
    until = min(ends, clock() + limits.first_token_s)
    done = begun = False
    async with aclosing(_open(chain, human)) as chunks:
        while (chunk := await _next(chunks, server, until, begun=begun)) is not None:
            begun, until = True, ends
            done = done or finish_reason(chunk) is not None
            yield chunk
    if begun and not done:
        raise ModelUnavailable(f"{server.title} at {server.url} broke off before the end of the answer.")


def _open(chain: Chain, human: str) -> AsyncGenerator[AIMessageChunk, None]:
    # declared an iterator, it is a generator, and closing it closes the connection
    return cast("AsyncGenerator[AIMessageChunk, None]", chain.astream({"human": human}))


async def _next(
    chunks: AsyncIterator[AIMessageChunk], server: Server, until: float, *, begun: bool
) -> AIMessageChunk | None:
    """Return the next chunk; None at the end."""
    with translated(server), untraced():
        try:
            async with asyncio.timeout_at(until):
                return await anext(chunks, None)
        except ValueError as error:
            # this is how LangChain says that the stream was empty; subclasses are broken lines
            if begun or type(error) is not ValueError:
                raise
            return None


@contextmanager
def untraced() -> Iterator[None]:
    """Keep people's texts out of LangSmith, whatever the environment says.

    LangChain looks at the context when a call begins, and the context goes before ``LANGSMITH_TRACING``.
    """
    with tracing_context(enabled=False, parent=False):
        yield


def was_truncated(message: object, human: str) -> bool:
    """Tell whether the server counted far fewer tokens than the prompt must have had.

    A count below the system message alone comes from servers that count only what was not in their cache.
    """
    usage = token_usage(message)
    system = least_tokens(prompts.SYSTEM)
    return usage is not None and system < usage.input < system + least_tokens(human)


def compose(system: str, model: BaseChatModel) -> Chain:
    """Put *model* behind its system message; the chain's one value is ``human``."""
    prompt = ChatPromptTemplate.from_messages([("system", system), ("human", "{human}")])
    return prompt | model
