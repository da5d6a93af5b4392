from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.evaluation import evaluate
from tests.fakes.embedding import WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = ["refunds", "pumps", "valves", "badges", "parking", "lunch"]


def silent(done: int, total: int, what: str) -> None:
    pass


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    (folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def question(number: int, **more: Any) -> dict[str, Any]:
    topic = TOPICS[number]
    return {
        "qid": f"q{number}",
        "question": f"Which rule about {topic} number {number} applies in our main building?",
        "gold_docs": [{"doc_id": topic}],
        "answerable": True,
        **more,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "house"
    made.mkdir()
    documents = [
        {"doc_id": topic, "title": topic.title(), "text": f"The rule about {topic} is rule {number}."}
        for number, topic in enumerate(TOPICS)
    ]
    write(made, "documents.jsonl", documents)
    write(made, "questions.jsonl", [question(number) for number in range(len(TOPICS))])
    return made


async def run(folder: Path, embedder: WordEmbedder | None = None) -> dict[str, Any]:
    cache = folder.parent / "cache"
    return await evaluate(folder, embedder=embedder or WordEmbedder(), cache=cache, progress=silent)


async def test_each_arm_is_scored_with_intervals(folder: Path) -> None:
    report = await run(folder)

    assert (report["dataset"], report["questions"]) == ("house", 6)
    assert list(report["arms"]) == ["sparse", "dense", "hybrid"]
    for arm in report["arms"].values():
        assert arm["recall@1"] == 1
        assert arm["ndcg@10"] == 1
        assert arm["recall@1_ci"][0] < 1
    assert set(report) == {"dataset", "questions", "arms"}
    json.dumps(report)


async def test_a_second_run_embeds_nothing_and_reports_the_same(folder: Path) -> None:
    first = await run(folder)
    embedder = WordEmbedder()

    assert await run(folder, embedder) == first
    assert embedder.asked == []


async def test_long_documents_are_cut_and_scored_by_span(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    folder.mkdir()
    paragraphs = [f"Chapter of {topic}. " + f"All about {topic} and their care. " * 30 for topic in TOPICS]
    text = "\n\n".join(paragraphs)
    write(folder, "documents.jsonl", [{"doc_id": "book", "title": "Book", "text": text}])
    start = text.index("Chapter of valves")
    gold = [{"doc_id": "book", "spans": [[start, start + 17]]}]
    write(folder, "questions.jsonl", [{"qid": "q", "question": "the chapter of valves", "gold_docs": gold}])

    report = await run(folder)

    assert report["arms"]["hybrid"]["span_recall@5"] == 1
    assert report["arms"]["hybrid"]["recall@1"] == 1


async def test_conversations_are_scored_alone_with_their_summary_and_reworded(folder: Path) -> None:
    history = [
        {"role": "user", "content": "Which rule about pumps applies?"},
        {"role": "assistant", "content": "The rule about pumps is rule 1."},
    ]
    follow_up = question(1, question="And where is it written?", history=history, rewrite="rule about pumps")
    write(folder, "questions.jsonl", [follow_up])
    changed = question(5, history=history, off_topic_docs=["pumps"])
    write(folder, "topic_change.jsonl", [changed])

    report = await run(folder)

    part = report["follow_up"]
    assert part["with_summary"]["recall@1"] == part["rewrite"]["recall@1"] == 1
    assert part["last_turn"]["recall@1"] < 1
    assert report["topic_change"]["with_summary"]["recall@1"] == 1
    assert set(report["topic_change"]) > {"noticed", "noticed_ci", "off_topic@5", "last_turn"}


async def test_refusals_are_counted_where_some_questions_have_no_answer(folder: Path) -> None:
    absent = question(0, qid="absent", question="What does ZX-99817 mean?", gold_docs=[], answerable=False)
    write(folder, "questions.jsonl", [question(1), absent])

    part = (await run(folder))["abstention"]

    assert (part["unanswerable"], part["answerable"]) == (1, 1)
    assert part["refused_answerable"] == 0
    assert part["refused_unanswerable"] == 1
