from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.storage import durability
from pipeline.storage.durability import QUARANTINE, VERSIONS, Health, flush, heal, sync

if TYPE_CHECKING:
    from pathlib import Path

NEWEST = 2**64 - 1


def manifest_of(message: bytes, before: bytes = b"transaction") -> bytes:
    """A file framed as Lance frames its manifests."""
    frame = len(message).to_bytes(4, "little") + message
    footer = len(before).to_bytes(8, "little") + b"\0\0\2\0" + b"LANC"
    return before + frame + footer


WHOLE = manifest_of(b"fields and fragments")


def table_of(root: Path, *manifests: bytes) -> Path:
    """A table with these manifests, version 1 first."""
    table = root / "a.b.c.g1.chunks.lance"
    (table / VERSIONS).mkdir(parents=True)
    for version, data in enumerate(manifests, start=1):
        (table / VERSIONS / f"{NEWEST - version:020}.manifest").write_bytes(data)
    return table


def versions_of(directory: Path) -> list[int]:
    return sorted(NEWEST - int(path.stem) for path in directory.glob("*.manifest"))


def test_whole_manifests_stay_where_they_are(tmp_path: Path) -> None:
    table = table_of(tmp_path, WHOLE, WHOLE)
    assert heal(table) is Health.WHOLE
    assert versions_of(table / VERSIONS) == [1, 2]


@pytest.mark.parametrize("table", ["nothing", "no-versions"])
def test_a_table_without_any_version_is_not_damaged(tmp_path: Path, table: str) -> None:
    (tmp_path / "no-versions" / "data").mkdir(parents=True)
    assert heal(tmp_path / table) is Health.WHOLE


TORN = [
    b"",
    b"LANC",
    WHOLE[: len(WHOLE) // 2],
    bytes(len(WHOLE)),
    WHOLE[:-8] + bytes(8),
    bytes(20) + WHOLE[20:],
    manifest_of(b""),
    manifest_of(b"x" * 3000 + bytes(5000) + b"y" * 3000),
]


@pytest.mark.parametrize("torn", TORN)
def test_torn_manifests_are_set_aside_down_to_the_newest_whole_one(tmp_path: Path, torn: bytes) -> None:
    table = table_of(tmp_path, torn, WHOLE, torn, b"")
    assert heal(table) is Health.HEALED
    assert versions_of(table / VERSIONS) == [1, 2]
    assert versions_of(table / QUARANTINE) == [3, 4]


def test_what_was_healed_once_is_known_at_every_later_look(tmp_path: Path) -> None:
    table = table_of(tmp_path, WHOLE, b"")
    assert [heal(table), heal(table)] == [Health.HEALED, Health.HEALED]


def test_a_table_of_which_nothing_can_be_read_is_lost_and_left_alone(tmp_path: Path) -> None:
    table = table_of(tmp_path, b"", bytes(600))
    assert heal(table) is Health.LOST
    assert versions_of(table / VERSIONS) == [1, 2]


def test_other_files_beside_the_manifests_do_not_matter(tmp_path: Path) -> None:
    table = table_of(tmp_path, WHOLE)
    (table / VERSIONS / "latest_version_hint.json").write_bytes(b"")
    (table / VERSIONS / "00000000000000000000.manifest#1").write_bytes(b"")
    assert heal(table) is Health.WHOLE


@given(message=st.binary(min_size=1, max_size=300), before=st.binary(max_size=300), cut=st.integers(1, 300))
def test_no_proper_beginning_of_a_manifest_passes_for_a_whole_one(
    message: bytes, before: bytes, cut: int
) -> None:
    data = manifest_of(message, before)
    assert durability._is_framed(data)
    assert not durability._is_framed(data[: max(0, len(data) - cut)])


def test_only_new_files_are_flushed_and_manifests_come_last(tmp_path: Path) -> None:
    flushed: list[str] = []

    def flush(path: Path) -> None:
        flushed.append(path.name)

    table = table_of(tmp_path, WHOLE)
    (table / "data").mkdir()
    (table / "data" / "one.lance").write_bytes(b"1")
    known = sync(table, {}, flush=flush)
    assert flushed.index("one.lance") < flushed.index(f"{NEWEST - 1:020}.manifest") < flushed.index("data")
    assert tmp_path.name in flushed
    flushed.clear()
    assert sync(table, known, flush=flush) == known
    assert flushed == []
    (table / "data" / "two.lance").write_bytes(b"2")
    sync(table, known, flush=flush)
    assert "two.lance" in flushed
    assert "one.lance" not in flushed


def test_flushing_reaches_files_and_directories_of_a_real_disk(tmp_path: Path) -> None:
    table = table_of(tmp_path, WHOLE)
    assert list(sync(table, {})) == [table / VERSIONS / f"{NEWEST - 1:020}.manifest"]


def test_flushing_a_file_that_was_pruned_meanwhile_is_fine(tmp_path: Path) -> None:
    flush(tmp_path / "gone.lance")
