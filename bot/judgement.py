"""What people think of an answer, and what they ask about it: the buttons under it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat import Body, Form
from bot.controls import BAD, GOOD, NOTE, SOURCES, WHY
from bot.explanation import explain
from bot.sources import at_length, cited
from pipeline.conversation import Verdict

if TYPE_CHECKING:
    from bot.incoming import IncomingAction
    from bot.records import Journal, Library, RecordedTurn
    from pipeline.domain import Scope

NOTE_LENGTH = 2000
"""Characters of a note that are kept."""

_UNKNOWN = (
    "I do not know this answer any more: the thread was reset, or one of the answer's files was taken back. "
    "If it was written a moment ago, try again in a few seconds."
)
_THANKS = "Thank you! 👍"
_SORRY = "Thank you, I noted that this answer did not help."
_NOTED = "Thank you, I noted what was wrong with this answer."
_UNCITED = "This answer cites no passage of a file, so there is nothing to show."
_FORM = Form(
    title="What was wrong?",
    label="What is missing, wrong or out of date? Whoever runs me can read it.",
    submit="Send",
    action=NOTE,
)


class Judgement:
    """Does what the buttons under an answer stand for; each names the answer by its question."""

    def __init__(self, library: Library, journal: Journal) -> None:
        self._library = library
        self._journal = journal

    async def act(self, event: IncomingAction) -> Body | Form | None:
        """Do what *event* stands for and say so, or ask for more; None: it is about no answer."""
        answer = {
            GOOD: self._judge,
            BAD: self._judge,
            NOTE: self._judge,
            SOURCES: self._sources,
            WHY: self._why,
        }.get(event.action)
        if answer is None:
            return None
        turn = await self._journal.turn_for(event.thread.scope, event.value)
        return await answer(event, turn) if turn is not None else Body(text=_UNKNOWN)

    async def _judge(self, event: IncomingAction, turn: RecordedTurn) -> Body | Form:
        verdict = Verdict.UP if event.action == GOOD else Verdict.DOWN
        note = event.text.strip()[:NOTE_LENGTH] or None
        known = turn.turn_id is not None and await self._journal.add_feedback(
            turn.turn_id, verdict, note, event.author
        )
        if not known:
            return Body(text=_UNKNOWN)
        return form_of(event.action, event.value) or Body(
            text=_THANKS if event.action == GOOD else _NOTED if note else _SORRY
        )

    async def _sources(self, event: IncomingAction, turn: RecordedTurn) -> Body:
        citations = cited(turn.response)
        if not citations:
            return Body(text=_UNCITED)
        texts = await self._library.passages(event.thread.scope, [each.chunk_id for each in citations])
        return Body(text=f"**The passages that this answer cites**\n\n{at_length(citations, texts)}")

    async def _why(self, event: IncomingAction, turn: RecordedTurn) -> Body:
        return Body(text=await account_for(self._library, event.thread.scope, turn, "this answer"))


def form_of(action: str, value: str) -> Form | None:
    """Return the form that a button opens; None: it opens none."""
    return replace(_FORM, value=value) if action == BAD else None


async def account_for(library: Library, scope: Scope, turn: RecordedTurn, which: str) -> str:
    """Return how an answer came about, with the names that the channel's documents have now."""
    names = {each.document_id: each.display_name for each in await library.documents(scope)}
    return explain(turn.response, turn.reason, names, which=which)
