"""A small whole file of every format that can be read, by its name."""

from __future__ import annotations

import io
import json
import tarfile
from email.message import EmailMessage
from typing import TYPE_CHECKING

from tests.fakes.documents import archive, docx, pdf
from tests.fakes.office import Deck, epub, odf, xlsx
from tests.fakes.scans import scan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xlsxwriter import Workbook

TEXT = "Refunds are paid within five working days.\n\nWhoever travels by train books the cheaper fare.\n"
CODE = {
    "tool.py": 'import os\n\n\nclass Tool:\n    """It."""\n\n    def run(self, x):\n        return x + 1\n',
    "tool.js": "export class Tool {\n  run(x) { return x + 1 }\n}\nfunction other() {}\n",
    "tool.ts": "interface A { b: string }\nexport const f = (a: A): string => a.b\n",
    "tool.go": "package main\n\ntype T struct{ a int }\n\nfunc (t T) Run() int { return t.a }\n",
    "Tool.java": "public class Tool {\n  int run(int x) { return x + 1; }\n}\n",
    "tool.cpp": "namespace a {\nclass T { int run(int x) { return x; } };\n}\n#ifdef B\nint c();\n#endif\n",
    "tool.rs": "pub struct T { a: i32 }\nimpl T {\n    fn run(&self) -> i32 { self.a }\n}\n",
    "tool.sql": "CREATE TABLE users (id int, name text);\nSELECT * FROM users WHERE id = 1;\n",
    "tool.rb": "class Tool\n  def run(x)\n    x + 1\n  end\nend\n",
}


def tarred(members: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    """Write a tar file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as container:  # type: ignore[call-overload]  # a mode of any kind
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            container.addfile(info, io.BytesIO(content))
    return out.getvalue()


def notebook() -> bytes:
    """Write a notebook of one cell of each kind."""
    cells = [
        {"cell_type": "markdown", "source": ["# Costs\n", "\n", "What it costs.\n"]},
        {
            "cell_type": "code",
            "source": "print(6 * 7)",
            "outputs": [{"output_type": "stream", "text": ["42\n"]}],
        },
    ]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def mail() -> bytes:
    """Write a mail with an attachment."""
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "The plan", "ann@example.org", "bob@example.org"
    message.set_content(TEXT)
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="table.csv")
    return bytes(message)


def _fill(book: Workbook) -> None:
    sheet = book.add_worksheet("Prices")
    for row, cells in enumerate([("plan", "price"), ("basic", 5), ("team", 12.5)]):
        sheet.write_row(row, 0, cells)


def seeds() -> dict[str, bytes]:
    """Return the files."""
    pages = ["Preface\nBefore all else.\nOne\nThe first part.", "Two\nThe second part."]
    records = [{"name": f"plan {number}", "price": number, "text": TEXT} for number in range(30)]
    html = f"<!doctype html><title>Plan</title><h1>Plan</h1><p>{TEXT}</p><table><tr><td>a<td>b</table>"
    return {
        "paper.pdf": pdf(pages, outline=[("Preface", 1), ("One", 1), ("Two", 2)]),
        "locked.pdf": pdf(pages, password=""),
        "scan.pdf": scan([TEXT], typed=["Typed."]),
        "terms.docx": docx(("Heading1", "Terms"), ("", TEXT), [["plan", "price"], ["basic", "5"]]),
        "deck.pptx": Deck().add("Goals", (0, "Grow"), notes="Say it slowly.").table(["a", "b"]).save(),
        "prices.xlsx": xlsx(_fill),
        "letter.odt": odf("text", f'<text:h text:outline-level="1">Letter</text:h><text:p>{TEXT}</text:p>'),
        "book.epub": epub({"one.xhtml": f"<html><body><h1>One</h1><p>{TEXT}</p></body></html>"}),
        "plan.eml": mail(),
        "plan.html": html.encode(),
        "plan.md": f"---\ntitle: x\n---\n# Plan\n\n{TEXT}\n- a\n- b\n\n| a | b |\n|---|---|\n".encode(),
        "plan.rst": f"Plan\n====\n\n{TEXT}\n.. code-block:: c\n\n   x = 1\n\nPart\n----\n\nMore.\n".encode(),
        "plan.txt": TEXT.encode("utf-16"),
        "plan-ja.txt": "返金は五日以内に行われます。\n会議は月曜日です。\n".encode("cp932"),
        "table.csv": ("id;note\n" + '1;"two\nlines"\n' * 20).encode("cp1252"),
        "data.json": json.dumps({"plans": records}, indent=1).encode(),
        "packed.json": json.dumps({"plans": records}).encode(),
        "data.jsonl": "\n".join(map(json.dumps, records)).encode(),
        "data.yaml": f"plans:\n  - name: basic\n    price: 5\n    text: |\n      {TEXT.strip()}\n".encode()
        * 9,
        "data.xml": b"<?xml version='1.0' encoding='utf-8'?><plans>"
        + b"<plan id='basic'><p>Five days.</p></plan>\n" * 40
        + b"</plans>",
        "data.toml": b'# all\n[tool]\na = 1\n\n[tool.more]\nb = """\n[no]\n"""\n' * 9,
        "work.ipynb": notebook(),
        "bundle.zip": archive({"a/plan.md": TEXT, "b.pdf": pdf(pages), "c.png": b"\x89PNG\r\n\x1a\n"}),
        "bundle.tgz": tarred({"a/plan.md": TEXT.encode(), "inner.zip": archive({"x.txt": TEXT})}),
        "bundle.tar.xz": tarred({"a/plan.md": TEXT.encode()}, "w:xz"),
        "bundle.tar": tarred({"a/plan.md": TEXT.encode()}, "w"),
        **{name: text.encode() for name, text in CODE.items()},
    }
