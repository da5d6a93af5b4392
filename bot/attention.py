"""Which messages are questions to the bot, although they do not name it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from bot.preferences import FollowUps, known_preferences
from pipeline.courtesy import is_small_talk

if TYPE_CHECKING:
    from bot.incoming import IncomingMessage
    from bot.preferences import PreferenceStore
    from bot.questions import Questions


class Attention:
    """Listens to follow-ups in threads, as far as the channel's people chose."""

    def __init__(self, questions: Questions, preferences: PreferenceStore | None = None) -> None:
        """None: no channel ever chose anything."""
        self._questions = questions
        self._preferences = preferences

    async def wants(self, message: IncomingMessage) -> bool:
        """Tell whether *message* names the bot, or asks for more on what was asked in its thread."""
        if message.mentioned:
            return True
        if is_small_talk(message.text):
            return False
        follow_ups = (await known_preferences(self._preferences, message.thread.scope)).follow_ups
        match follow_ups:
            case FollowUps.ASKER:
                return await self._questions.asked(message.thread, message.author)
            case FollowUps.ALWAYS:
                return await self._questions.asked(message.thread, None)
            case FollowUps.MENTION:
                return False
            case _:
                assert_never(follow_ups)
