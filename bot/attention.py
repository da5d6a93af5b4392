"""Which messages are questions to the bot, although they do not name it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, assert_never

from bot.preferences import FollowUps, Preferences
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from bot.incoming import IncomingMessage
    from bot.preferences import PreferenceStore
    from bot.questions import Questions
    from pipeline.domain import Scope

logger = logging.getLogger(__name__)


class Attention:
    """Listens to follow-ups in threads, as far as the channel's people chose."""

    def __init__(self, questions: Questions, preferences: PreferenceStore | None = None) -> None:
        """None: no channel ever chose anything."""
        self._questions = questions
        self._preferences = preferences

    async def wants(self, message: IncomingMessage) -> bool:
        """Tell whether *message* names the bot, or follows up on what was asked in its thread."""
        if message.mentioned:
            return True
        follow_ups = (await self._read(message.thread.scope)).follow_ups
        match follow_ups:
            case FollowUps.ASKER:
                return await self._questions.asked(message.thread, message.author)
            case FollowUps.ALWAYS:
                return await self._questions.asked(message.thread, None)
            case FollowUps.MENTION:
                return False
            case _:
                assert_never(follow_ups)

    async def _read(self, scope: Scope) -> Preferences:
        if self._preferences is None:
            return Preferences()
        try:
            return await self._preferences.read(scope)
        except PipelineError as error:
            logger.warning("a channel's settings are unknown: %s", type(error).__name__)
            return Preferences()
