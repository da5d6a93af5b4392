"""Where log lines go: one rotating file, and standard error when asked for."""

from __future__ import annotations

import json
import logging
import sys
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "footnote.log"
FILE_BYTES = 5 * 2**20
FILES_KEPT = 5

# Attributes that every record has; whatever else stands on a record came in through ``extra``.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message and the facts given as ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        entry |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info and record.exc_info[0]:
            entry["error"] = record.exc_info[0].__name__
            entry["stack"] = self._stack(record)
        return json.dumps(entry, default=str, ensure_ascii=False)

    @staticmethod
    def _stack(record: logging.LogRecord) -> list[str]:
        """Name where an exception passed, without its text: that may quote somebody's document."""
        trace = record.exc_info[2] if record.exc_info else None
        frames = []
        while trace is not None:
            code = trace.tb_frame.f_code
            frames.append(f"{code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno} {code.co_name}")
            trace = trace.tb_next
        return frames


def configure_logging(folder: Path, level: str, *, to_stderr: bool = False) -> None:
    """Send our own packages' log lines to ``footnote.log`` in *folder*. Calling it again changes nothing.

    Libraries' lines below WARNING are left out: some of them quote requests at INFO. Raises `OSError` when
    the file cannot be written.
    """
    root = logging.getLogger()
    if any(isinstance(handler.formatter, JsonFormatter) for handler in root.handlers):
        return
    # a full disk must not fill the terminal with tracebacks of the logger's own
    logging.raiseExceptions = False
    folder.mkdir(parents=True, exist_ok=True)
    handlers: list[logging.Handler] = [
        RotatingFileHandler(folder / FILE_NAME, maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8")
    ]
    if to_stderr:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(JsonFormatter())
        root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for package in ("pipeline", "bot", "adapters"):
        logging.getLogger(package).setLevel(level)
