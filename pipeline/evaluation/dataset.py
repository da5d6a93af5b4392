"""Read a dataset folder: documents, questions with what they should find, conversations."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document of the dataset: a passage, or a long text to be cut."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of the conversation before a question."""

    user: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question and what is known about its answer."""

    qid: str
    question: str
    history: tuple[Turn, ...] = ()
    gold: Mapping[str, tuple[tuple[int, int], ...]]
    """Document id → spans of the answer, as offsets into the document's text; often none."""
    answerable: bool | str | None = None
    """True, False or a word such as ``partial``; None: not said."""
    rewrite: str | None = None
    """The question as a person words it without the conversation."""
    off_topic: frozenset[str] = frozenset()
    """Documents of the conversation's former topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What a folder holds."""

    name: str
    documents: Sequence[Source]
    cases: Sequence[Case]
    topic_changes: Sequence[Case]

    @property
    def has_spans(self) -> bool:
        """Whether answers are marked in the documents; then these are whole and must be cut."""
        return any(spans for case in self.cases for spans in case.gold.values())


def read_dataset(folder: Path) -> Dataset:
    """Read ``documents.jsonl``, ``questions.jsonl`` and, if it is there, ``topic_change.jsonl``.

    Each may be compressed (``.gz``). Raises `DatasetError`.
    """
    try:
        documents = [
            Source(doc_id=row["doc_id"], title=row.get("title") or "", text=row["text"])
            for row in _rows(folder, "documents")
        ]
        cases = [_case(row) for row in _rows(folder, "questions")]
        changes = [_case(row) for row in _rows(folder, "topic_change", required=False)]
    except (KeyError, TypeError, ValueError) as exc:
        raise DatasetError(f"A line of {folder.name} is not as a dataset must be: {exc!r}.") from exc
    if not documents or not cases:
        raise DatasetError(f"{folder.name} holds no documents or no questions.")
    return Dataset(name=folder.name, documents=documents, cases=cases, topic_changes=changes)


def _rows(folder: Path, stem: str, *, required: bool = True) -> list[dict[str, Any]]:
    for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz"):
        path = folder / name
        if path.is_file():
            data = path.read_bytes()
            lines = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8").split("\n")
            return [json.loads(line) for line in lines if line.strip()]
    if required:
        raise DatasetError(f"{folder.name} has no {stem}.jsonl; a dataset has documents and questions.")
    return []


def _case(row: dict[str, Any]) -> Case:
    return Case(
        qid=row["qid"],
        question=row["question"],
        history=tuple(
            Turn(user=turn["role"] == "user", text=turn["content"]) for turn in row.get("history") or []
        ),
        gold={
            each["doc_id"]: tuple((int(start), int(end)) for start, end in each.get("spans") or [])
            for each in row.get("gold_docs") or []
        },
        answerable=row.get("answerable"),
        rewrite=row.get("rewrite"),
        off_topic=frozenset(row.get("off_topic_docs") or []),
    )
