"""What an address tells: whether it is this very machine, and where an original stays.

A source is an address that people can open, such as ``file:///srv/plan.md`` or ``https://host/plan.md``.
Where a program must fetch the original in another way than people, it is ``scheme:place#link``: the place
for the scheme's own fetcher, and after the first ``#`` the address for people, if there is one.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

_OPENED = frozenset({"file", "http", "https"})


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
    """Return the address at which people open *source*; None: there is none."""
    if urlsplit(source).scheme in _OPENED:
        return source
    return source.partition("#")[2] or None


def place_of(source: str) -> str:
    """Return what of *source* stays the same when its name or its link changes."""
    return source if urlsplit(source).scheme in _OPENED else source.partition("#")[0]
