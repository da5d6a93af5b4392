"""Modules that only hold values load no database."""

from __future__ import annotations

import subprocess
import sys


def test_a_jobs_and_a_turns_values_load_no_database_library() -> None:
    program = (
        "import sys, pipeline.storage.job, pipeline.storage.turn;"
        "sys.exit(any(name in sys.modules for name in ('sqlalchemy', 'alembic', 'lancedb')))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
