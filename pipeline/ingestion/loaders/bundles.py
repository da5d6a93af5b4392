"""Archives of files, taken apart in memory: nothing is written to disk, no name in one is a path of ours."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import unicodedata
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
from pipeline.ingestion.loaders.charset import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from zipfile import ZipInfo

MAX_FILES: Final = 1_000
"""Files that one archive may bring, those of archives in it included."""
MAX_ENTRIES: Final = 20_000
"""Folders, links and what else a tar file lists beside its files."""
MAX_DEPTH: Final = 3
"""How deep archives may stand in archives, the outermost counted."""
MAX_NAME_CHARS: Final = 200
_CHUNK = 1 << 20
_UTF8_FLAG = 0x800
_CONTROL_BYTES = bytes(range(32))
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What breaks a line, or turns a name around so that it seems to end in something else."""

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
            found = [info for info in archive.infolist() if not info.is_dir()]
            infos = [
                (label, info)
                for name, info in zip(_zip_names(found), found, strict=True)
                if (label := _label(name))
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
            found = []
            for count, info in enumerate(archive):
                if count == MAX_ENTRIES:
                    raise _bomb()
                if info.isreg():
                    found.append(info)
            names = _read_names([info.name.encode("utf-8", "surrogateescape") for info in found])
            infos = [
                (label, info) for name, info in zip(names, found, strict=True) if (label := _label(name))
            ]
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


def _zip_names(infos: list[ZipInfo]) -> list[str]:
    """Return the names of a zip's files: without its UTF-8 flag `zipfile` takes one for code page 437.

    That is what the standard says, and what few programs write: mostly it is the code page of the system.
    """
    names = [info.filename for info in infos]
    unsure = [at for at, info in enumerate(infos) if not info.flag_bits & _UTF8_FLAG]
    told = "".join(names[at] for at in unsure)
    try:
        read = _read_names([names[at].encode("cp437") for at in unsure])
    except UnicodeEncodeError:  # `zipfile` knows them from elsewhere
        return names
    if not (_is_western(told) and _is_western("".join(read))):
        for at, name in zip(unsure, read, strict=True):
            names[at] = name
    return names


def _read_names(raw: list[bytes]) -> list[str]:
    """Return names as text: in UTF-8, or else in the encoding that suits those best that are not."""
    legacy = [name.translate(None, _CONTROL_BYTES) for name in raw if not _is_utf8(name)]
    try:
        found = decode(b"\n".join(legacy)).split("\n") if legacy else []
    except IngestError:
        found = []
    if len(found) != len(legacy):
        found = [name.decode("cp437") for name in legacy]
    left = iter(found)
    return [name.decode() if _is_utf8(name) else next(left) for name in raw]


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_western(text: str) -> bool:
    """Tell whether all letters are Latin, and nothing else is outside of ASCII."""
    return all(each.isascii() or unicodedata.name(each, "").startswith("LATIN ") for each in text)


def _label(path: str) -> str:
    """Return a path that names a file and leads nowhere; "" for what is no file of anybody's."""
    plain = _UNSEEN.sub("", clean(path.encode("utf-8", "replace").decode("utf-8"))).replace("\\", "/")
    parts = [part.strip() for part in PurePosixPath(plain).parts]
    label = "/".join(part for part in parts if part not in ("", ".", "..", "/"))
    return "" if _JUNK.search(label) else label[-MAX_NAME_CHARS:].lstrip("/")


def _unique(members: list[Member]) -> Iterator[Member]:
    """Give files of the same name numbers."""
    taken: dict[str, int] = {member.name: 0 for member in members}
    for member in members:
        count = taken[member.name] = taken[member.name] + 1
        name, suffix = member.name, PurePosixPath(member.name).suffix
        while count > 1 and name in taken:
            name = f"{member.name.removesuffix(suffix)} ({count}){suffix}"
            count += 1
        taken.setdefault(name, 1)
        yield Member(name=name, content=member.content)


def _bomb() -> IngestError:
    return IngestError(IngestReason.TOO_LARGE, "The archive unpacks to far more data than can be read.")
