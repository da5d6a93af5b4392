"""How often each method of Slack's Web API may be called: refused here, before Slack has to.

Slack counts per method, workspace and app, over a minute: tier 2, 3 and 4 take 20, 50 and 100 calls. Posting
is special: about one message a second per channel, with short bursts, and several hundred a minute in a
workspace. Source: https://docs.slack.dev/apis/web-api/rate-limits, and the tier on each method's own page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.budgets import Window, Windows

if TYPE_CHECKING:
    from collections.abc import Mapping

MINUTE = 61.0
"""A second more than Slack's: what was slow on its way may be counted later than it was sent."""

TIER_2 = Window(MINUTE, 18)
TIER_3 = Window(MINUTE, 48)
TIER_4 = Window(MINUTE, 96)
SPECIAL = Window(MINUTE, 280)
"""For methods with a limit of their own, which Slack gives as some hundreds a minute."""

POST = "chat.postMessage"
CHANNEL = (Window(MINUTE, 57), Window(5.0, 8))
"""For posts, in each channel."""

METHODS: Mapping[str, Window] = {
    "agents.sessions.setStatus": TIER_3,
    "assistant.threads.setStatus": SPECIAL,
    "auth.test": SPECIAL,
    "chat.appendStream": TIER_4,
    "chat.delete": TIER_3,
    "chat.getPermalink": SPECIAL,
    "chat.postEphemeral": TIER_4,
    POST: SPECIAL,
    "chat.startStream": TIER_2,
    "chat.stopStream": TIER_2,
    "chat.update": TIER_3,
    "conversations.info": TIER_3,
    "conversations.members": TIER_4,
    "conversations.open": TIER_3,
    "conversations.replies": TIER_3,
    "files.info": TIER_4,
    "reactions.add": TIER_3,
    "reactions.remove": TIER_2,
    "users.info": TIER_4,
    "views.open": TIER_4,
    "views.publish": TIER_4,
}
"""What is not listed is taken for tier 2: nothing that runs often is in tier 1."""


@dataclass(frozen=True, slots=True)
class _Key:
    """What shares a budget."""

    team: str
    method: str
    channel: str = ""


class Budgets(Windows[_Key]):
    """The calls of the last minute, in every workspace. Times are those of one monotonic clock."""

    def __init__(self) -> None:
        super().__init__(MINUTE)

    def take(self, team: str, method: str, channel: str, now: float, *, intermediate: bool = False) -> None:
        """Count a call that goes out now. Raises `RateLimited`, with the seconds until there is room.

        An *intermediate* call, which may as well be left out, leaves part of the budget to the others.
        """
        self.count(_keys(team, method, channel), now, intermediate=intermediate)

    def spare(self, team: str, method: str, now: float) -> int:
        """Return how many calls there is room for now."""
        return self.room(_Key(team, method), METHODS.get(method, TIER_2), now)

    def limited(self, team: str, method: str, now: float, retry_after: float) -> None:
        """Note that Slack takes no calls of *method* from this workspace for so many seconds."""
        self.block(_Key(team, method), now, retry_after)


def _keys(team: str, method: str, channel: str) -> list[tuple[_Key, tuple[Window, ...]]]:
    workspace = _Key(team, method), (METHODS.get(method, TIER_2),)
    return [workspace, (_Key(team, method, channel), CHANNEL)] if method == POST else [workspace]
