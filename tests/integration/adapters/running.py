"""The whole service, connected to a local server of a platform, with scripted models behind it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

from adapters.serving import serve
from bot.bootstrap import open_service
from bot.models import Models
from bot.settings import Settings
from pipeline.generation.providers import Llm
from pipeline.generation.rolling import ExtractiveSummarizer
from pipeline.ingestion.tokens import analyze
from tests.fakes.models import ScriptedEmbedder, ScriptedReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from adapters.serving import Connection
    from bot.bootstrap import Service
    from pipeline.ports import Reader
    from tests.fakes.loopback import Loopback


class Running:
    """One run of the program. Each platform says what is opened, and what it says when it is there."""

    service: Service
    ready: str

    def __init__(self, server: Loopback, folder: Path, *, reader: Reader | None, **settings: Any) -> None:
        self.said: list[str] = []
        self.stop = asyncio.Event()
        self.port = 0
        self._server = server
        self._settings = Settings(data_dir=folder / "data", http={"port": 0}, _env_file=None, **settings)
        self._reader = reader or ScriptedReader("It takes five working days [1].")

    async def run(self) -> None:
        """Serve until `stop` is set."""
        llm = Llm(reader=self._reader, summarizer=ExtractiveSummarizer(analyze), note="scripted")
        models = Models(self._settings, embedder=ScriptedEmbedder(dimension=1024), llm=llm)
        async with open_service(self._settings, models=models) as self.service:
            platforms = [self._open()]
            await serve(self.service, self.stop, platforms, say=self.said.append, listening=self._listening)

    def _open(self) -> AbstractAsyncContextManager[Connection]:
        raise NotImplementedError("a run has a platform")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        """Serve for the length of the block."""
        task = asyncio.create_task(self.run())
        try:
            await self._server.until(lambda: task.done() or any(self.ready in line for line in self.said))
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


def given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are there."""
    return {name: value for name, value in settings.items() if value is not None}
