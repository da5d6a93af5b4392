"""What is said to people who greet or thank the bot, or ask about it: nothing of it reaches the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.conversation import GenerationResponse, Reason
from pipeline.courtesy import SAID, Courtesy, courtesy_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from bot.records import Customs
    from pipeline.conversation import Delta, Memory, Progress, Question
    from pipeline.ports import AnswerStream


class Said:
    """An outcome that is known at once: an answer stream with no text in it."""

    def __init__(self, response: GenerationResponse) -> None:
        self.response = response

    async def __aiter__(self) -> AsyncIterator[Progress | Delta]:
        """Yield nothing."""
        nothing: tuple[Progress | Delta, ...] = ()
        for event in nothing:
            yield event

    async def remember(self) -> Memory | None:
        """Keep nothing: nothing was asked."""
        return None

    async def aclose(self) -> None:
        """Do nothing: nothing is being written."""


def with_manners(
    ask: Callable[[Question], AnswerStream], customs: Customs
) -> Callable[[Question], AnswerStream]:
    """Return *ask* for a platform: who asks about the bot is pointed to its commands, at no cost."""

    def asking(question: Question) -> AnswerStream:
        courtesy = courtesy_of(question.text)
        if courtesy is None:
            return ask(question)
        said = introduction(courtesy, customs)
        return Said(GenerationResponse(success=False, reason=Reason.ABOUT_ASSISTANT, message=said))

    return asking


def introduction(courtesy: Courtesy, customs: Customs) -> str:
    """Return what to say, with the commands as this platform's people write them."""
    if courtesy is Courtesy.DOUBT:
        press = "press “Why this answer” below it, or use " if customs.buttons else "use "
        return f"To see what my last answer rests on, {press}{customs.code('why')}."
    if courtesy in SAID:
        return SAID[courtesy]
    docs, more = customs.code("docs"), customs.code("help")
    if courtesy is Courtesy.FILES:
        return f"{docs} lists the files of this channel. Ask me about anything that they say."
    hello = "Hello! " if courtesy is Courtesy.GREETING else ""
    return (
        f"{hello}I answer questions from the files of this channel, and say where each answer stands. "
        f"{docs} lists the files, and {more} says what else I can do."
    )
