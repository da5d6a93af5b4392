"""How often messages may be sent and edited: refused here, before Discord has to.

Discord documents no figures but the one for everything, fifty calls a second. What bots have observed for
years is five in five seconds for each channel, where a thread is a channel of its own; whether sending and
editing share them is not known, so here they do. Messages that are older than an hour can be edited about
three times in twenty seconds. All else is rare, and discord.py waits for it.
"""

from __future__ import annotations

from bot.budgets import Window, Windows

CHANNEL = Window(5.1, 5)
"""For sends and edits, in each channel. The margin is for what was slow on its way."""
OLD = Window(21.0, 3)
"""For edits of messages of more than an hour, in each channel."""
EVERYTHING = Window(1.1, 45)
"""For all calls together."""
HOUR = 3_600.0 - 60.0
"""Seconds after which a message is old; Discord's clock and ours may differ."""

_EVERYTHING = ""


class Budgets(Windows[str]):
    """The calls of the last seconds. Times are those of one monotonic clock."""

    def __init__(self) -> None:
        super().__init__(OLD.seconds)

    def take(self, channel: int | None, now: float, *, old: bool = False, intermediate: bool = False) -> None:
        """Count a call that goes out now; a *channel*: it sends or edits there, maybe an *old* message.

        An *intermediate* call, which may as well be left out, leaves part of the budget to the others.
        Raises `RateLimited`, with the seconds until there is room.
        """
        self.count(_keys(channel, old), now, intermediate=intermediate)

    def ask(self, channel: int, now: float, *, old: bool = False) -> None:
        """Raise what `take` would raise for an intermediate call; nothing is counted."""
        self.check(_keys(channel, old), now, intermediate=True)

    def limited(self, channel: int, now: float, retry_after: float, *, old: bool = False) -> None:
        """Note that Discord lets nothing be sent or edited in a channel for so many seconds."""
        self.block(f"{channel} old" if old else str(channel), now, retry_after)


def _keys(channel: int | None, old: bool) -> list[tuple[str, tuple[Window, ...]]]:
    keys: list[tuple[str, tuple[Window, ...]]] = [(_EVERYTHING, (EVERYTHING,))]
    if channel is not None:
        keys.append((str(channel), (CHANNEL,)))
        if old:
            keys.append((f"{channel} old", (OLD,)))
    return keys
