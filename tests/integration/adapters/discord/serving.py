"""The whole service, connected to the local Discord server, with scripted models behind it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from adapters.discord.program import open_discord
from adapters.serving import serve
from bot.bootstrap import open_service
from bot.models import Models
from bot.settings import Settings
from pipeline.generation.providers import Llm
from pipeline.generation.rolling import ExtractiveSummarizer
from pipeline.ingestion.tokens import analyze
from tests.fakes.models import ScriptedEmbedder, ScriptedReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from adapters.discord.commands import Part
    from bot.bootstrap import Service
    from pipeline.ports import Reader
    from tests.fakes.discord import DiscordServer

READY = "Discord: connected"


class Serving:
    """One run of the program."""

    service: Service

    def __init__(
        self,
        discord: DiscordServer,
        folder: Path,
        *,
        reader: Reader | None = None,
        parts: Sequence[Part] | None = (),
        **discord_settings: Any,
    ) -> None:
        self.discord = discord
        self.said: list[str] = []
        self.stop = asyncio.Event()
        self.port = 0
        own = {
            "api_base_url": discord.api_base_url,
            "gateway_url": discord.gateway_url,
            "token": discord.token,
            **discord_settings,
        }
        given = {name: value for name, value in own.items() if value is not None}
        self._settings = Settings(data_dir=folder / "data", discord=given, http={"port": 0}, _env_file=None)
        self._reader = reader or ScriptedReader("It takes five working days [1].")
        self._parts = parts

    async def run(self) -> None:
        """Serve until `stop` is set."""
        llm = Llm(reader=self._reader, summarizer=ExtractiveSummarizer(analyze), note="scripted")
        models = Models(self._settings, embedder=ScriptedEmbedder(dimension=1024), llm=llm)
        async with open_service(self._settings, models=models) as self.service:
            discord = open_discord(self.service, self._parts)
            await serve(self.service, self.stop, [discord], say=self.said.append, listening=self._listening)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Serving]:
        """Serve for the length of the block."""
        task = asyncio.create_task(self.run())
        try:
            await self.discord.until(lambda: task.done() or any(READY in line for line in self.said))
            if task.done():
                task.result()
            yield self
            self.stop.set()
            await task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _listening(self, port: int) -> None:
        self.port = port
