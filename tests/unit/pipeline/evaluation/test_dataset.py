from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.domain import Place
from pipeline.errors import DatasetError
from pipeline.evaluation.bench import rolling_summary
from pipeline.evaluation.dataset import Turn, read_dataset

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = {"doc_id": "d1", "title": "Refunds", "text": "Five days.\u2028Or six."}
QUESTION = {
    "qid": "q1",
    "question": "How long?",
    "history": [{"role": "user", "content": "Refunds?"}, {"role": "assistant", "content": "Yes."}],
    "answerable": "partial",
    "gold_docs": [{"doc_id": "d1", "spans": [[0, 4]]}],
    "rewrite": "How long do refunds take?",
    "off_topic_docs": ["d9"],
}


def write(folder: Path, name: str, *rows: dict[str, Any]) -> None:
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)


@pytest.mark.parametrize("name", ["documents.jsonl", "documents.jsonl.gz"])
def test_a_folder_is_read_compressed_or_not(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, DOCUMENT)
    write(tmp_path, "questions.jsonl", QUESTION)

    dataset = read_dataset(tmp_path)

    assert [(each.doc_id, each.title, each.text) for each in dataset.documents] == [
        ("d1", "Refunds", "Five days.\u2028Or six.")
    ]
    [case] = dataset.cases
    assert case.gold.spans == {"d1": ((0, 4),)}
    assert case.history == (Turn(user=True, text="Refunds?"), Turn(user=False, text="Yes."))
    assert (case.answerable, case.rewrite, case.gold.off_topic) == (
        "partial",
        "How long do refunds take?",
        frozenset({"d9"}),
    )
    assert dataset.has_spans
    assert dataset.topic_changes == []


def test_only_what_is_needed_must_be_there(tmp_path: Path) -> None:
    write(tmp_path, "documents.jsonl", {"doc_id": "d1", "text": "Five days."})
    write(tmp_path, "questions.jsonl", {"qid": "q1", "question": "How long?"})
    write(tmp_path, "topic_change.jsonl", QUESTION)

    dataset = read_dataset(tmp_path)

    assert dataset.documents[0].title == ""
    assert dataset.cases[0].gold.spans == {}
    assert not dataset.has_spans
    assert len(dataset.topic_changes) == 1


@pytest.mark.parametrize(
    ("documents", "questions"),
    [([], [QUESTION]), ([DOCUMENT], []), ([{"doc_id": "d1"}], [QUESTION]), ([DOCUMENT], [{"question": "?"}])],
)
def test_a_folder_that_is_no_dataset_is_refused(
    tmp_path: Path, documents: list[dict[str, Any]], questions: list[dict[str, Any]]
) -> None:
    write(tmp_path, "documents.jsonl", *documents)
    write(tmp_path, "questions.jsonl", *questions)

    with pytest.raises(DatasetError):
        read_dataset(tmp_path)


