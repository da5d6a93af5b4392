"""Which models are used: chosen once from the settings, and per channel where the channel remembers."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from pipeline.errors import ModelError
from pipeline.generation.choice import ModelChoice
from pipeline.generation.limiter import Limiters
from pipeline.generation.providers import choose_embedder, choose_llm
from pipeline.ingestion.tokens import analyze

if TYPE_CHECKING:
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
    """Return the embedding model that the settings name; an Ollama address is shared with the LLM."""
    embedding = settings.embedding
    shared = settings.llm.base_url if settings.llm.provider in {"auto", "ollama"} else None
    return ModelChoice(
        provider=embedding.provider,
        model=embedding.model,
        base_url=embedding.base_url or (shared if embedding.provider in {"auto", "ollama"} else None),
        api_key=embedding.api_key.get_secret_value() if embedding.api_key else None,
        timeout_s=settings.llm.timeout_s,
    )


class Models:
    """Chooses each model when it is first needed and keeps it."""

    def __init__(
        self, settings: Settings, *, embedder: Embedder | None = None, llm: Llm | None = None
    ) -> None:
        self._settings = settings
        self._choosing = asyncio.Lock()
        self._embedder = embedder
        self._kept: dict[str, Embedder] = {}
        self._llm = llm
        self._limiters = Limiters(settings.llm.max_concurrency)
        self.notes: list[str] = []
        """One sentence for each model that was chosen: which it is, and why."""

    async def embedder(self) -> Embedder:
        """Return the embedder that the settings ask for. Raises `ModelError`."""
        async with self._choosing:
            if self._embedder is None:
                chosen = await choose_embedder(
                    embedding_choice(self._settings), threads=self._settings.embedding.threads
                )
                self._embedder = chosen.embedder
                self.notes.append(chosen.note)
        return self._embedder

    async def embedder_for(self, ref: CatalogRef | None) -> Embedder:
        """Return the embedder for one channel's catalog; None: a channel without one.

        With ``auto`` a channel stays with the model its vectors were made with as long as that can be had:
        an Ollama server that comes up one day must not make every channel be embedded again.
        """
        default = await self.embedder()
        if ref is None or ref.embedder == default.name or self._settings.embedding.provider != "auto":
            return default
        async with self._choosing:
            if ref.embedder not in self._kept:
                self._kept[ref.embedder] = await self._remembered(ref.embedder) or default
        return self._kept[ref.embedder]

    async def _remembered(self, name: str) -> Embedder | None:
        try:
            chosen = await choose_embedder(
                embedding_choice(self._settings).under(name), threads=self._settings.embedding.threads
            )
            await chosen.embedder.embed_query("Is this model still there?")
        except ModelError as error:
            logger.warning(
                "remembered embedder is gone",
                extra={"action": "embedder_gone", "fault": type(error).__name__},
            )
            return None
        return chosen.embedder

    async def llm(self) -> Llm:
        """Return what words answers. Raises `ModelError` for settings that cannot be used."""
        embedder = await self.embedder()
        async with self._choosing:
            if self._llm is None:
                self._llm = await choose_llm(
                    llm_choice(self._settings), embedder=embedder, analyze=analyze, limiters=self._limiters
                )
                self.notes.append(self._llm.note)
        return self._llm
