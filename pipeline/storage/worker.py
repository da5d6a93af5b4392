"""The hands that do the queue's jobs, several at a time, and that lose none when they are stopped."""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pipeline.domain import IngestReason
from pipeline.errors import IngestError, ModelError, PipelineError, Postponed, StorageError
from pipeline.storage.claims import GAVE_UP
from pipeline.storage.job import JobState
from pipeline.storage.shift import Shift
from pipeline.storage.sql import now

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import datetime

    from pipeline.domain import Scope
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue

Handler: TypeAlias = "Callable[[Job], Awaitable[None]]"

BEAT: Final = 10.0  # seconds; three beats may be missed before a lease ends
DAY: Final = 86_400.0  # seconds
_FIRST_DELAY: Final = 2.0
_LONGEST_DELAY: Final = 60.0
_LONGEST_OUTAGE_DELAY: Final = 300.0
PATIENCE: Final = timedelta(days=7)
"""How long a job waits for what it needs, before it is given up with the reason; a long weekend and more."""

logger = logging.getLogger(__name__)


def backoff(attempts: int, jitter: float) -> timedelta:
    """Return how long to wait after the *attempts*-th failure: 2, 6, 18 … 60 s, give or take a half.

    *jitter* in [0, 1) spreads jobs that failed together.
    """
    delay = min(_LONGEST_DELAY, _FIRST_DELAY * 3 ** (attempts - 1))
    return timedelta(seconds=delay * (0.5 + jitter))


def outage_delay(waited: timedelta, jitter: float) -> timedelta:
    """Return how long to wait before what was away for so long is asked for again: 2, 4, 8 … 300 s."""
    delay = min(_LONGEST_OUTAGE_DELAY, max(_FIRST_DELAY, waited.total_seconds()))
    return timedelta(seconds=delay * (0.5 + jitter))


