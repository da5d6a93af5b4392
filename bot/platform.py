"""One chat platform, connected to the service: its conversation, commands, uploads and removals."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.commands import Commands
from bot.conversation import Conversation
from bot.library import ServiceContext, ServiceLibrary, SystemClock
from bot.manners import with_manners
from bot.pacing import Limiters
from bot.preferences import kept_preferences
from bot.records import Customs
from bot.removals import Removals
from bot.uploads import Uploads
from bot.words import Words
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bot.bootstrap import Service
    from bot.chat import ChatAdapter
    from bot.ledger import Ledger
    from bot.pacing import Clock

logger = logging.getLogger(__name__)

DRAIN_S = 4.0
"""How long running answers may go on when the platform is left; ten seconds after SIGTERM Docker kills."""
BEAT_S = 5.0
"""How often this process shows that it is alive; three beats may be missed before others take over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What an adapter hands its events to."""

    conversation: Conversation
    words: Words
    """Takes what people say: everything for the conversation goes through it."""
    commands: Commands
    uploads: Uploads
    removals: Removals

    async def resume(self) -> None:
        """Take up what processes that died, or were restarted, left undone; call it before events come in.

        From then on, what another replica leaves is taken over as well.
        """
        await self.uploads.resume()  # first, for questions wait for files
        await self.conversation.resume()

    async def close(self) -> None:
        """Let running answers end, or say that they go on after a restart; once nothing more comes in."""
        await asyncio.gather(
            self.words.stop(),
            self.uploads.stop(),
            self.removals.stop(),
            self.conversation.drain(DRAIN_S),
        )


class Part(Protocol):
    """What takes up again what dead processes left."""

    @property
    def resumes(self) -> bool:
        """Whether it does so at all."""

    async def resume(self) -> None:
        """Take up what there is now."""


@asynccontextmanager
async def open_platform(
    service: Service,
    adapter: ChatAdapter,
    *,
    library: ServiceLibrary | None = None,
    customs: Customs | None = None,
) -> AsyncIterator[Platform]:
    """Serve *adapter* for the length of the block, then let running answers end.

    What does not end in time stays open in the ledger, for whoever calls `Platform.resume` next.
    """
    pipeline, stores = await service.pipeline(), service.stores
    limiters, clock = Limiters(), SystemClock()
    library = library or ServiceLibrary(service)
    preferences = kept_preferences(stores.choices, service.settings.answers.mode)
    conversation = Conversation(
        adapter,
        with_manners(pipeline.ask_stream, customs or Customs()),
        ledger=stores.ledger,
        limiters=limiters,
        clock=clock,
        preferences=preferences,
        context=ServiceContext(service),
        arriving=service.arriving,
    )
    commands = Commands(library, stores.threads, preferences, stores.ledger, customs)
    platform = Platform(
        conversation=conversation,
        commands=commands,
        words=Words(adapter, conversation, commands, ledger=stores.ledger, limiters=limiters, clock=clock),
        uploads=Uploads(
            adapter,
            library,
            ledger=stores.ledger,
            limiters=limiters,
            clock=clock,
            arriving=service.arriving,
            customs=customs,
        ),
        removals=Removals(library, clock=clock),
    )
    parts = (platform.conversation, platform.uploads)
    alive = asyncio.create_task(stay_alive(stores.ledger, parts, clock), name="stay alive")
    try:
        yield platform
    finally:
        await platform.close()
        alive.cancel()
        await asyncio.gather(alive, return_exceptions=True)
        await _release(stores.ledger, adapter.name)


async def stay_alive(ledger: Ledger, parts: Sequence[Part], clock: Clock) -> None:
    """Renew the leases of what this process is at, and take over what other replicas leave, for ever."""
    while True:
        await clock.sleep(BEAT_S)
        try:
            await ledger.renew()
            for part in parts:
                if part.resumes:
                    await part.resume()
        except Exception as error:  # noqa: BLE001 - a process that seems dead is robbed of its work
            logger.warning("a sign of life failed: %s", type(error).__name__)


async def _release(ledger: Ledger, platform: str) -> None:
    try:
        await ledger.release(platform)
    except PipelineError as error:
        logger.warning("what is left undone is taken over later: %s", type(error).__name__)
