"""Files of Office before 2007, written byte by byte: the container, and a workbook in it."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SECTOR = 512
_SMALLEST_STREAM = 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_NONE = 0xFFFFFFFF
_WORKBOOK, _SHEET = 0x0005, 0x0010


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Write an OLE compound file with these streams, at most three of 30 KB altogether."""
    padded = {name: data.ljust(_SMALLEST_STREAM, b"\0") for name, data in streams.items()}
    counts = [-(-len(data) // _SECTOR) for data in padded.values()]
    table, starts = [_FAT, _END], []
    for count in counts:
        starts.append(len(table))
        table += [*range(len(table) + 1, len(table) + count), _END]
    entries = [_entry("Root Entry", 5, _END, 0, child=1)]
    for index, (name, start) in enumerate(zip(padded, starts, strict=True), start=1):
        entries.append(
            _entry(name, 2, start, len(padded[name]), right=index + 1 if index < len(padded) else _NONE)
        )
    header = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, _END, 0, _END, 0)
    header += struct.pack("<109I", 0, *[_FREE] * 108)
    fat = struct.pack("<128I", *table, *[_FREE] * (128 - len(table)))
    body = b"".join(
        data.ljust(count * _SECTOR, b"\0") for data, count in zip(padded.values(), counts, strict=True)
    )
    return header + fat + b"".join(entries).ljust(_SECTOR, b"\0") + body


def _entry(name: str, kind: int, start: int, size: int, *, right: int = _NONE, child: int = _NONE) -> bytes:
    raw = name.encode("utf-16-le")
    head = raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw) + 2, kind, 1)
    return head + struct.pack("<III36xIQ", _NONE, right, child, start, size)


def xls(sheets: Mapping[str, Sequence[Sequence[str | float]]]) -> bytes:
    """Write a workbook of Excel 97 with the rows of its *sheets*."""
    bodies = [_sheet(rows) for rows in sheets.values()]
    bounds = [struct.pack("<IBBBB", 0, 0, 0, len(name), 0) + name.encode("ascii") for name in sheets]
    start = len(_record(0x0809, bytes(16))) + sum(len(_record(0x0085, bound)) for bound in bounds) + 4
    globals_ = _begin(_WORKBOOK)
    for bound, body in zip(bounds, bodies, strict=True):
        globals_ += _record(0x0085, struct.pack("<I", start) + bound[4:])
        start += len(body)
    return compound({"Workbook": globals_ + _record(0x000A, b"") + b"".join(bodies)})


def _sheet(rows: Sequence[Sequence[str | float]]) -> bytes:
    out = _begin(_SHEET) + _record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, max(map(len, rows)), 0))
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            at = struct.pack("<HHH", number, column, 0)
            if isinstance(value, str):
                out += _record(0x0204, at + struct.pack("<HB", len(value), 0) + value.encode("latin-1"))
            else:
                out += _record(0x0203, at + struct.pack("<d", value))
    return out + _record(0x000A, b"")


def _begin(kind: int) -> bytes:
    return _record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0))


def _record(number: int, data: bytes) -> bytes:
    return struct.pack("<HH", number, len(data)) + data
