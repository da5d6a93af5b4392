"""A third of a megabyte of whatever is worst for a format: read within limits, in bounded pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.sandbox import ParseLimits, Sandbox
from tests.fakes.office import odf

if TYPE_CHECKING:
    from pipeline.ingestion.chunker import Piece

LIMITS = ParseLimits(cpu_seconds=20, wall_seconds=110.0)
LENGTH = 300_000

WORST = {
    "quotes that are escaped and never closed.json": b'"' + b'\\"' * (LENGTH // 2),
    "quotes that are never closed.json": b'"\n' * (LENGTH // 2),
    "nothing but brackets.json": b"[" * LENGTH,
    "one line.json": b'{"a":[' + b'{"b":1},' * (LENGTH // 8) + b"1]}",
    "keys without end.yaml": b"k: v\n" * (LENGTH // 5),
    "entries in entries.yaml": b"- " * (LENGTH // 2),
    "deeper and deeper.yaml": b"".join(b" " * depth + b"k:\n" for depth in range(900)),
    "one word.yaml": b"a" * LENGTH,
    "elements in elements.xml": b"<a>" * (LENGTH // 3),
    "one line.xml": b"<a>" + b"<b/>" * (LENGTH // 4) + b"</a>",
    "brackets.toml": b"[" * LENGTH + b"\n" + b"[a]\n" * (LENGTH // 8),
    "titles.rst": b"Ti\n==\n\n" * (LENGTH // 7),
    "spaces.txt": b"x" + b" " * LENGTH + b"x",
    "one line.js": b"a=1;" * (LENGTH // 4),
    "far from its language.js": b"<a " * (LENGTH // 3),
    "brackets.cpp": b"{(" * (LENGTH // 2),
    "comments above comments.c": b"// c\n" * (LENGTH // 10) + b"int f(){}" * (LENGTH // 20),
    "definitions.rb": b"class A\n" + b"  def f\n" * (LENGTH // 8),
    "an open quote.csv": b'a,b\n"' + b"x,y\n" * (LENGTH // 4),
    "long names of columns.csv": b",".join(b"word " * 500 for _ in range(20))
    + b"\n"
    + (b"1," * 20 + b"\n") * 500,
    "emphasis that is never closed.html": b"<b><i><a>" * (LENGTH // 9) + b"word",
    "tables in tables.html": b"<table><tr><td>" * (LENGTH // 15) + b"word",
    "lists in lists.html": b"<ul><li>entry" * (LENGTH // 13),
    "sections in sections.odt": odf(
        "text", f"{'<text:section>' * LENGTH}<text:p>word</text:p>{'</text:section>' * LENGTH}"
    ),
    "words of a subject.eml": b"From: a@example.com\nSubject: "
    + b"=?utf-8?q?a?= " * (LENGTH // 14)
    + b"\n\nx",
    "parameters of a part.eml": b"From: a\nContent-Type: text/plain"
    + b"; name*0=x" * (LENGTH // 10)
    + b"\n\nx",
    "columns.csv": b"," * LENGTH + b"\nx",
}


@pytest.mark.parametrize("name", WORST)
async def test_no_file_takes_longer_the_worse_it_is(name: str) -> None:
    async with Sandbox() as sandbox:
        pieces: tuple[Piece, ...] = ()
        reason = None
        try:
            pieces = (await sandbox.parse(WORST[name], name, limits=LIMITS)).pieces
        except IngestError as error:
            reason = error.reason

    assert reason in (None, IngestReason.NO_TEXT)
    assert all(len(piece.text) <= LIMITS.chunk.maximum for piece in pieces)
    assert all(len(piece.place.section or "") <= 400 for piece in pieces)
