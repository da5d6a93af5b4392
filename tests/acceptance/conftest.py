"""The installed program, run as people and scripts run it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = Path(sys.executable).with_name("footnote")
ENDS_S = 180.0
"""On a machine that does much else; it takes five seconds."""
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
        done = subprocess.run(
            [PROGRAM, *arguments],
            env=self.environment(settings),
            cwd=self.data,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=ENDS_S,
            check=False,
        )
        return Result(status=done.returncode, out=done.stdout, err=done.stderr)

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        """Start a run that goes on until it is told to stop."""
        return subprocess.Popen(
            [PROGRAM, *arguments],
            env=self.environment(settings),
            cwd=self.data,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def watched(self, *arguments: str, **settings: str) -> Result:
        """Run with standard error on a terminal, while standard output is piped."""
        screen, terminal = pty.openpty()
        try:
            with subprocess.Popen(
                [PROGRAM, *arguments],
                env=self.environment({"TERM": "xterm", **settings}),
                cwd=self.data,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=terminal,
                text=True,
            ) as process:
                os.close(terminal)
                seen = _read_to_the_end(screen)
                out, _ = process.communicate(timeout=ENDS_S)
        finally:
            os.close(screen)
        return Result(status=process.returncode, out=out, err=seen)

    def environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Return this process's environment without settings of ours, and with *settings*."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("FOOTNOTE_")}
        return inherited | {
            # each run would compile its libraries anew, which takes longer than the test
            "PYTHONDONTWRITEBYTECODE": "",
            "FOOTNOTE_DATA_DIR": str(self.data),
            "FOOTNOTE_LLM__PROVIDER": "extractive",
            "FOOTNOTE_EMBEDDING__PROVIDER": "embedded",
            **settings,
        }


def _read_to_the_end(screen: int) -> str:
    seen = b""
    try:
        while piece := os.read(screen, 4096):
            seen += piece
    except OSError:  # how Linux says that nobody holds the other end any more
        pass
    return seen.decode()


@pytest.fixture
def footnote(tmp_path: Path) -> Program:
    data = tmp_path / "data"
    data.mkdir()
    return Program(data=data)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "refunds.md").write_text(
        "# Refunds\n\nA refund for a monthly plan takes five working days.\n"
        "\n## Annual plans\n\nA refund for an annual plan takes fifteen working days.\n"
    )
    (folder / "leave.md").write_text("# Leave\n\nEvery employee has 28 days of paid leave a year.\n")
    return folder
