"""Subcommands about a channel's files: ingest, docs, show, forget, reindex."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapters.cli.options import as_json, channel, print_json, run_async, say, settle
from adapters.files import LEFT_OUT, empty_folders, find_files
from bot.wording import counts, extent, shared_names, tally, uploaded
from pipeline.archives import LACKING, files_of, lacks_files, without_archives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.settings import Settings
    from pipeline.domain import Chunk, Document, Scope
    from pipeline.ingestion.results import Ingested


_IN = {"ready", "duplicate"}
"""States of files that are in the channel."""


@click.command()
@channel
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--retire-older",
    "retire",
    is_flag=True,
    help="Forget older documents of the same name, once the new is in.",
)
@as_json
def ingest(scope: Scope, paths: tuple[Path, ...], retire: bool, as_json: bool) -> int:
    """Index files or folders into a channel's catalog.

    The same bytes are indexed once, however often and under whatever name they come. The same name with other
    bytes is a second document, and the older one stays until it is retired. One bad file never stops the
    others; the exit status is 1 if any failed.
    """
    return run_async(_ingest(settle(), scope, paths, retire=retire, as_json=as_json))


async def _ingest(
    settings: Settings, scope: Scope, paths: Sequence[Path], *, retire: bool, as_json: bool
) -> int:
    from adapters.cli.progress import WorkProgress
    from adapters.serving import open_working

    async with open_working(settings) as service:
        tell_empty(paths)
        with WorkProgress("Indexing", quiet=as_json) as progress:
            results = await service.chores.ingest(scope, list(find_files(paths)), progress.update)
        rows = [describe_result(result) for result in results]
        given = {
            row["document_id"] for row in rows
        }  # what is named together is not each other's older version
        older = list(dict.fromkeys(one for row in rows if row["status"] in _IN for one in row["older"]))
        older = [document_id for document_id in older if document_id not in given]
        retired = await service.chores.forget(scope, older) if retire else []
    if as_json:
        print_json({"documents": rows, "retired": retired} if retire else {"documents": rows})
    else:
        for row in rows:
            say(result_line(row))
        _tell_older(scope, older, retired)
    return int(not {row["status"] for row in rows} <= _IN)


def tell_empty(paths: Sequence[Path]) -> None:
    """Say on standard error which of *paths* are folders without a file to index."""
    for path in empty_folders(paths):
        click.echo(f"footnote: {path} holds no files to index; {LEFT_OUT}.", err=True)


def _tell_older(scope: Scope, older: Sequence[str], retired: Sequence[str]) -> None:
    """Say what became of older documents of the same names, or how to retire them: nothing goes by itself."""
    if retired:
        say(f"Retired: {', '.join(retired)}.")
    elif older:
        say(
            f"Older documents of the same name, with other contents, are still here; to retire them: "
            f"footnote forget --channel {scope} {' '.join(older)}"
        )


def describe_result(result: Ingested) -> dict[str, Any]:
    """Describe what became of one path, in the form of ``ingest --json``."""
    accepted, document = result.accepted, result.document
    row: dict[str, Any] = {
        "path": str(result.path),
        "document_id": accepted.document_id,
        "display_name": accepted.upload.display_name,
        "status": accepted.status,
        "pages": None,
        "chunks": 0,
        "reason": accepted.reason,
        "message": accepted.message,
        "older": [] if accepted.status == "failed" else list(accepted.namesakes),
    }
    if document is not None:
        row |= {"pages": document.pages, "chunks": document.chunks}
        if accepted.status == "duplicate":
            other = document.display_name != accepted.upload.display_name
            name = f"under the name {document.display_name}" if other else None
            row["message"] = (
                "; ".join(filter(None, [name, LACKING if lacks_files(document) else None])) or row["message"]
            )
    if accepted.status == "queued":
        row |= _outcome(document)
    return row


def _outcome(document: Document | None) -> dict[str, Any]:
    if document is None:
        return {"status": "failed", "message": "It was taken back while it was being indexed."}
    if document.status in {"queued", "indexing"}:
        message = f"{document.message or 'It waits its turn.'} It stays in the queue."
        return {"status": "failed", "reason": document.reason, "message": message}
    return {"status": document.status, "reason": document.reason, "message": document.message}


def result_line(row: dict[str, Any]) -> str:
    """Say in one line what became of a file."""
    match row["status"]:
        case "ready":
            size = extent(row["pages"], row["chunks"])
            return f"{row['display_name']}: {'; '.join(filter(None, [size, row['message']]))}"
        case "duplicate":
            return f"{row['display_name']}: {'; '.join(filter(None, ['already here', row['message']]))}"
        case status:
            return f"{row['display_name']}: {status}: {row['message'] or 'still in the queue'}"


@click.command()
@channel
@as_json
def docs(scope: Scope, as_json: bool) -> int:
    """List a channel's documents."""
    return run_async(_docs(settle(), scope, as_json=as_json))


async def _docs(settings: Settings, scope: Scope, *, as_json: bool) -> None:
    from bot.stores import open_stores

    async with open_stores(settings) as stores:
        documents = await stores.catalog.documents(scope)
    if as_json:
        print_json({"documents": [_document(document) for document in documents]})
    elif not documents:
        click.echo(f"{scope} has no documents. Add some: footnote ingest --channel {scope} PATH…")
    ambiguous = shared_names(documents)
    for document in [] if as_json else documents:
        size = counts(document) if document.chunks else None
        when = uploaded(document) if document.display_name in ambiguous else None
        detail = "; ".join(filter(None, [size, document.message, when]))
        say(
            f"{document.document_id}  {document.status:9} {document.display_name}"
            + (f"  ({detail})" if detail else "")
        )


