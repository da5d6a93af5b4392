from __future__ import annotations

import json
from typing import Any

from pipeline.ingestion.blocks import Kind
from pipeline.ingestion.loaders import load
from pipeline.ingestion.loaders.notebook import MAX_OUTPUT_CHARS

PICTURE = {
    "output_type": "display_data",
    "data": {"image/png": "iVBORw0KGgo" * 50, "text/plain": ["<Figure>"]},
}


def read(*cells: dict[str, Any], **notebook: Any) -> list[tuple[str, tuple[str, ...], Kind]]:
    data = json.dumps({"cells": list(cells), "nbformat": 4, **notebook}).encode()
    return [(block.text, block.path, block.kind) for block in load(data, "work.ipynb").blocks]


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def test_headings_of_one_cell_stand_over_the_cells_after_it() -> None:
    found = read(
        {"cell_type": "markdown", "source": ["# Costs\n", "\n", "What it costs.\n", "## Rent"]},
        code("rent = 6 * 7"),
        {"cell_type": "markdown", "source": "# Next"},
        {"cell_type": "raw", "source": "as it is"},
    )

    assert found == [
        ("# Costs", ("Costs",), Kind.HEADING),
        ("What it costs.", ("Costs",), Kind.TEXT),
        ("## Rent", ("Costs", "Rent"), Kind.HEADING),
        ("rent = 6 * 7", ("Costs", "Rent"), Kind.CODE),
        ("# Next", ("Next",), Kind.HEADING),
        ("as it is", ("Next",), Kind.TEXT),
    ]


def test_what_came_out_as_text_is_read_and_pictures_are_not() -> None:
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'rent'", "traceback": ["\x1b[0;31m…"]}
    found = read(code("x", {"output_type": "stream", "text": ["42\n"]}, PICTURE, error))

    assert [text for text, _, _ in found] == ["x", "Output:\n42\n\n<Figure>\nKeyError: 'rent'"]


def test_of_a_long_output_the_beginning_is_read() -> None:
    (_, (text, _, _)) = read(code("x", {"output_type": "stream", "text": "1234567\n" * 10_000}))

    assert len(text) < MAX_OUTPUT_CHARS + 20


def test_notebooks_of_before_version_4_are_read() -> None:
    sheet = {
        "cells": [
            {"cell_type": "heading", "level": 2, "source": ["Part"]},
            {"cell_type": "code", "input": ["x = 1"], "outputs": [{"output_type": "pyout", "text": ["1"]}]},
        ]
    }
    data = json.dumps({"worksheets": [sheet], "nbformat": 3}).encode()

    blocks = load(data, "old.ipynb").blocks

    assert [(block.text, block.path) for block in blocks] == [
        ("Part", ("Part",)),
        ("x = 1", ("Part",)),
        ("Output:\n1", ("Part",)),
    ]


def test_a_file_that_is_no_notebook_inside_is_read_as_what_it_is() -> None:
    for text in ('{"cells": 1}', "[1, 2]", '{"cells": [', "just words"):
        assert load(text.encode(), "work.ipynb").blocks[0].text == text
