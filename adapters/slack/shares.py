"""Whether files are still where they were: asked when something happened to one, and now and then anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.slack.facts import parts_of
from bot.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from adapters.slack.facts import Facts, SlackFile
    from pipeline.domain import Scope

LOOKS = (2.0, 8.0)
"""Seconds between looks after an event: Slack's records come after its events."""


class Shares:
    """Looks up where files are shared. A file that may be there still is never called gone."""

    def __init__(self, facts: Facts, *, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._facts = facts
        self._sleep = sleep

    async def gone(self, scope: Scope, source: str, *, lately: bool = False) -> bool:
        """Tell whether a file cannot be seen in a channel any more: deleted, or not shared with it.

        Where *lately* is enough, what was learnt within the last minute counts: whatever was reported to have
        left was looked at since. Raises `ChatError` when Slack says neither.
        """
        named = parts_of(source)
        if named is None:
            return False
        look = self._facts.lately if lately else self._facts.of
        return has_left(scope, await look(*named, intermediate=True))

    async def left(self, scopes: Sequence[Scope], source: str) -> list[Scope]:
        """Return the channels of *scopes* that a file has left, soon after an event that says so.

        While Slack's own records do not say so they are looked at again. Raises `ChatError`.
        """
        named = parts_of(source)
        if named is None or not scopes:
            return []
        for pause in (*LOOKS, None):
            file = await patiently(lambda: self._facts.of(*named), self._sleep)
            left = [scope for scope in scopes if has_left(scope, file)]
            if left or pause is None:
                return left
            await self._sleep(pause)
        return []


def has_left(scope: Scope, file: SlackFile | None) -> bool:
    """Tell whether people see a file in a channel no more; False as well when Slack does not say where."""
    return file is None or (file.visible is not None and scope.channel not in file.visible)


def is_in(scope: Scope, file: SlackFile) -> bool:
    """Tell whether people see a file in a channel; False as well when Slack does not say where."""
    return file.visible is not None and scope.channel in file.visible
