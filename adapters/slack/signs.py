"""Reactions that say how somebody's file stands."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.calls import Refused
from bot.chat import Mark
from bot.recent import Pauses, Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.slack.calls import Calls
    from bot.chat import Thread

logger = logging.getLogger(__name__)

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
        self._standing: Recent[tuple[Thread, str], Mark | None] = Recent()
        self._off: Pauses[str] = Pauses(monotonic)

    async def put(self, thread: Thread, message_id: str, mark: Mark) -> None:
        """Let *mark* stand at the message, if the app may react there. Raises `ChatError`."""
        team, key = thread.scope.workspace, (thread, message_id)
        if team in self._off:
            return
        if mark is Mark.WORKING and not self._removable(team):
            self._standing.note(key, None)
            return
        earlier = self._standing.get(key) if key in self._standing else Mark.WORKING
        await self._react(thread, message_id, "reactions.add", mark)
        self._standing.note(key, mark)
        if earlier is not None and earlier is not mark:
            await self._react(thread, message_id, "reactions.remove", earlier)

    def _removable(self, team: str) -> bool:
        """Tell whether one more sign that work goes on can be taken back in time: few can in a minute."""
        working = sum(
            thread.scope.workspace == team and mark is Mark.WORKING
            for (thread, _), mark in self._standing.items()
        )
        return self._calls.budgets.spare(team, "reactions.remove", self._monotonic()) > working

    async def _react(self, thread: Thread, message_id: str, method: str, mark: Mark) -> None:
        team, channel = thread.scope.workspace, thread.scope.channel
        try:
            await self._calls.call(team, method, channel=channel, timestamp=message_id, name=SIGNS[mark])
        except Refused as refused:
            if refused.code in _OFF:
                self._off.begin(team)
                logger.info("the app may not react to messages in %s: %s", team, refused.code)
            elif refused.code not in _FINE:
                raise
