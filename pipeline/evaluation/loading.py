"""Whether files become their text, each page its own, or the right refusal: ``manifest.jsonl``."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipeline.domain import IngestReason
from pipeline.errors import DatasetError, IngestError
from pipeline.evaluation.dataset import lines
from pipeline.evaluation.rows import SampleRow
from pipeline.ingestion.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pipeline.evaluation.bench import Progress
    from pipeline.evaluation.notes import Notes
    from pipeline.ingestion.sandbox import Parsed

_IGNORED: Final = re.compile(r"[\s|]+")
"""Columns of a table may be parted by anything."""

REASONS: Final[Mapping[str, frozenset[IngestReason]]] = {
    "no_text": frozenset({IngestReason.NO_TEXT}),
    "encrypted": frozenset({IngestReason.ENCRYPTED}),
    "empty": frozenset({IngestReason.EMPTY_FILE}),
    "too_large": frozenset({IngestReason.TOO_LARGE, IngestReason.TOO_MANY_PAGES, IngestReason.TIMED_OUT}),
    "wrong_type": frozenset({IngestReason.UNSUPPORTED_TYPE, IngestReason.CORRUPT}),
}
"""What a manifest calls an error, and the reasons that say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A text that must be found in a file."""

    text: str
    page: int | None
    optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A file and what is expected of it."""

    path: Path
    text: bool
    """Whether it may become text."""
    reasons: frozenset[IngestReason]
    """With which it may be refused."""
    snippets: tuple[Snippet, ...]


def read_samples(folder: Path) -> list[Sample]:
    """Read ``manifest.jsonl``: file, expect (``text``, ``error:KIND`` or ``text_or_error:KIND``), snippets.

    Raises `DatasetError`.
    """
    samples = [_sample(folder, row) for row in lines(folder, "manifest", SampleRow)]
    for sample in samples:
        if not sample.path.is_file():
            raise DatasetError(f"{folder.name} has no {sample.path.name}, which its manifest names.")
    return samples


async def measure(samples: Sequence[Sample], *, notes: Notes, progress: Progress) -> dict[str, Any]:
    """Read each file as an upload is read; return the shares of files, snippets and pages that are right.

    The key ``wrong`` names each file that is not, with what was missed.
    """
    files: dict[str, float] = {}
    found: dict[str, dict[str, float]] = {"snippets": {}, "pages": {}}
    wrong: dict[str, str] = {}
    async with Sandbox() as sandbox:
        for done, sample in enumerate(samples):
            progress(done, len(samples), "files")
            outcome = await _read(sandbox, sample)
            fault = _fault(sample, outcome, found)
            files[sample.path.name] = float(fault is None)
            if fault is not None:
                wrong[sample.path.name] = fault
    values = {name: by for name, by in {"files_right": files, **found}.items() if by}
    return {"files": len(samples), **notes.take("loaders", values), "wrong": wrong}


def plain(text: str) -> str:
    """Return *text* without what a loader may rightly write otherwise: forms of letters, case, gaps."""
    return _IGNORED.sub("", unicodedata.normalize("NFKC", text).casefold())


async def _read(sandbox: Sandbox, sample: Sample) -> Parsed | IngestReason:
    data = await asyncio.to_thread(sample.path.read_bytes)
    try:
        return await sandbox.parse(data, sample.path.name)
    except IngestError as error:
        return error.reason


def _fault(sample: Sample, outcome: Parsed | IngestReason, found: dict[str, dict[str, float]]) -> str | None:
    """Return what is wrong with what became of a file, None if nothing is; note its snippets in *found*."""
    if isinstance(outcome, IngestReason):
        return None if outcome in sample.reasons else f"refused as {outcome}"
    if not sample.text:
        return "read, and should have been refused"
    missed = [snippet for snippet in sample.snippets if not _holds(sample, snippet, outcome, found)]
    return f"{len(missed)} of {len(sample.snippets)} snippets missed" if missed else None


def _holds(sample: Sample, snippet: Snippet, parsed: Parsed, found: dict[str, dict[str, float]]) -> bool:
    """Look for one snippet in the file and on its page; tell whether nothing that is needed is missed."""
    wanted, name = plain(snippet.text), f"{sample.path.name}: {sample.snippets.index(snippet)}"
    present = wanted in plain("".join(piece.text for piece in parsed.pieces))
    if snippet.optional:
        return True
    found["snippets"][name] = float(present)
    if snippet.page is None:
        return present
    on_page = wanted in plain("".join(p.text for p in parsed.pieces if p.place.page == snippet.page))
    found["pages"][name] = float(on_page)
    return on_page


def _sample(folder: Path, row: SampleRow) -> Sample:
    outcome, _, kind = row.expect.partition(":")
    if kind and kind not in REASONS:
        raise DatasetError(
            f"The manifest expects {row.expect} of {row.file}; known are {', '.join(REASONS)}."
        )
    return Sample(
        path=folder / row.file,
        text=outcome in ("text", "text_or_error"),
        reasons=REASONS[kind] if kind else frozenset(),
        snippets=tuple(
            Snippet(text=each.text, page=each.page, optional=bool(each.optional)) for each in row.snippets
        ),
    )
