"""Subcommands about the service itself: run, doctor, db."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from adapters.cli.options import as_json, print_json, run_async, settle

if TYPE_CHECKING:
    from bot.doctor import Check
    from bot.settings import Settings

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


@click.command()
def run() -> int:
    """Run workers and the health server until SIGTERM.

    Files that other commands queue are indexed; /healthz, /readyz and /metrics answer on
    FOOTNOTE_HTTP__HOST and __PORT.
    """
    return run_async(_run(settle()))


async def _run(settings: Settings) -> int:
    from adapters.health import serve_health
    from bot.bootstrap import open_service
    from bot.wording import unserved

    if notice := unserved(settings.platforms):
        click.echo(f"footnote: {notice}", err=True)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with open_service(settings) as service:
        try:
            async with serve_health(settings.http.host, settings.http.port, service.missing) as port:
                for note in await service.describe_models():
                    click.echo(note)
                click.echo(f"Ready; health at http://{settings.http.host}:{port}/healthz. Stop with Ctrl-C.")
                await service.worker.run(stop)
        except OSError as error:
            click.echo(
                f"footnote: the health server cannot listen on {settings.http.host}:{settings.http.port} "
                f"({error.strerror}); set FOOTNOTE_HTTP__PORT.",
                err=True,
            )
            return 1
    return 0


@click.command()
@as_json
def doctor(as_json: bool) -> int:
    """Check settings, folder, database, migrations, stores and models; one line each, with the remedy."""
    return run_async(_doctor(settle(tolerant=True), as_json=as_json))


async def _doctor(settings: Settings, *, as_json: bool) -> int:
    from bot.doctor import Check, examine

    checks = [Check(name="settings", status="ok", message="They can be used.")]
    if not as_json:
        _print_check(checks[0])
    async for check in examine(settings):
        checks.append(check)
        if not as_json:
            _print_check(check)
    failed = any(check.status == "fail" for check in checks)
    if as_json:
        print_json({"ok": not failed, "checks": [asdict(check) for check in checks]})
    return int(failed)


def _print_check(check: Check) -> None:
    mark, colour = _MARKS[check.status]
    remedy = f" → {check.remedy}" if check.remedy else ""
    click.echo(f"{click.style(mark, fg=colour)} {check.name}: {check.message}{remedy}")


@click.group()
def db() -> None:
    """Database migrations."""


@db.command()
def upgrade() -> int:
    """Apply pending migrations."""
    return run_async(_upgrade(settle()))


async def _upgrade(settings: Settings) -> None:
    from pipeline.storage.sql import Database

    database = await Database.connect(settings.database)
    try:
        pending = await database.pending()
        await database.upgrade()
        click.echo(f"Applied {len(pending)}; the database is at {await database.current()}.")
    finally:
        await database.close()


@db.command()
def current() -> int:
    """Show the migration the database is at, and what is pending."""
    return run_async(_current(settle()))


async def _current(settings: Settings) -> None:
    from pipeline.storage.sql import Database

    database = await Database.connect(settings.database)
    try:
        click.echo(f"At {await database.current() or 'nothing'}.")
        for revision in await database.pending():
            click.echo(f"Pending: {revision}")
    finally:
        await database.close()
