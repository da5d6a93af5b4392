"""Text that says nothing, as much as is wanted: it is only as long and as repetitive as real text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from pipeline.domain import Chunk, Document, DocumentStatus, Place, chunk_id_for, document_id_for
from pipeline.storage.refs import StoredChunk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from pipeline.domain import Scope

VOCABULARY: Final = 20_000
ZIPF: Final = 1.0
"""The n-th commonest word is used in proportion to n to the power of minus this, as in natural languages."""

PASSAGE_WORDS: Final = (100, 120)
SENTENCE_WORDS: Final = 12

QUESTION_RANKS: Final = (50, 5_000)
"""A question's words are neither the commonest, which say nothing, nor such as hardly occur."""

_SYLLABLES: Final = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]

_ENGLISH: Final = """
    account access action address agent amount answer approval article balance bank board book branch budget
    building business button capital card case category center change channel charge client cloud code
    column company contact content contract control copy cost country course cover customer data database
    date day deal decision delivery department design desk detail device director document door email employee
    energy engine entry error event example exchange expense failure feature field file form format front
    function group growth guide health history holiday hour house image index industry input insurance
    interest issue item job key label language layer leave letter level library license limit line link list
    loan
    location machine mail management manager market matter meeting member memory message method minute mode
    model module money month morning network note notice number object office operation option order owner
    package page paper part partner payment period person phone plan platform point policy position power
    price printer process product profile program project property purchase quality query question rate reason
    record report request research response result review right risk room rule safety sales sample schedule
    school screen season section security sequence server service session shop signal site size software
    source staff stage standard state station status step stock storage store street structure student study
    subject summary supply support surface system table target task tax team technology term test text ticket
    time title tool total traffic training transfer travel type unit update user value vehicle version video
    visit volume water week window work writer year
"""
"""Words that an embedding model knows whole; it would cut made-up ones in three, and take so much longer."""


class Language:
    """A vocabulary, its frequencies, and all that is written in it: the same for the same seed."""

    def __init__(self, seed: int = 1, *, vocabulary: int = VOCABULARY) -> None:
        self._random = np.random.default_rng(seed)
        self.words = [_word(number) for number in range(vocabulary)]
        self._english = _ENGLISH.split()
        weights = np.arange(1, vocabulary + 1, dtype=np.float64) ** -ZIPF
        self._frequencies = weights / weights.sum()

    def passages(self, count: int) -> list[list[str]]:
        """Return *count* lists of made-up words, each as long as a chunk."""
        low, high = PASSAGE_WORDS
        lengths = self._random.integers(low, high + 1, count)
        drawn = self._random.choice(len(self.words), int(lengths.sum()), p=self._frequencies)
        return [[self.words[rank] for rank in part] for part in np.split(drawn, np.cumsum(lengths)[:-1])]

    def question(self) -> str:
        """Return a question about six made-up words, practically never the same twice."""
        low, high = QUESTION_RANKS
        ranks = self._random.integers(min(low, len(self.words) - 1), min(high, len(self.words)), 6)
        a, b, c, d, e, f = (self.words[rank] for rank in ranks)
        return f"How long does the {a} {b} of a {c} take, and does the {d} {e} {f} change that?"

    def vectors(self, count: int, dimension: int) -> NDArray[np.float32]:
        """Return *count* vectors of length 1 in all directions."""
        vectors = self._random.standard_normal((count, dimension), dtype=np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    def markdown(self, sections: int) -> str:
        """Return an English file of *sections* headings with a passage each; each becomes one chunk."""
        parts = [f"# {self._heading()}\n"]
        for _ in range(sections):
            words = self._random.choice(self._english, int(self._random.integers(*PASSAGE_WORDS)))
            parts.append(f"## {self._heading()}\n\n{prose([str(word) for word in words])}\n")
        return "\n".join(parts)

    def lines(self, count: int, words: int) -> list[str]:
        """Return so many lines of English *words*, as a page has them."""
        drawn = self._random.choice(self._english, (count, words))
        return [f"{' '.join(map(str, line)).capitalize()}." for line in drawn]

    def _heading(self) -> str:
        return " ".join(self._random.choice(self._english, 3)).capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A document and its chunks, ready to be stored."""

    document: Document
    chunks: list[StoredChunk]


class Press:
    """Makes documents quicker than they could be read: their tokens are looked up word by word."""

    def __init__(
        self, language: Language, analyze: Callable[[str], Sequence[str]], *, dimension: int, now: datetime
    ) -> None:
        self._language = language
        self._dimension = dimension
        self._now = now
        self._tokens = {word: tuple(analyze(word)) for word in language.words}

    def book(self, scope: Scope, number: int, chunks: int) -> Book:
        """Return the *number*-th document of a channel, of so many *chunks*."""
        document_id, name = document_id_for(scope, f"{number:x}"), f"book-{number}.md"
        passages = self._language.passages(chunks)
        vectors = self._language.vectors(chunks, self._dimension)
        stored = [
            self._stored(document_id, name, index, words, vector)
            for index, (words, vector) in enumerate(zip(passages, vectors, strict=True))
        ]
        document = Document(
            document_id=document_id,
            display_name=name,
            source=f"file:///{name}",
            uploader=None,
            uploaded_at=self._now,
            status=DocumentStatus.READY,
            chunks=chunks,
        )
        return Book(document=document, chunks=stored)

    def _stored(
        self, document_id: str, name: str, index: int, words: Sequence[str], vector: NDArray[np.float32]
    ) -> StoredChunk:
        chunk = Chunk(
            chunk_id=chunk_id_for(document_id, index),
            document_id=document_id,
            display_name=name,
            source=f"file:///{name}",
            chunk_index=index,
            text=prose(words),
            place=Place(section=words[0]),
        )
        tokens = tuple(token for word in words for token in self._tokens[word])
        return StoredChunk(chunk=chunk, tokens=tokens, vector=vector)


def prose(words: Sequence[str]) -> str:
    """Write *words* as sentences."""
    sentences = (words[start : start + SENTENCE_WORDS] for start in range(0, len(words), SENTENCE_WORDS))
    return " ".join(" ".join(sentence).capitalize() + "." for sentence in sentences)


def _word(number: int) -> str:
    """Return the word for *number*: its digits as syllables, at least two; the commonest are the shortest."""
    number += len(_SYLLABLES)
    syllables: list[str] = []
    while number:
        number, digit = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[digit])
    return "".join(syllables)
