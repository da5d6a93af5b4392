"""PDF pages that are pictures, as a scanner makes them: no test needs a paper of somebody's."""

from __future__ import annotations

import io
import zlib
from contextlib import closing
from typing import TYPE_CHECKING

import pypdfium2

from tests.fakes.documents import pdf

if TYPE_CHECKING:
    from collections.abc import Sequence

DOTS = 2.0
"""Scale of the pictures: 144 dots an inch."""


def scan(pages: Sequence[str], *, typed: Sequence[str] = ()) -> bytes:
    """Write a PDF whose pages are pictures of these texts; *typed* are ordinary pages before them."""
    with closing(pypdfium2.PdfDocument(pdf(typed or [""]))) as document:
        if not typed:
            document.del_page(0)
        for picture in map(_picture, pages):
            with closing(pypdfium2.PdfDocument(picture)) as page:
                document.import_pages(page)
        return _saved(document)


def _saved(document: pypdfium2.PdfDocument) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _picture(text: str) -> bytes:
    with closing(pypdfium2.PdfDocument(pdf([text]))) as document, closing(document[0]) as page:
        bitmap = page.render(scale=DOTS, grayscale=True)
        width, height, pixels = bitmap.width, bitmap.height, bytes(bitmap.buffer)
    rows = b"".join(pixels[row * bitmap.stride : row * bitmap.stride + width] for row in range(height))
    packed = zlib.compress(rows)
    drawing = b"q 612 0 0 792 0 0 cm /Im0 Do Q"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</Im0 5 0 R>>>>"
        b"/Contents 4 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawing), drawing),
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8"
        b"/Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (width, height, len(packed), packed),
    ]
    return assembled(objects)


def assembled(objects: Sequence[bytes]) -> bytes:
    """Number *objects* from 1 and write the table that says where each begins; the first is the root."""
    body, offsets = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer
