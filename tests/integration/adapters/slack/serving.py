"""The whole service, connected to the local Slack server, with scripted models behind it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from adapters.serving import serve
from adapters.slack.manifest import EVENTS_PATH
from adapters.slack.program import open_slack
from bot.bootstrap import open_service
from bot.models import Models
from bot.settings import Settings
from pipeline.generation.providers import Llm
from pipeline.generation.rolling import ExtractiveSummarizer
from pipeline.ingestion.tokens import analyze
from tests.fakes.models import ScriptedEmbedder, ScriptedReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.ports import Reader
    from tests.fakes.slack import SlackServer

READY = "Slack: connected"


class Serving:
    """One run of the program."""

    service: Service

    def __init__(
        self, slack: SlackServer, folder: Path, *, reader: Reader | None = None, **slack_settings: Any
    ) -> None:
        self.slack = slack
        self.said: list[str] = []
        self.stop = asyncio.Event()
        self.port = 0
        own = {
            "api_base_url": slack.base_url,
            "bot_token": slack.team.token,
            "app_token": slack.app_token,
            **slack_settings,
        }
        given = {name: value for name, value in own.items() if value is not None}
        self._settings = Settings(data_dir=folder / "data", slack=given, http={"port": 0}, _env_file=None)
        self._reader = reader or ScriptedReader("It takes five working days [1].")

    async def run(self) -> None:
        """Serve until `stop` is set."""
        llm = Llm(reader=self._reader, summarizer=ExtractiveSummarizer(analyze), note="scripted")
        models = Models(self._settings, embedder=ScriptedEmbedder(dimension=1024), llm=llm)
        async with open_service(self._settings, models=models) as self.service:
            slack = open_slack(self.service)
            await serve(self.service, self.stop, [slack], say=self.said.append, listening=self._listening)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Serving]:
        """Serve for the length of the block."""
        task = asyncio.create_task(self.run())
        try:
            await self.slack.until(lambda: task.done() or any(READY in line for line in self.said))
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
        if self._settings.slack.app_token is None:
            self.slack.request_url = f"http://127.0.0.1:{port}{EVENTS_PATH}"
