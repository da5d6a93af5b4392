from __future__ import annotations

from pipeline.domain import Filters
from pipeline.retrieval.filters import narrow

READY = frozenset({"d1", "d2", "d3"})


def test_no_filter_means_all_documents() -> None:
    assert narrow(Filters(), READY) is None


def test_a_filter_that_names_all_documents_is_no_filter() -> None:
    assert narrow(Filters(document_ids=READY | {"gone"}), READY) is None


def test_a_document_that_is_not_ready_is_left_out() -> None:
    assert narrow(Filters(document_ids=frozenset({"d1", "gone"})), READY) == frozenset({"d1"})


def test_a_filter_that_names_nothing_ready_means_none() -> None:
    assert narrow(Filters(document_ids=frozenset({"gone"})), READY) == frozenset()
    assert narrow(Filters(document_ids=frozenset()), frozenset()) == frozenset()
