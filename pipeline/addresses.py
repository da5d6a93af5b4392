"""Which addresses are this very machine, where text and keys may travel unencrypted."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Tell whether *host*, a name or an address without brackets, is this machine."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761 keeps these names for it
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
