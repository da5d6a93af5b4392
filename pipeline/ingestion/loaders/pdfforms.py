"""What people filled into the form of a PDF, which stands beside the text of its pages."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pypdfium2 import PdfiumError, raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


MAX_FIELDS: Final = 500
"""Of one page; a page that is nothing but boxes to tick has some three hundred."""
MAX_VALUE_CHARS: Final = 50_000
MAX_LABEL_CHARS: Final = 100
REACH: Final = 200.0
"""How far beside a field its label may begin, in points: a third of a page."""

_PASSWORD: Final = 1 << 13
"""A text field's flag for what is not to be shown, ISO 32000-1, table 228."""
_TICKED: Final = frozenset({raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON})
_CHOSEN: Final = frozenset({raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX})


def prepare(document: Any) -> None:
    """Make a document's form readable, before any of its pages is opened; most documents have none."""
    try:
        document.init_forms()
    except PdfiumError:
        document.formenv = None  # a form that is damaged is none


def filled_in(document: Any, page: Any, content: Any) -> list[str]:
    """Return a line for each field of *page* that says something: ``Town: Rome``, ``[x] Vegetarian``.

    A field is called what it says of itself, else what stands beside it on the page, whose text is *content*.
    """
    if document.formenv is None:
        return []
    count = min(raw.FPDFPage_GetAnnotCount(page), MAX_FIELDS)
    lines = (_line(document.formenv, page, index, content) for index in range(count))
    return [line for line in lines if line]


def _line(form: Any, page: Any, index: int, content: Any) -> str:
    with _annotation(page, index) as field:
        kind = raw.FPDFAnnot_GetFormFieldType(form, field) if field else raw.FPDF_FORMFIELD_UNKNOWN
        if kind in _TICKED:
            label = _beside(content, field, right=True) or _name(form, field)
            return f"[{'x' if raw.FPDFAnnot_IsChecked(form, field) else ' '}] {label}" if label else ""
        if kind in _CHOSEN:
            value = ", ".join(_choices(form, field)) or _read(raw.FPDFAnnot_GetFormFieldValue, form, field)
        elif kind == raw.FPDF_FORMFIELD_TEXTFIELD and not _is_secret(form, field):
            value = _read(raw.FPDFAnnot_GetFormFieldValue, form, field)
        else:
            return ""
        label = _read(raw.FPDFAnnot_GetFormFieldAlternateName, form, field) or _beside(content, field)
        return f"{(label or _name(form, field)).rstrip(' :_.')}: {value}" if value else ""


@contextmanager
def _annotation(page: Any, index: int) -> Iterator[Any]:
    found = raw.FPDFPage_GetAnnot(page, index)
    try:
        yield found
    finally:
        if found:
            raw.FPDFPage_CloseAnnot(found)


def _is_secret(form: Any, field: Any) -> bool:
    return bool(raw.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD)


def _choices(form: Any, field: Any) -> list[str]:
    count = min(raw.FPDFAnnot_GetOptionCount(form, field), MAX_FIELDS)
    return [
        _read(raw.FPDFAnnot_GetOptionLabel, form, field, option)
        for option in range(count)
        if raw.FPDFAnnot_IsOptionSelected(form, field, option)
    ]


def _name(form: Any, field: Any) -> str:
    return _read(raw.FPDFAnnot_GetFormFieldAlternateName, form, field) or _read(
        raw.FPDFAnnot_GetFormFieldName, form, field
    )


def _read(get: Callable[..., int], *of: Any) -> str:
    """Return a text on one line, "" where it is longer than people write; sizes of buffers are in bytes."""
    size = get(*of, None, 0)
    if not 0 < size <= 2 * MAX_VALUE_CHARS:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    get(*of, buffer, size)
    return " ".join(bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").split())


def _beside(content: Any, field: Any, *, right: bool = False) -> str:
    """Return the text on the line of *field*, to its left or to its *right*, as far as a label may be."""
    area = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(field, area):
        return ""
    left, end = (area.right, area.right + REACH) if right else (area.left - REACH, area.left)
    text = " ".join(content.get_text_bounded(left=left, bottom=area.bottom, right=end, top=area.top).split())
    return text if len(text) <= MAX_LABEL_CHARS else ""
