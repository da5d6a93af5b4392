"""Emojis at messages, which stand for the buttons of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.controls import STOP
from bot.incoming import IncomingAction, StopRequested

if TYPE_CHECKING:
    from bot.platform import Platform
    from pipeline.domain import Scope


async def react(
    platform: Platform, scope: Scope, message: str, *, action: str, author: str, event_id: str
) -> None:
    """Do what *action* stands for at a question or an answer; without a word, for everybody sees an emoji.

    At any other message it means nothing. Raises `PipelineError`.
    """
    found = await platform.commands.question_of(scope, message)
    if found is None:
        return
    thread, question = found
    if action == STOP:
        platform.conversation.receive(StopRequested(thread=thread))
        return
    await platform.commands.act(
        IncomingAction(event_id=event_id, thread=thread, author=author, action=action, value=question)
    )
