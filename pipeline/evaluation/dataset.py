"""Read a dataset folder: documents, questions with what they should find, conversations."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from pipeline.domain import Place
from pipeline.errors import DatasetError
from pipeline.evaluation.rows import DocumentRow, QuestionRow
from pipeline.evaluation.scores import NOWHERE, Gold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from pipeline.evaluation.rows import GoldRow

Row = TypeVar("Row", bound="BaseModel")

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
    rows = lines(folder, "documents", DocumentRow, required=False)
    documents = [*map(_document, rows), *files]
    _once((source.doc_id for source in documents), "The document")
    asked = lines(folder, "questions", QuestionRow, required=bool(documents))
    cases = [_by_name(_case(row), files) for row in asked]
    _once((case.qid for case in cases), "The question")
    if not documents and all(case.needs_rewrite is None for case in cases):
        raise DatasetError(f"{folder.name} has no documents.jsonl; a dataset has documents and questions.")
    if not cases:
        raise DatasetError(f"{folder.name} holds no questions.")
    changed = lines(folder, "topic_change", QuestionRow, required=False)
    changes = [_case(row) for row in changed]
    dataset = Dataset(name=folder.name, documents=documents, cases=cases, topic_changes=changes)
    return _sample(dataset) if small else dataset


def lines(folder: Path, stem: str, form: type[Row], *, required: bool = True) -> list[Row]:
    """Read ``stem.jsonl`` or ``stem.jsonl.gz``, one row a line. Raises `DatasetError`."""
    for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz"):
        path = folder / name
        if path.is_file():
            try:
                data = path.read_bytes()
                text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8-sig")
            except (ValueError, EOFError, OSError) as exc:
                raise DatasetError(f"{name} cannot be read: no line of it is text in UTF-8.") from exc
            numbered = enumerate(text.split("\n"), 1)
            return [_row(f"{name}, line {number}", line, form) for number, line in numbered if line.strip()]
    if required:
        raise DatasetError(f"{folder.name} has no {stem}.jsonl; a dataset has documents and questions.")
    return []


def _row(where: str, line: str, form: type[Row]) -> Row:
    try:
        return form.model_validate_json(line)
    except ValidationError as exc:
        [fault, *_] = exc.errors(include_url=False, include_input=False, include_context=False)
        field = ".".join(map(str, fault["loc"]))
        raise DatasetError(f"{where}: {field + ': ' if field else ''}{fault['msg']}.") from exc


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
    return [Source(doc_id=path.name, title=path.name, path=path) for path in paths]


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


def _document(row: DocumentRow) -> Source:
    return Source(doc_id=row.doc_id, title=row.title or "", text=row.text)


def _case(row: QuestionRow) -> Case:
    return Case(
        qid=row.qid,
        question=row.question,
        history=tuple(Turn(user=turn.role == "user", text=turn.content) for turn in row.history),
        gold=_gold(row),
        answerable=row.answerable,
        answers=row.answers,
        rewrite=row.rewrite,
        needs_rewrite=row.needs_rewrite,
        forbidden=row.forbidden,
        slices={name: str(value) for name, value in (("type", row.type), ("lang", row.lang)) if value},
        small=bool(row.small),
    )


def _gold(row: QuestionRow) -> Gold:
    return Gold(
        spans={each.doc_id: each.spans for each in row.gold_docs},
        places={each.doc_id: place for each in row.gold_docs if (place := _place(each)) != NOWHERE},
        off_topic=frozenset(row.off_topic_docs),
    )


def _place(row: GoldRow) -> Place:
    """Return the page and section that hold an answer; pages count from 1 unless their field says from 0."""
    return Place(page=row.page if row.page_0based is None else row.page_0based + 1, section=row.section)


def _once(ids: Iterable[str], what: str) -> None:
    """Refuse an id that stands twice, since one of the two would not be scored. Raises `DatasetError`."""
    for each, count in Counter(ids).items():
        if count > 1:
            raise DatasetError(f"{what} {each} is there {count} times.")
