"""Which models are used: chosen once from the settings, and per channel where the channel remembers."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from functools import partial
from typing import TYPE_CHECKING

from pipeline.errors import ModelError
from pipeline.generation.choice import ModelChoice
from pipeline.generation.embedders import PROBE, AbsentEmbedder
from pipeline.generation.limiter import Limiters
from pipeline.generation.lookout import Lookout
from pipeline.generation.providers import choose_embedder, choose_llm, fault_of, recall_embedder
from pipeline.ingestion.tokens import analyze
from pipeline.observability.metrics import OBSERVED

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.settings import Settings
    from pipeline.generation.providers import Llm
    from pipeline.ports import Embedder
    from pipeline.storage.refs import CatalogRef

logger = logging.getLogger(__name__)


def llm_choice(settings: Settings) -> ModelChoice:
    """Return the language model that the settings name."""
    llm = settings.llm
    return ModelChoice(
        provider=llm.provider,
        model=llm.model,
        base_url=llm.base_url,
        api_key=llm.api_key.get_secret_value() if llm.api_key else None,
        num_ctx=llm.num_ctx,
        num_predict=llm.num_predict,
        timeout_s=llm.timeout_s,
    )


def embedding_choice(settings: Settings) -> ModelChoice:
    """Return the embedding model that the settings name; a server's address is shared with the LLM."""
    embedding, llm = settings.embedding, settings.llm
    same_server = {embedding.provider, llm.provider} in _SAME_SERVER
    return ModelChoice(
        provider=embedding.provider,
        model=embedding.model,
        base_url=embedding.base_url or (llm.base_url if same_server else None),
        api_key=embedding.api_key.get_secret_value() if embedding.api_key else None,
        timeout_s=llm.timeout_s,
    )


_SAME_SERVER = ({"auto"}, {"ollama"}, {"auto", "ollama"}, {"openai"})
"""Pairs of providers that speak to one kind of server."""

INSPECTION_S = 10.0
"""How long what was seen of a model server is believed; probes come every few seconds."""


class Models:
    """Chooses each model when it is first needed and keeps it."""

    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        llm: Llm | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._choosing = asyncio.Lock()
        self._embedder = embedder
        self._remembered: dict[str, Lookout[Embedder]] = {}
        self._llm = llm
        self._limiters = Limiters(settings.llm.max_concurrency)
        self._inspecting = asyncio.Lock()
        self._fault: str | None = None
        self._believed_until = -math.inf
        self.notes: list[str] = []
        """One sentence for each model that was chosen: which it is, and why."""

    async def embedder(self) -> Embedder:
        """Return the embedder that the settings ask for. Raises `ModelError`."""
        async with self._choosing:
            if self._embedder is None:
                chosen = await choose_embedder(
                    embedding_choice(self._settings),
                    limiters=self._limiters,
                    threads=self._settings.embedding.threads,
                )
                self._embedder = chosen.embedder
                self.notes.append(chosen.note)
        return self._embedder

    async def embedder_for(self, ref: CatalogRef | None) -> Embedder:
        """Return the embedder to search one channel's catalog with; None: a channel without one.

        With ``auto`` a channel stays with the model its vectors were made with: an Ollama server that is
        down for an hour, or comes up one day, must not make every channel be embedded again. While that
        model cannot be had, the embedder that is returned says so at each call. Only when its server has it
        no more does the channel go over to the default.
        """
        default = await self.embedder()
        if ref is None or ref.embedder == default.name or self._settings.embedding.provider != "auto":
            return default
        async with self._choosing:
            if ref.embedder not in self._remembered:
                look = partial(self._recall, ref.embedder, default)
                found = await look()
                self._remembered[ref.embedder] = Lookout(look, found=found, clock=self._clock)
        return self._remembered[ref.embedder].now() or AbsentEmbedder(ref.embedder, ref.dimension)

    async def working_embedder_for(self, ref: CatalogRef | None) -> Embedder:
        """Return the embedder to index files of one channel with, which works now.

        Raises `ModelError` where it does not; the same file can be indexed later.
        """
        embedder = await self.embedder_for(ref)
        # before a file is fetched and read for nothing; and a served embedder learns its dimension by it
        await embedder.embed_query(PROBE)
        return embedder

    async def _recall(self, name: str, default: Embedder) -> Embedder | None:
        try:
            return await recall_embedder(
                embedding_choice(self._settings),
                name,
                limiters=self._limiters,
                threads=self._settings.embedding.threads,
            )
        except ModelError as error:
            OBSERVED.labels("embedder_gone").inc()
            logger.warning(
                "remembered embedder is gone",
                extra={"action": "embedder_gone", "fault": type(error).__name__},
            )
            return default

    async def llm(self) -> Llm:
        """Return what words answers. Raises `ModelError` for settings that cannot be used."""
        embedder = await self.embedder()
        async with self._choosing:
            if self._llm is None:
                self._llm = await choose_llm(
                    llm_choice(self._settings),
                    embedder=embedder,
                    analyze=analyze,
                    limiters=self._limiters,
                    clock=self._clock,
                )
                self.notes.append(self._llm.note)
        return self._llm

    async def fault(self) -> str | None:
        """Return why no answer can be worded, None if one can. Raises `ModelError` as `llm` does.

        A server that is named must have its model; ``auto`` and ``extractive`` do without one.
        """
        await self.llm()
        if self._settings.llm.provider in {"auto", "extractive"}:
            return None
        async with self._inspecting:
            if self._clock() >= self._believed_until:
                self._fault = await fault_of(llm_choice(self._settings))
                self._believed_until = self._clock() + INSPECTION_S
            return self._fault
