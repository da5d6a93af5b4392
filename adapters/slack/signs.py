"""Reactions that say how somebody's file stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.slack.calls import Refused
from bot.chat import Mark, NotAllowed
from bot.marks import Marks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.slack.calls import Calls
    from bot.chat import Thread

SIGNS: Mapping[Mark, str] = {
    Mark.WORKING: "hourglass_flowing_sand",
    Mark.DONE: "white_check_mark",
    Mark.FAILED: "x",
}

_FINE = frozenset({"already_reacted", "no_reaction"})
_OFF = frozenset({"missing_scope", "no_permission", "not_allowed_token_type", "unknown_method"})
"""What Slack answers where the app may not react to anything."""


class Signs:
    """Puts one reaction at a message in place of an earlier one."""

    def __init__(self, calls: Calls, monotonic: Callable[[], float]) -> None:
        self._calls = calls
        self._monotonic = monotonic
        self._marks = Marks(self._add, self._remove, forbids=_forbids, monotonic=monotonic)

    async def put(self, thread: Thread, message_id: str, mark: Mark) -> None:
        """Let *mark* stand at the message, if the app may react there. Raises `ChatError`."""
        team = thread.scope.workspace
        if mark is Mark.WORKING and not self._fits(team):
            self._marks.leave_out(thread, message_id)
            return
        await self._marks.put(thread, message_id, mark, within=team)

    def _fits(self, team: str) -> bool:
        """Tell whether one more sign that work goes on can be put up, and taken back in time: few can."""
        spare, now = self._calls.budgets.spare, self._monotonic()
        removable = spare(team, "reactions.remove", now) > self._marks.working(team)
        return removable and spare(team, "reactions.add", now) > 0

    async def _add(self, thread: Thread, message_id: str, mark: Mark) -> None:
        await self._react(thread, message_id, "reactions.add", mark)

    async def _remove(self, thread: Thread, message_id: str, mark: Mark) -> None:
        await self._react(thread, message_id, "reactions.remove", mark)

    async def _react(self, thread: Thread, message_id: str, method: str, mark: Mark) -> None:
        team, channel = thread.scope.workspace, thread.scope.channel
        try:
            await self._calls.call(team, method, channel=channel, timestamp=message_id, name=SIGNS[mark])
        except Refused as refused:
            if refused.code not in _FINE:
                raise


def _forbids(refusal: NotAllowed) -> str | None:
    return f"{refusal.code}" if isinstance(refusal, Refused) and refusal.code in _OFF else None
