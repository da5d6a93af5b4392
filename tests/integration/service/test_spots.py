"""A question that names a place is answered from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.conversation import Question
from tests.fakes.documents import pdf

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope

PAGES = ("The rent is due on the first.", "Three months are paid as a deposit.", "Keys are lent.")


async def test_what_stands_at_the_place_that_a_question_names_is_read_first(
    opened: Callable[..., AbstractAsyncContextManager[Service]], scope: Scope, folder: Path
) -> None:
    (folder / "lease.pdf").write_bytes(pdf(PAGES))
    async with opened() as service:
        files = [(path, path.name) for path in sorted(folder.iterdir())]
        await service.chores.ingest(scope, files, lambda done, total, name: None)
        pipeline = await service.pipeline()
        there = {
            page: await pipeline.ask(Question(text=f"zzyzx on page {page} of the lease?", scope=scope))
            for page in (1, 2, 3, 4)
        }

    assert [there[page].sources[0].chunk.place.page for page in (1, 2, 3)] == [1, 2, 3]
    assert len(there[1].sources) > 1
    assert not any(event["event"] == "retrieval.place" and event["found"] for event in there[4].trace)