def test_a_missing_or_broken_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"documents\.jsonl"):
        read_dataset(tmp_path)
    (tmp_path / "documents.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(DatasetError, match="line"):
        read_dataset(tmp_path)


def test_a_file_that_is_not_compressed_although_it_says_so_is_refused(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl.gz").write_bytes(b"no gzip")

    with pytest.raises(DatasetError, match="line"):
        read_dataset(tmp_path)


def test_documents_are_files_where_the_folder_says_so(tmp_path: Path) -> None:
    for name in ("common/b.md", "golden/documents/a.txt", "golden/documents/.hidden"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("Five days.")
    golden = tmp_path / "golden"
    gold = [{"doc_id": "b.md", "section": "Refunds"}, {"doc_id": "a.txt", "page": 2}, {"doc_id": "c.md"}]
    write(golden, "questions.jsonl", QUESTION | {"gold_docs": gold})

    assert [each.doc_id for each in read_dataset(golden).documents] == ["a.txt"]
    (golden / "dataset.json").write_text('{"documents": ["../common", "documents"]}')
    dataset = read_dataset(golden)

    assert [(each.doc_id, each.path) for each in dataset.documents] == [
        ("a.txt", golden / "documents/a.txt"),
        ("b.md", golden / "../common/b.md"),
    ]
    assert dataset.cases[0].gold.places == {"b.md": Place(section="Refunds"), "a.txt": Place(page=2)}


@pytest.mark.parametrize("text", ["{", "[]", '{"documents": ["nowhere"]}', '{"documents": 3}'])
def test_a_description_that_cannot_be_followed_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "dataset.json").write_text(text)
    write(tmp_path, "questions.jsonl", QUESTION)

    with pytest.raises(DatasetError, match=r"dataset\.json"):
        read_dataset(tmp_path)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("Five days.")
    (tmp_path / "dataset.json").write_text('{"documents": ["one", "two"]}')
    write(tmp_path, "questions.jsonl", QUESTION)

    with pytest.raises(DatasetError, match=r"a\.md is there 2 times"):
        read_dataset(tmp_path)


def test_a_sample_holds_the_questions_that_are_marked_small(tmp_path: Path) -> None:
    write(tmp_path, "documents.jsonl", DOCUMENT)
    write(tmp_path, "questions.jsonl", QUESTION, QUESTION | {"qid": "q2", "small": True})
    write(tmp_path, "topic_change.jsonl", QUESTION)

    dataset = read_dataset(tmp_path, small=True)

    assert [case.qid for case in dataset.cases] == ["q2"]
    assert dataset.topic_changes == []


def test_a_dataset_without_a_sample_says_so(tmp_path: Path) -> None:
    write(tmp_path, "documents.jsonl", DOCUMENT)
    write(tmp_path, "questions.jsonl", QUESTION)

    with pytest.raises(DatasetError, match="marked small"):
        read_dataset(tmp_path, small=True)


def test_the_stand_in_for_a_summary_is_the_last_question_and_the_start_of_the_answer() -> None:
    history = (
        Turn(user=True, text="First?"),
        Turn(user=False, text="No."),
        Turn(user=True, text="Refunds?"),
        Turn(user=False, text="Five days. Or six. Never seven."),
    )

    assert rolling_summary(history) == "Refunds? Five days. Or six."
    assert rolling_summary(history[:1]) == "First?"
    assert rolling_summary(()) == ""


def test_files_in_any_folder_are_documents_and_may_be_named_by_their_path(tmp_path: Path) -> None:
    for name in ("pdfs/b.txt", "notes/a.txt", ".cache/c.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("Five days.")
    gold = [{"doc_id": "pdfs/b.txt", "page_0based": 0}, {"doc_id": "a.txt"}, {"doc_id": "pdfs/z.txt"}]
    write(tmp_path, "questions.jsonl", QUESTION | {"gold_docs": gold})

    dataset = read_dataset(tmp_path)

    assert [each.doc_id for each in dataset.documents] == ["a.txt", "b.txt"]
    assert dataset.cases[0].gold.spans == {"b.txt": (), "a.txt": (), "pdfs/z.txt": ()}
    assert dataset.cases[0].gold.places == {"b.txt": Place(page=1)}


def test_questions_that_say_whether_they_need_their_conversation_need_no_documents(tmp_path: Path) -> None:
    write(tmp_path, "questions.jsonl", QUESTION | {"gold_docs": [], "needs_rewrite": True})

    dataset = read_dataset(tmp_path)

    assert (len(dataset.documents), dataset.cases[0].needs_rewrite) == (0, True)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"question": "?"}', "questions.jsonl, line 2: qid: Field required."),
        ("{", "questions.jsonl, line 2: Invalid JSON"),
        ("[" * 5_000 + "]" * 5_000, "questions.jsonl, line 2: Invalid JSON"),
        ('["qid"]', "questions.jsonl, line 2: Input should be an object."),
        ('{"qid": "q", "question": null}', "line 2: question: Input should be a valid string."),
        ('{"qid": "q", "question": "?", "gold_docs": ["faq.md"]}', "line 2: gold_docs.0: Input should be"),
        ('{"qid": "q", "question": "?", "gold_docs": [{"doc_id": "d1", "page": 0}]}', "gold_docs.0.page: "),
        ('{"qid": "q", "question": "?", "gold_docs": [{"doc_id": "d1", "spans": [[9, 3]]}]}', "a span ends"),
        ('{"qid": "q", "question": "?", "gold_docs": [{"doc_id": "d1", "spans": [[-3, 3]]}]}', "spans.0.0"),
        ('{"qid": "q1", "question": "?"}', "The question q1 is there 2 times."),
    ],
)
def test_a_line_that_cannot_be_used_is_named_by_its_number(tmp_path: Path, row: str, said: str) -> None:
    write(tmp_path, "documents.jsonl", DOCUMENT)
    (tmp_path / "questions.jsonl").write_text(json.dumps(QUESTION) + "\n" + row + "\n")

    with pytest.raises(DatasetError) as refused:
        read_dataset(tmp_path)

    assert said in str(refused.value)


def test_documents_that_questions_name_and_nobody_has_are_known(tmp_path: Path) -> None:
    write(tmp_path, "documents.jsonl", DOCUMENT)
    write(
        tmp_path,
        "questions.jsonl",
        QUESTION,
        QUESTION | {"qid": "q2", "gold_docs": [{"doc_id": "faqs.md"}, {"doc_id": "d1"}]},
    )

    assert read_dataset(tmp_path).unknown == ["faqs.md"]
