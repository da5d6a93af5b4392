"""PDF by pdfium: text page by page, sections where the document brings an outline."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pypdfium2
from pypdfium2 import raw

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Block, Headings, Loaded, Upload
from pipeline.ingestion.loaders import pdfforms
from pipeline.ingestion.loaders.recognition import Recognizer
from pipeline.ingestion.loaders.reflow import reflow
from pipeline.ingestion.loaders.repair import rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_CHARS = 20_000_000
"""Of all pages: the pieces of a document hold no more."""
MAX_OUTLINE_ENTRIES = 5_000
MAX_ENTRIES_A_PAGE = 50
"""Each is searched for in the page's text; an outline with more on one page names every paragraph."""
_LABEL = re.compile(r"[^\W_](?:[^\W_]|[.\- /]){0,19}")
"""Anything else is no number of a page, and might be meant for whoever shows it."""
MAX_STAMP_CHARS = 60
"""What a scanning app writes on every page ("Scanned with …", a page number) is shorter."""

_DIGITS_AND_SPACE = re.compile(r"[\d\s]+")
_ONLY_PICTURES = "The document has no text layer, only pictures of its pages"
SWITCHED_OFF: Final = (
    f"{_ONLY_PICTURES}. Upload one with text, which a scanner's text recognition (OCR) makes; or whoever "
    "runs me installs the extra 'ocr' and sets FOOTNOTE_INGESTION__OCR, and I recognise it myself."
)
NOT_INSTALLED: Final = (
    f"{_ONLY_PICTURES}, and the text recognition that is switched on is not installed: add the extra 'ocr', "
    "or upload a document with text."
)
NOTHING_RECOGNISED: Final = (
    f"{_ONLY_PICTURES}, and text recognition found none on them; upload a sharper scan, or one with text."
)


def load(upload: Upload) -> Loaded:
    """Read every page that can be read; `Block.page` is its number, `page_label` what the file calls it.

    Raises `IngestError`: ENCRYPTED, CORRUPT, TOO_MANY_PAGES, NO_TEXT.
    """
    try:
        return _read(upload.data, upload)
    except IngestError as error:
        mended = rebuilt(upload.data) if error.reason is IngestReason.CORRUPT else None
        if mended is None:
            raise
        return _read(mended, upload)


def _read(data: bytes, upload: Upload) -> Loaded:
    with closing(_open(data)) as document:
        pdfforms.prepare(document)
        count = len(document)
        if count > upload.max_pages:
            raise IngestError(
                IngestReason.TOO_MANY_PAGES,
                f"The document has {count:,} pages; at most {upload.max_pages:,} can be read. Split it.",
            )
        texts = _texts(document, count)
        if all(text is None for text in texts):
            raise _damaged()
        pages = [text or "" for text in texts]
        scanned = _is_scan(pages)
        if upload.recognize:
            pages = _recognized(document, [""] * count if scanned else pages, upload.recognize)
        if not any(page.strip() for page in pages) or (scanned and not upload.recognize):
            message = NOTHING_RECOGNISED if upload.recognize else SWITCHED_OFF
            raise IngestError(IngestReason.NO_TEXT, message)
        blocks = tuple(_blocks(pages, _outline(document)))
        if upload.page_labels:
            blocks = tuple(_labelled(document, blocks))
    return Loaded(kind="PDF", blocks=blocks, pages=count, blank_pages=sum(not page.strip() for page in pages))


def _recognized(document: Any, pages: list[str], most: int) -> list[str]:
    """Fill the pages that have no text with what can be recognised in their pictures.

    Without the recogniser the pages stay as they are, unless none has any text: that is an `IngestError`.
    """
    recognizer = Recognizer(most)
    try:
        return [
            page if page.strip() else _picture(document, index, recognizer)
            for index, page in enumerate(pages)
        ]
    except ImportError as exc:
        if any(page.strip() for page in pages):
            return pages
        raise IngestError(IngestReason.NO_TEXT, NOT_INSTALLED) from exc


