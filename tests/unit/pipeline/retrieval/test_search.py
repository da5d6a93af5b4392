from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.domain import DocumentStatus, Filters
from pipeline.errors import CatalogError, CatalogUnavailable, ModelNotFound, ModelTimeout, ModelUnavailable
from pipeline.generation.embedders import ServedEmbedder
from pipeline.generation.faults import Server
from pipeline.generation.limiter import Limiter
from pipeline.ingestion.tokens import analyze
from pipeline.observability.trace import collect
from pipeline.retrieval.index import Indexes
from pipeline.retrieval.query import SearchQuery
from pipeline.retrieval.search import Retriever
from pipeline.storage.refs import CatalogRef, StoredChunk
from tests.fakes.embedding import WordEmbedder
from tests.fakes.shelf import Shelf
from tests.fakes.stored import DEMO, chunk_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.domain import Retrieval, Scope
    from pipeline.errors import ModelError

TEXTS = {
    "policy": ["Refunds take five working days.", "Annual plans are refunded in part."],
    "pumps": ["PANIC-0417 means that the pump stopped.", "PANIC-0418 means that the valve stopped."],
    "office": ["The office opens at nine."],
}


async def stored(document_id: str, texts: Sequence[str]) -> list[StoredChunk]:
    vectors = await WordEmbedder().embed_documents(texts)
    return [
        StoredChunk(chunk=chunk_of(document_id, index, text), tokens=tuple(analyze(text)), vector=vector)
        for index, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


@pytest.fixture
async def shelf() -> Shelf:
    made = Shelf(CatalogRef(scope=DEMO, generation=1, embedder="fake:words", dimension=64))
    for document_id, texts in TEXTS.items():
        made.put(document_id, await stored(document_id, texts))
    return made


def retriever(shelf: Shelf | None, **options: Any) -> Retriever:
    async def open_catalog(_: Scope) -> Shelf | None:
        return shelf

    max_chunks = options.pop("max_chunks", 20_000)
    indexes = Indexes(analyze=analyze, max_chunks=max_chunks)
    embedder = options.pop("embedder", WordEmbedder())
    return Retriever(
        open_catalog=open_catalog, indexes=indexes, analyze=analyze, embedder=embedder, **options
    )


async def ask(
    found_by: Retriever, question: str, *, summary: str = "", top_k: int = 5, filters: Filters | None = None
) -> Retrieval:
    query = SearchQuery(question=question, summary=summary)
    return await found_by.retrieve(DEMO, query, top_k=top_k, filters=filters)


def ids(retrieval: Retrieval) -> list[str]:
    return [each.chunk.chunk_id for each in retrieval.ranked]


async def test_the_chunk_that_answers_comes_first_with_its_ranks_and_signals(shelf: Shelf) -> None:
    found = await ask(retriever(shelf), "How many working days do refunds take?")

    best = found.ranked[0]
    assert best.chunk.text == TEXTS["policy"][0]
    assert (best.dense_rank, best.sparse_rank) == (1, 1)
    assert best.cosine is not None
    assert best.cosine > 0.5
    assert best.coverage > 0.5
    assert found.degraded == ()


async def test_it_is_told_how_many_words_and_how_much_of_the_names_each_chunk_lacks(shelf: Shelf) -> None:
    held = (await ask(retriever(shelf), "The office opens at nine")).ranked[0]
    lacked = (await ask(retriever(shelf), "office opens in Berlin")).ranked[0]

    assert (held.missing, held.unnamed) == (0, 0)
    assert lacked.missing == 1
    assert 0.2 < lacked.unnamed < 1


async def test_a_code_finds_the_one_chunk_that_holds_it(shelf: Shelf) -> None:
    assert ids(await ask(retriever(shelf), "what does panic-0418 mean"))[0] == "pumps-00001"


async def test_no_more_than_top_k_come_back(shelf: Shelf) -> None:
    assert len(ids(await ask(retriever(shelf), "refunds", top_k=2))) == 2


async def test_of_the_same_text_in_two_files_one_comes_back_and_makes_room_for_another(shelf: Shelf) -> None:
    shelf.put("z-copy", await stored("z-copy", TEXTS["policy"]))

    found = await ask(retriever(shelf), "How many working days do refunds take?", top_k=2)

    best, second = found.ranked
    assert {best.chunk.text, best.copies[0].text} == {TEXTS["policy"][0]}
    assert {best.chunk.document_id, best.copies[0].document_id} == {"policy", "z-copy"}
    assert second.chunk.text != best.chunk.text


async def test_a_filter_lets_nothing_else_through(shelf: Shelf) -> None:
    filters = Filters(document_ids=frozenset({"office", "gone"}))

    assert ids(await ask(retriever(shelf), "refunds of annual plans", filters=filters)) == ["office-00000"]


async def test_a_filter_on_documents_that_are_gone_finds_nothing(shelf: Shelf) -> None:
    found = await ask(retriever(shelf), "refunds", filters=Filters(document_ids=frozenset({"gone"})))

    assert found.ranked == ()


async def test_a_channel_without_a_catalog_has_nothing() -> None:
    found = await ask(retriever(None), "refunds")

    assert (found.ranked, found.degraded) == ((), ())


async def test_a_channel_without_ready_documents_has_nothing(shelf: Shelf) -> None:
    for document_id, texts in TEXTS.items():
        shelf.put(document_id, await stored(document_id, texts), status=DocumentStatus.INDEXING)

    assert (await ask(retriever(shelf), "refunds")).ranked == ()


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (ModelUnavailable(), "dense:unavailable"),
        (ModelTimeout(), "dense:timeout"),
        (ModelNotFound(), "dense:model_not_found"),
    ],
)
async def test_a_failing_embedder_leaves_the_sparse_arm_and_is_reported(
    shelf: Shelf, failure: ModelError, code: str
) -> None:
    with collect() as events:
        found = await ask(retriever(shelf, embedder=WordEmbedder(failure=failure)), "panic-0417")

    assert ids(found)[0] == "pumps-00000"
    assert found.degraded == (code,)
    assert found.ranked[0].cosine is None
    assert found.ranked[0].coverage > 0
    assert next(event for event in events if event["event"] == "retrieval.dense")["lacking"] == code


