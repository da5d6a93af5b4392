from __future__ import annotations

import pytest

from bot.wording import extent, final_text, ingest_sentence, notes, sentence
from pipeline.conversation import GenerationResponse, Reason
from pipeline.domain import IngestReason
from tests.fakes.pipeline import citation


@pytest.mark.parametrize("reason", list(IngestReason))
def test_every_way_a_file_fails_has_words_of_its_own(reason: IngestReason) -> None:
    assert ingest_sentence(reason).endswith(".")
    assert ingest_sentence(reason) == ingest_sentence(reason, None)


def test_the_pipelines_own_words_go_first() -> None:
    assert ingest_sentence(IngestReason.TOO_LARGE, "it has 3 GB.") == "it has 3 GB."
    assert sentence(Reason.STILL_INDEXING, "2 files are waiting.") == "2 files are waiting."


def test_a_file_that_failed_without_a_reason_still_has_one() -> None:
    assert ingest_sentence(None) == ingest_sentence(IngestReason.UNREADABLE)


def test_a_failure_without_a_reason_is_an_internal_one() -> None:
    text = final_text(GenerationResponse(success=False), "")

    assert text == sentence(Reason.INTERNAL_ERROR)


def test_a_stopped_answer_keeps_its_markers_and_their_sources() -> None:
    response = GenerationResponse(
        success=False, reason=Reason.CANCELLED, message="Stopped.", citations=(citation("1"), citation("2"))
    )

    text = final_text(response, "Five days [1].")

    assert text.startswith("Five days [1].\n\n[1] handbook.pdf")
    assert "[2]" not in text
    assert text.endswith("_Stopped._")


def test_an_answer_without_a_source_says_so_and_one_with_a_source_does_not() -> None:
    uncited = final_text(GenerationResponse(success=True, answer="Five days."))
    cited = final_text(GenerationResponse(success=True, answer="Five [1].", citations=(citation("1"),)))

    assert uncited == (
        "Five days.\n\n_No source is cited for this answer, so check it before you rely on it._"
    )
    assert "No source" not in cited


def test_a_source_on_the_servers_disk_is_linked_only_where_people_can_open_it() -> None:
    response = GenerationResponse(
        success=True, answer="Five [1].", citations=(citation("1", url="file:///srv/a.md"),)
    )

    assert "file:" not in final_text(response)
    assert "(<file:///srv/a.md>)" in final_text(response, schemes=frozenset({"file"}))


def test_a_refused_answer_is_not_shown_even_if_it_was_released() -> None:
    response = GenerationResponse(
        success=False, reason=Reason.UNSUPPORTED_ANSWER, message="Not supported.", answer="Made up [1]."
    )

    assert final_text(response, "Made up [1].") == "Not supported."


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("dense:embedder_changed", "another embedding model"),
        ("sparse:analyzer_changed", "index of words is being renewed"),
        ("dense:unavailable", "without meaning"),
        ("sparse:unavailable", "without exact words"),
        ("rerank:timeout", "not refined"),
        ("extractive", "No language model"),
        ("generation:context_truncated", "cut the passages short"),
        ("context:dropped", "did not fit"),
        ("reader:extractive", "No language model"),
    ],
)
def test_a_shortcoming_is_said_in_words(code: str, words: str) -> None:
    (note,) = notes((code,))

    assert words in note
    assert code not in note


def test_two_codes_of_one_shortcoming_are_said_once() -> None:
    assert len(notes(("reader:extractive", "reader:extractive_by_words"))) == 1


def test_an_unknown_shortcoming_is_named() -> None:
    assert "graph:missing" in notes(("graph:missing",))[0]


@pytest.mark.parametrize(
    ("pages", "chunks", "words"),
    [(None, 1, "1 passage"), (1, 2, "1 page, 2 passages"), (12, 1200, "12 pages, 1,200 passages")],
)
def test_sizes_are_counted_in_words(pages: int | None, chunks: int, words: str) -> None:
    assert extent(pages, chunks) == words


def test_a_reply_names_the_only_files_that_were_searched() -> None:
    many = tuple(f"{letter}<{letter}.md" for letter in "abcdefg")
    found = final_text(GenerationResponse(success=True, answer="Five [1].", searched=many))
    refused = final_text(
        GenerationResponse(success=False, reason=Reason.NO_RELEVANT_CONTEXT, searched=("a.md",))
    )

    assert "Searched: a\\<a.md, b\\<b.md, c\\<c.md, d\\<d.md, e\\<e.md and 2 more files" in found
    assert refused.endswith("Searched: a.md")
