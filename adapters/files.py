"""Find the files that somebody named, in folders too, the same for every way in from this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def find_files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file with its display name: its path inside the folder that was named.

    Hidden files and folders are left out, and so are folders behind a link, which may lead in a circle. A
    path that does not exist is yielded and fails on its own.
    """
    for path in paths:
        if path.is_dir():
            yield from ((file, file.relative_to(path).as_posix()) for file in sorted(_inside(path)))
        else:
            yield path, path.name


def _inside(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = (Path(parent, name) for name in files if not name.startswith("."))
        yield from (file for file in inside if file.is_file())