class Sleeper(WordEmbedder):
    """Never answers."""

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        await asyncio.Event().wait()
        raise AssertionError


async def test_an_embedder_that_hangs_is_given_up(shelf: Shelf) -> None:
    found = await ask(retriever(shelf, embedder=Sleeper(), dense_patience_s=0.05), "panic-0417")

    assert found.degraded == ("dense:timeout",)
    assert ids(found)[0] == "pumps-00000"


async def test_another_embedder_than_the_catalogs_is_not_asked(shelf: Shelf) -> None:
    embedder = WordEmbedder(name="other:words")
    found = await ask(retriever(shelf, embedder=embedder), "panic-0417")

    assert found.degraded == ("dense:embedder_changed",)
    assert embedder.asked == []
    assert ids(found)[0] == "pumps-00000"


async def test_vectors_of_another_length_than_the_catalogs_are_not_compared(shelf: Shelf) -> None:
    found = await ask(retriever(shelf, embedder=WordEmbedder(dimension=32)), "panic-0417")

    assert found.degraded == ("dense:embedder_changed",)
    assert ids(found)[0] == "pumps-00000"


class Served:
    """A model behind a server that may be down."""

    def __init__(self, *, down: bool) -> None:
        self.down = down

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.down:
            raise ConnectionRefusedError
        rows: list[list[float]] = (await WordEmbedder().embed_documents(texts)).tolist()
        return rows


async def test_a_named_server_that_was_never_reached_leaves_the_words_until_it_comes_up(
    shelf: Shelf,
) -> None:
    model = Served(down=True)
    server = Server(title="Ollama", url="http://127.0.0.1:9", model="words")
    embedder = ServedEmbedder(model, server, name="fake:words", limiter=Limiter())
    asked = retriever(shelf, embedder=embedder)

    before = await ask(asked, "panic-0417")
    model.down = False
    after = await ask(asked, "panic-0417")

    assert before.degraded == ("dense:unavailable",)
    assert ids(before)[0] == "pumps-00000"
    assert after.degraded == ()


async def test_the_dense_arm_can_be_switched_off(shelf: Shelf) -> None:
    found = await ask(retriever(shelf, embedder=None), "refunds")

    assert found.degraded == ("dense:off",)
    assert ids(found)[0].startswith("policy")


async def test_the_sparse_arm_can_be_switched_off(shelf: Shelf) -> None:
    found = await ask(retriever(shelf, sparse=False), "refunds take days")

    assert found.degraded == ("sparse:off",)
    assert ids(found)[0] == "policy-00000"
    assert found.ranked[0].sparse_rank is None


