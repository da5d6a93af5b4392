"""Write .env.example and the tables of docs/settings.md from the settings' own fields.

Run ``python scripts/settings.py`` after a change of ``bot/settings.py``.
`make fix` runs it as well, and a test says when it was forgotten.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / ".env.example"
PAGE = ROOT / "docs" / "settings.md"
MARK = "<!-- from here on written by scripts/settings.py -->\n"

HEAD = """\
# Every setting of Footnote with its default. Copy the lines that you change into a file named .env.
# An empty value is an unset one. docs/settings.md explains the settings that belong together.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One setting as people write it."""

    name: str
    default: str
    """Empty when it is unset."""
    choices: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Settings that share a prefix."""

    title: str
    entries: tuple[Entry, ...]


def sections(
    model: type[BaseModel], prefix: str = "FOOTNOTE_", title: str = "The program"
) -> Iterator[Section]:
    """Yield the settings of *model*, its own first and then each group's, at any depth."""
    groups: list[tuple[str, type[BaseModel]]] = []
    entries: list[Entry] = []
    for name, field in model.model_fields.items():
        kind: Any = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            groups.append((name, kind))
        else:
            entries.append(describe(prefix + name.upper(), field))
    if entries:
        yield Section(title=title, entries=tuple(entries))
    for name, group in groups:
        about = (group.__doc__ or name).strip().rstrip(".")
        yield from sections(group, f"{prefix}{name.upper()}__", about)


def describe(name: str, field: FieldInfo) -> Entry:
    """Turn a field into an entry; a secret's default is never anything but unset."""
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return Entry(
        name=name,
        default=spell(field.get_default(call_default_factory=True, validated_data={})),
        choices=tuple(map(str, choices)),
        description=(field.description or "").strip(),
    )


def spell(value: Any) -> str:
    """Write a default as it would stand in the environment."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Path) and not value.is_absolute():
        return f"./{value}"
    return str(value)


def example(parts: list[Section]) -> str:
    """Return the text of .env.example."""
    lines = [HEAD]
    for part in parts:
        lines.append(f"\n# --- {part.title} ---\n")
        lines.extend(f"\n# {sentence(entry)}\n{entry.name}={entry.default}\n" for entry in part.entries)
    return "".join(lines)


def sentence(entry: Entry) -> str:
    """Return the explanation on one line, with the values that may be chosen."""
    choices = f" One of: {', '.join(entry.choices)}." if entry.choices else ""
    return f"{entry.description}{choices}".strip()


def tables(parts: list[Section]) -> str:
    """Return the generated part of docs/settings.md."""
    lines = [MARK]
    for part in parts:
        lines.append(f"\n## {part.title}\n\n| setting | default | |\n|---|---|---|\n")
        for entry in part.entries:
            default = f"`{entry.default}`" if entry.default else "unset"
            lines.append(f"| `{entry.name}` | {default} | {sentence(entry)} |\n")
    return "".join(lines)


def page(parts: list[Section], current: str) -> str:
    """Return docs/settings.md with its written part kept and its tables renewed."""
    return current.partition(MARK)[0] + tables(parts)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    from bot.settings import Settings

    found = list(sections(Settings))
    EXAMPLE.write_text(example(found), encoding="utf-8")
    PAGE.write_text(page(found, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
