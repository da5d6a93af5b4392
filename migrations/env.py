"""How Alembic runs our migrations: on the connection that `Database` passes, never on one of its own."""

from __future__ import annotations

from alembic import context

from pipeline.storage.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite alters a table by building it anew
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