async def test_with_both_arms_off_the_search_says_so(shelf: Shelf) -> None:
    with pytest.raises(CatalogError, match="switched off"):
        await ask(retriever(shelf, embedder=None, sparse=False), "refunds")


async def test_a_failing_sparse_arm_leaves_the_dense_arm_and_is_reported(shelf: Shelf) -> None:
    shelf.text_index, shelf.failure = True, CatalogUnavailable()

    found = await ask(retriever(shelf, max_chunks=1), "refunds take days")

    assert found.degraded == ("sparse:unavailable",)
    assert ids(found)[0] == "policy-00000"


async def test_when_both_arms_fail_the_failure_is_raised(shelf: Shelf) -> None:
    shelf.text_index, shelf.failure = True, CatalogError()

    with pytest.raises(ModelUnavailable):
        await ask(
            retriever(shelf, max_chunks=1, embedder=WordEmbedder(failure=ModelUnavailable())), "refunds"
        )


async def test_a_question_of_unknown_words_is_left_to_the_dense_arm(shelf: Shelf) -> None:
    found = await ask(retriever(shelf), "zzz qqq")

    assert found.ranked
    assert all(each.sparse_rank is None and each.coverage == 0 for each in found.ranked)


async def test_a_summary_helps_a_follow_up(shelf: Shelf) -> None:
    found = await ask(retriever(shelf), "And how many days?", summary="Refunds were discussed.")

    assert ids(found)[0] == "policy-00000"


async def test_a_summary_does_not_drown_a_question(shelf: Shelf) -> None:
    summary = "Refunds take five working days. Annual plans are refunded in part. Refunds, refunds, refunds."

    found = await ask(retriever(shelf), "When does the office open?", summary=summary)

    assert ids(found)[0] == "office-00000"


async def test_one_common_word_of_a_follow_up_does_not_drown_the_summary() -> None:
    shelf = Shelf(CatalogRef(scope=DEMO, generation=1, embedder="fake:words", dimension=64))
    shelf.put("train", await stored("train", ["Line S5 to Potsdam runs from platform 2, first at 4:40."]))
    shelf.put("leave", await stored("leave", ["Annual leave: unused leave is lost."]))
    summary = "Which line goes to Potsdam? Line S5 to Potsdam runs from platform 2."

    found = await ask(retriever(shelf, embedder=None), "When does it leave?", summary=summary)

    assert ids(found)[0] == "train-00000"


async def test_vectors_that_were_made_already_are_not_made_again(shelf: Shelf) -> None:
    embedder = WordEmbedder()
    vector = await embedder.embed_query("refunds")
    embedder.asked.clear()

    await retriever(shelf, embedder=embedder).retrieve(
        DEMO, SearchQuery(question="refunds", vectors={"refunds": vector}), top_k=3
    )

    assert embedder.asked == []


class Backwards:
    """Likes the last best."""

    name = "fake:backwards"

    def __init__(self, failure: Exception | None = None) -> None:
        self._failure = failure

    async def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        if self._failure is not None:
            raise self._failure
        return list(range(len(passages)))


async def test_a_second_look_may_reorder_the_fused_candidates(shelf: Shelf) -> None:
    plain = ids(await ask(retriever(shelf), "refunds"))

    assert ids(await ask(retriever(shelf, reranker=Backwards()), "refunds")) == plain[::-1]


async def test_a_second_look_that_fails_changes_nothing_and_is_reported(shelf: Shelf) -> None:
    plain = ids(await ask(retriever(shelf), "refunds"))

    found = await ask(retriever(shelf, reranker=Backwards(ModelUnavailable())), "refunds")

    assert ids(found) == plain
    assert found.degraded == ("rerank:failed",)


async def test_the_trace_tells_what_each_arm_did_and_no_words(shelf: Shelf) -> None:
    with collect() as events:
        await ask(retriever(shelf), "How long do refunds take?", summary="Plans were discussed.")

    names = [event["event"] for event in events]
    assert sorted(names) == ["retrieval.collapsed", "retrieval.dense", "retrieval.fused", "retrieval.sparse"]
    assert all(event["hits"] > 0 and event["ids"] for event in events if "hits" in event)
    assert "refund" not in str(events).lower()


async def test_a_chunk_that_is_gone_by_the_time_it_is_fetched_is_left_out(shelf: Shelf) -> None:
    shelf.text_index = True
    finder = retriever(shelf, max_chunks=1)
    shelf.stored["policy"] = shelf.stored["policy"][:1]

    assert "policy-00001" not in ids(await ask(finder, "annual plans"))
