"""Read a dataset folder: documents, questions with what they should find, conversations."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.domain import Place
from pipeline.errors import DatasetError
from pipeline.evaluation.scores import NOWHERE, Gold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Row = TypeVar("Row")

DESCRIPTION = "dataset.json"
"""Names the folders with the files of a dataset: ``{"documents": ["../handbook", "documents"]}``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document of the dataset: a passage, a long text to be cut, or a file to be read."""

    doc_id: str
    title: str = ""
    text: str = ""
    path: Path | None = None
    """Of a file: where it is; its name is its id."""


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
    gold: Gold
    answerable: bool | str | None = None
    """True, False or a word such as ``partial``; None: not said."""
    answers: tuple[str, ...] = ()
    """Strings of which an answer should hold one."""
    rewrite: str | None = None
    """The question as a person words it without the conversation."""
    needs_rewrite: bool | None = None
    """Whether it can be understood only in its conversation; None: not said."""
    forbidden: tuple[str, ...] = ()
    """Strings that no answer may hold: what a hostile document wants to be said."""
    slices: Mapping[str, str] = field(default_factory=dict)
    """What figures are also given apart for: ``type``, ``lang``."""
    small: bool = False
    """Whether it belongs to the sample for slow machines and models."""

    @property
    def sought(self) -> bool:
        """Whether there is something to be found for it."""
        return bool(self.gold.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What a folder holds."""

    name: str
    documents: Sequence[Source]
    cases: Sequence[Case]
    topic_changes: Sequence[Case]

    @property
    def unknown(self) -> Sequence[str]:
        """Ids that questions should find and no document has: questions that nobody can answer right."""
        known = {source.doc_id for source in self.documents}
        wanted = dict.fromkeys(doc_id for case in self.cases for doc_id in case.gold.spans)
        return [doc_id for doc_id in wanted if doc_id not in known]

    @property
    def has_spans(self) -> bool:
        """Whether answers are marked in the documents; then these are whole and must be cut."""
        return any(spans for case in self.cases for spans in case.gold.spans.values())


def read_dataset(folder: Path, *, small: bool = False) -> Dataset:
    """Read documents, ``questions.jsonl`` and, if it is there, ``topic_change.jsonl``.

    Documents are lines of ``documents.jsonl`` and files, in the folders that ``dataset.json`` names or,
    without it, in any folder inside. Lines may be compressed (``.gz``). Questions that say whether they need
    a rewrite need no documents. *small* keeps only the questions that are marked so. Raises `DatasetError`.
    """
    files = _files(folder)
    documents = [*lines(folder, "documents", _document, required=False), *files]
    found = lines(folder, "questions", _case, required=bool(documents))
    cases = [_by_name(case, files) for case in found]
    if not documents and all(case.needs_rewrite is None for case in cases):
        raise DatasetError(f"{folder.name} has no documents.jsonl; a dataset has documents and questions.")
    if not cases:
        raise DatasetError(f"{folder.name} holds no questions.")
    changes = lines(folder, "topic_change", _case, required=False)
    dataset = Dataset(name=folder.name, documents=documents, cases=cases, topic_changes=changes)
    return _sample(dataset) if small else dataset


def lines(
    folder: Path, stem: str, make: Callable[[dict[str, Any]], Row], *, required: bool = True
) -> list[Row]:
    """Read ``stem.jsonl`` or ``stem.jsonl.gz``, one row a line. Raises `DatasetError`."""
    for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz"):
        path = folder / name
        if path.is_file():
            try:
                data = path.read_bytes()
                text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8")
            except (ValueError, EOFError, OSError) as exc:
                raise DatasetError(f"{name} cannot be read: no line of it is text in UTF-8.") from exc
            numbered = enumerate(text.split("\n"), 1)
            return [_row(f"{name}, line {number}", line, make) for number, line in numbered if line.strip()]
    if required:
        raise DatasetError(f"{folder.name} has no {stem}.jsonl; a dataset has documents and questions.")
    return []


