"""Pictures, sound and film: people share them among themselves, and nobody expects them to be read."""

from __future__ import annotations

from pathlib import PurePath

_PICTURES = "apng avif bmp gif heic heif ico jfif jpe jpeg jpg png svg tif tiff webp"
_SOUND = "aac aif aiff amr flac m4a mid midi mp3 oga ogg opus wav wma"
_FILM = "3gp avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv"
MEDIA = frozenset(f"{_PICTURES} {_SOUND} {_FILM}".split())
"""The endings of their names; ``.ts`` is not among them, for most such files are programs."""


def is_media(name: str) -> bool:
    """Tell whether a file is a picture, sound or film by its name."""
    return PurePath(name).suffix.removeprefix(".").lower() in MEDIA
