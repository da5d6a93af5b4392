from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain import chunk_id_for
from pipeline.retrieval import sparse
from pipeline.retrieval.sparse import PostingsIndex
from tests.contracts.sparse import WORDS, Corpus, SparseContract, assert_ranked_as, corpus_of, oracle

if TYPE_CHECKING:
    from pipeline.retrieval.sparse import SparseIndex


def rows(corpus: Corpus) -> dict[str, list[tuple[str, list[str]]]]:
    return {
        key: [(chunk_id_for(key, index), tokens) for index, tokens in enumerate(texts)]
        for key, texts in corpus.items()
    }


class TestPostings(SparseContract):
    async def make(self, corpus: Corpus) -> SparseIndex:
        return PostingsIndex().changed(rows(corpus))


def test_the_idf_is_above_zero_even_when_every_chunk_holds_the_word() -> None:
    assert sparse.idf(1, 1) > 0
    assert sparse.idf(2, 1) > sparse.idf(2, 2) > 0


chunk = st.lists(st.sampled_from(WORDS[:8]), max_size=6)
document = st.lists(chunk, max_size=3)
change = st.tuples(
    st.dictionaries(st.sampled_from("abcde"), document, max_size=3), st.sets(st.sampled_from("abcde"))
)


@given(changes=st.lists(change, max_size=6), query=st.lists(st.sampled_from(WORDS[:8]), max_size=5))
async def test_any_course_of_changes_ends_in_the_index_built_anew(
    changes: list[tuple[dict[str, list[list[str]]], set[str]]], query: list[str]
) -> None:
    index, corpus = PostingsIndex(), dict[str, list[list[str]]]()
    for added, removed in changes:
        index = index.changed(rows(added), removed)
        corpus = {key: texts for key, texts in corpus.items() if key not in removed} | added

    anew = PostingsIndex().changed(rows(corpus))

    assert await index.search(query, 20) == await anew.search(query, 20)
    assert index.nbytes == anew.nbytes


async def test_removing_everything_leaves_an_empty_index() -> None:
    corpus = corpus_of(9)
    index = PostingsIndex().changed(rows(corpus)).changed({}, corpus)

    assert await index.search(WORDS, 10) == []
    assert index.nbytes == 0


async def test_an_index_does_not_change_when_its_successor_does() -> None:
    before = PostingsIndex().changed(rows(corpus_of(12)))
    hits = await before.search(WORDS[:3], 20)

    before.changed(rows(corpus_of(30, seed=9)), ["d0001"])

    assert await before.search(WORDS[:3], 20) == hits


async def test_searches_beside_an_update_see_a_whole_index() -> None:
    corpus = corpus_of(60)
    holder = [PostingsIndex().changed(rows(corpus))]
    successors = [holder[0], *(holder[0].changed({}, [key]) for key in list(corpus)[:10])]
    allowed = [await index.search(WORDS[:4], 10) for index in successors]
    start = threading.Barrier(2)

    def update() -> None:
        start.wait()
        base = holder[0]
        for key in list(corpus)[:10]:
            holder[0] = base.changed({}, [key])

    thread = threading.Thread(target=update)
    thread.start()
    start.wait()
    found = []
    while thread.is_alive():
        found.append(await holder[0].search(WORDS[:4], 10))
    thread.join()

    assert all(hits in allowed for hits in found)


async def test_a_search_of_many_postings_leaves_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(30)
    index = PostingsIndex().changed(rows(corpus))
    expected = await index.search(WORDS, 10)
    monkeypatch.setattr(sparse, "_THREAD_FROM", 1)

    assert await index.search(WORDS, 10) == expected
    assert_ranked_as(expected, oracle(corpus, WORDS), 10)


async def test_a_rare_token_weighs_more_in_the_coverage() -> None:
    corpus = {f"d{number}": [["common", *(["rare"] if number == 0 else [])]] for number in range(200)}
    index = PostingsIndex().changed(rows(corpus))

    common, both = await index.coverage(["common", "rare"], [chunk_id_for("d1", 0), chunk_id_for("d0", 0)])

    assert common.share < 0.1
    assert both.share == pytest.approx(1)
    assert common.weight < 0.01
    assert 0.9 < both.weight < 1


async def test_a_word_that_no_chunk_holds_lowers_the_coverage() -> None:
    index = PostingsIndex().changed(rows({"d0": [["refund"]], "d1": [["other"]]}))

    [covered] = await index.coverage(["refund", "unheard"], [chunk_id_for("d0", 0)])

    assert 0 < covered.share < 0.5


async def test_the_coverage_tells_how_many_words_and_how_much_of_the_names_are_missing() -> None:
    index = PostingsIndex().changed(rows({"d0": [["leave", "porto"]], "d1": [["leave"]]}))
    asked, named = ["leave", "leave", "porto", "unheard"], frozenset({"porto", "elsewhere"})
    chunks = [chunk_id_for("d0", 0), chunk_id_for("d1", 0), "gone"]

    both, one, none = await index.coverage(asked, chunks, named)

    assert [each.missing for each in (both, one, none)] == [1, 2, 3]
    assert both.unnamed == 0
    assert 0 < one.unnamed < 1 - one.share
    assert none.unnamed == one.unnamed


@given(st.lists(st.sampled_from(WORDS)), st.frozensets(st.sampled_from(WORDS)))
async def test_a_chunk_lacks_no_more_in_names_than_in_all(asked: list[str], named: frozenset[str]) -> None:
    index = PostingsIndex().changed(rows(corpus_of(12)))

    for covered in await index.coverage(asked, [chunk_id_for("d0", 0), "gone"], named):
        assert 0 <= covered.unnamed <= 1 - covered.share + 1e-9
        assert 0 <= covered.missing <= len(set(asked))
