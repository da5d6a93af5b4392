"""A reply on a fake platform, with as little around it as it can have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.chat import Thread
from bot.courier import Courier
from bot.pacing import Limiter
from bot.reply import Reply
from bot.screens import Spot
from pipeline.conversation import Question
from pipeline.domain import Scope
from tests.fakes.clock import FakeClock
from tests.fakes.pipeline import ScriptedPipeline

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.chat import MessageRef
    from bot.reply import Outcome
    from tests.fakes.chat import FakeChat
    from tests.fakes.pipeline import Script, ScriptedStream

SCOPE = Scope("fake", "w", "c")
THREAD = Thread(SCOPE, "t1")
LONG = " ".join(f"Sentence {number} of a long answer." for number in range(200))


def stream_of(script: Script) -> ScriptedStream:
    """Begin a scripted answer."""
    return ScriptedPipeline(script).ask_stream(Question(text="q", scope=SCOPE))


def given(stream: ScriptedStream) -> Callable[[], Awaitable[ScriptedStream]]:
    """Return what a reply calls to get *stream*."""

    async def begin() -> ScriptedStream:
        return stream

    return begin


def courier_on(chat: FakeChat, clock: FakeClock | None = None) -> Courier:
    """Make a courier with a budget of its own."""
    return Courier(chat, Limiter(chat.capabilities.edit_interval or 0.0), clock or FakeClock())


def reply_on(
    chat: FakeChat,
    clock: FakeClock,
    *,
    limiter: Limiter | None = None,
    feed: Limiter | None = None,
    own: Limiter | None = None,
    standing: Sequence[MessageRef] = (),
    key: str = "k",
    **spot: Any,
) -> Reply:
    """Make a reply that has a budget of its own unless a *limiter* is given."""
    limiter = limiter or Limiter(chat.capabilities.edit_interval or 0.0)
    courier = Courier(chat, limiter, clock, feed=feed, own=own)
    place = Spot(thread=THREAD, key=key, standing=tuple(standing), **spot)
    return Reply(courier, place, clock, question="q1")


def slow(script: Script, clock: FakeClock, seconds: float = 0.2) -> Script:
    """Let *script* take *seconds* for each event."""
    script.pause = lambda: clock.sleep(seconds)
    return script


async def show(chat: FakeChat, script: Script, clock: FakeClock | None = None) -> Outcome:
    """Show one answer to its end."""
    return await reply_on(chat, clock or FakeClock()).show(given(stream_of(script)))


def joined(chat: FakeChat) -> str:
    """Return what people read, over all messages."""
    return " ".join(chat.texts())
