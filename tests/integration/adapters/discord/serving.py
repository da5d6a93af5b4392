"""The whole service, connected to the local Discord server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.discord.program import open_discord
from tests.integration.adapters.running import Running, given

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from adapters.discord.commands import Part
    from adapters.serving import Connection
    from pipeline.ports import Reader
    from tests.fakes.discord import DiscordServer


class Serving(Running):
    """One run of the program."""

    ready = "Discord: connected"

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
        self._parts = parts
        own = {
            "api_base_url": discord.api_base_url,
            "gateway_url": discord.gateway_url,
            "token": discord.token,
            **discord_settings,
        }
        super().__init__(discord, folder, reader=reader, discord=given(own))

    def _open(self) -> AbstractAsyncContextManager[Connection]:
        return open_discord(self.service, self._parts)
