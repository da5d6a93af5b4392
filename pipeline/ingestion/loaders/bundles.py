"""Archives of files, taken apart in memory: nothing is written to disk, no name in one is a path of ours."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from zipfile import BadZipFile

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Loaded, Upload, clean
from pipeline.ingestion.loaders.archives import (
    ENCRYPTED_FLAG,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    RATIO_FLOOR_BYTES,
    ZIP_MAGIC,
    open_zip,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_FILES: Final = 1_000
"""Files that one archive may bring, those of archives in it included."""
MAX_ENTRIES: Final = 20_000
"""Folders, links and what else a tar file lists beside its files."""
MAX_DEPTH: Final = 3
"""How deep archives may stand in archives, the outermost counted."""
MAX_NAME_CHARS: Final = 200
_CHUNK = 1 << 20

_JUNK = re.compile(r"(?:^|/)(?:__MACOSX/|\.git/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)")
"""What systems put beside people's files."""
_COMPRESSORS: tuple[
    tuple[bytes, Callable[[io.BytesIO], gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]], ...
] = (
    (b"\x1f\x8b", lambda stream: gzip.GzipFile(fileobj=stream)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)
_BROKEN = (
    BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
    IndexError,
)
"""What the standard library raises for archives that are cut off, garbled or made up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive."""

    name: str
    """Its path inside, with ``/`` between folders, unique within the archive."""
    content: bytes | IngestError
    """Its bytes, or why there are none."""


def load(upload: Upload) -> Loaded:
    """Say that the file is an archive: its files are documents of their own."""
    del upload
    return Loaded(kind="archive", blocks=(), is_archive=True)


def is_tar(data: bytes) -> bool:
    """Tell whether *data* is a tar file, compressed or not, by its first header's check sum."""
    head = data[: tarfile.BLOCKSIZE]
    for magic, opened in _COMPRESSORS:
        if data.startswith(magic):
            try:
                head = opened(io.BytesIO(data)).read(tarfile.BLOCKSIZE)
            except _BROKEN:
                return False
    try:
        tarfile.TarInfo.frombuf(head, tarfile.ENCODING, "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def unpack(data: bytes, is_archive: Callable[[bytes], bool], *, max_bytes: int) -> list[Member]:
    """Return the files of an archive and of the archives in it, by name; none may have over *max_bytes*.

    *is_archive* tells archives among them. Raises `IngestError`: CORRUPT, TOO_LARGE (a bomb, or too many).
    """
    taker = _Taker(is_archive, max_bytes)
    found = sorted(taker.take(data, 1), key=lambda one: one.name)
    return list(_unique(found))


class _Taker:
    """Takes archives apart; what they may unpack to is counted over all of them together."""

    def __init__(self, is_archive: Callable[[bytes], bool], max_bytes: int) -> None:
        self._is_archive = is_archive
        self._max_bytes = max_bytes
        self._bytes = MAX_UNPACKED_BYTES
        self._files = MAX_FILES

    def take(self, data: bytes, depth: int) -> list[Member]:
        """Return the files of one archive. Raises `IngestError` if nothing of it can be had."""
        try:
            entries = self._zip(data) if data.startswith(ZIP_MAGIC) else self._tar(data)
            return [member for entry in entries for member in self._opened(entry, depth)]
        except _BROKEN as exc:
            raise IngestError(
                IngestReason.CORRUPT, "The archive is damaged or incomplete; upload it again."
            ) from exc

    def _opened(self, member: Member, depth: int) -> list[Member]:
        """Return the files of an archive inside of an archive, or the file itself."""
        if isinstance(member.content, IngestError) or not self._is_archive(member.content):
            return [member]
        if depth == MAX_DEPTH:
            message = f"It is an archive inside of {depth} others; upload it by itself."
            return [Member(name=member.name, content=IngestError(IngestReason.TOO_LARGE, message))]
        try:
            inner = self.take(member.content, depth + 1)
        except IngestError as error:
            return [Member(name=member.name, content=error)]
        return [Member(name=_label(f"{member.name}/{one.name}"), content=one.content) for one in inner]

    def _zip(self, data: bytes) -> Iterator[Member]:
        with open_zip(data) as archive:
            infos = [
                (label, info)
                for info in archive.infolist()
                if not info.is_dir() and (label := _label(_decoded(info.filename, info.flag_bits)))
            ]
            self._admit(len(infos), sum(info.file_size for _, info in infos), len(data))
            for label, info in infos:
                if info.flag_bits & ENCRYPTED_FLAG:
                    message = "It is protected by a password; upload it without one."
                    yield Member(name=label, content=IngestError(IngestReason.ENCRYPTED, message))
                else:
                    yield self._read(label, info.file_size, lambda info=info: archive.read(info))  # type: ignore[misc]  # mypy infers no lambda with a default

    def _tar(self, data: bytes) -> Iterator[Member]:
        with tarfile.open(fileobj=io.BytesIO(self._inflated(data)), mode="r:") as archive:
            infos = []
            for count, info in enumerate(archive):
                if count == MAX_ENTRIES:
                    raise _bomb()
                if info.isreg() and (label := _label(info.name)):
                    infos.append((label, info))
            self._admit(len(infos), sum(info.size for _, info in infos), len(data))
            for label, info in infos:
                yield self._read(label, info.size, lambda info=info: _extracted(archive, info))  # type: ignore[misc]  # as above

    def _inflated(self, data: bytes) -> bytes:
        """Return the tar file inside of a compressed one, never more than would be taken from it."""
        opened = next((opened for magic, opened in _COMPRESSORS if data.startswith(magic)), None)
        if opened is None:
            return data
        most = self._most(len(data)) + MAX_ENTRIES * tarfile.BLOCKSIZE
        out = io.BytesIO()
        with opened(io.BytesIO(data)) as stream:
            while piece := stream.read(_CHUNK):
                out.write(piece)
                if out.tell() > most:
                    raise _bomb()
        return out.getvalue()

    def _most(self, packed: int) -> int:
        return min(self._bytes, max(MAX_RATIO * packed, RATIO_FLOOR_BYTES))

    def _admit(self, files: int, size: int, packed: int) -> None:
        """Take *files* of *size* bytes altogether, or none of them."""
        if files > self._files:
            message = f"The archive holds more than {MAX_FILES:,} files; upload it in parts."
            raise IngestError(IngestReason.TOO_LARGE, message)
        if size > self._most(packed):
            raise _bomb()
        self._files -= files
        self._bytes -= size

    def _read(self, label: str, size: int, read: Callable[[], bytes]) -> Member:
        """Unpack one file; what is wrong with it is told of it alone."""
        if size > self._max_bytes:
            message = f"It is larger than {self._max_bytes / 1_000_000:,.0f} MB; split it."
            return Member(name=label, content=IngestError(IngestReason.TOO_LARGE, message))
        try:
            content = read()
        except (*_BROKEN, NotImplementedError, RuntimeError):
            message = "It is damaged inside the archive; pack it again."
            return Member(name=label, content=IngestError(IngestReason.CORRUPT, message))
        if not content:
            return Member(name=label, content=IngestError(IngestReason.EMPTY_FILE, "The file is empty."))
        return Member(name=label, content=content)


def _extracted(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(info)
    content = stream.read() if stream is not None else b""
    if len(content) != info.size:
        raise EOFError
    return content


def _decoded(name: str, flags: int) -> str:
    """Return a zip's file name: without its UTF-8 flag `zipfile` takes it for code page 437."""
    if flags & 0x800:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _label(path: str) -> str:
    """Return a path that names a file and leads nowhere; "" for what is no file of anybody's."""
    plain = clean(path.encode("utf-8", "replace").decode("utf-8")).replace("\\", "/")
    parts = [part.strip() for part in PurePosixPath(plain).parts]
    label = "/".join(part for part in parts if part not in ("", ".", "..", "/"))
    return "" if _JUNK.search(label) else label[-MAX_NAME_CHARS:].lstrip("/")


def _unique(members: list[Member]) -> Iterator[Member]:
    """Give files of the same name numbers."""
    taken: dict[str, int] = {}
    for member in members:
        count = taken[member.name] = taken.get(member.name, 0) + 1
        stem = PurePosixPath(member.name)
        name = (
            member.name if count == 1 else f"{member.name.removesuffix(stem.suffix)} ({count}){stem.suffix}"
        )
        yield Member(name=name, content=member.content)


def _bomb() -> IngestError:
    return IngestError(IngestReason.TOO_LARGE, "The archive unpacks to far more data than can be read.")
