"""Build the handbook's PDF from its Markdown text: the same bytes on every machine, no library needed.

Run ``python scripts/pdf.py`` after a change of ``scripts/benefits.md``.
Pages break at ``---`` and where one is full.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "scripts" / "benefits.md"
TARGET = ROOT / "examples" / "handbook" / "benefits-guide.pdf"

WIDTH, HEIGHT, MARGIN = 595, 842, 64  # A4 in points
SIZES = {"# ": (20, True), "## ": (14, True), "### ": (11, True), "": (10.5, False)}
# Widths of Helvetica from space to "~", in thousandths of the font size, from Adobe's font metrics.
HELVETICA = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 "
    "556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 "
    "667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 "
    "556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
WIDTHS = dict(zip(map(chr, range(32, 127)), map(int, HELVETICA.split()), strict=True))

Line = tuple[str, float, bool]  # text, size in points, bold


def measure(text: str, size: float) -> float:
    """Return the width of *text* in points; the caller takes bold as a tenth wider."""
    return sum(WIDTHS.get(letter, 556) for letter in text) * size / 1000


def wrap(text: str, size: float, *, bold: bool) -> list[str]:
    """Break *text* into lines that fit between the margins."""
    room = (WIDTH - 2 * MARGIN) / (1.1 if bold else 1)
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if measure(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def typeset(paragraph: str) -> list[Line]:
    """Return the lines of one paragraph in its size; an empty one stands before a heading."""
    mark = next(mark for mark in SIZES if paragraph.startswith(mark))
    size, bold = SIZES[mark]
    lines: list[Line] = [(line, size, bold) for line in wrap(paragraph.removeprefix(mark), size, bold=bold)]
    return [("", size, bold), *lines] if mark else lines


def paginate(text: str) -> list[list[Line]]:
    """Return pages of lines; one ends at ``---`` and where the next line would leave it."""
    pages: list[list[Line]] = [[]]
    left = room = HEIGHT - 2.5 * MARGIN
    for paragraph in filter(None, map(str.strip, text.splitlines())):
        for line in [] if paragraph == "---" else typeset(paragraph):
            if left < leading(line):
                pages.append([])
                left = room
            pages[-1].append(line)
            left -= leading(line)
        if paragraph == "---":
            pages.append([])
            left = room
    return pages


def leading(line: Line) -> float:
    """Return the distance to the next line, in points."""
    return line[1] * 1.45


def show(text: str, size: float, *, bold: bool, x: float, y: float) -> bytes:
    """Return the operators that write one line at a place."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    font = "F2" if bold else "F1"
    return f"BT /{font} {size} Tf {x:.1f} {y:.1f} Td ({escaped}) Tj ET\n".encode("cp1252")


def draw(page: list[Line], footer: str) -> bytes:
    """Return the operators of one page, with its footer."""
    y: float = HEIGHT - MARGIN
    content = b""
    for line in page:
        y -= leading(line)
        content += show(line[0], line[1], bold=line[2], x=MARGIN, y=y)
    return content + show(footer, 8, bold=False, x=MARGIN, y=MARGIN / 2)


def stream(content: bytes) -> bytes:
    """Wrap *content* into a stream object, uncompressed: compressors differ from machine to machine."""
    return f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def font(name: str) -> bytes:
    """Name one of the fonts that every reader has."""
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()


def build(text: str) -> bytes:
    """Return the whole file. It carries no date and no random id: equal text gives equal bytes."""
    pages = paginate(text)
    title = text.splitlines()[0].removeprefix("# ")
    numbers = [6 + 2 * index for index in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font("Helvetica"),
        font("Helvetica-Bold"),
        f"<< /Title ({title}) >>".encode(),
    ]
    for index, page in enumerate(pages):
        fonts = "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>"
        content = f"/MediaBox [0 0 {WIDTH} {HEIGHT}] {fonts} /Contents {numbers[index] + 1} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R {content} >>".encode())
        objects.append(stream(draw(page, f"Pellwright - {title} - page {index + 1} of {len(pages)}")))
    return assemble(objects)


def assemble(objects: list[bytes]) -> bytes:
    """Give the *objects* their numbers, and append the table that says where each of them begins."""
    body, offsets = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, item in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n".encode() + item + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


if __name__ == "__main__":
    TARGET.write_bytes(build(SOURCE.read_text(encoding="utf-8")))
