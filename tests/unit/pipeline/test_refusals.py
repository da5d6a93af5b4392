from __future__ import annotations

import pytest

from pipeline.conversation import Reason
from pipeline.refusals import not_found_sentence, sentence_for


@pytest.mark.parametrize(("files", "named"), [(1, "the one file"), (20, "all 20 files")])
def test_a_refusal_says_how_much_was_searched_and_what_may_help(files: int, named: str) -> None:
    sentence = not_found_sentence(files)

    assert sentence.startswith("Nothing in this channel's files answers this. ")
    assert named in sentence
    assert "words that the files use" in sentence
    assert "upload a file that covers it" in sentence


def test_a_code_that_is_nowhere_is_named_as_the_reason() -> None:
    assert "did not find the code of your question in any of them" in not_found_sentence(
        20, why="code_not_found"
    )
    assert "did not find the code of your question in it" in not_found_sentence(1, why="code_not_found")
    assert "Check how it is written" in not_found_sentence(1, why="code_not_found")


def test_every_reason_has_its_sentence() -> None:
    assert all(sentence_for(reason).strip() for reason in Reason)


def test_files_in_another_language_are_named_as_the_reason() -> None:
    sentence = not_found_sentence(3, why="other_language")

    assert "all 3 files" in sentence
    assert "in different languages" in sentence
    assert "meaning in English only" in sentence
    assert "multilingual embedding model" in sentence
