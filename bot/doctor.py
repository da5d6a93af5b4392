"""Is everything in place to answer? One line for each part, with what to do about it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Literal, Protocol

from bot.models import Models, embedding_choice, llm_choice
from bot.renewal import is_outdated
from bot.stores import open_stores
from pipeline.catalog import INGEST
from pipeline.errors import CatalogUnavailable, ModelError, PipelineError, StorageError
from pipeline.generation.embedders import EMBEDDED_DIMENSION
from pipeline.generation.inspection import inspect
from pipeline.observability.logs import FILE_NAME
from pipeline.storage.sql import Database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from bot.settings import Settings
    from bot.stores import Stores
    from pipeline.domain import Scope
    from pipeline.generation.choice import ModelChoice
    from pipeline.generation.inspection import ModelStatus
    from pipeline.storage.refs import CatalogRef

NAMED = 3
"""Channels that one line names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One part of the program, and how it is."""

    name: str
    status: Literal["ok", "warn", "fail"]
    message: str
    remedy: str | None = None


class Examination(Protocol):
    """How an adapter looks at its platform, which only it knows."""

    def __call__(self, settings: Settings, stores: Stores | None) -> AsyncIterator[Check]:
        """Look at each part of the platform, if it is configured; *stores* is None where they do not open."""


async def examine(
    settings: Settings, platforms: Mapping[str, Examination] | None = None
) -> AsyncIterator[Check]:
    """Look at each part in turn; a part that fails does not keep the next from being looked at.

    *platforms* are those that can be served, by the names that people know.
    """
    yield await asyncio.to_thread(_folder, settings.data_dir)
    async for check in _database(settings):
        yield check
    async with AsyncExitStack() as opened:
        refs: list[CatalogRef] = []
        stores: Stores | None = None
        try:
            stores = await opened.enter_async_context(open_stores(settings))
            yield Check(name="vector store", status="ok", message="It opens.")
            refs = await _refs(stores)
            for ref in refs:
                yield await _channel(stores, ref)
        except CatalogUnavailable as error:
            yield Check(
                name="vector store",
                status="fail",
                message=str(error),
                remedy="correct FOOTNOTE_VECTOR_URI or the rights of its folder",
            )
        except PipelineError as error:
            yield Check(name="vector store", status="fail", message=f"Not looked at: {error}")
        yield await _llm(settings)
        yield await _embedding(settings, refs)
        if settings.ingestion.ocr:
            yield _recognition()
        async for check in _platforms(settings, stores, platforms or {}):
            yield check


def _recognition() -> Check:
    """Whether the text recognition that is switched on is installed."""
    if find_spec("rapidocr") is None:
        return Check(
            name="text recognition",
            status="warn",
            message="It is switched on, but not installed: pages that are pictures are not read.",
            remedy="install the extra 'ocr': pip install 'footnote[ocr]'",
        )
    return Check(name="text recognition", status="ok", message="Pages that are pictures are read.")


def _folder(path: Path) -> Check:
    """Whether files can be written where the program keeps its own; the folder is made on first use."""
    try:
        for folder in (path, path / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=folder):
                pass
        with (path / "logs" / FILE_NAME).open("a", encoding="utf-8"):
            pass
    except OSError as error:
        return Check(
            name="data folder",
            status="fail",
            message=f"{path} cannot be written ({error.strerror}).",
            remedy="set FOOTNOTE_DATA_DIR to a folder that this user may write",
        )
    return Check(name="data folder", status="ok", message=f"{path} can be written.")


async def _database(settings: Settings) -> AsyncIterator[Check]:
    """Whether the database opens, and whether its schema is this program's."""
    try:
        database = await Database.connect(settings.database)
    except StorageError as error:
        remedy = "correct FOOTNOTE_DATABASE_URL, or the rights of the data folder"
        yield Check(name="database", status="fail", message=str(error), remedy=remedy)
        yield Check(name="migrations", status="fail", message="Not looked at: the database does not open.")
        return
    try:
        kind = "SQLite file" if database.embedded else "server"
        yield Check(name="database", status="ok", message=f"The {kind} opens.")
        yield await _migrations(database)
    finally:
        await database.close()


