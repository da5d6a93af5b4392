from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adapters.cli.program import program
from bot.settings import Settings
from pipeline.conversation import Reason
from pipeline.domain import IngestReason
from scripts import pdf, tree
from scripts.settings import EXAMPLE, PAGE, example, page, sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
COMMANDS = DOCS / "commands.md"
HANDBOOK = ROOT / "examples" / "handbook"
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("adapters/*/*.md"), ROOT / "examples/README.md"]
)

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Options that name an index of packages: every machine has its own.
STRANGERS = re.compile(r"--(?:extra-)?index-url[= ]|--find-links[= ]")
NOT_OURS = {"data", "dist", "build", "__pycache__"}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def our_files(folder: Path = ROOT) -> Iterator[Path]:
    """Yield the project's files; without git, which a machine that runs the tests need not have."""
    for path in sorted(folder.iterdir()):
        ours = path.name not in NOT_OURS and not path.name.endswith(".egg-info")
        if path.is_dir() and ours and (not path.name.startswith(".") or path.name in {".ci", ".github"}):
            yield from our_files(path)
        elif path.is_file() and path.name != ".env":
            yield path


def commands(group: click.Group, prefix: str = "footnote") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        full = f"{prefix} {name}"
        if isinstance(command, click.Group):
            yield from commands(command, full)
        else:
            yield full, command


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as they are made on the places where people read it."""
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_example_of_settings_is_complete_and_current() -> None:
    assert read(EXAMPLE) == example(list(sections(Settings)))


def test_the_page_about_settings_is_complete_and_current() -> None:
    assert read(PAGE) == page(list(sections(Settings)), read(PAGE))


def test_the_map_of_the_code_is_complete_and_current() -> None:
    assert read(tree.PAGE) == tree.page(read(tree.PAGE))


def test_every_setting_is_explained() -> None:
    silent = [entry.name for part in sections(Settings) for entry in part.entries if not entry.description]

    assert silent == []


def test_the_example_of_settings_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    plain = Settings()
    (tmp_path / ".env").write_text(read(EXAMPLE), encoding="utf-8")

    assert Settings() == plain


def test_every_subcommand_and_every_option_is_documented() -> None:
    parts = dict(
        re.findall(r"^## `(footnote [a-z ]+)`\n(.*?)(?=^## |\Z)", read(COMMANDS), re.DOTALL | re.MULTILINE)
    )
    missing = [
        f"{name} {option}"
        for name, command in commands(program)
        for option in ["", *(opt for param in command.params for opt in param.opts if opt.startswith("--"))]
        if option not in parts.get(name, "") or name not in parts
    ]

    assert missing == []


def test_every_reason_is_documented() -> None:
    text = read(COMMANDS)

    assert [reason for reason in [*Reason, *IngestReason] if f"`{reason}`" not in text] == []


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for source in PAGES:
        for target in LINK.findall(read(source)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (source.parent / name).resolve() if name else source
            if not path.exists() or (anchor and anchor not in anchors(read(path))):
                broken.append(f"{source.name}: {target}")

    assert broken == []


def test_pages_that_the_code_refers_to_exist() -> None:
    named = {
        name
        for package in tree.PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for name in re.findall(r"docs/[\w-]+\.md", read(path))
    }

    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len(read(ROOT / "README.md").splitlines()) <= 120


def test_the_changelog_knows_the_version() -> None:
    version = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["version"]
    heads = re.findall(r"^## \[([^\]]+)\]", read(ROOT / "CHANGELOG.md"), flags=re.MULTILINE)

    assert heads[0] == "Unreleased"
    assert heads[1:2] in ([], [version])


def test_no_file_names_an_index_of_packages() -> None:
    found = []
    for path in our_files():
        try:
            text = read(path)
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in STRANGERS.finditer(text)]

    assert found == []


def test_the_handbooks_pdf_is_built_from_its_text() -> None:
    assert pdf.TARGET.read_bytes() == pdf.build(read(pdf.SOURCE))


def test_the_list_of_sample_documents_is_complete() -> None:
    text = read(ROOT / "examples" / "README.md")

    assert [path.name for path in sorted(HANDBOOK.iterdir()) if f"`{path.name}`" not in text] == []
