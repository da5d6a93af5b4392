"""Carry messages to the platform: as often as it takes, and split as small as it must be."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from bot.chat import Body, ChatError, MessageGone, NotAllowed, RateLimited, Share, TooLong, Unreachable
from bot.pacing import Limiter
from bot.splitting import SMALLEST, split

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from bot.chat import Button, Capabilities, ChatAdapter, MessageRef, Thread
    from bot.pacing import Clock, Limiters

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

TRIES = 6
"""How often an unreachable platform is asked: with the back-off below for about half a minute."""
BACKOFF = 1.0
"""Seconds before the second try; each further wait is twice as long."""
PATIENCE = 600.0
"""Seconds that one message waits for a platform that asks to slow down."""
ROUNDS = (30.0, 60.0, 120.0, 240.0, 300.0)
"""Seconds after which all that is tried again with a last word, while the platform is away for long."""


class Courier:
    """Calls one platform for one budget of edits, and for one of what the platform itself streams."""

    def __init__(
        self,
        adapter: ChatAdapter,
        limiter: Limiter,
        clock: Clock,
        *,
        feed: Limiter | None = None,
        own: Limiter | None = None,
    ) -> None:
        """Streams have the budget *feed*, and what an answer does once its *own*; None: that of edits."""
        self.adapter = adapter
        self._limiter = limiter
        self._feed = feed or limiter
        self._own = own or limiter
        self._clock = clock
        self._statuses: dict[Thread, str] = {}

    @property
    def capabilities(self) -> Capabilities:
        """The platform's limits."""
        return self.adapter.capabilities

    @property
    def streaming(self) -> Courier:
        """The one that calls for what the platform streams."""
        return Courier(self.adapter, self._feed, self._clock)

    @property
    def alone(self) -> Courier:
        """The one that calls for what an answer does once: appear, and end."""
        return Courier(self.adapter, self._own, self._clock)

    @property
    def delay(self) -> float:
        """Seconds until the budget has room for something that may as well be left out."""
        return self._limiter.delay(self._clock.monotonic())

    @property
    def held(self) -> float:
        """Seconds for which the platform asked to wait, which nothing goes before."""
        return self._limiter.delay(self._clock.monotonic(), final=True)

    async def once(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """Make one call that may fail; the budget learns from it. Raises `ChatError`."""
        self._limiter.take(self._clock.monotonic())
        try:
            result = await call()
        except RateLimited as limit:
            self._limiter.limited(self._clock.monotonic(), limit.retry_after)
            raise
        self._limiter.landed()
        return result

    async def insist(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """Repeat a call until the platform takes it: wait out its limits, retry what did not arrive.

        Raises the `ChatError` that repeating cannot help.
        """
        begun = self._clock.monotonic()
        lost = 0
        with self._limiter.finishing():
            while True:
                await self._wait()
                try:
                    return await self.once(call)
                except RateLimited:
                    if self._clock.monotonic() - begun > PATIENCE:
                        raise
                except Unreachable:
                    lost += 1
                    if lost >= TRIES:
                        raise
                    await self._clock.sleep(BACKOFF * 2 ** (lost - 1))

    async def post(self, thread: Thread, body: Body, limit: int | None = None) -> list[MessageRef]:
        """Show *body*, however long, in as many messages as it takes. Raises `ChatError`."""
        most = limit or self.capabilities.max_chars
        posted: list[MessageRef] = []
        for piece in bodies(body, self.capabilities, most):
            try:
                posted.append(await self.insist(partial(self.adapter.post, thread, piece)))
            except TooLong:
                if smaller(most) < SMALLEST:
                    raise
                posted += await self.post(thread, piece, smaller(most))
        return posted

    async def remove(self, messages: Iterable[MessageRef]) -> None:
        """Take messages back; one that somebody else deleted is as good as removed."""
        for message in messages:
            try:
                await self.insist(partial(self.adapter.delete, message))
            except MessageGone:
                continue
            except ChatError as error:
                logger.warning("a message could not be removed: %s", type(error).__name__)

    async def show_status(self, thread: Thread, text: str) -> bool:
        """Say what is being done, beside the messages; False: nobody can see it there. Uses up no budget."""
        if self._statuses.get(thread) == text:
            return True
        self._statuses[thread] = text
        if await self._set_status(thread, text):
            return True
        del self._statuses[thread]
        return False

    async def end_status(self) -> None:
        """Take back what `show_status` said, if the platform lets us."""
        while self._statuses:
            thread, _ = self._statuses.popitem()
            await self._set_status(thread, None)

    async def _set_status(self, thread: Thread, text: str | None) -> bool:
        """Change the status; False: the platform shows none, now or later."""
        try:
            await self.adapter.set_status(thread, text)
        except ChatError as error:
            logger.info("a status was not changed: %s", type(error).__name__)
            return not isinstance(error, NotAllowed)
        return True

    async def _wait(self) -> None:
        while (delay := self._limiter.delay(self._clock.monotonic(), final=True)) > 0:
            await self._clock.sleep(delay)


def courier_for(adapter: ChatAdapter, thread: Thread, limiters: Limiters, clock: Clock) -> Courier:
    """Return a courier for one answer, with the budgets that its calls in *thread* use up.

    Where many threads share a budget of edits, it is for edits alone: else the beginnings and ends of a crowd
    of answers would leave none of them room to grow. They wait for what the platform asks for, and the
    adapter's own count of calls, and for nothing else.
    """
    capabilities = adapter.capabilities
    limiter = limiters.of(thread, capabilities)
    feed = limiters.of(thread, capabilities, streaming=True)
    own = None if capabilities.edit_share is Share.THREAD else Limiter(0.0)
    return Courier(adapter, limiter, clock, feed=feed, own=own)


def bodies(body: Body, capabilities: Capabilities, limit: int | None = None) -> list[Body]:
    """Return *body* as messages that fit the platform, at least one; the last carries the buttons.

    A button that does not fit is replaced by its fallback text, or left out when it has none.
    """
    shown = body.buttons[: capabilities.max_buttons]
    text = _with_fallbacks(body.text, body.buttons[capabilities.max_buttons :])
    parts = [part.text for part in split(text, limit or capabilities.max_chars)] or ["…"]
    pieces = [Body(text=part) for part in parts]
    pieces[-1] = replace(pieces[-1], buttons=shown)
    if body.preview is not None:
        pieces[0] = replace(pieces[0], preview=body.preview)
    if body.nonce is not None:
        pieces = [replace(piece, nonce=f"{body.nonce}-{n}") for n, piece in enumerate(pieces)]
    return pieces


def smaller(limit: int) -> int:
    """Return the limit to try after a platform refused a message as too long."""
    return limit * 3 // 4


def _with_fallbacks(text: str, buttons: Sequence[Button]) -> str:
    lines = [button.fallback for button in buttons if button.fallback]
    if buttons:  # one without a fallback may be left out, and where there are no buttons it always is
        level = logging.INFO if lines else logging.DEBUG
        logger.log(level, "buttons that do not fit: %d, shown as text: %d", len(buttons), len(lines))
    return "\n\n".join([text, *lines])
