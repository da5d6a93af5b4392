from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.files import find_files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    for name in ("b.md", "a.md", "deep/er/c.md", ".hidden", ".git/config", "deep/.cache/x"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def test_a_file_of_a_folder_is_named_by_its_path_inside_that_folder(folder: Path) -> None:
    assert list(find_files([folder])) == [
        (folder / "a.md", "a.md"),
        (folder / "b.md", "b.md"),
        (folder / "deep/er/c.md", "deep/er/c.md"),
    ]


def test_a_file_that_is_named_itself_is_taken_even_if_it_is_hidden(folder: Path) -> None:
    assert list(find_files([folder / ".hidden", folder / "deep/er/c.md"])) == [
        (folder / ".hidden", ".hidden"),
        (folder / "deep/er/c.md", "c.md"),
    ]


def test_a_hidden_folder_that_is_named_itself_is_looked_into(folder: Path) -> None:
    assert [name for _, name in find_files([folder / ".git"])] == ["config"]


def test_a_path_that_does_not_exist_is_passed_on_to_fail_on_its_own(folder: Path) -> None:
    assert list(find_files([folder / "nothing"])) == [(folder / "nothing", "nothing")]


def test_links_that_lead_in_a_circle_do_not_hang(folder: Path) -> None:
    (folder / "deep" / "up").symlink_to(folder, target_is_directory=True)
    (folder / "self").symlink_to(folder / "self")
    (folder / "broken").symlink_to(folder / "nowhere")
    (folder / "link.md").symlink_to(folder / "b.md")

    assert [name for _, name in find_files([folder])] == ["a.md", "b.md", "deep/er/c.md", "link.md"]
    assert list(find_files([folder / "self"])) == [(folder / "self", "self")]


def test_a_link_to_a_folder_that_is_named_itself_is_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder / "deep", target_is_directory=True)

    assert [name for _, name in find_files([tmp_path / "link"])] == ["er/c.md"]