async def _migrations(database: Database) -> Check:
    """Whether migrations are pending; on an SQLite file they are applied, as every command does."""
    try:
        if database.embedded:
            await database.prepare()
        pending, current = await database.pending(), await database.current()
    except StorageError as error:
        remedy = "install the version of Footnote that made this database, or a newer one"
        return Check(name="migrations", status="fail", message=str(error), remedy=remedy)
    if pending:
        message = f"Pending: {', '.join(pending)}."
        return Check(name="migrations", status="fail", message=message, remedy="footnote db upgrade")
    return Check(name="migrations", status="ok", message=f"At {current}, nothing is pending.")


async def _refs(stores: Stores) -> list[CatalogRef]:
    """Return each channel's current catalog."""
    found = [await stores.generations.current(scope) for scope in await stores.generations.scopes()]
    return [ref for ref in found if ref is not None]


async def _channel(stores: Stores, ref: CatalogRef) -> Check:
    name = f"channel {ref.scope}"
    remedy = f"footnote reindex --channel {ref.scope}"
    try:
        fault = await stores.vectors.check(ref) or await _lost(stores, ref.scope)
    except CatalogUnavailable as error:
        fault = str(error)
    if fault is not None:
        return Check(name=name, status="fail", message=fault, remedy=remedy)
    if is_outdated(ref, stores.generations.reading):
        message = "It is whole, but was read by an earlier version; 'footnote run' reads its files again."
        return Check(name=name, status="warn", message=message, remedy=remedy)
    return Check(name=name, status="ok", message="Its index opens and is whole.")


async def _lost(stores: Stores, scope: Scope) -> str | None:
    """Return a sentence if documents that were indexed are not in the catalog any more."""
    present = {document.document_id for document in await stores.catalog.documents(scope)}
    uploaded = {job.payload["document_id"] for job in await stores.queue.done(scope, INGEST)}
    lost = len(uploaded - present)
    return f"{lost} of its documents were indexed and are gone from its index." if lost else None


async def _llm(settings: Settings) -> Check:
    choice = llm_choice(settings)
    return _model("language model", choice, await inspect(choice, "chat"), "the extractive reader")


async def _embedding(settings: Settings, refs: Sequence[CatalogRef]) -> Check:
    """Whether texts can be embedded, and whether the channels' vectors were made by the same model."""
    choice = embedding_choice(settings)
    status = await inspect(choice, "embedding")
    instead = f"the embedded model, whose vectors have {EMBEDDED_DIMENSION} numbers"
    check = _model("embedding model", choice, status, instead)
    strangers = await _strangers(Models(settings), refs) if check.status != "fail" else []
    if not strangers:
        return check
    named = ", ".join(f"{ref.scope} ({ref.embedder}, {ref.dimension} numbers)" for ref in strangers[:NAMED])
    more = f" and {len(strangers) - NAMED} more" if len(strangers) > NAMED else ""
    return Check(
        name=check.name,
        status="warn",
        message=f"{check.message} Indexed with another model, and searched by words only: {named}{more}.",
        remedy=f"footnote reindex --channel {strangers[0].scope}",
    )


async def _strangers(models: Models, refs: Sequence[CatalogRef]) -> list[CatalogRef]:
    """Return the catalogs whose vectors cannot be compared with those that are made now."""
    try:
        embedders = [(ref, await models.embedder_for(ref)) for ref in refs]
        return [ref for ref, now in embedders if (now.name, now.dimension) != (ref.embedder, ref.dimension)]
    except ModelError:  # a server that is down gives no vectors to compare
        return []


def _model(name: str, choice: ModelChoice, status: ModelStatus, instead: str) -> Check:
    """Whether a model can be asked. With ``auto`` its absence is a choice, not a fault."""
    if status.usable:
        numbers = f" Its vectors have {status.dimension} numbers." if status.dimension else ""
        return Check(name=name, status="ok", message=f"{status.message}{numbers}")
    if choice.provider == "auto":
        return Check(
            name=name, status="warn", message=f"{status.message} Using {instead}.", remedy=status.remedy
        )
    return Check(name=name, status="fail", message=status.message, remedy=status.remedy)


async def _platforms(
    settings: Settings, stores: Stores | None, platforms: Mapping[str, Examination]
) -> AsyncIterator[Check]:
    """Look at each platform that is set up."""
    for platform in settings.platforms:
        if platform in platforms:
            async for check in platforms[platform](settings, stores):
                yield check
