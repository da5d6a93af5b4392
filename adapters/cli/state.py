"""The subcommand that says how a channel stands: documents, models, and the files that wait."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from adapters.cli.options import as_json, channel, print_json, run_async, say, settle

if TYPE_CHECKING:
    from bot.records import LibraryStatus, Waiting
    from bot.settings import Settings
    from pipeline.domain import Scope


@click.command()
@channel
@as_json
def status(scope: Scope, as_json: bool) -> int:
    """Say how a channel stands: its documents, the models, and the files that still wait, with the reason."""
    return run_async(_status(settle(), scope, as_json=as_json))


async def _status(settings: Settings, scope: Scope, *, as_json: bool) -> None:
    from bot.bootstrap import open_service
    from bot.library import ServiceLibrary

    async with open_service(settings) as service:
        found = await ServiceLibrary(service).status(scope)
    if as_json:
        print_json(_described(scope, found))
        return
    documents = "1 document" if found.documents == 1 else f"{found.documents} documents"
    say(f"{scope}: {documents} ({found.ready} ready, {found.pending} waiting, {found.failed} failed)")
    say(f"Answers are worded by {found.reader}; meaning is found by {found.embedder}.")
    for remark in found.remarks:
        say(remark)
    for file in found.waiting:
        say(f"  {file.name}: {_state(file)}")


def _state(file: Waiting) -> str:
    if file.running:
        return "is being indexed"
    if file.since is not None and file.fault:
        return f"waits since {file.since:%Y-%m-%d %H:%M} UTC: {file.fault}"
    return f"queued, after {_attempts(file)}: {file.fault}" if file.fault else "queued"


def _attempts(file: Waiting) -> str:
    return "a failed attempt" if file.attempts == 1 else f"{file.attempts} failed attempts"


def _described(scope: Scope, found: LibraryStatus) -> dict[str, Any]:
    described = asdict(found)
    for file in described["waiting"]:
        since = file.pop("since")
        file["waiting_since"] = None if since is None else since.isoformat()
    return {"channel": str(scope), **described}
