"""Write the map of docs/architecture.md from the first line of every module's docstring.

Run ``python scripts/tree.py`` after a module was added, renamed or given another purpose.
`make fix` runs it as well, and a test says when it was forgotten.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
MARK = "<!-- from here on written by scripts/tree.py -->\n"
PACKAGES = ("adapters", "bot", "pipeline", "migrations")


def purpose(module: Path) -> str:
    """Return the first line of a module's docstring, without its full stop."""
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0].rstrip(".").replace("``", "`")


def rooms(package: Path) -> list[Path]:
    """Return *package* and the packages in it, outer ones first."""
    return sorted(path.parent for path in package.rglob("__init__.py"))


def table(room: Path) -> str:
    """Return the modules of one package, each with its purpose."""
    name = room.relative_to(ROOT).as_posix()
    modules = sorted(path for path in room.glob("*.py") if path.name != "__init__.py")
    rows = "".join(f"| `{path.stem}` | {purpose(path)} |\n" for path in modules)
    head = f"\n### {name}\n\n{purpose(room / '__init__.py')}.\n"
    return f"{head}\n| module | purpose |\n|---|---|\n{rows}" if rows else head


def page(current: str) -> str:
    """Return docs/architecture.md with its written part kept and its map renewed."""
    found = [table(room) for package in PACKAGES for room in rooms(ROOT / package)]
    return current.partition(MARK)[0] + MARK + "".join(found)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
