"""Links as Discord takes them: without previews, and with labels that it does not print literally."""

from __future__ import annotations

import re
import unicodedata

from adapters.markup.invisible import is_blank

_BREAKING = re.compile(r"[<>*|`\\\"\s]|~~")
"""What would end an address or be taken for a mark in it."""
_IN_BRACKETS = re.compile(r"[()\[\]]")
_EVERYBODY = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z]+://", re.IGNORECASE)
_WEB = re.compile(r"https?://[^/]", re.IGNORECASE)
_PICTURE = re.compile(r":\w+:|[\u20e3\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")


def is_web(address: str) -> bool:
    """Tell whether Discord would make a link of *address*."""
    return _WEB.match(address) is not None


def bare(address: str) -> str:
    """Return *address* as a link of its own."""
    return f"<{_safe(address)}>"


def target(address: str) -> str:
    """Return *address* as the target of a link with a label."""
    return f"<{_IN_BRACKETS.sub(_encoded, _safe(address))}>"


def is_label(text: str) -> bool:
    """Tell whether Discord would make a link of *text*: not if it holds brackets, an address or a picture."""
    return not (
        is_blank(text)
        or _SCHEME.search(text)
        or _PICTURE.search(text)
        or any(character in "[]" or unicodedata.category(character) == "So" for character in text)
    )


def _safe(address: str) -> str:
    return _EVERYBODY.sub(_encoded, _BREAKING.sub(_encoded, address))


def _encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())
