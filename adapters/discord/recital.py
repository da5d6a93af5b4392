"""Questions that are asked by command, as the bot recites them in the channel, and as they are read again.

When the program ends between the moment in which Discord shows a question and the one in which it is noted,
what stands in the channel is all that is left of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import discord

from adapters.discord.markdown import LONGEST, rendered
from adapters.discord.neutral import SPACE
from bot.chat import Thread
from bot.citations import literal
from bot.incoming import IncomingMessage

if TYPE_CHECKING:
    from adapters.discord.events import Room

_NAME = 80
_CUT = 750
"""Characters that are recited of a question that would not fit with all of its signs."""

_RECITAL = re.compile(r"\A\*\*.+\*\* asks:\n\n(?P<question>>.*(?:\n>.*)*)\Z")
_QUOTED = re.compile(r"^> ?", re.MULTILINE)
_ESCAPED = re.compile(r"\\([^\w\s])")


def shown(name: str, question: str) -> str:
    """Return what is read in the channel: who asks, and the question as a quotation."""
    head = f"**{literal(name, _NAME)}** asks:\n\n"
    quoted = "\n".join(f"> {line}" for line in question.splitlines())
    content = rendered(head + quoted)
    return content if len(content) <= LONGEST else rendered(f"{head}> {literal(question, _CUT)}")


def recited(message: discord.Message, room: Room, me: int) -> IncomingMessage | None:
    """Return the question that *message* recites, in the name of whoever asked; None: it is no such one."""
    use = message.interaction_metadata
    if message.author.id != me or use is None or message.type is not discord.MessageType.chat_input_command:
        return None
    found = _RECITAL.match(message.content)
    if found is None:
        return None
    quoted = _QUOTED.sub("", found["question"]).replace(SPACE, "")
    return IncomingMessage(
        event_id=str(use.id),
        message_id=str(message.id),
        thread=Thread(room.scope, str(message.id if room.flat else room.id)),
        author=str(use.user.id),
        text=_ESCAPED.sub(r"\1", quoted),
        midway=room.parent is not None,
    )
