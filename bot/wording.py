"""What stages, outcomes and shortcomings are called when people read them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, assert_never

from bot.chat import WEB
from bot.checks import remark
from bot.citations import block, file_name, passages
from pipeline.archives import without_archives
from pipeline.conversation import Reason, Stage
from pipeline.domain import IngestReason
from pipeline.refusals import sentence_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipeline.conversation import GenerationResponse, Progress
    from pipeline.domain import Document

NAMED = 5
"""Files that a reply names as the only ones that were searched; the rest is counted."""

RESTARTING = "I am being restarted, so this stopped here. It is answered when I am back."
REFUSED = (
    "There is an answer, and I may not show it here; maybe a rule forbids some of its words. "
    "Whoever manages this place can tell, and other words in the question may help."
)

NO_FILE = "This message carries no file, so there is nothing to index."
"""To whoever asks for the files of a message that has none."""
LESSON = (
    "- **Ask on:** write in the same thread; I remember what was said there.\n"
    "- **Judge:** 👍 and 👎 under an answer tell whoever runs me how good it was. “Sources” shows the "
    "passages at length, “Why this answer” how it came about."
)
"""What people should know about the bot on every platform that has threads and buttons."""
THEN_ASK = "- Then mention me with a question; I answer in a thread and say where it stands."
"""What a greeting says behind how files are added."""

_INGEST: dict[IngestReason, str] = {
    IngestReason.EMPTY_FILE: "the file is empty.",
    IngestReason.NO_TEXT: "it holds no text. A scanned file needs text recognition (OCR) first.",
    IngestReason.UNSUPPORTED_TYPE: "this kind of file cannot be read.",
    IngestReason.ENCRYPTED: "it is protected by a password. Upload a copy without one.",
    IngestReason.CORRUPT: "it is damaged. Try to open and save it again.",
    IngestReason.TOO_LARGE: "it is too large. Upload it in parts.",
    IngestReason.TOO_MANY_PAGES: "it has too many pages. Upload it in parts.",
    IngestReason.TIMED_OUT: "reading it took too long. Upload it in parts.",
    IngestReason.UNREADABLE: "it could not be fetched or read. Upload it again.",
    IngestReason.MODEL_UNAVAILABLE: "the embedding model could not be reached. Upload it again later.",
    IngestReason.INTERNAL_ERROR: "something went wrong inside; the log has it. Upload it again later.",
}

_UNCITED = "No source is cited for this answer, so check it before you rely on it."

_PARTIAL = frozenset({Reason.CANCELLED, Reason.INTERNAL_ERROR})
"""Ends that say nothing against the text that was already released, so it stays."""

_DEGRADED: dict[str, str] = {
    "dense:embedder_changed": "Searched by words only: the files were indexed with another embedding model, "
    "and whoever runs me can rebuild the index.",
    "sparse:analyzer_changed": "The index of words is being renewed; until then some words are not found.",
    "dense": "Searched by words only, without meaning.",
    "sparse": "Searched by meaning only, without exact words.",
    "rerank": "The ranking was not refined.",
    "generation:cut_off": "The answer reached its length limit, so it may end early.",
    "generation:context_truncated": "The model's server cut the passages short.",
    "context": "Some passages did not fit into the model's context and were left out.",
    "match": "The files may not say this: what was found has little in common with the question.",
    "source": "Sentences in the files that give orders to an assistant were left out.",
    "narrowing": "The question limits itself to files that could not be made out for certain, so all files "
    "were searched.",
    "entailment": "The statements were checked by their words only.",
    "judge": "The language model that was to judge what stayed uncertain did not answer.",
    "verification": "The statements of this answer could not be checked.",
    "extractive": "No language model is connected: these are the best sentences of the files, quoted.",
}

_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth")


def stage_text(progress: Progress) -> str:
    """Return what to show while there is no text yet."""
    match progress.stage:
        case Stage.SEARCHING:
            return f"Searching {counted(progress.total, 'document')}…" if progress.total else "Searching…"
        case Stage.WAITING:
            return f"{_ordinal(progress.position)} in the queue…" if progress.position else "Waiting…"
        case Stage.WRITING:
            return "Writing…"
        case Stage.CHECKING:
            if progress.position and progress.total:
                return f"Checking claim {progress.position} of {progress.total}…"
            return "Checking…"
        case _:
            assert_never(progress.stage)


def sentence(reason: Reason, message: str | None = None) -> str:
    """Return why there is no answer and what to do about it; the pipeline's own *message* goes first."""
    return message or sentence_for(reason)


