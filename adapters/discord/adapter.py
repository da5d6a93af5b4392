"""Discord, seen as a chat platform: what the bot says there, and how."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from adapters.discord import buttons
from adapters.discord.history import History
from adapters.discord.markdown import MAX_CHARS
from adapters.discord.places import PLATFORM
from adapters.discord.posts import Posts
from adapters.discord.rereading import Rereading
from adapters.discord.signs import Signs
from bot.chat import Capabilities, ChatError, Share, Threading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.discord.calls import Calls
    from adapters.discord.client import Client
    from adapters.discord.places import Places
    from bot.chat import Body, LiveMessage, Mark, MessageRef, Said, Thread, Turn

logger = logging.getLogger(__name__)

EDIT_INTERVAL = 1.3
BURST = 1
"""A fifth edit never falls into the five seconds of the first: one is left for the last word."""


class DiscordAdapter:
    """Writes to every server that the bot is in; satisfies `ChatAdapter`."""

    def __init__(
        self,
        client: Client,
        calls: Calls,
        places: Places,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        max_upload_bytes: int = 0,
    ) -> None:
        self.calls = calls
        self.places = places
        self._client = client
        self._posts = Posts(client, calls, places, wall)
        self._signs = Signs(client, calls, places, monotonic)
        self._history = History(client, calls, places)
        self._rereading = Rereading(client, calls, places)
        self._capabilities = Capabilities(
            max_chars=MAX_CHARS,
            edit_interval=EDIT_INTERVAL,
            burst=BURST,
            threading=Threading.NATIVE,
            max_buttons=buttons.MOST,
            max_upload_bytes=max_upload_bytes,
            edit_share=Share.THREAD,
        )

    @property
    def name(self) -> str:
        return PLATFORM

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def post(self, thread: Thread, body: Body) -> MessageRef:
        return await self._posts.post(thread, body)

    async def edit(self, message: MessageRef, body: Body) -> None:
        await self._posts.replace(message, body)

    async def delete(self, message: MessageRef) -> None:
        await self._posts.delete(message)

    async def set_status(self, thread: Thread, text: str | None) -> None:
        """Show for some seconds that the bot writes; Discord can say no more, and it is not worth trouble."""
        if text is None:
            return
        try:
            place = await self.places.find(thread)
            channel = self._client.get_partial_messageable(place.channel)
            await self.calls.call(channel.typing, intermediate=True)
        except ChatError as error:
            logger.debug("nobody was shown that the bot writes: %s", type(error).__name__)

    async def mark(self, thread: Thread, message_id: str, mark: Mark) -> None:
        await self._signs.put(thread, message_id, mark)

    async def history(self, thread: Thread, *, limit: int) -> Sequence[Turn]:
        return await self._history.turns(thread, limit)

    async def reread(self, thread: Thread, message_id: str) -> Said | None:
        return await self._rereading.of(thread, message_id)

    async def open_stream(self, thread: Thread, *, asker: str | None = None) -> LiveMessage | None:
        """Discord streams nothing: messages are posted and edited."""
        return None