class Worker:
    """Claims jobs of the kinds it has handlers for, and sees each of them to its end.

    A handler that returns is done. One that raises `IngestError` has failed for good. With `Postponed` it
    waits for what is away, up to `PATIENCE`, and that is no attempt. Any other error is retried with growing
    delays until the queue's attempts are used up. Handlers must stand being run again from the start, and
    being cancelled.

    Before a job whose attempts are used up is ended, *on_dead* is called with it as it will stand, its
    reason and message included, while its channel is still held for it. *daily* is called when `run` begins
    and once a day from then on.
    """

    def __init__(
        self,
        queue: Queue,
        handlers: Mapping[str, Handler],
        *,
        owner: str,
        slots: int = 2,
        poll: float = 1.0,
        beat: float = BEAT,
        grace: float = 10.0,
        on_dead: Handler | None = None,
        daily: Callable[[], Awaitable[object]] | None = None,
        clock: Callable[[], datetime] = now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Do at most *slots* jobs at once; *poll*, *beat* and *grace* are seconds.

        Between events of this process the queue is looked at every *poll*; a lease is renewed every
        *beat*; a worker that is asked to stop gives its jobs *grace* to end, then puts them back.
        """
        self._queue = queue
        self.handlers = dict(handlers)
        """What does each kind of job."""
        self._owner = owner
        self._slots = slots
        self._poll = poll
        self._beat = beat
        self._grace = grace
        self._on_dead = on_dead
        self._daily = daily
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter

    async def run(self, stop: asyncio.Event) -> None:
        """Do jobs until *stop* is set; a database that is away for a while is waited for."""
        shift = Shift()
        stopper = asyncio.create_task(_pass_on(stop, shift.wake))
        chores = asyncio.create_task(self._do_chores())
        try:
            with self._queue.announce(shift.wake):
                while not stop.is_set():
                    shift.wake.clear()
                    await self._try_to_fill(shift)
                    await self._rest(shift)
            await shift.wait(self._grace)
        finally:
            await _cancel(stopper, chores)
            await shift.end()

    async def drain(self, scope: Scope | None = None) -> None:
        """Do jobs until none of this worker's kinds is left, in one channel or in all.

        Jobs that are to be retried are waited for, and so are those that another process is doing.
        Raises `StorageError`.
        """
        shift = Shift()
        try:
            with self._queue.announce(shift.wake):
                while await self._queue.unfinished(kinds=self.handlers.keys(), scope=scope):
                    await self._fill(shift, scope)
                    await self._rest(shift)
                    shift.wake.clear()
            await shift.wait()
        finally:
            await shift.end()

    async def _do_chores(self) -> None:
        while self._daily is not None:
            try:
                await self._daily()
            except StorageError as exc:
                logger.warning("daily upkeep put off: %s", exc, extra={"action": "upkeep_failed"})
            await self._sleep(DAY)

    async def _try_to_fill(self, shift: Shift) -> None:
        try:
            await self._fill(shift, None)
        except StorageError as exc:
            logger.warning("no job can be claimed: %s", exc, extra={"action": "claim_failed"})

    async def _fill(self, shift: Shift, scope: Scope | None) -> None:
        while len(shift.jobs) < self._slots:
            job = await self._queue.claim(self._owner, kinds=self.handlers.keys(), scope=scope)
            if job is None:
                return
            shift.start(self._do(job, shift))

    async def _rest(self, shift: Shift) -> None:
        nap = asyncio.ensure_future(self._sleep(self._poll))
        woken = asyncio.create_task(shift.wake.wait())
        try:
            await asyncio.wait({nap, woken}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            nap.cancel()
            woken.cancel()

    async def _do(self, job: Job, shift: Shift) -> None:
        if job.attempts > self._queue.max_attempts:
            await self._kept(job, self._give_up(job, IngestReason.INTERNAL_ERROR, GAVE_UP))
            return
        work = asyncio.create_task(self._handle(job))
        ending = asyncio.create_task(shift.ending.wait())
        try:
            kept = await self._watch(job, work, ending)
        finally:
            await _cancel(work, ending)
        if not kept:
            logger.warning("job given to another worker meanwhile", extra=_named(job, "job_lost"))
            return
        await self._kept(job, self._record(job, _error_of(work), stopping=shift.ending.is_set()))

    @staticmethod
    async def _kept(job: Job, ending: Awaitable[None]) -> None:
        try:
            await ending
        except StorageError as exc:
            logger.warning("job's end not kept: %s", exc, extra=_named(job, "job_unrecorded"))

    async def _handle(self, job: Job) -> None:
        await self.handlers[job.kind](job)

    async def _watch(self, job: Job, work: asyncio.Task[None], ending: asyncio.Task[bool]) -> bool:
        """Renew the lease until *work* is over or the worker is *ending*; False: the lease is lost."""
        while True:
            nap = asyncio.ensure_future(self._sleep(self._beat))
            try:
                await asyncio.wait({work, ending, nap}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                nap.cancel()
            if work.done() or ending.done():
                return True
            if not await self._extend(job):
                return False

    async def _extend(self, job: Job) -> bool:
        try:
            return await self._queue.extend(job)
        except StorageError as exc:
            # the lease outlasts a short outage, and after a long one the next beat finds it gone
            logger.warning("lease not renewed: %s", exc, extra=_named(job, "lease_unrenewed"))
            return True

    async def _record(self, job: Job, error: BaseException | None, *, stopping: bool) -> None:
        match error:
            case None:
                logger.info("job done", extra=_named(job, "job_done"))
                await self._queue.finish(job)
            case IngestError():
                logger.info("job failed", extra={**_named(job, "job_failed"), "reason": error.reason})
                await self._queue.fail(job, error.reason, str(error))
            case _ if stopping:
                await self._queue.release(job)
            case Postponed():
                await self._postpone(job, error)
            case _:
                await self._retry(job, error)

    async def _postpone(self, job: Job, error: Postponed) -> None:
        moment = self._clock()
        waited = moment - (job.waiting_since or moment)
        if waited >= PATIENCE:
            await self._give_up(job, error.reason, str(error))
            return
        logger.warning(
            "job waits for what is away", extra={**_named(job, "job_postponed"), "reason": error.reason}
        )
        retry_at = moment + outage_delay(waited, self._jitter())
        await self._queue.postpone(job, error.reason, str(error), retry_at=retry_at)

    async def _retry(self, job: Job, error: BaseException) -> None:
        # what an error says may quote a file, so only its kind and place are logged
        logger.warning(
            "job attempt failed: %s at %s",
            type(error).__name__,
            _place(error),
            extra=_named(job, "job_retried"),
        )
        message = str(error) if isinstance(error, PipelineError) else "Something went wrong inside."
        known = isinstance(error, ModelError)
        reason = IngestReason.MODEL_UNAVAILABLE if known else IngestReason.INTERNAL_ERROR
        if job.attempts >= self._queue.max_attempts:
            await self._give_up(job, reason, message)
            return
        retry_at = self._clock() + backoff(job.attempts, self._jitter())
        await self._queue.fail(job, reason, message, retry_at=retry_at)

    async def _give_up(self, job: Job, reason: IngestReason, message: str) -> None:
        logger.error("job dead", extra={**_named(job, "job_dead"), "reason": reason})
        if self._on_dead is not None:
            dead = replace(job, state=JobState.DEAD, reason=reason, message=message)
            word = asyncio.ensure_future(self._on_dead(dead))
            await asyncio.wait({word})
            error = _error_of(word)
            if error is not None:
                # the job still ends, and the ledger keeps the reason
                logger.warning(
                    "last word on a job failed: %s at %s",
                    type(error).__name__,
                    _place(error),
                    extra=_named(job, "job_dead"),
                )
        await self._queue.give_up(job, reason, message)


async def _pass_on(stop: asyncio.Event, wake: asyncio.Event) -> None:
    await stop.wait()
    wake.set()


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def _named(job: Job, action: str) -> dict[str, str | int]:
    return {"action": action, "job": job.id, "kind": job.kind, "attempt": job.attempts}


def _error_of(work: asyncio.Future[None]) -> BaseException | None:
    return asyncio.CancelledError() if work.cancelled() else work.exception()


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"
