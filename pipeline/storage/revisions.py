"""Which migrations a database has, and applying the ones it lacks, on a connection that is handed in."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.script.revision import RevisionError

from pipeline.errors import StorageError

if TYPE_CHECKING:
    from sqlalchemy import Connection


def current(connection: Connection) -> str | None:
    """Return the newest revision the database has; None: it has none of ours."""
    return MigrationContext.configure(connection).get_current_revision()


def pending(connection: Connection) -> list[str]:
    """Return the revisions still to be applied, oldest first.

    Raises `StorageError` when the database is newer than this program.
    """
    scripts = ScriptDirectory.from_config(_config())
    try:
        missing = list(scripts.iterate_revisions("heads", current(connection) or "base"))
    except RevisionError as exc:
        raise StorageError(
            "The database was made by a newer version of this program; install that version or newer."
        ) from exc
    return [script.revision for script in reversed(missing)]


def upgrade(connection: Connection) -> None:
    """Apply what is pending, within the transaction that is open on *connection*. Raises `StorageError`."""
    if not pending(connection):
        return
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "heads")


def _config() -> Config:
    config = Config()
    # Alembic's options are read by configparser, to which a percent sign is special
    config.set_main_option("script_location", str(files("migrations")).replace("%", "%%"))
    return config
