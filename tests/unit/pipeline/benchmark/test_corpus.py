from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest

from pipeline.benchmark.corpus import PASSAGE_WORDS, VOCABULARY, Language, Press, prose
from pipeline.domain import Scope
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load
from pipeline.ingestion.tokens import analyze

SCOPE = Scope("terminal", "bench", "c")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def language() -> Language:
    return Language(seed=3)


def test_the_words_are_all_different(language: Language) -> None:
    assert len(set(language.words)) == VOCABULARY


def test_a_few_words_make_up_most_of_the_text(language: Language) -> None:
    counts = Counter(word for passage in language.passages(200) for word in passage)
    commonest = sum(count for _, count in counts.most_common(200))

    assert 0.4 < commonest / counts.total() < 0.7


def test_passages_are_as_long_as_chunks(language: Language) -> None:
    low, high = PASSAGE_WORDS

    assert all(low <= len(passage) <= high for passage in language.passages(100))


def test_the_same_seed_gives_the_same_language() -> None:
    assert Language(seed=5).question() == Language(seed=5).question() != Language(seed=6).question()


def test_questions_are_not_repeated(language: Language) -> None:
    assert len({language.question() for _ in range(300)}) == 300


def test_vectors_have_the_length_of_one(language: Language) -> None:
    vectors = language.vectors(20, 384)

    assert vectors.shape == (20, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(20), abs=1e-5)


def test_a_file_becomes_as_many_chunks_as_it_has_sections(language: Language) -> None:
    pieces = chunk(load(language.markdown(30).encode(), "report.md"))

    assert len(pieces) == 30
    assert all(piece.place.section for piece in pieces)


def test_a_book_is_what_the_ingestion_would_have_stored(language: Language) -> None:
    book = Press(language, analyze, dimension=8, now=NOW).book(SCOPE, 1, 40)

    assert book.document.chunks == len(book.chunks) == 40
    assert len({item.chunk.chunk_id for item in book.chunks}) == 40
    for item in book.chunks:
        assert item.chunk.document_id == book.document.document_id
        # a word that is a stop word in other company is a token where it stands alone
        assert not Counter(analyze(item.chunk.text)) - Counter(item.tokens)


def test_two_books_of_a_channel_are_two_documents(language: Language) -> None:
    press = Press(language, analyze, dimension=8, now=NOW)

    assert press.book(SCOPE, 1, 2).document.document_id != press.book(SCOPE, 2, 2).document.document_id


def test_prose_is_cut_into_sentences() -> None:
    assert prose(["word"] * 14) == "Word" + " word" * 11 + ". Word word."
