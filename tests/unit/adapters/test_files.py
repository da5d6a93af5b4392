from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.files import empty_folders, find_files

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


def test_a_link_that_leads_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "innocent.txt").symlink_to(tmp_path / "secret.txt")

    assert "innocent.txt" not in [name for _, name in find_files([folder])]
    assert [name for _, name in find_files([folder / "innocent.txt"])] == ["innocent.txt"]


def test_folders_that_programs_fill_are_left_out_unless_named(folder: Path) -> None:
    for name in ("node_modules", "__pycache__"):
        (folder / "deep" / name).mkdir()
        (folder / "deep" / name / "x.js").write_text("x")

    assert [name for _, name in find_files([folder])] == ["a.md", "b.md", "deep/er/c.md"]
    assert [name for _, name in find_files([folder / "deep/node_modules"])] == ["x.js"]


def test_folders_with_nothing_to_index_are_known(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    assert empty_folders([folder, tmp_path / "empty", folder / "a.md", tmp_path / "none"]) == [
        tmp_path / "empty"
    ]


def test_a_link_to_a_folder_that_is_named_itself_is_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder / "deep", target_is_directory=True)

    assert [name for _, name in find_files([tmp_path / "link"])] == ["er/c.md"]