def _document(document: Document) -> dict[str, Any]:
    return {
        "document_id": document.document_id,
        "display_name": document.display_name,
        "status": document.status,
        "chunks": document.chunks,
        "pages": document.pages,
        "uploaded_at": document.uploaded_at.isoformat(),
        "source": document.source,
        "reason": document.reason,
        "message": document.message,
    }


@click.command()
@channel
@click.argument("document_id")
@as_json
def show(scope: Scope, document_id: str, as_json: bool) -> int:
    """Show a document's chunks as they are stored; of an archive, its files with their ids."""
    return run_async(_show(settle(), scope, document_id, as_json=as_json))


async def _show(settings: Settings, scope: Scope, document_id: str, *, as_json: bool) -> int:
    from bot.stores import open_stores

    async with open_stores(settings) as stores:
        document = await stores.catalog.find(scope, document_id)
        if document is None:
            return _unknown(scope, [document_id])
        chunks = await stores.catalog.chunks(scope, document_id)
        files = files_of(await stores.catalog.documents(scope), {document_id})
    if as_json:
        print_json(
            {
                "document_id": document_id,
                "display_name": document.display_name,
                "chunks": [_chunk(chunk) for chunk in chunks],
                "files": [_file(file) for file in files],
            }
        )
        return 0
    for file in files:
        say(f"{file.document_id}  {file.status:9} {file.display_name}")
    for chunk in chunks:
        say(f"{chunk.chunk_id}  {chunk.place.described()}", bold=True)
        say(f"{chunk.text}\n", lines=True)
    if not files and not chunks:
        say(document.message or f"Nothing of it is searched: it is {document.status}.")
    return 0


def _file(file: Document) -> dict[str, Any]:
    return {"document_id": file.document_id, "display_name": file.display_name, "status": file.status}


def _chunk(chunk: Chunk) -> dict[str, Any]:
    return {
        "chunk_id": chunk.chunk_id,
        "text": chunk.text,
        "page": chunk.place.page,
        "lines": chunk.place.lines,
        "section": chunk.place.section,
    }


@click.command()
@channel
@click.argument("document_ids", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Remove every document of the channel.")
@as_json
def forget(scope: Scope, document_ids: tuple[str, ...], everything: bool, as_json: bool) -> int:
    """Remove documents from a channel: they are not found, cited or stored any more."""
    if everything == bool(document_ids):
        raise click.UsageError("Name the documents to forget, or give --all. 'footnote docs' lists the ids.")
    return run_async(_forget(settle(), scope, document_ids, as_json=as_json))


async def _forget(settings: Settings, scope: Scope, wanted: Sequence[str], *, as_json: bool) -> int:
    from adapters.serving import open_working

    async with open_working(settings) as service:
        known = {each.document_id: each for each in await service.stores.catalog.known(scope)}
        unknown = [document_id for document_id in wanted if document_id not in known]
        forgotten = await service.chores.forget(scope, [d for d in wanted if d in known] if wanted else None)
    if as_json:
        print_json({"forgotten": forgotten})
    else:
        gone = [known[document_id] for document_id in forgotten if document_id in known]
        click.echo(f"Forgot {tally(gone)} of {scope}.")
    return _unknown(scope, unknown) if unknown else 0


def _unknown(scope: Scope, document_ids: Sequence[str]) -> int:
    click.echo(
        f"footnote: {scope} has no document {', '.join(document_ids)}; "
        f"'footnote docs --channel {scope}' lists them.",
        err=True,
    )
    return 1


@click.command()
@channel
@as_json
def reindex(scope: Scope, as_json: bool) -> int:
    """Rebuild a catalog from its sources, without downtime.

    For a new embedding model, a better loader, or a store that cannot be opened or has lost a part. A file
    that is gone from where it was keeps the text that is stored. What an upgrade makes out of date is rebuilt
    by 'footnote run', 'slack', 'discord' and 'chat' by themselves, in the background.
    """
    return run_async(_reindex(settle(), scope, as_json=as_json))


async def _reindex(settings: Settings, scope: Scope, *, as_json: bool) -> int:
    from adapters.cli.progress import WorkProgress
    from adapters.serving import open_working
    from pipeline.ingestion.rebuild import NOT_READ_AGAIN

    async with open_working(settings) as service:
        with WorkProgress(f"Rebuilding {scope}", quiet=as_json):
            await service.chores.reindex(scope)
        documents = await service.stores.catalog.documents(scope)
    if as_json:
        print_json({"documents": [_document(document) for document in documents]})
    else:
        failed = [document for document in documents if document.status == "failed"]
        ready = [document for document in documents if document.status != "failed"]
        click.echo(f"Rebuilt {scope}: {tally(ready)} ready, {len(without_archives(failed))} failed.")
        kept = [document for document in ready if NOT_READ_AGAIN in (document.message or "")]
        for document in [*without_archives(failed), *kept]:
            say(result_line(_document(document)))
    return 0
