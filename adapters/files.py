"""Find the files that somebody named, in folders too, the same for every way in from this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


SKIPPED = frozenset({"node_modules", "bower_components", "__pycache__", "__MACOSX"})
"""Folders that programs fill and nobody reads; `.git`, `.venv` and their like are hidden anyway."""
LEFT_OUT = "hidden files, links that lead out of it, and folders such as node_modules are left out"


def find_files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file with its display name: its path inside the folder that was named.

    Of a folder these are left out: what is hidden, what `SKIPPED` names, folders behind a link, which may
    lead in a circle, and files behind a link that leads out of the folder. A path that does not exist is
    yielded and fails on its own.
    """
    for path in paths:
        if path.is_dir():
            yield from ((file, file.relative_to(path).as_posix()) for file in sorted(_inside(path)))
        else:
            yield path, path.name


def empty_folders(paths: Sequence[Path]) -> list[Path]:
    """Return those of *paths* that are folders in which there is nothing to find."""
    return [path for path in paths if path.is_dir() and next(_inside(path), None) is None]


def _inside(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in SKIPPED]
        inside = (Path(parent, name) for name in files if not name.startswith("."))
        yield from (file for file in inside if file.is_file() and _stays_in(root, file))


def _stays_in(root: Path, file: Path) -> bool:
    """Tell whether a file is what it seems: whoever names a folder does not mean what lies outside of it."""
    return not file.is_symlink() or file.resolve().is_relative_to(root)
