"""The lines of a dataset's files, as they have to be."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, NonNegativeInt, PositiveInt


def _some(value: Any) -> Any:
    """Take null for nothing."""
    return () if value is None else value


def _forward(span: tuple[int, int]) -> tuple[int, int]:
    if span[0] >= span[1]:
        raise ValueError("a span ends behind its beginning")
    return span


Strings = Annotated[tuple[str, ...], BeforeValidator(_some)]
Span = Annotated[tuple[NonNegativeInt, NonNegativeInt], AfterValidator(_forward)]


class DocumentRow(BaseModel):
    """A line of ``documents.jsonl``."""

    doc_id: str
    text: str
    title: str | None = None


class GoldRow(BaseModel):
    """A document that a question should find, and where in it."""

    doc_id: str
    spans: Annotated[tuple[Span, ...], BeforeValidator(_some)] = ()
    page: PositiveInt | None = None
    page_0based: NonNegativeInt | None = None
    section: str | None = None


class TurnRow(BaseModel):
    """What was said before a question."""

    role: str
    content: str


class QuestionRow(BaseModel):
    """A line of ``questions.jsonl`` or ``topic_change.jsonl``."""

    qid: str
    question: Annotated[str, Field(min_length=1)]
    history: Annotated[tuple[TurnRow, ...], BeforeValidator(_some)] = ()
    gold_docs: Annotated[tuple[GoldRow, ...], BeforeValidator(_some)] = ()
    off_topic_docs: Strings = ()
    answerable: bool | str | None = None
    answers: Strings = ()
    forbidden: Strings = ()
    rewrite: str | None = None
    needs_rewrite: bool | None = None
    type: Any = None
    lang: Any = None
    small: bool | None = False


class PairRow(BaseModel):
    """A line of ``pairs.jsonl``."""

    claim: str
    references: tuple[str, ...]
    label: str
    src: str | None = None
    id: Any = None


class ItemRow(BaseModel):
    """A line of ``items.jsonl``."""

    text: str
    label: bool
    where: str | None = None
    kind: str | None = None
    canary: str | None = None
    question: str | None = None
    ideal: str | None = None
    id: Any = None


class SnippetRow(BaseModel):
    """A text that a file holds."""

    text: str
    page: int | None = None
    optional: bool | None = None


class SampleRow(BaseModel):
    """A line of ``manifest.jsonl``."""

    file: str
    expect: Annotated[str, Field(pattern=r"^(text|(error|text_or_error):\w+)$")]
    snippets: Annotated[tuple[SnippetRow, ...], BeforeValidator(_some)] = ()
