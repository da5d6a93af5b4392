from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.arriving import Arriving
from bot.chat import Mark, MessageRef, NotAllowed, RateLimited, Thread, Unreachable
from bot.incoming import IncomingFile
from bot.pacing import Limiters
from bot.uploads import RESUMES, Uploads
from pipeline.archives import LACKING
from pipeline.domain import DocumentStatus, IngestReason, Scope
from pipeline.errors import CatalogUnavailable, StorageError
from tests.fakes.chat import EDITED, FLAT, FakeChat
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.library import FakeIntake, FakeReceipt, document
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.chat import Capabilities, ChatError
    from pipeline.domain import Document

SCOPE = Scope("fake", "w", "c")
THREAD = Thread(SCOPE, "t1")
STATES = (
    document("d1", status=DocumentStatus.QUEUED),
    document("d1", status=DocumentStatus.QUEUED),
    document("d1", status=DocumentStatus.INDEXING),
    document("d1"),
)


class Door:
    def __init__(
        self,
        *states: Document | None,
        receipt: FakeReceipt | Exception | None = None,
        capabilities: Capabilities = EDITED,
        chat: FakeChat | None = None,
        ledger: FakeLedger | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.chat = chat or FakeChat(capabilities)
        self.intake = FakeIntake(*states, receipt=receipt)
        self.ledger = ledger or FakeLedger()
        self.arriving = Arriving()
        self.uploads = Uploads(
            self.chat,
            self.intake,
            ledger=self.ledger,
            limiters=Limiters(),
            clock=self.clock,
            arriving=self.arriving,
        )

    async def crash(self) -> None:
        """End as a process that is killed."""
        self.ledger.die()
        self.ledger.error = StorageError()
        for task in self.uploads._tasks:
            task.cancel()
        await self.uploads.settled()

    async def successor(
        self, *states: Document | None, receipt: FakeReceipt | Exception | None = None
    ) -> Door:
        """Start another process on the same platform and ledger, which resumes."""
        ledger = self.ledger.other(f"after {id(self)}")
        door = Door(*states, receipt=receipt, chat=self.chat, ledger=ledger)
        await door.uploads.resume()
        return door

    async def upload(
        self,
        name: str = "handbook.pdf",
        *,
        file_id: str = "F1",
        size: int | None = 100,
        changed: bool = False,
        addressed: bool = True,
    ) -> None:
        self.receive(name, file_id=file_id, size=size, changed=changed, addressed=addressed)
        await self.uploads.settled()

    def receive(
        self,
        name: str = "handbook.pdf",
        *,
        file_id: str = "F1",
        size: int | None = 100,
        message_id: str | None = "171.5",
        changed: bool = False,
        addressed: bool = True,
    ) -> Awaitable[object]:
        return self.uploads.receive(
            IncomingFile(
                event_id=f"e-{file_id}",
                file_id=file_id,
                thread=THREAD,
                author="u1",
                name=name,
                source=f"chat:{name}#https://chat.example/{name}",
                size=size,
                message_id=message_id,
                changed=changed,
                addressed=addressed,
            )
        )

    @property
    def versions(self) -> list[str]:
        (shown,) = self.chat.messages.values()
        return shown.versions


async def test_one_message_follows_a_file_from_upload_to_ready() -> None:
    door = Door(*STATES)

    await door.upload()

    assert door.versions[0] == "_**handbook.pdf** is being fetched…_"
    assert "_**handbook.pdf** is being indexed…_" in door.versions
    assert door.versions[-1] == "**handbook.pdf** is ready: 12 pages, 60 passages."


async def test_a_file_that_failed_says_why() -> None:
    failed = document("d1", status=DocumentStatus.FAILED, reason=IngestReason.NO_TEXT)
    door = Door(failed)

    await door.upload("scan.pdf")

    assert door.versions[-1].startswith("**scan.pdf** was not indexed: it holds no text.")


async def test_a_half_scanned_file_is_ready_and_says_what_is_missing() -> None:
    door = Door(document("d1", message="3 of 12 pages hold no text and are not searched."))

    await door.upload()

    assert door.versions[-1] == (
        "**handbook.pdf** is ready: 12 pages, 60 passages. 3 of 12 pages hold no text and are not searched."
    )


@pytest.mark.parametrize("reason", list(IngestReason))
async def test_a_file_that_was_refused_at_the_door_says_why(reason: IngestReason) -> None:
    door = Door(receipt=FakeReceipt(status="failed", document_id=None, reason=reason))

    await door.upload()

    assert door.versions[-1].startswith("**handbook.pdf** was not indexed: ")


async def test_a_file_that_is_too_large_is_not_even_fetched() -> None:
    door = Door(capabilities=replace(EDITED, max_upload_bytes=50))

    await door.upload(size=51)

    assert door.intake.accepted == []
    assert "too large" in door.versions[-1]


async def test_a_file_of_undeclared_size_is_tried() -> None:
    door = Door(capabilities=replace(EDITED, max_upload_bytes=50))

    await door.upload(size=None)

    assert len(door.intake.accepted) == 1


async def test_the_same_bytes_again_are_said_to_be_here() -> None:
    door = Door(receipt=FakeReceipt(status="duplicate"))

    await door.upload()

    assert door.versions[-1] == "**handbook.pdf** is already here: `d1`. Nothing was changed."


async def test_an_archive_that_lacks_a_file_says_how_to_bring_it_back() -> None:
    door = Door(document("d1", "b.zip", message=LACKING), receipt=FakeReceipt(status="duplicate"))

    await door.upload("b.zip")

    assert door.versions[-1] == f"**b.zip** is already here: `d1`. {LACKING}"


async def test_the_same_bytes_under_another_name_are_found_by_the_first() -> None:
    door = Door(document("d1", "handbook.pdf"), receipt=FakeReceipt(status="duplicate"))

    await door.upload("copy.pdf")

    assert "is already here, under the name handbook.pdf: `d1`" in door.versions[-1]


async def test_the_same_name_with_other_bytes_offers_to_retire_the_older() -> None:
    door = Door(receipt=FakeReceipt(namesakes=("d0",)))

    await door.upload()

    (shown,) = door.chat.messages.values()
    assert (
        "Another document of the same name is still here, with other contents; it is `d0`." in shown.body.text
    )
    assert [(button.action, button.value) for button in shown.body.buttons] == [("forget", "d0")]


async def test_without_buttons_the_command_to_retire_the_older_is_spelled_out() -> None:
    door = Door(receipt=FakeReceipt(namesakes=("d0",)), capabilities=FLAT)

    await door.upload()

    assert door.versions[-1].endswith("To retire it: `forget d0`")


async def test_where_nothing_can_be_edited_only_the_result_is_posted() -> None:
    door = Door(*STATES, capabilities=FLAT)

    await door.upload()

    assert door.versions == ["**handbook.pdf** is ready: 12 pages, 60 passages."]
    assert door.chat.statuses[0] == "**handbook.pdf** is being fetched…"
    assert door.chat.statuses[-1] is None


async def test_two_events_about_one_file_are_one_upload() -> None:
    door = Door()

    door.receive()
    door.receive()
    await door.uploads.settled()

    assert len(door.intake.accepted) == 1
    assert len(door.chat.messages) == 1


async def test_files_of_one_name_are_two_uploads() -> None:
    door = Door()

    await door.upload(file_id="F1")
    await door.upload(file_id="F2")

    assert len(door.intake.accepted) == 2


async def test_without_the_ledger_a_file_is_indexed_all_the_same() -> None:
    door = Door()
    door.ledger.error = StorageError()

    await door.upload()

    assert "is ready" in door.versions[-1]


async def test_a_store_that_fails_is_said_in_words(caplog: pytest.LogCaptureFixture) -> None:
    door = Door(receipt=CatalogUnavailable("secret words"))

    with caplog.at_level(logging.INFO):
        await door.upload()

    assert "was not indexed" in door.versions[-1]
    assert "secret words" not in door.versions[-1] + caplog.text


async def test_one_file_that_fails_does_not_stop_the_others() -> None:
    door = Door(receipt=RuntimeError("broken"))

    for n in range(10):
        door.receive(f"{n}.md", file_id=f"F{n}")
    await door.uploads.settled()

    assert len(door.chat.messages) == 10


async def test_files_are_fetched_a_few_at_a_time() -> None:
    door = Door()
    gate = asyncio.Event()
    door.intake.arriving = gate.wait
    for n in range(10):
        door.receive(f"{n}.md", file_id=f"F{n}")

    for _ in range(200):
        await asyncio.sleep(0)
    assert len(door.intake.accepted) == 4

    gate.set()
    await door.uploads.settled()
    assert len(door.intake.accepted) == 10


async def test_a_file_whose_turn_has_not_come_is_said_to_be_queued() -> None:
    door = Door(capabilities=replace(EDITED, burst=9))
    gate = asyncio.Event()
    door.intake.arriving = gate.wait
    for n in range(5):
        door.receive(f"{n}.md", file_id=f"F{n}", message_id=None)
    await until(lambda: len(door.chat.messages) == 5)

    assert sum("is being fetched" in text for text in door.chat.texts()) == 4
    assert "_**4.md** is queued…_" in door.chat.texts()
    gate.set()
    await door.uploads.settled()


async def test_a_file_is_on_its_way_until_its_result_is_known() -> None:
    door = Door(queued(), document("d1"))
    gate = asyncio.Event()
    door.intake.arriving = gate.wait
    door.receive()
    assert door.arriving.count(SCOPE) == 1
    assert await door.arriving.wanted(THREAD) == {"chat:handbook.pdf"}
    ended = asyncio.create_task(door.arriving.ended(SCOPE, {"chat:handbook.pdf"}))
    await until(lambda: door.intake.accepted)
    door.chat.fail("edit", *(Unreachable() for _ in range(100)))

    gate.set()
    await ended

    assert door.arriving.count(SCOPE) == 0
    assert door.ledger.states == {"F1": "open"}  # for nobody could be told yet
    await door.uploads.settled()


async def test_a_file_that_was_refused_or_came_before_is_not_on_its_way_any_more() -> None:
    door = Door(receipt=FakeReceipt(status="failed", document_id=None))
    for _ in range(2):
        await door.upload()

    assert door.arriving.count(SCOPE) == 0


async def test_whoever_hands_a_file_on_may_wait_until_it_is_in_the_ledger() -> None:
    door = Door()
    gate = asyncio.Event()
    door.ledger.arriving = gate.wait
    noted = asyncio.ensure_future(door.receive())
    for _ in range(50):
        await asyncio.sleep(0)
    assert not noted.done()

    gate.set()
    await noted
    assert door.ledger.states == {"F1": "open"}
    await door.uploads.settled()


async def test_the_same_bytes_in_a_changed_file_are_worth_neither_word_nor_sign() -> None:
    door = Door(receipt=FakeReceipt(status="duplicate"))

    await door.upload(changed=True)

    assert door.chat.calls == []
    assert door.ledger.states == {"F1": "done"}


async def test_other_bytes_in_a_changed_file_are_told_once_they_are_known() -> None:
    door = Door(*STATES)

    await door.upload(changed=True)

    assert door.versions[0] == "_**handbook.pdf** is queued…_"
    assert "is ready" in door.versions[-1]
    assert door.chat.marks == [("171.5", Mark.WORKING), ("171.5", Mark.DONE)]


async def test_that_a_file_changed_is_known_after_a_restart() -> None:
    dead = Door()
    dead.intake.arriving = asyncio.Event().wait
    dead.receive(changed=True)
    await until(lambda: dead.intake.accepted)
    await dead.crash()

    door = await dead.successor()
    await door.uploads.settled()

    assert door.intake.accepted[0].changed


async def test_of_a_file_that_is_done_with_the_ledger_knows_place_and_document_and_no_name() -> None:
    for receipt in (FakeReceipt(), FakeReceipt(status="duplicate")):
        door = Door(receipt=receipt)
        await door.upload()

        (entry,) = door.ledger.entries
        assert entry.payload == {"source": "chat:handbook.pdf", "document_id": "d1"}


async def test_the_result_waits_out_limits_and_losses() -> None:
    door = Door(*STATES)
    door.chat.fail("edit", RateLimited(30.0), Unreachable(), Unreachable())

    await door.upload()

    assert "is ready" in door.versions[-1]


async def test_a_notice_that_somebody_deleted_comes_back_with_the_result() -> None:
    door = Door(*STATES)
    door.receive()
    await until(lambda: door.chat.messages)

    door.chat.vanish(next(iter(door.chat.messages)))
    await door.uploads.settled()

    assert "is ready" in door.chat.texts()[0]


async def test_a_document_that_is_taken_back_meanwhile_says_so() -> None:
    door = Door(document("d1", status=DocumentStatus.QUEUED), None)

    await door.upload()

    assert door.versions[-1] == "**handbook.pdf** was taken back."


async def test_a_file_that_waits_when_the_program_ends_is_said_to_come_later() -> None:
    door = Door(document("d1", status=DocumentStatus.QUEUED))
    door.receive()
    await until(lambda: door.chat.messages)

    await door.uploads.stop()

    assert door.versions[-1] == "**handbook.pdf** will be indexed when I am back; `docs` then shows it."


async def test_a_hostile_file_name_is_shown_and_not_obeyed() -> None:
    door = Door()

    await door.upload("x**](https://evil.example)\n<!channel>.pdf")

    assert "\n" not in door.versions[-1]
    assert "\\<!channel>" in door.versions[-1]


def queued() -> Document:
    return document("d1", status=DocumentStatus.QUEUED)


async def test_a_file_is_in_the_ledger_until_its_result_stands() -> None:
    door = Door(queued(), document("d1"))

    door.receive()
    await until(lambda: door.chat.messages)

    (entry,) = door.ledger.entries
    (ref,) = door.chat.messages
    assert (entry.kind, entry.id, entry.state, entry.messages) == ("file", "F1", "open", (ref.id,))
    await door.uploads.settled()
    assert door.ledger.states == {"F1": "done"}


async def test_a_file_that_was_being_fetched_when_the_process_died_is_fetched_again() -> None:
    dead = Door()
    gate = asyncio.Event()
    dead.intake.arriving = gate.wait
    dead.receive()
    await until(lambda: dead.intake.accepted and dead.chat.messages)
    await dead.crash()

    door = await dead.successor()
    await door.uploads.settled()

    (again,) = door.intake.accepted
    assert again == replace(dead.intake.accepted[0], event_id=again.event_id)
    assert door.chat.texts() == ["**handbook.pdf** is ready: 12 pages, 60 passages."]


async def test_a_file_that_was_being_indexed_when_the_process_died_gets_its_result_in_the_same_notice() -> (
    None
):
    dead = Door(queued(), receipt=FakeReceipt(namesakes=("d0",)))
    dead.receive()
    await until(lambda: "queued" in "".join(dead.chat.texts()))
    await dead.crash()

    door = await dead.successor(document("d1"))
    await door.uploads.settled()

    assert door.intake.accepted == []
    (shown,) = door.chat.messages.values()
    assert "is ready" in shown.body.text
    assert [button.value for button in shown.body.buttons] == ["d0"]


async def test_what_was_accepted_in_the_moment_of_death_is_no_duplicate() -> None:
    dead = Door()
    gate = asyncio.Event()
    dead.intake.arriving = gate.wait
    dead.receive()
    await until(lambda: dead.intake.accepted)
    await dead.crash()

    door = await dead.successor(document("d1"), receipt=FakeReceipt(status="duplicate"))
    await door.uploads.settled()

    assert "is ready" in door.versions[-1]


async def test_what_was_indexed_or_refused_is_not_resumed() -> None:
    dead = Door(receipt=FakeReceipt(status="failed", document_id=None, reason=IngestReason.NO_TEXT))
    await dead.upload()
    await dead.crash()

    door = await dead.successor()
    await door.uploads.settled()

    assert door.intake.accepted == []
    assert "was not indexed" in door.versions[-1]


async def test_a_file_that_waits_over_a_restart_gets_its_result_after_it() -> None:
    before = Door(queued())
    before.receive()
    await until(lambda: before.chat.messages)
    await before.uploads.stop()
    await before.ledger.release("fake")

    door = await before.successor(document("d1"))
    await door.uploads.settled()

    assert door.chat.texts() == ["**handbook.pdf** is ready: 12 pages, 60 passages."]


async def test_a_file_that_processes_die_of_is_given_up_in_words() -> None:
    door = Door()
    door.receive()
    for _ in range(RESUMES + 1):
        gate = asyncio.Event()
        door.intake.arriving = gate.wait
        await until(lambda: door.intake.accepted)  # noqa: B023 - awaited before the next round
        await door.crash()
        door = await door.successor()
    await door.uploads.settled()

    assert door.intake.accepted == []
    assert "was not indexed: something went wrong inside" in door.versions[-1]


async def test_a_file_that_only_waits_is_never_given_up() -> None:
    door = Door(queued())
    door.receive()
    await until(lambda: door.ledger.entries and door.ledger.entries[0].payload["document_id"])
    for _ in range(RESUMES + 3):
        await door.crash()
        door = await door.successor(document("d1"))
    await door.uploads.settled()

    assert "is ready" in door.versions[-1]


async def test_two_replicas_index_a_file_once() -> None:
    here = Door()
    there = Door(chat=here.chat, ledger=here.ledger.other("two"))

    for door in (here, there):
        door.receive()
    for door in (here, there):
        await door.uploads.settled()

    assert len(here.intake.accepted) + len(there.intake.accepted) == 1
    assert len(here.chat.messages) == 1


async def test_what_a_long_outage_left_unsaid_is_said_without_a_restart() -> None:
    door = Door(document("d1"))
    await door.uploads.resume()
    door.chat.fail("post", *(Unreachable() for _ in range(100)))
    await door.upload()
    assert door.ledger.states == {"F1": "open"}
    door.chat._faults.clear()

    await door.uploads.resume()
    await door.uploads.settled()

    assert "is ready" in door.chat.texts()[-1]
    assert door.ledger.states == {"F1": "done"}


@pytest.mark.parametrize(("error", "state"), [(Unreachable(), "open"), (NotAllowed(), "done")])
async def test_a_result_that_could_not_be_said_is_kept_for_later_only_where_that_can_help(
    error: ChatError, state: str
) -> None:
    door = Door()
    door.chat.fail("post", *(error for _ in range(100)))

    await door.upload()

    assert door.ledger.states == {"F1": state}


async def test_the_message_that_carries_a_file_shows_how_it_stands() -> None:
    door = Door(*STATES)

    await door.upload()

    assert door.chat.marks == [("171.5", Mark.WORKING), ("171.5", Mark.DONE)]


async def test_the_sign_of_several_files_speaks_for_all_of_them() -> None:
    door = Door(queued(), document("d1"), document("d1", status=DocumentStatus.FAILED))

    for name in ("a.md", "b.md"):
        door.receive(name, file_id=name)
    await door.uploads.settled()

    assert door.chat.marks == [("171.5", Mark.WORKING), ("171.5", Mark.FAILED)]


@pytest.mark.parametrize("receipt", [FakeReceipt(status="failed", document_id=None), RuntimeError("broken")])
async def test_a_file_that_failed_is_marked_so(receipt: FakeReceipt | Exception) -> None:
    door = Door(receipt=receipt)

    await door.upload()

    assert door.chat.marks[-1] == ("171.5", Mark.FAILED)


async def test_a_newer_version_that_works_takes_the_sign_of_failure_away() -> None:
    door = Door(document("d1", status=DocumentStatus.FAILED), document("d1"))

    await door.upload(file_id="F1")
    await door.upload(file_id="F1@2")

    assert [mark for _, mark in door.chat.marks] == [Mark.WORKING, Mark.FAILED, Mark.WORKING, Mark.DONE]


async def test_a_file_of_an_unknown_message_has_no_sign() -> None:
    door = Door()

    door.receive(message_id=None)
    await door.uploads.settled()

    assert door.chat.marks == []


async def test_a_sign_that_the_platform_refuses_does_no_harm() -> None:
    door = Door(*STATES)
    door.chat.fail("mark", NotAllowed(), RateLimited(1.0))

    await door.upload()

    assert "is ready" in door.versions[-1]


async def test_the_last_sign_is_insisted_on_until_it_stands() -> None:
    door = Door(*STATES)
    door.chat.fail("mark", *(RateLimited(20.0) for _ in range(30)), *(Unreachable() for _ in range(9)))

    await door.upload()

    assert door.chat.marks == [("171.5", Mark.DONE)]
    assert door.ledger.states == {"F1": "done"}


async def test_a_sign_that_does_not_stand_yet_keeps_nobody_from_the_result() -> None:
    door = Door(document("d1"))
    door.chat.fail("mark", *(RateLimited(20.0) for _ in range(30)))
    door.receive()

    await until(lambda: any("is ready" in text for text in door.chat.texts()))

    assert door.chat.marks == []
    await door.uploads.settled()


async def test_a_sign_that_is_missing_when_the_process_dies_is_put_up_by_the_next() -> None:
    dead = Door()
    dead.chat.fail("mark", *(RateLimited(20.0) for _ in range(9)))
    dead.receive()
    await until(lambda: any("is ready" in text for text in dead.chat.texts()))
    await dead.crash()

    door = await dead.successor()
    await door.uploads.settled()

    assert door.chat.marks[-1] == ("171.5", Mark.DONE)
    assert door.versions[-1] == "**handbook.pdf** is ready: 12 pages, 60 passages."


async def test_a_platform_that_never_takes_a_sign_ends_nothing_but_the_sign() -> None:
    door = Door()
    door.chat.fail("mark", *(Unreachable() for _ in range(999)))

    await door.upload()

    assert "is ready" in door.versions[-1]
    assert door.ledger.states == {"F1": "open"}


async def test_a_notice_of_a_dead_process_is_finished_even_if_it_is_gone() -> None:
    dead = Door(queued())
    dead.receive()
    await until(lambda: dead.ledger.entries and dead.ledger.entries[0].messages)
    await dead.crash()
    dead.chat.vanish(MessageRef(THREAD, dead.ledger.entries[0].messages[0]))

    door = await dead.successor(document("d1"))
    await door.uploads.settled()

    assert door.chat.texts() == ["**handbook.pdf** is ready: 12 pages, 60 passages."]
