"""Pictures, sound and film that people share among themselves."""

from __future__ import annotations

import pytest

from bot.chat import Mark
from bot.media import is_media
from pipeline.domain import DocumentStatus, IngestReason
from tests.fakes.library import FakeReceipt, document
from tests.unit.bot.test_uploads import STATES, Door

REFUSED = FakeReceipt(status="failed", reason=IngestReason.UNSUPPORTED_TYPE)


@pytest.mark.parametrize("name", ["cat.png", "IMG_1.HEIC", "voice-message.ogg", "demo.MP4"])
async def test_what_nobody_would_expect_to_be_read_gets_a_sign_and_no_message(name: str) -> None:
    door = Door(receipt=REFUSED)

    await door.upload(name, addressed=False)

    assert door.chat.texts() == []
    assert door.chat.marks == [("171.5", Mark.FAILED)]
    assert door.ledger.states == {"F1": "done"}


async def test_what_is_given_to_the_bot_is_told_whatever_it_is() -> None:
    door = Door(receipt=REFUSED)

    await door.upload("cat.png")

    (text,) = door.chat.texts()
    assert text.startswith("**cat.png** was not indexed:")


@pytest.mark.parametrize("name", ["budget.xyz", "program.ts", "picture"])
async def test_of_other_kinds_the_reason_is_told(name: str) -> None:
    door = Door(receipt=REFUSED)

    await door.upload(name, addressed=False)

    assert len(door.chat.texts()) == 1


async def test_a_picture_that_can_be_read_is_told_of_once_it_is() -> None:
    door = Door(*STATES)

    await door.upload("scan.png", addressed=False)

    assert door.versions == ["**scan.png** is ready: 12 pages, 60 passages."]
    assert door.chat.marks[-1] == ("171.5", Mark.DONE)


async def test_a_picture_that_is_found_unreadable_later_gets_its_sign() -> None:
    failed = document("d1", status=DocumentStatus.FAILED, reason=IngestReason.NO_TEXT)
    door = Door(document("d1", status=DocumentStatus.QUEUED), failed)

    await door.upload("scan.png", addressed=False)

    assert door.chat.texts() == []
    assert door.chat.marks[-1] == ("171.5", Mark.FAILED)


async def test_that_a_picture_only_passed_by_is_known_after_a_restart() -> None:
    door = Door(document("d1", status=DocumentStatus.QUEUED))
    door.receive("scan.png", addressed=False)
    for _ in range(50):
        await door.clock.sleep(0)
    await door.crash()

    there = await door.successor(
        document("d1", status=DocumentStatus.FAILED, reason=IngestReason.NO_TEXT), receipt=REFUSED
    )
    await there.uploads.settled()

    assert there.chat.texts() == []


def test_programs_are_no_films() -> None:
    assert not is_media("main.ts")
    assert is_media("clip.webm")
