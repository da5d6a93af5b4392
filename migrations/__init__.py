"""The database's history, step by step: what Alembic applies when `footnote db upgrade` runs."""
