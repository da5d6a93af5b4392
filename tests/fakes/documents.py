"""Small files of every format, written byte by byte: no test needs a file that somebody else made."""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_FILE_ID = b"0123456789abcdef"
_PERMISSIONS = -44
_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def pdf(
    pages: Sequence[str],
    *,
    outline: Sequence[tuple[str, int]] = (),
    password: str | None = None,
    fields: Sequence[tuple[int, str]] = (),
    labels: str = "",
) -> bytes:
    """Write a PDF with one line of text for each line of a page; *outline* gives titles and pages from 1.

    *fields* are those of a form: page and entries, ``(1, "/FT/Tx/T(Town)/V(Rome)/Rect[100 700 300 720]")``.
    *labels* is a number tree of page labels, ``0<</S/r>>2<</S/D>>`` for i, ii, 1, 2 (ISO 32000-1, 12.4.2).
    A *password*, even an empty one, encrypts it (RC4, 40 bits, ISO 32000-1, 7.6.3).
    """
    first_page, count = 5, len(pages)
    kids = b" ".join(b"%d 0 R" % (first_page + 2 * index) for index in range(count))
    first_field = first_page + 2 * count + len(outline)
    widgets = [b"%d 0 R" % (first_field + index) for index in range(len(fields))]
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R%s%s>>"
        % (b"/PageLabels<</Nums[%s]>>" % labels.encode() if labels else b"", _form(widgets)),
        2: b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
        3: _FONT,
    }
    for index, text in enumerate(pages):
        number = first_page + 2 * index
        objects[number] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]"
            b"/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R/Annots[%s]>>"
            % (
                number + 1,
                b" ".join(w for w, (page, _) in zip(widgets, fields, strict=True) if page == index + 1),
            )
        )
        objects[number + 1] = _stream(_drawn(text), number + 1, password)
    objects |= _outline(outline, first_page, first_page + 2 * count)
    for index, (_, entries) in enumerate(fields):
        widget = f"<</Type/Annot/Subtype/Widget{entries}>>"
        objects[first_field + index] = widget.encode("cp1252")
    return _assembled(objects, password)


def _form(widgets: list[bytes]) -> bytes:
    return b"/AcroForm<</Fields[%s]/NeedAppearances true>>" % b" ".join(widgets) if widgets else b""


def _drawn(text: str) -> bytes:
    lines = [
        b"(%s) Tj T*"
        % line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        for line in text.split("\n")
    ]
    return b"BT /F1 11 Tf 14 TL 50 740 Td\n" + b"\n".join(lines) + b"\nET" if text else b""


def _stream(content: bytes, number: int, password: str | None) -> bytes:
    if password is not None:
        key = hashlib.md5(
            _key(password) + number.to_bytes(3, "little") + b"\0\0", usedforsecurity=False
        ).digest()
        content = _rc4(key[:10], content)
    return b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)


def _outline(entries: Sequence[tuple[str, int]], first_page: int, first: int) -> dict[int, bytes]:
    numbers = [first + index for index in range(len(entries))]
    if not entries:
        return {4: b"<</Type/Outlines>>"}
    objects = {
        4: b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>" % (first, numbers[-1], len(numbers))
    }
    for number, (title, page) in zip(numbers, entries, strict=True):
        following = b"/Next %d 0 R" % (number + 1) if number != numbers[-1] else b""
        objects[number] = b"<</Title(%s)/Parent 4 0 R/Dest[%d 0 R/Fit]%s>>" % (
            title.encode("cp1252"),
            first_page + 2 * (page - 1),
            following,
        )
    return objects


def _assembled(objects: dict[int, bytes], password: str | None) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = {}
    for number, body in sorted(objects.items()):
        offsets[number] = out.tell()
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start, size = out.tell(), max(objects) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % size)
    out.writelines(b"%010d 00000 n \n" % offsets[number] for number in range(1, size))
    out.write(
        b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (size, _encryption(password), start)
    )
    return out.getvalue()


def _encryption(password: str | None) -> bytes:
    if password is None:
        return b""
    user = _rc4(_key(password), _PADDING)
    return b"/ID[<%s><%s>]/Encrypt<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P %d>>" % (
        _FILE_ID.hex().encode(),
        _FILE_ID.hex().encode(),
        _owner_entry().hex().encode(),
        user.hex().encode(),
        _PERMISSIONS,
    )


def _owner_entry() -> bytes:
    key = hashlib.md5((b"owner" + _PADDING)[:32], usedforsecurity=False).digest()[:5]
    return _rc4(key, _PADDING)


def _key(password: str) -> bytes:
    padded = (password.encode() + _PADDING)[:32]
    permissions = _PERMISSIONS.to_bytes(4, "little", signed=True)
    return hashlib.md5(padded + _owner_entry() + permissions + _FILE_ID, usedforsecurity=False).digest()[:5]


def _rc4(key: bytes, data: bytes) -> bytes:
    state, swap = list(range(256)), 0
    for index in range(256):
        swap = (swap + state[index] + key[index % len(key)]) % 256
        state[index], state[swap] = state[swap], state[index]
    first = second = 0
    out = bytearray()
    for byte in data:
        first = (first + 1) % 256
        second = (second + state[first]) % 256
        state[first], state[second] = state[second], state[first]
        out.append(byte ^ state[(state[first] + state[second]) % 256])
    return bytes(out)


def docx(*paragraphs: tuple[str, str] | Sequence[Sequence[str]]) -> bytes:
    """Write a Word document of (style, text) paragraphs and of tables, which are lists of rows."""
    body = "".join(
        _paragraph(str(part[0]), str(part[1])) if isinstance(part, tuple) else _table(part)
        for part in paragraphs
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/></w:style>'
        for level in (1, 2, 3)
    )
    return archive(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": _relation("officeDocument", "word/document.xml"),
            "word/_rels/document.xml.rels": _relation("styles", "styles.xml"),
            "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{styles}</w:styles>',
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
        }
    )


def _paragraph(style: str, text: str) -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    cells = ("".join(f"<w:tc>{_paragraph('', cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def _relation(kind: str, target: str) -> str:
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    relation = f'<Relationship Id="r1" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{namespace}">{relation}</Relationships>'


def archive(members: dict[str, str | bytes]) -> bytes:
    """Write a zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as container:
        for name, content in members.items():
            container.writestr(name, content)
    return out.getvalue()


def zip_bomb() -> bytes:
    """Write a Word document of a few kilobytes that unpacks to 12 MB."""
    return archive({"word/document.xml": b" " * 12_000_000})


def encrypted_office() -> bytes:
    """Write the beginning of an office file that is protected by a password."""
    return bytes.fromhex("D0CF11E0A1B11AE1") + bytes(512) + "EncryptedPackage".encode("utf-16-le")
