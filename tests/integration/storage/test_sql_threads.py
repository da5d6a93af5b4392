"""What was said in a thread is kept, replaced and removed as a whole."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.conversation import Reason, Summary
from pipeline.domain import Scope
from pipeline.storage.threads import RECALLED, Threads, TurnRecord, Verdict

if TYPE_CHECKING:
    from pipeline.storage.sql import Database

SCOPE = Scope("discord", "41771983423143937", "127121515262115840")
OTHER = Scope("discord", "41771983423143937", "2")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def threads(database: Database) -> Threads:
    return Threads(database)


def turn(number: int = 0, *, reason: Reason | None = None) -> TurnRecord:
    return TurnRecord(
        question=f"question {number}",
        answer=f"answer {number}",
        reason=reason,
        response={"citations": [{"label": "1", "page": None}], "latency_ms": 1.5},
        created_at=NOON + timedelta(minutes=number),
    )


async def test_a_new_thread_remembers_nothing(threads: Threads) -> None:
    assert await threads.summary(SCOPE, "t") == Summary(text="", version=0)
    assert await threads.last_turn(SCOPE, "t") is None


async def test_a_summary_is_replaced_by_whoever_read_the_latest(threads: Threads) -> None:
    assert await threads.save_summary(SCOPE, "t", "one", expected_version=0)
    assert await threads.save_summary(SCOPE, "t", "two", expected_version=1)
    assert not await threads.save_summary(SCOPE, "t", "late", expected_version=1)
    assert not await threads.save_summary(SCOPE, "t", "late", expected_version=0)
    assert await threads.summary(SCOPE, "t") == Summary(text="two", version=2)


async def test_a_summary_can_be_saved_after_the_turn_it_is_of(threads: Threads) -> None:
    await threads.add_turn(SCOPE, "t", turn())
    assert await threads.save_summary(SCOPE, "t", "one", expected_version=0)


async def test_ten_tasks_compare_and_swap_one_summary_and_lose_nothing(threads: Threads) -> None:
    async def count_up() -> None:
        for _ in range(5):
            saved = False
            while not saved:
                summary = await threads.summary(SCOPE, "t")
                text = str(int(summary.text or "0") + 1)
                saved = await threads.save_summary(SCOPE, "t", text, expected_version=summary.version)

    await asyncio.gather(*(count_up() for _ in range(10)))
    assert await threads.summary(SCOPE, "t") == Summary(text="50", version=50)


async def test_two_threads_know_nothing_of_each_other(threads: Threads) -> None:
    await threads.save_summary(SCOPE, "a", "secret", expected_version=0)
    await threads.add_turn(SCOPE, "a", turn())
    for scope, thread in ((SCOPE, "b"), (OTHER, "a")):
        assert (await threads.summary(scope, thread)).text == ""
        assert await threads.turns(scope, thread, 10) == []


async def test_a_turn_comes_back_as_it_was_kept(threads: Threads) -> None:
    turn_id = await threads.add_turn(SCOPE, "t", turn(1, reason=Reason.NO_RELEVANT_CONTEXT))
    found = await threads.last_turn(SCOPE, "t")
    assert found is not None
    assert found.turn_id == turn_id
    assert found.reason is Reason.NO_RELEVANT_CONTEXT
    assert found.response == turn(1).response
    assert found.created_at == turn(1).created_at
    assert await threads.turn(SCOPE, turn_id) == found
    assert await threads.turn(OTHER, turn_id) is None


async def test_a_turn_is_found_by_what_asked_it_in_its_own_channel_only(threads: Threads) -> None:
    for thread, number, key in (("t", 1, "m1"), ("u", 2, "m2"), ("t", 3, "m1"), ("t", 4, None)):
        await threads.add_turn(SCOPE, thread, replace(turn(number), question_key=key))
    await threads.add_turn(OTHER, "t", replace(turn(5), question_key="m1"))
    found = await threads.turn_for(SCOPE, "m1")
    assert found is not None
    assert (found.question, found.question_key) == ("question 3", "m1")
    assert await threads.turn_for(OTHER, "m2") is None


async def test_the_latest_turns_come_oldest_first(threads: Threads) -> None:
    for number in range(5):
        await threads.add_turn(SCOPE, "t", turn(number))
    assert [t.question for t in await threads.turns(SCOPE, "t", 2)] == ["question 3", "question 4"]


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "日本語 🙂", "x" * 100_000, "'; DROP TABLE turns; --"])
async def test_any_text_that_people_can_send_is_kept(threads: Threads, text: str) -> None:
    record = TurnRecord(question=text, answer=text, reason=None, response={"text": text}, created_at=NOON)
    await threads.add_turn(SCOPE, text[:100].replace("\0", "").replace("\ud800", ""), record)
    await threads.save_summary(SCOPE, "t", text, expected_version=0)
    kept = text.replace("\0", "").replace("\ud800", "?")
    assert (await threads.summary(SCOPE, "t")).text == kept


async def test_resetting_a_thread_removes_its_summary_and_turns(threads: Threads) -> None:
    await threads.save_summary(SCOPE, "t", "one", expected_version=0)
    await threads.add_turn(SCOPE, "t", turn())
    await threads.add_turn(SCOPE, "other", turn())
    await threads.reset(SCOPE, "t")
    assert (await threads.summary(SCOPE, "t")).text == ""
    assert await threads.last_turn(SCOPE, "t") is None
    assert await threads.last_turn(SCOPE, "other") is not None


@pytest.mark.parametrize("version", [0, 1])
async def test_a_summary_of_what_was_said_before_a_reset_does_not_come_back(
    threads: Threads, version: int
) -> None:
    for expected in range(version):
        await threads.save_summary(SCOPE, "t", "one", expected_version=expected)
    before = await threads.summary(SCOPE, "t")
    await threads.reset(SCOPE, "t")
    assert not await threads.save_summary(SCOPE, "t", "stale", expected_version=before.version)
    after = await threads.summary(SCOPE, "t")
    assert await threads.save_summary(SCOPE, "t", "fresh", expected_version=after.version)


async def test_a_lost_channel_leaves_nothing_of_what_was_said_in_it(threads: Threads) -> None:
    turn_id = await threads.add_turn(SCOPE, "t", turn())
    await threads.add_feedback(turn_id, Verdict.DOWN, "wrong", "U1")
    await threads.save_summary(SCOPE, "t", "one", expected_version=0)
    kept = await threads.add_turn(OTHER, "t", turn())
    await threads.forget_scope(SCOPE)
    assert await threads.summary(SCOPE, "t") == Summary()
    assert await threads.turn(SCOPE, turn_id) is None
    assert not await threads.add_feedback(turn_id, Verdict.UP, None, "U1")
    assert await threads.turn(OTHER, kept) is not None


async def test_forgetting_a_document_removes_what_was_answered_from_it_and_what_came_of_that(
    threads: Threads,
) -> None:
    def citing(number: int, *document_ids: str) -> TurnRecord:
        response = {"citations": [{"label": "1", "document_id": each} for each in document_ids]}
        return replace(turn(number), response=response)

    for thread in ("a", "b"):
        await threads.save_summary(SCOPE, thread, "one", expected_version=0)
    for number, cited in enumerate([["kept"], ["kept", "gone"], ["also gone"], []]):
        await threads.add_turn(SCOPE, "a", citing(number, *cited))
    await threads.add_turn(SCOPE, "b", citing(9, "kept"))
    await threads.add_turn(OTHER, "a", citing(9, "gone"))

    assert await threads.forget_documents(SCOPE, ["gone", "also gone"]) == 2

    assert [each.question for each in await threads.turns(SCOPE, "a", 9)] == ["question 0", "question 3"]
    assert await threads.summary(SCOPE, "a") == Summary(text="", version=2)
    assert await threads.summary(SCOPE, "b") == Summary(text="one", version=1)
    assert len(await threads.turns(SCOPE, "b", 9)) == len(await threads.turns(OTHER, "a", 9)) == 1


def answered(number: int, key: str | None, *, before: str = "", reason: Reason | None = None) -> TurnRecord:
    """Return a turn that was asked by *key* in the light of the summary *before*."""
    return replace(turn(number, reason=reason), question_key=key, response={RECALLED: before})


async def test_a_question_that_is_taken_back_leaves_the_summary_of_before_it(threads: Threads) -> None:
    await threads.save_summary(SCOPE, "t", "first", expected_version=0)
    await threads.add_turn(SCOPE, "t", answered(1, "m1"))
    await threads.save_summary(SCOPE, "t", "first and second", expected_version=1)
    await threads.add_turn(SCOPE, "t", answered(2, "m2", before="first"))

    await threads.retract(SCOPE, "t", "m2")

    assert await threads.summary(SCOPE, "t") == Summary(text="first", version=3)
    assert [each.question for each in await threads.turns(SCOPE, "t", 9)] == ["question 1"]
    assert not await threads.save_summary(SCOPE, "t", "late", expected_version=2)


async def test_of_a_question_that_others_followed_only_its_turn_is_removed(threads: Threads) -> None:
    await threads.save_summary(SCOPE, "t", "all", expected_version=0)
    for number, key in ((1, "m1"), (2, None)):
        await threads.add_turn(SCOPE, "t", answered(number, key, before="x"))
    await threads.retract(SCOPE, "t", "m1")
    assert await threads.summary(SCOPE, "t") == Summary(text="all", version=1)
    assert [each.question for each in await threads.turns(SCOPE, "t", 9)] == ["question 2"]


async def test_refusals_change_no_summary_when_they_come_or_are_taken_back(threads: Threads) -> None:
    await threads.save_summary(SCOPE, "t", "all", expected_version=0)
    await threads.add_turn(SCOPE, "t", answered(1, "m1", before="earlier"))
    await threads.add_turn(SCOPE, "t", answered(2, "m2", reason=Reason.NO_RELEVANT_CONTEXT))
    await threads.retract(SCOPE, "t", "m2")
    assert (await threads.summary(SCOPE, "t")).text == "all"
    await threads.add_turn(SCOPE, "t", answered(3, "m3", reason=Reason.NO_RELEVANT_CONTEXT))
    await threads.retract(SCOPE, "t", "m1")
    assert (await threads.summary(SCOPE, "t")).text == "earlier"


async def test_all_answers_to_a_question_are_taken_back_together(threads: Threads) -> None:
    for number, before in ((1, "before"), (2, "between")):
        await threads.add_turn(SCOPE, "t", answered(number, "m1", before=before))
    await threads.retract(SCOPE, "t", "m1")
    assert await threads.turns(SCOPE, "t", 9) == []
    assert (await threads.summary(SCOPE, "t")).text == "before"


@pytest.mark.parametrize(
    ("scope", "thread", "key"), [(OTHER, "t", "m1"), (SCOPE, "u", "m1"), (SCOPE, "t", "m2")]
)
async def test_what_was_not_asked_there_is_not_taken_back(
    threads: Threads, scope: Scope, thread: str, key: str
) -> None:
    await threads.save_summary(SCOPE, "t", "one", expected_version=0)
    await threads.add_turn(SCOPE, "t", answered(1, "m1"))
    await threads.retract(scope, thread, key)
    assert await threads.summary(SCOPE, "t") == Summary(text="one", version=1)
    assert len(await threads.turns(SCOPE, "t", 9)) == 1


async def test_a_summary_of_a_forgotten_document_does_not_come_back_with_a_question_that_is_taken_back(
    threads: Threads,
) -> None:
    citing = {"citations": [{"label": "1", "document_id": "gone"}], RECALLED: ""}
    await threads.add_turn(SCOPE, "t", replace(turn(1), response=citing))
    await threads.add_turn(SCOPE, "t", answered(2, "m2", before="what the document says"))
    await threads.add_turn(SCOPE, "u", answered(3, "m3", before="something else"))
    await threads.forget_documents(SCOPE, ["gone"])
    kept = [each.response for thread in "tu" for each in await threads.turns(SCOPE, thread, 9)]
    assert kept == [{}, {RECALLED: "something else"}]
    await threads.retract(SCOPE, "t", "m2")
    assert (await threads.summary(SCOPE, "t")).text == ""


async def test_a_turn_of_any_shape_survives_the_forgetting_of_a_document(threads: Threads) -> None:
    shapes: list[dict[str, Any]] = [{}, {"citations": None}, {"citations": [{}]}]
    for response in shapes:
        await threads.add_turn(SCOPE, "t", replace(turn(), response=response))
    assert await threads.forget_documents(SCOPE, ["d1"]) == 0


async def test_the_id_of_a_removed_turn_is_not_given_to_another(threads: Threads) -> None:
    removed = await threads.add_turn(SCOPE, "t", turn())
    await threads.reset(SCOPE, "t")
    assert await threads.add_turn(SCOPE, "t", turn()) > removed


async def test_gaps_are_unanswered_questions_and_answers_that_displeased(threads: Threads) -> None:
    answered = await threads.add_turn(SCOPE, "t", turn(1))
    missed = await threads.add_turn(SCOPE, "t", turn(2, reason=Reason.NO_RELEVANT_CONTEXT))
    await threads.add_turn(SCOPE, "t", turn(3, reason=Reason.RATE_LIMITED))
    displeasing = await threads.add_turn(SCOPE, "u", turn(4))
    await threads.add_turn(OTHER, "t", turn(5, reason=Reason.NO_RELEVANT_CONTEXT))
    await threads.add_feedback(answered, Verdict.UP, None, "U1")
    await threads.add_feedback(displeasing, Verdict.DOWN, "old numbers", "U1")
    gaps = await threads.gaps(SCOPE, frozenset({Reason.NO_RELEVANT_CONTEXT}), 10)
    assert [gap.turn_id for gap in gaps] == [displeasing, missed]


async def test_the_same_judgement_without_a_note_leaves_the_note(threads: Threads) -> None:
    turn_id = await threads.add_turn(SCOPE, "t", turn())
    await threads.add_feedback(turn_id, Verdict.DOWN, "old numbers", "U1")
    await threads.add_feedback(turn_id, Verdict.DOWN, None, "U1")
    await threads.add_feedback(turn_id, Verdict.DOWN, None, "U2")

    kept = {(each.user, each.note) for each in await threads.feedback(SCOPE, 10)}
    assert kept == {("U1", "old numbers"), ("U2", None)}


async def test_a_note_goes_with_the_judgement_that_it_explained(threads: Threads) -> None:
    turn_id = await threads.add_turn(SCOPE, "t", turn())
    await threads.add_feedback(turn_id, Verdict.DOWN, "old numbers", "U1")
    await threads.add_feedback(turn_id, Verdict.UP, None, "U1")

    (kept,) = await threads.feedback(SCOPE, 10)
    assert (kept.verdict, kept.note, kept.question) == (Verdict.UP, None, turn().question)


async def test_a_person_who_changes_their_mind_is_counted_once(threads: Threads) -> None:
    turn_id = await threads.add_turn(SCOPE, "t", turn())
    assert await threads.add_feedback(turn_id, Verdict.DOWN, "wrong", "U1")
    assert await threads.add_feedback(turn_id, Verdict.UP, None, "U1")
    assert await threads.gaps(SCOPE, frozenset(), 10) == []
