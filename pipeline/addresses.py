"""What an address tells: whether it is this very machine, and where an original stays.

A source is an address that people can open, such as ``file:///srv/plan.md`` or ``https://host/plan.md``.
Where a program must fetch the original in another way than people, it is ``scheme:place#link``: the place
for the scheme's own fetcher, and after the first ``#`` the address for people, if there is one.

A file inside of an archive stands at ``!id/name`` behind the archive's place: *id* is the archive's document,
*name* the file's quoted path inside. People who open its address open the archive.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

_OPENED = frozenset({"file", "http", "https"})
_INSIDE = re.compile(r"#?!([0-9A-Za-z]+)/([^#!]*)")


class Inside(NamedTuple):
    """Where a file inside of an archive stands."""

    archive: str
    """The source of the archive."""
    document_id: str
    """The archive's document."""
    name: str


def is_loopback(host: str) -> bool:
    """Tell whether *host*, a name or an address without brackets, is this machine."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761 keeps these names for it
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def link_of(source: str) -> str | None:
    """Return the address at which people open *source*, or its archive; None: there is none."""
    source = original_of(source)
    if urlsplit(source).scheme in _OPENED:
        return source
    return source.partition("#")[2] or None


def place_of(source: str) -> str:
    """Return what of *source* stays the same when its name or its link changes."""
    return source if urlsplit(source).scheme in _OPENED else source.partition("#")[0]


def source_inside(archive: str, document_id: str, name: str) -> str:
    """Return the source of the file *name* inside of the archive that came from *archive*."""
    mark = f"!{document_id}/{quote(name, safe='/')}"
    if urlsplit(archive).scheme in _OPENED:
        return f"{archive}#{mark}"
    place, joint, link = archive.partition("#")
    return f"{place}{mark}{joint}{link}"


def inside_of(source: str) -> Inside | None:
    """Return where *source* stands inside of an archive; None: it is a file of its own."""
    found = _INSIDE.search(source if urlsplit(source).scheme in _OPENED else source.partition("#")[0])
    if found is None:
        return None
    archive = source[: found.start()] + source[found.end() :]
    return Inside(archive, found.group(1), unquote(found.group(2)))


def original_of(source: str) -> str:
    """Return the source of the file that was uploaded: of a file inside of an archive, the archive's."""
    inside = inside_of(source)
    return source if inside is None else inside.archive