def _row(where: str, line: str, make: Callable[[dict[str, Any]], Row]) -> Row:
    try:
        return make(json.loads(line))
    except KeyError as exc:
        raise DatasetError(f"{where}: the field {exc} is missing.") from exc
    except ValueError as exc:
        raise DatasetError(f"{where} is no JSON, or a field holds what it must not.") from exc
    except (TypeError, AttributeError) as exc:
        raise DatasetError(f"{where}: a field has the wrong form; docs/quality.md lists them.") from exc


def _files(folder: Path) -> list[Source]:
    """Return the files of a dataset by their names, which must tell them apart."""
    paths = sorted(
        (
            path
            for each in _folders(folder)
            for path in each.iterdir()
            if path.is_file() and not path.name.startswith(".")
        ),
        key=lambda path: path.name,
    )
    sources = [Source(doc_id=path.name, title=path.name, path=path) for path in paths]
    if len({source.doc_id for source in sources}) < len(sources):
        raise DatasetError(f"Two documents of {folder.name} have the same file name.")
    return sources


def _by_name(case: Case, files: Sequence[Source]) -> Case:
    """Name the files that a question should find by their names, where it names them by their paths."""
    known = {source.doc_id for source in files}
    names = {path: name for path in case.gold.spans if (name := path.rsplit("/", 1)[-1]) in known}
    gold = replace(
        case.gold,
        spans={names.get(path, path): spans for path, spans in case.gold.spans.items()},
        places={names.get(path, path): place for path, place in case.gold.places.items()},
    )
    return replace(case, gold=gold) if names else case


def _folders(folder: Path) -> list[Path]:
    description = folder / DESCRIPTION
    if not description.is_file():
        return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    try:
        named = [folder / name for name in json.loads(description.read_text("utf-8"))["documents"]]
    except (KeyError, TypeError, ValueError) as exc:
        raise DatasetError(f"{DESCRIPTION} is not as it must be: {exc!r}.") from exc
    for each in named:
        if not each.is_dir():
            raise DatasetError(f"{DESCRIPTION} names the folder {each.name}, which is not there.")
    return named


def _sample(dataset: Dataset) -> Dataset:
    cases = [case for case in dataset.cases if case.small]
    if not cases:
        raise DatasetError(f"No question of {dataset.name} is marked small.")
    return replace(dataset, cases=cases, topic_changes=[case for case in dataset.topic_changes if case.small])


def _document(row: dict[str, Any]) -> Source:
    return Source(doc_id=row["doc_id"], title=row.get("title") or "", text=row["text"])


def _case(row: dict[str, Any]) -> Case:
    return Case(
        qid=row["qid"],
        question=row["question"],
        history=tuple(
            Turn(user=turn["role"] == "user", text=turn["content"]) for turn in row.get("history") or []
        ),
        gold=_gold(row),
        answerable=row.get("answerable"),
        answers=tuple(row.get("answers") or ()),
        rewrite=row.get("rewrite"),
        needs_rewrite=row.get("needs_rewrite"),
        forbidden=tuple(row.get("forbidden") or ()),
        slices={key: str(row[key]) for key in ("type", "lang") if row.get(key)},
        small=bool(row.get("small")),
    )


def _gold(row: dict[str, Any]) -> Gold:
    documents = row.get("gold_docs") or []
    return Gold(
        spans={
            each["doc_id"]: tuple((int(start), int(end)) for start, end in each.get("spans") or [])
            for each in documents
        },
        places={each["doc_id"]: place for each in documents if (place := _place(each)) != NOWHERE},
        off_topic=frozenset(row.get("off_topic_docs") or []),
    )


def _place(row: Mapping[str, Any]) -> Place:
    """Return the page and section that hold an answer; pages count from 1 unless their key says from 0."""
    from_zero = row.get("page_0based")
    return Place(page=row.get("page") if from_zero is None else from_zero + 1, section=row.get("section"))
