"""What a question says about where to look, in plain words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain import Document, DocumentStatus
from pipeline.retrieval.wording import MOST_MENTIONS, Narrowing, may_narrow, narrowing

NOW = datetime(2026, 3, 12, 15, 0, tzinfo=UTC)
"""A Thursday."""


def document(name: str, *, days: float = 40, number: str = "") -> Document:
    return Document(
        document_id=f"{name}{number}",
        display_name=name,
        source=f"https://example.org/{name}",
        uploader=None,
        uploaded_at=NOW - timedelta(days=days),
        status=DocumentStatus.READY,
    )


FILES = [
    document("handbook.pdf"),
    document("hr-policy.pdf", days=20),
    document("policy.pdf"),
    document("travel rules.docx", days=8),
    document("bundle.zip/prices.csv", days=1),
    document("notes.md", days=0.1),
    document("minutes.txt", number="a"),
    document("minutes.txt", number="b"),
]


def narrowed(question: str) -> Narrowing | None:
    found = narrowing(question, FILES, NOW)
    assert found is None or may_narrow(question)
    return found


@pytest.mark.parametrize(
    ("question", "names", "rest"),
    [
        (
            "How long does a refund take, only in handbook.pdf?",
            ["handbook.pdf"],
            "How long does a refund take?",
        ),
        (
            "What does it say in handbook.pdf about refunds?",
            ["handbook.pdf"],
            "What does it say about refunds?",
        ),
        ("According to HR-Policy.PDF, who may travel?", ["hr-policy.pdf"], "who may travel?"),
        ("Who may travel in policy.pdf", ["policy.pdf"], "Who may travel"),
        ("In “policy.pdf” who may travel?", ["policy.pdf"], "who may travel?"),
        ("Wer darf laut travel rules.docx fliegen?", ["travel rules.docx"], "Wer darf fliegen?"),
        ("What is a chair in “handbook”?", ["handbook.pdf"], "What is a chair?"),
        ("What is in policy.pdf?", ["policy.pdf"], ""),
        ("Was steht in policy.pdf?", ["policy.pdf"], ""),
        ("Summarize what it says, only in policy.pdf", ["policy.pdf"], ""),
        ("What is a chair in the file handbook?", ["handbook.pdf"], "What is a chair?"),
        ("What is a chair from prices.csv?", ["bundle.zip/prices.csv"], "What is a chair?"),
        ("What is due in handbook.pdf and policy.pdf?", ["handbook.pdf", "policy.pdf"], "What is due?"),
        (
            "What is due in handbook.pdf, in notes.md or policy.pdf?",
            ["handbook.pdf", "notes.md", "policy.pdf"],
            None,
        ),
        ("What is due in last week's upload?", ["travel rules.docx"], "What is due?"),
        ("What is due in yesterday’s files?", ["bundle.zip/prices.csv"], "What is due?"),
        (
            "What is due in the files uploaded this week?",
            ["bundle.zip/prices.csv", "notes.md"],
            "What is due?",
        ),
        ("What is due in the documents from last month?", ["hr-policy.pdf"], "What is due?"),
        ("What is due in the latest upload?", ["notes.md"], "What is due?"),
        ("What changed in the newest file?", ["notes.md"], "What changed?"),
    ],
)
def test_what_leaves_no_doubt_narrows_the_search(question: str, names: list[str], rest: str | None) -> None:
    found = narrowed(question)
    assert found is not None
    assert list(found.names) == names
    assert rest is None or found.question == rest


@pytest.mark.parametrize(
    "question",
    [
        "How long does a refund take?",
        "What is in minutes.txt about refunds?",  # there are two
        "What is not in handbook.pdf?",
        "Where else than handbook.pdf, except in policy.pdf, are refunds named?",
        "Is handbook.pdf newer than policy.pdf?",
        "Does handbook.pdf say the same as in policy.pdf?",
        "Who wrote handbook.pdf?",
        "Can I work only in the handbook?",  # might be any word
        "Is it only in policy?",
        "According to policy.pdf and the handbook, what is leave?",
        "What is in my-policy.pdf?",
        "What is in the handbook about policy?",
        "What is said in policy about travel?",
        "What is due in the upload of tomorrow?",
        "What is due in today's meeting?",
        "What is in unknown.pdf?",
    ],
)
def test_what_leaves_a_doubt_narrows_nothing(question: str) -> None:
    assert narrowed(question) is None


def test_a_single_file_is_not_meant_where_the_latest_upload_brought_several() -> None:
    files = [*FILES, document("agenda.md", days=0.1)]
    unclear = narrowing("What changed in the newest file?", files, NOW)
    assert unclear is not None
    assert unclear.document_ids is None
    found = narrowing("What changed in the latest upload?", files, NOW)
    assert found is not None
    assert found.names == ("agenda.md", "notes.md")


@pytest.mark.parametrize(
    "question",
    [
        "What is due, only in unknown.pdf?",
        "What is due, only in minutes.txt?",  # there are two
        "Nur in unknown.pdf: was ist fällig?",
        "What is due in the files uploaded yesterday evening, I mean in this month's uploads of tomorrow?",
        "What is not due in last week's upload?",
    ],
)
def test_a_limit_that_cannot_be_made_out_is_told(question: str) -> None:
    found = narrowing(question, FILES[:1] + FILES[6:], NOW)
    assert found is not None
    assert (found.document_ids, found.names) == (None, ())


def test_all_there_is_is_no_narrowing() -> None:
    assert narrowing("What is due in handbook.pdf?", FILES[:1], NOW) is None


@pytest.mark.parametrize("name", ["/", ".", "//", "./", "", "..", "/."])
def test_a_file_with_no_name_to_speak_of_is_never_meant(name: str) -> None:
    assert narrowing("Which file says when the class is, in /?", [*FILES, document(name)], NOW) is None


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("straße.md", "What is due in Straße.md?"),
        ("İstanbul.md", "What is due in İstanbul.md?"),
        ("re\u0301sume\u0301.pdf", "What is due in r\u00e9sum\u00e9.pdf?"),
    ],
)
def test_names_are_compared_as_people_read_them(name: str, question: str) -> None:
    found = narrowing(question, [*FILES, document(name)], NOW)
    assert found is not None
    assert found.names == (name,)


def test_a_question_full_of_names_takes_no_time() -> None:
    files = [*FILES, document("1"), document("a.md")]
    for question in ("1 " * 1990, "[1]" * 1333, "in a.md " * 499, "only in " * 499 + "a.md"):
        found = narrowing(question, files, NOW)
        assert found is None or question.count("a.md") <= MOST_MENTIONS


def test_days_begin_where_the_clock_is() -> None:
    files = [document("a.md", days=0), document("b.md", days=0.7)]
    found = narrowing("What is new in today's files?", files, NOW)
    assert found is not None
    assert found.names == ("a.md",)


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=12), max_size=4))
def test_whatever_is_asked_the_answer_is_about_documents_that_there_are(
    question: str, names: list[str]
) -> None:
    files = [document(name, number=str(number)) for number, name in enumerate(names)]
    for text in [question, *(f"{question} in {name}" for name in names)]:
        found = narrowing(text, files, NOW)
        if found is not None:
            assert found.document_ids is None or found.document_ids < {file.document_id for file in files}
            assert bool(found.names) == (found.document_ids is not None)
