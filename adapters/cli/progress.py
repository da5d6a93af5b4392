"""Progress of long work, on standard error and only where it is a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from rich.status import Status


class WorkProgress:
    """A bar that shows how much of *what* is done; silent in a pipe."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._quiet = quiet or not sys.stderr.isatty()

    def __enter__(self) -> Self:
        if not self._quiet:
            from rich.console import Console  # rich is slow to import; most commands show no bar
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=None)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, total: int, detail: str = "") -> None:
        """Show *done* of *total*, and what is being worked on."""
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, completed=done, total=total, description=f"{self._what} {detail}".strip()
            )


class StageLine:
    """A line that says what is being done, until there is something to show; silent in a pipe."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._line: Status | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """Show *text* in place of what was shown before."""
        if not self._shown:
            return
        if self._line is None:
            from rich.console import Console

            self._line = Console(stderr=True).status(text)
            self._line.start()
        self._line.update(text)

    def clear(self) -> None:
        """Erase the line for good: from here on the terminal belongs to the answer."""
        self._shown = False
        if self._line is not None:
            self._line.stop()
            self._line = None
