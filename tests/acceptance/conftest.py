"""The installed program, run as people and scripts run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(sys.executable).with_name("footnote")
HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one run ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """``footnote`` with a data folder and an environment of its own."""

    data: Path

    def __call__(self, *arguments: str, **settings: str) -> Result:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FOOTNOTE_")}
        environment |= {
            # each run would compile its libraries anew, which takes longer than the test
            "PYTHONDONTWRITEBYTECODE": "",
            "FOOTNOTE_DATA_DIR": str(self.data),
            "FOOTNOTE_LLM__PROVIDER": "extractive",
            "FOOTNOTE_EMBEDDING__PROVIDER": "embedded",
            **settings,
        }
        done = subprocess.run(
            [PROGRAM, *arguments],
            env=environment,
            cwd=self.data,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=90,
            check=False,
        )
        return Result(status=done.returncode, out=done.stdout, err=done.stderr)


@pytest.fixture
def footnote(tmp_path: Path) -> Program:
    data = tmp_path / "data"
    data.mkdir()
    return Program(data=data)
