"""Is everything in place to answer? One line for each part, with what to do about it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.bootstrap import open_stores
from bot.models import embedding_choice, llm_choice
from pipeline.catalog import INGEST
from pipeline.errors import CatalogUnavailable, PendingMigrations, PipelineError
from pipeline.generation.inspection import inspect
from pipeline.storage.sql import Database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.bootstrap import Stores
    from bot.settings import Settings
    from pipeline.domain import Scope
    from pipeline.generation.choice import ModelChoice, Use


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One part of the program, and how it is."""

    name: str
    status: Literal["ok", "warn", "fail"]
    message: str
    remedy: str | None = None


async def examine(settings: Settings) -> AsyncIterator[Check]:
    """Look at each part in turn; a part that fails does not keep the next from being looked at."""
    yield _folder(settings.data_dir)
    yield await _database(settings)
    try:
        async with open_stores(settings) as stores:
            yield Check(name="vector store", status="ok", message="It opens.")
            async for check in _channels(stores):
                yield check
    except CatalogUnavailable as error:
        yield Check(
            name="vector store",
            status="fail",
            message=str(error),
            remedy="correct FOOTNOTE_VECTOR_URI or the rights of its folder",
        )
    except PipelineError as error:
        yield Check(name="vector store", status="fail", message=f"Not looked at: {error}")
    yield await _model("language model", llm_choice(settings), "chat", "the extractive reader")
    yield await _model("embedding model", embedding_choice(settings), "embedding", "the embedded model")


def _folder(path: Path) -> Check:
    """Whether the data folder can be written; it is made on first use."""
    existing = next((p for p in (path, *path.absolute().parents) if p.exists()), path)
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return Check(name="data folder", status="ok", message=f"{path} can be written.")
    return Check(
        name="data folder",
        status="fail",
        message=f"{path} cannot be written.",
        remedy="set FOOTNOTE_DATA_DIR to a folder that this user may write",
    )


async def _database(settings: Settings) -> Check:
    try:
        database = await Database.connect(settings.database)
        try:
            await database.prepare()
            return Check(name="database", status="ok", message=f"At migration {await database.current()}.")
        finally:
            await database.close()
    except PendingMigrations as error:
        return Check(name="database", status="fail", message=str(error), remedy="footnote db upgrade")
    except PipelineError as error:
        return Check(
            name="database", status="fail", message=str(error), remedy="correct FOOTNOTE_DATABASE_URL"
        )


async def _channels(stores: Stores) -> AsyncIterator[Check]:
    for scope in await stores.generations.scopes():
        ref = await stores.generations.current(scope)
        fault = await stores.vectors.check(ref) if ref else None
        fault = fault or await _lost(stores, scope)
        if fault is None:
            yield Check(name=f"channel {scope}", status="ok", message="Its index opens and is whole.")
        else:
            yield Check(
                name=f"channel {scope}",
                status="fail",
                message=fault,
                remedy=f"footnote reindex --channel {scope}",
            )


async def _lost(stores: Stores, scope: Scope) -> str | None:
    """Return a sentence if documents that were indexed are not in the catalog any more."""
    present = {document.document_id for document in await stores.catalog.documents(scope)}
    uploaded = {job.payload["document_id"] for job in await stores.queue.done(scope, INGEST)}
    lost = len(uploaded - present)
    return f"{lost} of its documents were indexed and are gone from its index." if lost else None


async def _model(name: str, choice: ModelChoice, use: Use, instead: str) -> Check:
    """Whether the model can be asked. With ``auto`` its absence is a choice, not a fault."""
    status = await inspect(choice, use)
    if status.usable:
        return Check(name=name, status="ok", message=status.message)
    if choice.provider == "auto":
        return Check(
            name=name, status="warn", message=f"{status.message} Using {instead}.", remedy=status.remedy
        )
    return Check(name=name, status="fail", message=status.message, remedy=status.remedy)
