"""Subcommands that look at the service or prepare it: doctor, db."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from adapters.cli.options import as_json, print_json, run_async, settle

if TYPE_CHECKING:
    from bot.doctor import Check
    from bot.settings import Settings

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


@click.command()
@as_json
def doctor(as_json: bool) -> int:
    """Check settings, folder, database, stores, models and platforms; one line each, with the remedy."""
    return run_async(_doctor(settle(tolerant=True), as_json=as_json))


async def _doctor(settings: Settings, *, as_json: bool) -> int:
    from adapters.platforms import examinations
    from bot.doctor import Check, examine

    checks = [Check(name="settings", status="ok", message="They can be used.")]
    if not as_json:
        _print_check(checks[0])
    async for check in examine(settings, examinations()):
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
