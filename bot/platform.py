"""One chat platform, connected to the service: its conversation, commands and uploads."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands import Commands
from bot.conversation import Conversation
from bot.library import ServiceContext, ServiceLibrary, SystemClock
from bot.pacing import Limiters
from bot.uploads import Uploads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.bootstrap import Service
    from bot.chat import ChatAdapter

DRAIN_S = 10.0
"""How long running answers may go on when the platform is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What an adapter hands its events to."""

    conversation: Conversation
    commands: Commands
    uploads: Uploads


@asynccontextmanager
async def open_platform(service: Service, adapter: ChatAdapter) -> AsyncIterator[Platform]:
    """Serve *adapter* for the length of the block, then let running answers end."""
    pipeline = await service.pipeline()
    limiters, clock = Limiters(), SystemClock()
    library = ServiceLibrary(service)
    conversation = Conversation(
        adapter,
        pipeline.ask_stream,
        seen=service.stores.seen,
        limiters=limiters,
        clock=clock,
        context=ServiceContext(service),
    )
    uploads = Uploads(adapter, library, seen=service.stores.seen, limiters=limiters, clock=clock)
    try:
        yield Platform(
            conversation=conversation,
            commands=Commands(library, service.stores.threads),
            uploads=uploads,
        )
    finally:
        await uploads.stop()
        await conversation.drain(DRAIN_S)
