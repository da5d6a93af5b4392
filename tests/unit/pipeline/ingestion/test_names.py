from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.errors import IngestError
from pipeline.ingestion.names import harmless
from pipeline.ingestion.sources import LocalFiles

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Übersicht 表.md", "Übersicht 表.md"),
        ("a\nb\r\u2028c.md", "a b c.md"),
        ("\u202egpj.exe", "gpj.exe"),
        ("\udcff\udcfe.md", "\ufffd\ufffd.md"),
        ("\n\u2067", "unnamed"),
        ("/", "unnamed"),
        ("./", "unnamed"),
    ],
)
def test_a_name_is_one_line_of_text_in_the_order_it_is_written(name: str, shown: str) -> None:
    assert harmless(name) == shown


async def test_a_file_whose_name_is_no_text_is_read_and_one_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xfe.md")
    try:
        path.write_bytes(b"# Tea")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    files = LocalFiles(max_bytes=100)

    assert await files.fetch(path.as_uri()) == b"# Tea"
    path.unlink()
    with pytest.raises(IngestError, match="is not a file"):
        await files.fetch(path.as_uri())