def _picture(document: Any, index: int, recognizer: Recognizer) -> str:
    try:
        with closing(document[index]) as page:
            return reflow(recognizer.read(page))
    except pypdfium2.PdfiumError:
        return ""


def _open(data: bytes) -> Any:
    """Open with the empty password, which is what "may be read but not changed" means."""
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as exc:
        if exc.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise IngestError(
                IngestReason.ENCRYPTED, "The document is protected by a password; upload a copy without one."
            ) from exc
        raise _damaged() from exc


def _damaged() -> IngestError:
    return IngestError(
        IngestReason.CORRUPT, "The document is damaged or incomplete; export it again and upload that."
    )


def _texts(document: Any, count: int) -> list[str | None]:
    """Return the text of each page; more than a document may hold is an `IngestError` before all is read."""
    texts: list[str | None] = []
    left = MAX_CHARS
    for index in range(count):
        texts.append(text := _text(document, index))
        left -= len(text or "")
        if left < 0:
            raise IngestError(
                IngestReason.TOO_LARGE, "The document holds more text than one may; upload it in parts."
            )
    return texts


def _text(document: Any, index: int) -> str | None:
    """Return a page's text in reading order, one line for each paragraph, then what is filled into its form.

    None if the page is damaged.
    """
    try:
        with closing(document[index]) as page, closing(page.get_textpage()) as content:
            fields = pdfforms.filled_in(document, page, content)
            return "\n".join(filter(None, (reflow(str(content.get_text_range())), *fields)))
    except pypdfium2.PdfiumError:
        return None


def _is_scan(pages: list[str]) -> bool:
    """No text at all, or on every page of several the same short stamp."""
    if not any(page.strip() for page in pages):
        return True
    stamps = {_DIGITS_AND_SPACE.sub("", page) for page in pages}
    return len(pages) > 1 and len(stamps) == 1 and len(stamps.pop()) <= MAX_STAMP_CHARS


def _outline(document: Any) -> dict[int, list[tuple[int, str]]]:
    """Return level and title of the outline's entries, by page (from 0)."""
    entries: dict[int, list[tuple[int, str]]] = {}
    for _, bookmark in zip(range(MAX_OUTLINE_ENTRIES), document.get_toc(), strict=False):
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        heading = " ".join(bookmark.get_title().split())
        if index is not None and heading and len(entries.setdefault(index, [])) < MAX_ENTRIES_A_PAGE:
            entries[index].append((bookmark.level, heading))
    return entries


def _blocks(pages: list[str], outline: dict[int, list[tuple[int, str]]]) -> Iterator[Block]:
    """Cut each page where a heading of the outline stands in its text."""
    headings = Headings()
    for index, text in enumerate(pages):
        start = 0
        for level, heading in outline.get(index, ()):
            found = _find(heading, text, start)
            if found is not None and text[start:found].strip():
                yield Block(text=text[start:found].strip(), page=index + 1, path=headings.path)
                start = found
            headings.enter(level, heading)
        if text[start:].strip():
            yield Block(text=text[start:].strip(), page=index + 1, path=headings.path)


def _labelled(document: Any, blocks: Iterable[Block]) -> Iterator[Block]:
    """Say of each block what its page is called, where that is not its number."""
    for block in blocks:
        yield replace(block, page_label=_label(document, block.page or 1))


def _label(document: Any, number: int) -> str | None:
    label = str(document.get_page_label(number - 1)).strip()
    return label if label != str(number) and _LABEL.fullmatch(label) else None


def _find(heading: str, text: str, start: int) -> int | None:
    """Look for a heading at the beginning of a line, however its words are spaced and numbered."""
    words = r"\s*".join(re.escape(word) for word in heading.split())
    match = re.compile(rf"^[ \t]*(?:[\dIVX.]+\s+)?{words}", re.IGNORECASE | re.MULTILINE).search(text, start)
    return match.start() if match else None