def ingest_sentence(reason: IngestReason | None, message: str | None = None) -> str:
    """Return why a file was not indexed, as the rest of a sentence that names it."""
    return message or _INGEST[reason or IngestReason.UNREADABLE]


def tally(documents: Sequence[Document]) -> str:
    """Return how many documents there are; an archive is no document, but is named beside its files."""
    alone = without_archives(documents)
    archives = len(documents) - len(alone)
    return counted(len(alone), "document") + (f" and {counted(archives, 'archive')}" if archives else "")


def shared_names(documents: Iterable[Document]) -> frozenset[str]:
    """Return the names that more than one of *documents* bears, so that more must be said of these."""
    names = Counter(document.display_name for document in documents)
    return frozenset(name for name, number in names.items() if number > 1)


def uploaded(document: Document) -> str:
    """Return when a document was uploaded."""
    return f"uploaded {document.uploaded_at:%Y-%m-%d %H:%M:%S} UTC"


def counts(document: Document) -> str:
    """Return how much of a document there is."""
    return extent(document.pages, document.chunks)


def extent(pages: int | None, chunks: int) -> str:
    """Return how much there is of something, for instance ``5 pages, 12 passages``."""
    paged = [counted(pages, "page")] if pages is not None else []
    return ", ".join([*paged, counted(chunks, "passage")])


def counted(number: int, noun: str) -> str:
    """Return a number of things, for instance ``1,200 passages``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def final_text(response: GenerationResponse, released: str = "", *, schemes: frozenset[str] = WEB) -> str:
    """Return all that the finished reply says: the answer or the reason, the sources, the shortcomings.

    *released* is the text that was shown while the answer grew; sources are linked where their address has
    one of the *schemes*.
    """
    if response.success:
        uncited = "" if response.citations else f"_{_UNCITED}_"
        found = remark(response.verification)
        pieces = [response.answer, block(response.citations, response.answer, schemes), uncited, found]
    else:
        pieces = _failure(response, released, schemes)
    pieces.append(_searched(response.searched))
    pieces.extend(f"_{note}_" for note in notes(response.degraded))
    return "\n\n".join(piece for piece in pieces if piece.strip())


def _searched(names: Sequence[str]) -> str:
    """Return where alone was looked, because the question says so."""
    more = f" and {counted(len(names) - NAMED, 'more file')}" if len(names) > NAMED else ""
    return f"Searched: {', '.join(map(file_name, names[:NAMED]))}{more}" if names else ""


def notes(degraded: tuple[str, ...]) -> list[str]:
    """Return one sentence for each *different* shortcoming that people should know of."""
    return list(dict.fromkeys(note for code in degraded if (note := _note(code))))


def _failure(response: GenerationResponse, released: str, schemes: frozenset[str]) -> list[str]:
    reason = response.reason or Reason.INTERNAL_ERROR
    why = sentence(reason, response.message)
    if reason in _PARTIAL:
        said = response.answer or released
        return [said, block(response.citations, said, schemes), f"_{why}_" if said.strip() else why]
    found = passages(response.citations, schemes)
    return [why, f"**Passages**\n\n{found}" if found else ""]


def _note(code: str) -> str:
    """Return the sentence for a code such as ``dense:unavailable``; an unknown one is named, not hidden."""
    part = "extractive" if "extractive" in code else code.partition(":")[0]
    known = _DEGRADED.get(code) or _DEGRADED.get(part)
    return known or f"Answered without a part of the search ({code})."


def _ordinal(position: int | None) -> str:
    if position is not None and 1 <= position <= len(_ORDINALS):
        return _ORDINALS[position - 1]
    return f"Number {position}"
