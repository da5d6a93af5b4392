"""What came from a chat platform is done by one process, and taken over when that one dies."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import Scope
from pipeline.storage.ledger import LEASE, Entry, Ledger

if TYPE_CHECKING:
    from pipeline.storage.sql import Database
    from tests.fakes.calendar import FakeCalendar

SCOPE = Scope("slack", "T1", "C1")
OTHER = Scope("slack", "T1", "C2")
SECONDS = LEASE.total_seconds()


def question(id: str = "171.5", **facts: object) -> Entry:  # noqa: A002 - the name of the field
    entry = Entry(
        kind="question", scope=SCOPE, id=id, thread="171.0", author="U1", payload={"text": f"asked {id}"}
    )
    return replace(entry, **facts)  # type: ignore[arg-type]  # named as the fields are


@pytest.fixture
def ledger(database: Database, calendar: FakeCalendar) -> Ledger:
    return Ledger(database, "one", calendar)


@pytest.fixture
def other(database: Database, calendar: FakeCalendar) -> Ledger:
    return Ledger(database, "two", calendar)


async def taken(ledger: Ledger, *, starting: bool = False, platform: str = "slack") -> list[str]:
    return [entry.id for entry in await ledger.take_over(platform, "question", starting=starting)]


async def test_what_many_name_at_once_is_opened_by_one(ledger: Ledger, other: Ledger) -> None:
    opened = await asyncio.gather(*(each.open(question()) for each in (ledger, other) * 4))
    assert sorted(opened) == [False] * 7 + [True]


async def test_the_same_id_elsewhere_or_of_another_kind_is_another_entry(ledger: Ledger) -> None:
    for entry in (question(), question(scope=OTHER), question(kind="file")):
        assert await ledger.open(entry)


async def test_an_entry_comes_back_as_it_was_opened(ledger: Ledger) -> None:
    entry = question(messages=("1", "2"), attempt=3, payload={"text": "a\0b 日本語", "midway": True})
    await ledger.open(entry)
    assert await ledger.find(SCOPE, "question", entry.id) == entry
    assert await ledger.find(OTHER, "question", entry.id) is None


async def test_only_what_is_given_is_saved(ledger: Ledger) -> None:
    await ledger.open(question())
    assert await ledger.save(SCOPE, "question", "171.5", messages=["m1"])
    assert await ledger.save(SCOPE, "question", "171.5", attempt=2, state="done")
    assert not await ledger.save(SCOPE, "question", "unknown", state="done")
    assert await ledger.find(SCOPE, "question", "171.5") == question(
        messages=("m1",), attempt=2, state="done"
    )


async def test_what_is_gone_stays_gone(ledger: Ledger) -> None:
    await ledger.open(question())
    assert await ledger.save(SCOPE, "question", "171.5", state="gone", payload={})
    assert not await ledger.save(SCOPE, "question", "171.5", state="gone")
    assert not await ledger.save(SCOPE, "question", "171.5", state="done", messages=["m1"])
    assert await ledger.reopen(SCOPE, "question", "171.5", payload={"text": "new"}) is None
    assert await ledger.find(SCOPE, "question", "171.5") == question(state="gone", payload={})


async def test_what_is_as_expected_is_closed(ledger: Ledger) -> None:
    await ledger.open(question(payload={"text": "a\0b", "midway": True}, messages=("m1",)))
    closed = await ledger.close(
        SCOPE, "question", "171.5", expected={"text": "a\0b"}, payload={"digest": "d"}
    )
    assert closed == question(payload={"digest": "d"}, messages=("m1",), state="done")
    assert await ledger.find(SCOPE, "question", "171.5") == closed


async def test_what_somebody_changed_or_took_back_is_not_closed(ledger: Ledger) -> None:
    await ledger.open(question(payload={"text": "new"}))
    changed = await ledger.close(SCOPE, "question", "171.5", expected={"text": "old"}, payload={})
    assert changed == question(payload={"text": "new"})
    await ledger.save(SCOPE, "question", "171.5", state="gone", payload={"text": "new"})
    gone = await ledger.close(SCOPE, "question", "171.5", expected={"text": "new"}, payload={})
    assert gone is not None
    assert gone.state == "gone"
    assert await ledger.close(SCOPE, "question", "unknown", expected={}, payload={}) is None


async def test_a_change_in_the_moment_of_closing_is_seen_by_one_of_both(
    ledger: Ledger, other: Ledger
) -> None:
    for number in range(10):
        await ledger.open(question(str(number), payload={"text": "old"}))
        closed, reopened = await asyncio.gather(
            ledger.close(SCOPE, "question", str(number), expected={"text": "old"}, payload={}),
            other.reopen(SCOPE, "question", str(number), payload={"text": "new"}),
        )
        assert closed is not None
        assert (closed.state == "done") == (reopened is not None)


async def test_one_of_two_reopens_what_is_done(ledger: Ledger, other: Ledger) -> None:
    await ledger.open(question(messages=("m1",), attempt=1))
    await ledger.save(SCOPE, "question", "171.5", state="done")
    found = await asyncio.gather(
        *(each.reopen(SCOPE, "question", "171.5", payload={"text": "new"}) for each in (ledger, other) * 2)
    )
    assert [entry for entry in found if entry is not None] == [
        question(payload={"text": "new"}, messages=("m1",), attempt=2)
    ]


async def test_what_somebody_is_at_gets_the_new_payload_and_stays_theirs(
    ledger: Ledger, other: Ledger
) -> None:
    await ledger.open(question())
    assert await other.reopen(SCOPE, "question", "171.5", payload={"text": "new"}) is None
    assert await ledger.find(SCOPE, "question", "171.5") == question(payload={"text": "new"})
    assert await taken(other) == []


async def test_what_is_gone_can_be_reopened_only_if_something_was_kept_of_it(ledger: Ledger) -> None:
    for number, payload in (("1", {}), ("2", {"unnamed": True})):
        await ledger.open(question(number, attempt=1))
        await ledger.save(SCOPE, "question", number, state="gone", payload=payload)
    assert await ledger.reopen(SCOPE, "question", "1", payload={"text": "new"}) is None
    reopened = await ledger.reopen(SCOPE, "question", "2", payload={"text": "new"})
    assert reopened == question("2", payload={"text": "new"}, attempt=2)


async def test_an_unknown_entry_cannot_be_reopened(ledger: Ledger) -> None:
    assert await ledger.reopen(SCOPE, "question", "171.5", payload={}) is None


async def test_who_asked_in_a_thread_is_known(ledger: Ledger) -> None:
    await ledger.open(question())
    await ledger.open(question("file", kind="file", author="U2"))
    assert await ledger.asked(SCOPE, "171.0", "U1")
    assert await ledger.asked(SCOPE, "171.0", None)
    assert not await ledger.asked(SCOPE, "171.0", "U2")
    assert not await ledger.asked(SCOPE, "172.0", None)
    assert not await ledger.asked(OTHER, "171.0", None)


async def test_a_question_that_was_taken_back_was_not_asked(ledger: Ledger) -> None:
    await ledger.open(question())
    await ledger.save(SCOPE, "question", "171.5", state="gone")
    assert not await ledger.asked(SCOPE, "171.0", None)
    assert await ledger.threads_of(SCOPE, "U1") == []


async def test_a_persons_threads_come_the_latest_first(ledger: Ledger, calendar: FakeCalendar) -> None:
    for number, thread in enumerate(["a", "b", "c", "a"]):
        await ledger.open(question(str(number), thread=thread))
        calendar.advance(60)
    await ledger.open(question("5", thread="d", author="U2"))
    assert await ledger.threads_of(SCOPE, "U1") == ["a", "c", "b"]


async def test_a_message_leads_to_the_question_that_it_is_or_answers(ledger: Ledger) -> None:
    await ledger.open(question(messages=("171.6", "171.7")))
    await ledger.open(question("171.8", kind="file", messages=("171.9",)))
    await ledger.open(question("171.10", scope=OTHER, messages=("171.11",)))
    for message in ("171.5", "171.7"):
        found = await ledger.question_of(SCOPE, message)
        assert found is not None
        assert found.id == "171.5"
    for message in ("171.8", "171.9", "171.11", "71.6", "171_6", "%"):
        assert await ledger.question_of(SCOPE, message) is None


async def test_the_question_that_a_message_is_or_answers_is_found(ledger: Ledger) -> None:
    one, two = question("171.5", messages=("m_1", "m2")), question("172.5", messages=("mX1", "m22"))
    for entry in (one, two, question("file", kind="file", messages=("m3",))):
        await ledger.open(entry)
    assert await ledger.question_of(SCOPE, "171.5") == one
    assert await ledger.question_of(SCOPE, "m_1") == one
    assert await ledger.question_of(SCOPE, "m22") == two
    for message in ("m", "m3", "M2", "file"):
        assert await ledger.question_of(SCOPE, message) is None
    assert await ledger.question_of(OTHER, "m2") is None


async def test_what_a_dead_owner_left_is_taken_over_once_and_in_order(
    ledger: Ledger, other: Ledger, calendar: FakeCalendar
) -> None:
    for number in ("9", "10", "11"):
        await ledger.open(question(number))
        calendar.advance(1)
    await ledger.save(SCOPE, "question", "10", state="done")
    calendar.advance(SECONDS)
    assert await taken(other) == ["9", "11"]
    assert await taken(other) == await taken(ledger) == []


async def test_what_a_living_owner_renews_stays_its_own(
    ledger: Ledger, other: Ledger, calendar: FakeCalendar
) -> None:
    await ledger.open(question())
    for _ in range(4):
        calendar.advance(SECONDS / 2)
        await ledger.renew()
        assert await taken(other) == []


async def test_an_owner_that_was_late_does_not_take_over_from_itself(
    ledger: Ledger, calendar: FakeCalendar
) -> None:
    await ledger.open(question())
    calendar.advance(SECONDS * 2)
    assert await taken(ledger) == []


async def test_renewing_does_not_bring_back_what_another_took_over(
    ledger: Ledger, other: Ledger, calendar: FakeCalendar
) -> None:
    await ledger.open(question())
    calendar.advance(SECONDS * 2)
    assert await taken(other) == ["171.5"]
    await ledger.renew()
    await other.release("slack")
    assert await taken(ledger) == ["171.5"]


async def test_at_its_start_on_an_embedded_database_a_process_is_alone(
    ledger: Ledger, other: Ledger, database: Database
) -> None:
    await ledger.open(question())
    assert await taken(other, starting=True) == (["171.5"] if database.embedded else [])


async def test_two_replicas_that_start_at_once_share_what_was_left(
    ledger: Ledger, other: Ledger, database: Database, calendar: FakeCalendar
) -> None:
    dead = Ledger(database, "dead", calendar)
    for number in range(10):
        await dead.open(question(str(number)))
    calendar.advance(SECONDS * 2)
    shares = await asyncio.gather(taken(ledger), taken(other))
    assert sorted(id for share in shares for id in share) == [str(number) for number in range(10)]  # noqa: A001


async def test_what_is_released_can_be_taken_over_at_once(ledger: Ledger, other: Ledger) -> None:
    await ledger.open(question())
    await ledger.open(question("elsewhere", scope=Scope("discord", "1", "2")))
    await ledger.release("slack")
    assert await taken(other, platform="discord") == []
    assert await taken(other) == ["171.5"]


async def test_what_its_owner_leaves_can_be_taken_over_at_once_even_by_the_owner(
    ledger: Ledger, other: Ledger
) -> None:
    for number in "123":
        await ledger.open(question(number))
    await ledger.leave(SCOPE, "question", "1")
    assert await taken(ledger) == ["1"]
    await ledger.leave(SCOPE, "question", "2")
    assert await taken(other) == ["2"]
    await ledger.save(SCOPE, "question", "3", state="done")
    await ledger.leave(SCOPE, "question", "3")
    assert await taken(other) == []


async def test_a_mark_reaches_the_open_entries_of_its_thread_whoever_owns_them(
    ledger: Ledger, other: Ledger
) -> None:
    await ledger.open(question("open"))
    await ledger.open(question("done", state="done"))
    await ledger.open(question("elsewhere", thread="172.0"))
    await ledger.open(question("file", kind="file"))
    assert await other.mark(SCOPE, "question", "171.0", "stopped")
    assert not await other.mark(SCOPE, "question", "173.0", "stopped")
    assert not await other.mark(OTHER, "question", "171.0", "stopped")
    found = [await ledger.find(SCOPE, "question", name) for name in ("open", "done", "elsewhere")]
    assert [entry.payload.get("stopped") for entry in found if entry is not None] == [True, None, None]
    assert found[0] == question("open", payload={"text": "asked open", "stopped": True})
    assert await ledger.find(SCOPE, "file", "file") == question("file", kind="file")


async def test_only_what_was_asked_for_is_taken_over(ledger: Ledger, other: Ledger) -> None:
    await ledger.open(question())
    await ledger.open(question("F1", kind="file"))
    await ledger.release("slack")
    assert [entry.id for entry in await other.take_over("slack", "file", starting=False)] == ["F1"]


async def test_a_lost_channel_leaves_no_entry(ledger: Ledger) -> None:
    await ledger.open(question())
    await ledger.open(question(scope=OTHER))
    await ledger.forget_scope(SCOPE)
    assert await ledger.find(SCOPE, "question", "171.5") is None
    assert await ledger.find(OTHER, "question", "171.5") is not None


async def test_what_is_a_month_old_is_forgotten_unless_asked_otherwise(
    ledger: Ledger, calendar: FakeCalendar
) -> None:
    await ledger.open(question("old"))
    calendar.advance(20 * 86_400)
    await ledger.open(question("young"))
    assert await ledger.prune() == 0
    calendar.advance(20 * 86_400)
    assert await ledger.prune() == 1
    assert await ledger.find(SCOPE, "question", "young") is not None
    assert await ledger.prune(timedelta(days=1)) == 1
