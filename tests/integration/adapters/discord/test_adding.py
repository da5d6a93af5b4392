"""Files of messages that people pick, and files that they upload by command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot import patience
from bot.chat import Unreachable
from pipeline.domain import IngestReason, Scope
from pipeline.errors import IngestError
from tests.fakes.discord import (
    ANNA,
    BEN,
    BOT,
    GENERAL,
    GUILD,
    HIDDEN,
    READONLY,
    Fault,
    Overwrite,
    Permission,
    http,
    refused,
    reset_after,
    reset_before,
)
from tests.integration.adapters.discord.using import SCOPE, Using

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import discord

    from tests.fakes.discord import DiscordServer

INDEX = "Index this file"
FILE = ("a.md", b"# Holidays")


@pytest.fixture
async def using(server: DiscordServer) -> AsyncIterator[Using]:
    async with Using(server).open() as using:
        yield using
    assert server.unguarded() == []


async def test_the_files_of_a_picked_message_are_indexed_again_and_again(using: Using) -> None:
    message = using.discord.say(GENERAL, BEN, "look", files=[FILE, ("b.md", b"text")])

    for _ in range(2):
        shown = await using.whispered(using.discord.context_menu(ANNA, message, INDEX))
        assert "I index a.md, b.md." in shown

    assert [file.name for file in using.uploads] == ["a.md", "b.md"] * 2
    assert len({file.file_id for file in using.uploads}) == 4
    assert len({file.source for file in using.uploads}) == 2
    file = using.uploads[0]
    assert (file.author, file.message_id, file.addressed) == (str(ANNA), str(message.id), True)
    assert using.desk.files.picked == [message.id] * 2  # type: ignore[attr-defined]  # a fake's
    assert file.source.startswith(f"discord:{GUILD}/{GENERAL}/{message.id}/")
    assert file.source.endswith(message.link)


async def test_a_message_of_a_thread_that_discord_py_has_forgotten_can_be_picked(using: Using) -> None:
    thread = using.discord.start_thread(GENERAL, ANNA, "a thread")
    message = using.discord.say(thread, BEN, "look", files=[FILE])
    await using.settled()
    using.client.get_guild(GUILD)._threads.clear()  # type: ignore[union-attr]  # it is there

    await using.whispered(using.discord.context_menu(ANNA, message, INDEX))

    (file,) = using.uploads
    assert file.source.startswith(f"discord:{GUILD}/{thread.id}/{message.id}/")


async def test_a_message_of_a_direct_conversation_can_be_picked(using: Using) -> None:
    direct = using.discord.direct(ANNA)
    message = using.discord.say(direct, ANNA, "look", files=[FILE])

    await using.whispered(using.discord.context_menu(ANNA, message, INDEX))

    (file,) = using.uploads
    assert file.source.startswith(f"discord:direct/{direct.id}/{message.id}/")
    assert file.thread.scope == Scope("discord", "direct", str(direct.id))


async def test_a_picked_message_without_a_file_is_said_to_be_so(using: Using) -> None:
    message = using.discord.say(GENERAL, BEN, "no file")

    assert "carries no file" in await using.whispered(using.discord.context_menu(ANNA, message, INDEX))
    assert using.uploads == []


@pytest.mark.parametrize("lacks", [Permission.VIEW_CHANNEL, Permission.READ_MESSAGE_HISTORY])
async def test_what_the_bot_cannot_fetch_is_not_indexed(using: Using, lacks: Permission) -> None:
    using.discord.channel(HIDDEN).overwrites[BOT] = Overwrite(deny=lacks)
    message = using.discord.say(HIDDEN, BEN, "look", files=[FILE])

    shown = await using.whispered(using.discord.context_menu(ANNA, message, INDEX))

    assert ("**View Channel**" if lacks is Permission.VIEW_CHANNEL else "**Read Message History**") in shown
    assert using.uploads == []


async def test_an_uploaded_file_is_put_into_the_channel_and_indexed_from_there(using: Using) -> None:
    used = await using.discord.slash(ANNA, GENERAL, "upload", file=FILE).answered()
    await using.discord.until(lambda: using.uploads)
    await using.settled()

    whisper, shown = used.answers
    assert whisper.seen_by == ANNA and "put a.md into this channel" in whisper.shown
    assert (shown.content, shown.files, shown.seen_by) == ("**Anna** adds a file:", ["a.md"], None)
    assert shown.attachments[0].content == FILE[1]
    assert not shown.attachments[0].ephemeral
    (file,) = using.uploads
    assert (file.name, file.author, file.message_id) == ("a.md", str(ANNA), str(shown.id))
    assert file.source.startswith(f"discord:{GUILD}/{GENERAL}/{shown.id}/{shown.attachments[0].id}#")
    assert file.source.endswith(shown.link)


async def test_where_the_bot_may_not_write_people_still_upload(using: Using) -> None:
    await using.discord.slash(ANNA, READONLY, "upload", file=FILE).answered()
    await using.discord.until(lambda: using.uploads)

    assert using.discord.replies(READONLY)[-1].files == ["a.md"]


async def test_in_a_thread_and_in_a_direct_conversation_a_file_is_put_there(using: Using) -> None:
    thread = using.discord.start_thread(GENERAL, ANNA, "a thread")
    for place in (thread, using.discord.direct(ANNA)):
        used = await using.discord.slash(ANNA, place, "upload", file=FILE).answered()
        await using.discord.until(lambda one=used: len(one.answers) == 2)  # type: ignore[misc]
        await using.settled()
        assert using.discord.replies(place)[-1].files == ["a.md"]

    assert [file.source.split("/")[1] for file in using.uploads] == [
        str(thread.id),
        str(using.discord.direct(ANNA).id),
    ]


async def test_a_file_that_is_too_large_to_be_indexed_is_not_even_fetched(server: DiscordServer) -> None:
    using = Using(server)
    using.most_bytes = 5
    async with using.open():
        assert "too large" in await using.slash(ANNA, GENERAL, "upload", file=FILE)

    assert using.uploads == []
    assert server.messages(GENERAL) == []


async def test_a_file_that_the_bot_may_not_put_there_is_left_to_people(using: Using) -> None:
    using.discord.file_limit = 9

    shown = await using.slash(ANNA, GENERAL, "upload", file=FILE)

    assert "Attach it to a message of your own" in shown
    assert using.uploads == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (IngestError(IngestReason.UNREADABLE, "It was deleted."), "It was deleted."),
        (Unreachable(), "Something went wrong here"),
    ],
)
async def test_a_file_that_cannot_be_fetched_is_said_to_be_so(
    using: Using, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    monkeypatch.setattr("bot.patience.FIRST", 0.01)

    async def broken(_: discord.Attachment) -> bytes:
        raise error

    monkeypatch.setattr(using.desk.files, "read", broken)

    assert words in await using.slash(ANNA, GENERAL, "upload", file=FILE)
    assert using.uploads == []


@pytest.mark.parametrize(
    "fault", [reset_after(), http(502, done=True), http(503, done=True), http(403, done=True)]
)
async def test_a_file_that_arrived_unconfirmed_is_found_and_indexed_once(
    using: Using, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setattr(patience, "FIRST", 0.0)
    using.discord.fail("follow up", fault)

    await using.discord.slash(ANNA, GENERAL, "upload", file=FILE).answered()
    await using.discord.until(lambda: using.uploads)
    await using.settled()

    (shown,) = using.discord.replies(GENERAL)
    (file,) = using.uploads
    assert (shown.files, file.message_id) == (["a.md"], str(shown.id))
    assert file.thread.scope == SCOPE


@pytest.mark.parametrize("fault", [reset_before(), http(502), http(403)])
async def test_a_file_that_was_lost_on_its_way_is_put_there_once(
    using: Using, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setattr(patience, "FIRST", 0.0)
    using.discord.fail("follow up", fault)
    using.discord.say(GENERAL, BEN, "the same", files=[FILE])

    await using.discord.slash(ANNA, GENERAL, "upload", file=FILE).answered()
    await using.discord.until(lambda: using.uploads)
    await using.settled()

    (shown,) = using.discord.replies(GENERAL)
    assert [one.message_id for one in using.uploads] == [str(shown.id)]


async def test_a_file_that_discord_does_not_take_is_not_indexed(using: Using) -> None:
    using.discord.fail("follow up", refused(40005))

    shown = await using.slash(ANNA, GENERAL, "upload", file=FILE)

    assert "Discord did not take the file" in shown
    assert using.uploads == []
