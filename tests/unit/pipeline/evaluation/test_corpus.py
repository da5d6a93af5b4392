from __future__ import annotations

from pipeline.evaluation.corpus import WHOLE_CHARS, passages
from pipeline.evaluation.dataset import Case, Dataset, Source
from pipeline.evaluation.scores import Gold

PARAGRAPHS = [f"Paragraph {number} tells of pumps, valves and their care. " * 12 for number in range(8)]
LONG = "\n\n".join(PARAGRAPHS)


def dataset(text: str, *spans: tuple[int, int]) -> Dataset:
    case = Case(qid="q1", question="?", gold=Gold(spans={"d1": spans}, places={}))
    source = Source(doc_id="d1", title="Pumps", text=text)
    return Dataset(name="made", documents=[source], cases=[case], topic_changes=[])


def test_a_passage_is_taken_as_it_is() -> None:
    [passage] = passages(dataset(LONG))

    assert passage.text == LONG
    assert passage.span == (0, len(LONG))


def test_a_document_with_marked_answers_is_cut_and_each_piece_knows_its_place() -> None:
    cut = list(passages(dataset(LONG, (0, 5))))

    assert len(cut) > 3
    for passage in cut:
        assert passage.span is not None
        start, end = passage.span
        assert LONG[start:end].split() == passage.text.split()
    assert sum(len(passage.text.split()) for passage in cut) == len(LONG.split())


def test_a_very_long_document_is_cut_in_any_case() -> None:
    assert len(list(passages(dataset(LONG * (WHOLE_CHARS // len(LONG) + 1))))) > 3


def test_text_that_comes_twice_is_placed_twice() -> None:
    twice = f"{LONG}\n\n{LONG}"

    spans = [passage.span for passage in passages(dataset(twice, (0, 5)))]

    assert None not in spans
    assert len(set(spans)) == len(spans)


def test_an_empty_passage_is_left_out() -> None:
    assert list(passages(dataset(" \n"))) == []
