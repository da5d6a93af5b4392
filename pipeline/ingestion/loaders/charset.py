"""Bytes to text: which encoding it is, and whether it is text at all."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders.formats import supported

SAMPLE_BYTES = 64 * 1024
"""How much the detector reads: more changes no verdict and costs 10 ms a kilobyte."""
MAX_CONTROL_SHARE = 0.002
"""Text has no control characters but a stray one; binary data read as Latin-1 has 3 % and more."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What a label means in practice, see https://encoding.spec.whatwg.org/#names-and-labels
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def decode(data: bytes, *, declared: str | None = None) -> str:
    """Return the text, its lines ended by line feeds only.

    *declared* is what the file says of itself; a byte order mark and valid UTF-8 are stronger evidence.
    Raises `IngestError` (UNSUPPORTED_TYPE) for data that is not text in any encoding.
    """
    text = data.decode(_encoding(data, declared), errors="replace")
    if len(_CONTROL.findall(text[:SAMPLE_BYTES])) > MAX_CONTROL_SHARE * min(len(text), SAMPLE_BYTES) + 1:
        raise _refusal()
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _encoding(data: bytes, declared: str | None) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding
    if b"\0" in data[:SAMPLE_BYTES]:
        return _wide(data)
    known = _known(declared)
    if known == "iso2022_jp" or (b"\x1b$" in data and _is(data, "iso2022_jp")):
        return "iso2022_jp"
    if _is(data, "utf-8"):
        return "utf-8"
    return known or _detected(data)


def _wide(data: bytes) -> str:
    """UTF-16 without a mark shows as zero bytes in every other place, for all scripts' spaces and digits."""
    sample = data[:SAMPLE_BYTES]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 10 * even and _is(data, "utf-16-le"):
        return "utf-16-le"
    if even > 10 * odd and _is(data, "utf-16-be"):
        return "utf-16-be"
    raise _refusal()


def _known(label: str | None) -> str | None:
    try:
        name = codecs.lookup((label or "").strip()).name
    except LookupError:
        return None
    return _SUPERSETS.get(name, name)


def _is(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _detected(data: bytes) -> str:
    sample = data
    if len(data) > SAMPLE_BYTES:
        # cut after a line, so as not to cut a character in two
        sample = data[: data.rfind(b"\n", 0, SAMPLE_BYTES) + 1] or data[:SAMPLE_BYTES]
    best = from_bytes(sample).best()
    if best is None:
        raise _refusal()
    return _SUPERSETS.get(codecs.lookup(best.encoding).name, best.encoding)


def _refusal() -> IngestError:
    return IngestError(
        IngestReason.UNSUPPORTED_TYPE, f"The file holds no text that could be read. {supported()}"
    )
