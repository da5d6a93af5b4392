from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.observability import logs
from pipeline.observability.logs import JsonFormatter, configure_logging

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OURS = ("pipeline", "bot", "adapters")


@pytest.fixture(autouse=True)
def _own_handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave logging as it was found."""
    monkeypatch.setattr(logging, "raiseExceptions", logging.raiseExceptions)
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    levels = {name: logging.getLogger(name).level for name in OURS}
    yield
    for handler in set(root.handlers) - set(handlers):
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    for name, before in levels.items():
        logging.getLogger(name).setLevel(before)


def own_handlers() -> list[logging.Handler]:
    return [each for each in logging.getLogger().handlers if isinstance(each.formatter, JsonFormatter)]


def lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "footnote.log").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_is_one_json_object_with_its_facts(tmp_path: Path) -> None:
    configure_logging(tmp_path / "logs", "INFO")

    logging.getLogger("pipeline.ask").info("question ended", extra={"action": "answered", "passages": 6})

    (line,) = lines(tmp_path / "logs")
    assert line["time"]
    assert {key: value for key, value in line.items() if key != "time"} == {
        "level": "INFO",
        "logger": "pipeline.ask",
        "message": "question ended",
        "action": "answered",
        "passages": 6,
    }


def test_configuring_twice_is_configuring_once(tmp_path: Path) -> None:
    configure_logging(tmp_path / "logs", "INFO")
    handlers = own_handlers()
    configure_logging(tmp_path / "elsewhere", "DEBUG", to_stderr=True)

    logging.getLogger("bot.reply").warning("once")

    assert own_handlers() == handlers
    assert [line["message"] for line in lines(tmp_path / "logs")] == ["once"]
    assert not (tmp_path / "elsewhere").exists()


def test_a_log_never_grows_beyond_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FILE_BYTES", 2000)
    monkeypatch.setattr(logs, "FILES_KEPT", 2)
    configure_logging(tmp_path / "logs", "INFO")

    for number in range(200):
        logging.getLogger("pipeline.ask").info("line", extra={"number": number})

    files = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert files == ["footnote.log", "footnote.log.1", "footnote.log.2"]
    assert all(path.stat().st_size <= 2000 for path in (tmp_path / "logs").iterdir())
    assert lines(tmp_path / "logs")[-1]["number"] == 199


def test_libraries_are_heard_from_warning_on_and_ours_from_their_level_on(tmp_path: Path) -> None:
    configure_logging(tmp_path / "logs", "DEBUG")

    logging.getLogger("httpx").info("a request with somebody's words")
    logging.getLogger("httpx").warning("a fault")
    logging.getLogger("bot.reply").debug("a detail")

    assert [line["message"] for line in lines(tmp_path / "logs")] == ["a fault", "a detail"]


def test_an_exception_leaves_its_name_and_its_way_but_not_its_words(tmp_path: Path) -> None:
    configure_logging(tmp_path / "logs", "INFO")

    try:
        int("the salary is 4,000")
    except ValueError:
        logging.getLogger("pipeline.ask").exception("question failed")

    (line,) = lines(tmp_path / "logs")
    assert line["error"] == "ValueError"
    assert any("test_logs.py" in frame for frame in line["stack"])
    assert "salary" not in json.dumps(line)


def test_a_log_that_cannot_be_written_is_noticed_at_once(tmp_path: Path) -> None:
    (tmp_path / "logs" / "footnote.log").mkdir(parents=True)

    with pytest.raises(IsADirectoryError):
        configure_logging(tmp_path / "logs", "INFO")

    assert own_handlers() == []
