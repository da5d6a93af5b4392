"""From a choice to what reads, summarises and embeds, and a sentence that says which it became."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pipeline.errors import ModelError, ModelMisconfigured, ModelNotFound
from pipeline.generation.choice import check_url
from pipeline.generation.embedders import EMBEDDED_MODEL, EmbeddedEmbedder, ServedEmbedder
from pipeline.generation.extractive import ExtractiveReader
from pipeline.generation.fallback import FallbackJudge, FallbackReader, FallbackSummarizer
from pipeline.generation.lookout import Lookout
from pipeline.generation.rolling import ExtractiveSummarizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.generation.choice import ModelChoice
    from pipeline.generation.faults import Server
    from pipeline.generation.inspection import ModelStatus
    from pipeline.generation.limiter import Limiters
    from pipeline.ports import Embedder, Judge, Reader, Summarizer

    Analyze = Callable[[str], list[str]]

LEAST_ROOM: Final = 512
"""Tokens of sources below which a context window is too small to answer from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Llm:
    """What words answers and what keeps memory."""

    reader: Reader
    summarizer: Summarizer
    note: str
    """One sentence: which it is, and why."""
    judge: Judge | None = None
    """What can be asked whether a passage says something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenEmbedder:
    """What makes vectors."""

    embedder: Embedder
    note: str
    """One sentence: which it is, and why."""


async def choose_llm(
    choice: ModelChoice,
    *,
    embedder: Embedder,
    analyze: Analyze,
    limiters: Limiters,
    clock: Callable[[], float] = time.monotonic,
) -> Llm:
    """Return what *choice* asks for; ``auto`` quotes sentences while Ollama is of no use, and looks for it.

    A server that is named but down is no error here: it may come up, and each question says so until then.
    *clock* gives seconds. Raises `ModelMisconfigured`.
    """
    if choice.provider == "extractive":
        return _extractive(embedder, analyze, "Answers quote the best sentences, as the settings ask.")
    served, status = await _find_llm(choice, limiters)
    if served is not None and choice.provider != "auto":
        return served

    async def look() -> Llm | None:
        return (await _find_llm(choice, limiters))[0]

    quoting = _extractive(embedder, analyze, _quoting_note(status))
    lookout = Lookout(look, found=served, clock=clock)
    return Llm(
        reader=FallbackReader(lambda: llm.reader if (llm := lookout.now()) else None, quoting.reader),
        summarizer=FallbackSummarizer(
            lambda: llm.summarizer if (llm := lookout.now()) else None, quoting.summarizer
        ),
        note=(served or quoting).note,
        judge=FallbackJudge(lambda: llm.judge if (llm := lookout.now()) else None),
    )


async def _find_llm(choice: ModelChoice, limiters: Limiters) -> tuple[Llm | None, ModelStatus]:
    """Return the model that *choice* names, None where ``auto`` has no use for it, and how it is."""
    # importing LangChain takes most of a second
    from pipeline.generation.inspection import inspect

    server = choice.server("chat")
    check_url(choice, server.url)
    status = await inspect(choice, "chat")
    if choice.provider == "auto" and not status.usable:
        return None, status
    if status.context_length is not None:
        # a window larger than the model's own is cut by the server, silently
        choice = replace(choice, num_ctx=min(choice.num_ctx, status.context_length))
    return await asyncio.to_thread(_served, choice, server, limiters, status.message), status


async def fault_of(choice: ModelChoice) -> str | None:
    """Return why the language model of *choice* cannot be asked now, with the remedy; None: it can."""
    from pipeline.generation.inspection import inspect

    status = await inspect(choice, "chat")
    if status.usable:
        return None
    return f"{status.message} To do: {status.remedy}." if status.remedy else status.message


def _quoting_note(status: ModelStatus) -> str:
    remedy = f" ({status.remedy})" if status.remedy else ""
    return f"Answers quote the best sentences, without a language model: {status.message}{remedy}"


def _extractive(embedder: Embedder, analyze: Analyze, note: str) -> Llm:
    reader = ExtractiveReader(embedder, analyze)
    judge = FallbackJudge(lambda: None)
    return Llm(reader=reader, summarizer=ExtractiveSummarizer(analyze), note=note, judge=judge)


def _served(choice: ModelChoice, server: Server, limiters: Limiters, note: str) -> Llm:
    from pipeline.generation.chain import SUMMARY_TOKENS, Limits, ModelReader, ModelSummarizer
    from pipeline.generation.clients import chat_model
    from pipeline.generation.judge import ModelJudge, judge_tokens

    limits = Limits(
        num_ctx=choice.num_ctx,
        num_predict=choice.num_predict,
        first_token_s=choice.first_token_s or choice.timeout_s * 2 / 3,
        total_s=choice.timeout_s,
    )
    limiter = limiters.of(server.url)
    name = f"{choice.resolved()}:{server.model}"
    reader = ModelReader(
        chat_model(choice, server, num_predict=choice.num_predict),
        server,
        name=name,
        limits=limits,
        limiter=limiter,
    )
    if reader.source_budget < LEAST_ROOM:
        raise ModelMisconfigured(
            f"A context window of {choice.num_ctx} tokens leaves {reader.source_budget} for sources beside "
            f"{choice.num_predict} for the answer; raise FOOTNOTE_LLM__NUM_CTX or lower __NUM_PREDICT."
        )
    summaries = chat_model(choice, server, num_predict=SUMMARY_TOKENS)
    summarizer = ModelSummarizer(summaries, server, limits=limits, limiter=limiter)
    verdicts = chat_model(choice, server, num_predict=judge_tokens(server.model))
    judge = ModelJudge(verdicts, server, limits=limits, limiter=limiter)
    return Llm(reader=reader, summarizer=summarizer, note=note, judge=judge)


async def choose_embedder(choice: ModelChoice, *, limiters: Limiters, threads: int = 1) -> ChosenEmbedder:
    """Return what *choice* asks for; ``auto`` becomes the embedded model where Ollama is of no use.

    A server that is named but down gives an embedder that learns its dimension from its first vector.
    Raises `ModelMisconfigured`.
    """
    if choice.provider == "embedded":
        _check_embedded(choice)
        return ChosenEmbedder(
            embedder=EmbeddedEmbedder(threads=threads), note=f"{EMBEDDED_MODEL} runs in this process."
        )
    from pipeline.generation.inspection import inspect

    check_url(choice, choice.server("embedding").url)
    status = await inspect(choice, "embedding")
    if choice.provider == "auto" and not status.usable:
        note = f"{EMBEDDED_MODEL} runs in this process: {status.message}"
        return ChosenEmbedder(embedder=EmbeddedEmbedder(threads=threads), note=note)
    embedder = await asyncio.to_thread(_served_embedder, choice, limiters)
    try:
        await embedder.learn()
    except ModelMisconfigured:
        raise
    except ModelError as error:
        return ChosenEmbedder(embedder=embedder, note=str(error))
    return ChosenEmbedder(embedder=embedder, note=status.message)


async def recall_embedder(
    choice: ModelChoice, name: str, *, limiters: Limiters, threads: int = 1
) -> Embedder | None:
    """Return, for ``auto``, the embedder *name* that made a channel's vectors; None: its server is away.

    Raises `ModelNotFound` if its server has it no more, and `ModelMisconfigured` if the settings have no
    way to it.
    """
    remembered = choice.under(name)
    if remembered.provider == "embedded":
        return (await choose_embedder(remembered, limiters=limiters, threads=threads)).embedder
    if remembered.provider != choice.resolved():
        raise ModelMisconfigured(f"The settings name no server for '{name}'.")
    from pipeline.generation.inspection import inspect

    status = await inspect(remembered, "embedding")
    if status.reachable and not status.has_model:
        raise ModelNotFound(status.message)
    return await asyncio.to_thread(_served_embedder, remembered, limiters) if status.usable else None


def _served_embedder(choice: ModelChoice, limiters: Limiters) -> ServedEmbedder:
    from pipeline.generation.clients import embeddings

    server = choice.server("embedding")
    name = f"{choice.resolved()}:{server.model}"
    return ServedEmbedder(embeddings(choice, server), server, name=name, limiter=limiters.of(server.url))


def _check_embedded(choice: ModelChoice) -> None:
    if choice.model not in (None, EMBEDDED_MODEL):
        raise ModelMisconfigured(
            f"The embedded model is {EMBEDDED_MODEL}; '{choice.model}' is not installed."
        )
