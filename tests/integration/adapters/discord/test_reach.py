from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from adapters.discord.reach import reach_discord
from bot.bootstrap import open_service
from bot.chat import NotAllowed
from bot.settings import Settings
from pipeline.domain import Scope
from pipeline.errors import IngestError
from tests.fakes.discord import ANNA, GENERAL, GUILD

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.discord.reach import Reach
    from bot.bootstrap import Service
    from tests.fakes.discord import DiscordServer

SCOPE = Scope("discord", str(GUILD), str(GENERAL))


@asynccontextmanager
async def reaching(
    server: DiscordServer, folder: Path, token: str | None = None
) -> AsyncIterator[tuple[Service, Reach]]:
    """Let a service reach Discord without listening to it, as a worker does."""
    discord = {"api_base_url": server.api_base_url, "token": server.token if token is None else token}
    settings = Settings(data_dir=folder / "data", discord=discord, _env_file=None)
    async with open_service(settings) as service, reach_discord(service) as reach:
        yield service, reach


def upload(server: DiscordServer) -> str:
    """Let somebody upload a file. Returns its source."""
    message = server.say(GENERAL, ANNA, files=[("plan.md", "# Plan")])
    return f"discord:{GUILD}/{GENERAL}/{message.id}/{message.attachments[0].id}#{message.link}"


async def test_nothing_is_asked_before_somebody_wants_to_know(server: DiscordServer, tmp_path: Path) -> None:
    async with reaching(server, tmp_path):
        assert server.calls == []


async def test_the_bot_is_introduced_once(server: DiscordServer, tmp_path: Path) -> None:
    async with reaching(server, tmp_path) as (_, reach):
        await asyncio.gather(reach.login(), reach.login())
        await reach.login()
        assert reach.client.me == server.bot.id

    assert len(server.called("me")) == 1


async def test_a_worker_fetches_files_that_stay_in_discord(server: DiscordServer, tmp_path: Path) -> None:
    source = upload(server)
    async with reaching(server, tmp_path) as (service, _):
        assert await service.sources.fetch(source) == b"# Plan"

    assert server.gateway.identifies == []


async def test_a_file_that_is_gone_while_it_is_fetched_is_not_kept(
    server: DiscordServer, tmp_path: Path
) -> None:
    source = upload(server)
    async with reaching(server, tmp_path) as (_, reach):
        assert not await reach.library._has_left(SCOPE, source)
        server.delete(server.messages(GENERAL)[-1])
        assert await reach.library._has_left(SCOPE, source)


async def test_a_token_that_cannot_work_is_named_where_a_file_is_wanted(
    server: DiscordServer, tmp_path: Path
) -> None:
    source = upload(server)
    async with reaching(server, tmp_path, token="a.wrong.token") as (service, _):
        with pytest.raises(IngestError, match="FOOTNOTE_DISCORD__TOKEN"):
            await service.sources.fetch(source)


async def test_without_a_token_there_is_nothing_to_reach(server: DiscordServer, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", _env_file=None)
    async with open_service(settings) as service:
        with pytest.raises(NotAllowed, match="FOOTNOTE_DISCORD__TOKEN"):
            async with reach_discord(service):
                """Never gets here."""
