from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.chat import RateLimited, Thread, Unreachable
from bot.incoming import FileRemoved, IncomingFile
from bot.pacing import Limiters
from bot.uploads import Uploads
from pipeline.domain import DocumentStatus, IngestReason, Scope
from pipeline.errors import CatalogUnavailable, StorageError
from tests.fakes.chat import EDITED, FLAT, FakeChat, FakeSeen
from tests.fakes.clock import FakeClock
from tests.fakes.library import FakeIntake, FakeReceipt, document
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from bot.chat import Capabilities
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
    ) -> None:
        self.clock = FakeClock()
        self.chat = FakeChat(capabilities)
        self.intake = FakeIntake(*states, receipt=receipt)
        self.seen = FakeSeen()
        self.uploads = Uploads(self.chat, self.intake, seen=self.seen, limiters=Limiters(), clock=self.clock)

    async def upload(
        self, name: str = "handbook.pdf", *, file_id: str = "F1", size: int | None = 100
    ) -> None:
        self.receive(name, file_id=file_id, size=size)
        await self.uploads.settled()

    def receive(self, name: str = "handbook.pdf", *, file_id: str = "F1", size: int | None = 100) -> None:
        self.uploads.receive(
            IncomingFile(
                event_id=f"e-{file_id}",
                file_id=file_id,
                thread=THREAD,
                author="u1",
                name=name,
                source=f"chat://{name}",
                size=size,
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


async def test_without_the_memory_of_seen_events_a_file_is_indexed_all_the_same() -> None:
    door = Door()
    door.seen.error = StorageError()

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


async def test_a_file_deleted_in_the_chat_leaves_the_index() -> None:
    door = Door()

    door.uploads.receive(FileRemoved(event_id="e", scope=SCOPE, source="chat://handbook.pdf"))
    await door.uploads.settled()

    assert door.intake.withdrawn == ["chat://handbook.pdf"]


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
