from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.bootstrap import open_service
from bot.settings import Settings
from pipeline.domain import Scope
from pipeline.ingestion.intake import Upload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.acceptance.conftest import Program

pytestmark = pytest.mark.timeout(300)  # each test starts the program several times

CHANNEL = "terminal:local:test"
SOON_S = 40.0
"""A job may go on for seven seconds after SIGTERM; the rest takes none where nothing else runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """``footnote run``, ready."""

    process: subprocess.Popen[str]
    address: str
    said: str

    def get(self, path: str) -> tuple[int, str]:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.address}{path}", timeout=20) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; return the exit status and what was said to standard error."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=SOON_S)
        return self.process.returncode, err


@contextmanager
def running(program: Program, **settings: str) -> Iterator[Service]:
    with program.start("run", FOOTNOTE_HTTP__PORT="0", **settings) as process:
        try:
            assert process.stdout is not None
            said = ""
            while not (found := re.search(r"Ready; health at (http://\S+)/healthz", said)):
                line = process.stdout.readline()
                assert line, f"it ended before it was ready: {process.stderr and process.stderr.read()}"
                said += line
            yield Service(process=process, address=found.group(1), said=said)
        finally:
            process.kill()


def children(pid: int) -> set[int]:
    """Return the processes that *pid* started."""
    if Path("/proc").is_dir():
        statuses = [path.read_text() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
        # the name in brackets may hold anything, blanks too
        rows = [(text.split()[0], text.rpartition(")")[2].split()[1]) for text in statuses]
    else:
        listed = subprocess.run(
            ["/bin/ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
        )
        rows = [(pid, parent) for pid, parent in map(str.split, listed.stdout.splitlines())]
    return {int(child) for child, parent in rows if int(parent) == pid}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(condition: Callable[[], Any]) -> Any:
    """Return what *condition* returns once it holds; another process brings it about."""
    for _ in range(600):
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("what is waited for never happens")


async def queue(program: Program, path: Path) -> None:
    """Accept a file and leave it to others to index it."""
    settings = Settings(data_dir=program.data, _env_file=None)
    async with open_service(settings) as service:
        accepted = await service.intake.accept(
            Scope.parse(CHANNEL), Upload(source=path.as_uri(), display_name=path.name)
        )
    assert accepted.status == "queued"


def test_a_running_service_is_seen_from_outside_and_ends_when_it_is_told_to(footnote: Program) -> None:
    with running(footnote) as service:
        assert service.get("/healthz") == (200, '{"status": "alive"}')
        assert service.get("/readyz") == (200, '{"status": "ready"}')
        status, metrics = service.get("/metrics")
        assert (status, "# TYPE footnote_questions_total counter" in metrics) == (200, True)

        assert service.stop() == (0, "")
    with pytest.raises(urllib.error.URLError):
        service.get("/healthz")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_service_that_is_stopped_ends_what_it_began_and_leaves_no_process(
    footnote: Program, files: Path, number: int
) -> None:
    await queue(footnote, files / "refunds.md")

    with running(footnote) as service:
        begun: set[int] = until(lambda: children(service.process.pid))
        status, err = service.stop(number)

    listed = footnote("docs", "--channel", CHANNEL, "--json").json["documents"]
    assert (status, err) == (0, "")
    assert [document["status"] for document in listed] == ["ready"]
    assert not any(alive(pid) for pid in begun)


async def test_a_file_that_was_queued_elsewhere_is_indexed_by_the_running_service(
    footnote: Program, files: Path
) -> None:
    with running(footnote) as service:
        await queue(footnote, files / "leave.md")
        until(lambda: 'footnote_documents_total{outcome="ready"} 1' in service.get("/metrics")[1])
        service.stop()

    listed = footnote("docs", "--channel", CHANNEL, "--json").json["documents"]
    assert [document["status"] for document in listed] == ["ready"]


def test_a_service_whose_model_is_away_is_alive_and_says_what_is_missing(footnote: Program) -> None:
    away = {"FOOTNOTE_LLM__PROVIDER": "ollama", "FOOTNOTE_LLM__BASE_URL": "http://127.0.0.1:9"}

    with running(footnote, **away) as service:
        alive_status, _ = service.get("/healthz")
        status, body = service.get("/readyz")

    assert alive_status == 200
    assert status == 503
    assert "127.0.0.1:9" in json.loads(body)["message"]


def test_a_port_that_is_taken_is_one_sentence(footnote: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = footnote("run", FOOTNOTE_HTTP__PORT=str(port))

    assert result.status == 1
    assert result.err.startswith(f"footnote: the health server cannot listen on 127.0.0.1:{port}")
    assert len(result.err.splitlines()) == 1
