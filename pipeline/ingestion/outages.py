"""Tell an outage of the embedding model, which is waited for, from a file that the model does not take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.domain import IngestReason
from pipeline.errors import ModelError, Postponed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pipeline.domain import Scope
    from pipeline.ports import Embedder
    from pipeline.storage.generations import Catalogs
    from pipeline.storage.job import Job
    from pipeline.storage.refs import CatalogRef

    Handler = Callable[[Job], Awaitable[None]]


class Outages:
    """Asks for the embedder that a channel's job needs, and lets the job wait while it is away."""

    def __init__(
        self, embedder: Callable[[CatalogRef | None], Awaitable[Embedder]], generations: Catalogs
    ) -> None:
        """*embedder* returns one that works now, or raises `ModelError`."""
        self._embedder = embedder
        self._generations = generations

    async def embedder(self, scope: Scope) -> Embedder:
        """Return the channel's embedder. Raises `Postponed` while it does not work."""
        try:
            return await self._embedder(await self._generations.current(scope))
        except ModelError as error:
            raise Postponed(IngestReason.MODEL_UNAVAILABLE, str(error)) from error

    def outlast(self, handler: Handler) -> Handler:
        """Let *handler* wait, too, where the embedder went away in the middle of its work.

        One that answers all the same has refused what it was given: then its error stands.
        """

        async def handle(job: Job) -> None:
            try:
                await handler(job)
            except ModelError:
                await self.embedder(job.scope)
                raise

        return handle
