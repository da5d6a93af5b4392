"""Files of the local Discord server, fetched with the real client, and all that can go wrong with that."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import aiohttp
import discord
import pytest

from adapters.discord.budgets import Budgets
from adapters.discord.calls import Calls
from adapters.discord.client import Client
from adapters.discord.files import BUSY, CLOSED, GONE, HIDDEN, LOCKED, NOT_ACCEPTED, SHOWN_S, DiscordFiles
from adapters.discord.gateway import introduce
from adapters.discord.shares import Stand
from bot.chat import ChatError, RateLimited, Unreachable
from bot.owners import Owners
from bot.patience import ATTEMPTS, PATIENCE
from pipeline.domain import IngestReason, Scope
from pipeline.errors import IngestError
from tests.fakes.clock import FakeClock
from tests.fakes.discord import (
    ANNA,
    BOT,
    GENERAL,
    GUILD,
    PRIVATE,
    Permission,
    Serving,
    http,
    rate_limited,
    refused,
)
from tests.fakes.library import FakeChoices

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import DiscordServer, Message

SCOPE = Scope("discord", str(GUILD), str(GENERAL))
TEXT = b"# Plan\n\nThe office moves to Oslo in May.\n"
PAGE = b"<!doctype html><html><body><h1>Sign in</h1>" + b"<p>Please sign in.</p>" * 9 + b"</body></html>"
MAX_BYTES = 200_000
INCOMPLETE = "Discord sent more or less than the whole file; upload it again."
ANOTHER_PAGE = (
    "A web page came instead of the file, as from a network that wants people to sign in; "
    "upload it again when Discord can be reached."
)
OUTSIDE = "Its address leads away from Discord, so it was not visited; upload the file itself."
SLOW = "Discord took too long to send it; upload it again later."


class Filing:
    """A bot that has introduced itself, as a worker does, and the files of its server."""

    def __init__(self, server: DiscordServer, client: Client, **timeouts: float) -> None:
        self.server = server
        self.client = client
        self.clock = FakeClock()
        self.owners = Owners(FakeChoices(), "discord")
        timeout = aiohttp.ClientTimeout(**(timeouts or {"total": 30.0}))
        calls = Calls(Budgets(), self.clock.monotonic)
        self.files = DiscordFiles(
            client,
            calls,
            self.owners,
            max_bytes=MAX_BYTES,
            sleep=self.clock.sleep,
            timeout=timeout,
            monotonic=self.clock.monotonic,
        )

    def upload(
        self,
        content: bytes = TEXT,
        name: str = "plan.md",
        *,
        text: str = "",
        channel: int = GENERAL,
        **changes: Any,
    ) -> Message:
        file = self.server.make_file(channel, name, content, **changes)
        return self.server.say(channel, ANNA, text, files=[file])

    async def fetch(self, message: Message) -> bytes:
        return await self.files.fetch(source_of(message))

    async def refusal(self, message: Message) -> IngestError:
        with pytest.raises(IngestError) as refused:
            await self.fetch(message)
        return refused.value

    async def gone(self, source: str) -> bool:
        return await self.files.shares.gone(SCOPE, source)

    @property
    def downloads(self) -> int:
        return len(self.server.downloads)


@asynccontextmanager
async def opened(server: DiscordServer, **timeouts: float) -> AsyncIterator[Filing]:
    async with Client(content=True) as client:
        await introduce(client, server.token)
        filing = Filing(server, client, **timeouts)
        try:
            yield filing
        finally:
            await filing.files.close()


@pytest.fixture
async def filing(server: DiscordServer) -> AsyncIterator[Filing]:
    async with opened(server) as filing:
        yield filing


def source_of(message: Message) -> str:
    place = "direct" if message.channel.guild is None else GUILD
    return f"discord:{place}/{message.channel.id}/{message.id}/{message.attachments[0].id}#{message.link}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plan.md", TEXT),
        ("notes.txt", TEXT),
        ("page.html", b"<html><body>Our own page.</body></html>"),
        ("scan.pdf", b"%PDF-1.7" + bytes(range(256)) * 300),
        ("größe 1.txt", TEXT),
        ("nothing known.xyz1", TEXT),
    ],
)
async def test_the_bytes_are_those_that_were_uploaded(filing: Filing, name: str, content: bytes) -> None:
    assert await filing.fetch(filing.upload(content, name)) == content


async def test_a_file_of_a_direct_conversation_is_fetched_too(filing: Filing) -> None:
    assert await filing.fetch(filing.upload(channel=filing.server.direct(ANNA).id)) == TEXT


async def test_a_download_carries_no_token(filing: Filing) -> None:
    await filing.fetch(filing.upload())

    (download,) = filing.server.downloads
    assert filing.server.token not in str(download)
    assert "Authorization" not in download.headers


async def test_an_address_that_is_too_old_does_not_matter(filing: Filing) -> None:
    message = filing.upload()
    filing.server.links.expire()

    assert await filing.fetch(message) == TEXT
    assert filing.downloads == 1


async def test_a_file_that_was_given_to_a_command_is_read_at_its_address(filing: Filing) -> None:
    message = filing.upload()
    (attachment,) = (
        await filing.client.get_partial_messageable(GENERAL).fetch_message(message.id)
    ).attachments

    assert await filing.files.read(attachment) == TEXT
    filing.server.links.expire()
    with pytest.raises(IngestError, match=GONE):
        await filing.files.read(attachment)


async def test_a_file_that_somebody_picked_is_read_although_discord_hides_its_message(
    filing: Filing,
) -> None:
    filing.client.read_less()
    message, other = filing.upload(), filing.upload()
    stand = Stand.of(source_of(message))
    assert stand is not None
    shown = await filing.files.shares.message(stand)
    shown.guild = cast("Any", discord.Object(GUILD))  # an interaction tells of it
    filing.files.note(shown)
    filing.server.privileged = 0
    assert await filing.fetch(message) == TEXT
    assert str(await filing.refusal(other)) == HIDDEN

    filing.clock.advance(SHOWN_S)
    assert str(await filing.refusal(message)) == HIDDEN

    filing.server.delete(message)
    assert str(await filing.refusal(message)) == GONE


async def test_a_file_that_is_declared_too_large_is_not_even_asked_for(filing: Filing) -> None:
    refusal = await filing.refusal(filing.upload(b"x" * (MAX_BYTES + 1)))

    assert refusal.reason is IngestReason.TOO_LARGE
    assert filing.downloads == 0


@pytest.mark.parametrize(
    "serving", [Serving(body=TEXT[:9]), Serving(surplus=1), Serving(surplus=50 * MAX_BYTES)]
)
async def test_a_body_of_another_length_than_the_file_has_is_not_the_file(
    filing: Filing, serving: Serving
) -> None:
    refusal = await filing.refusal(filing.upload(serving=serving))

    assert (refusal.reason, str(refusal)) == (IngestReason.UNREADABLE, INCOMPLETE)
    assert filing.downloads == ATTEMPTS


@pytest.mark.parametrize("name", ["plan.md", "plan.txt", "plan.html"])
@pytest.mark.parametrize("page", [PAGE, PAGE[:9]])
async def test_a_page_that_wants_people_to_sign_in_is_not_the_file(
    filing: Filing, name: str, page: bytes
) -> None:
    message = filing.upload(name=name, serving=Serving(body=page, content_type="text/html"))

    refusal = await filing.refusal(message)

    assert (refusal.reason, str(refusal)) == (IngestReason.UNREADABLE, ANOTHER_PAGE)
    assert filing.downloads == 1


async def test_a_web_page_is_a_file_like_any_other(filing: Filing) -> None:
    assert await filing.fetch(filing.upload(PAGE, "page.html", content_type="text/html")) == PAGE


@pytest.mark.parametrize("serving", [Serving(status=500), Serving(status=503), Serving(cut=9)])
async def test_what_may_pass_is_tried_again_and_then_told(filing: Filing, serving: Serving) -> None:
    refusal = await filing.refusal(filing.upload(serving=serving))

    assert (refusal.reason, str(refusal)) == (IngestReason.UNREADABLE, BUSY)
    assert filing.downloads == ATTEMPTS


async def test_what_passes_is_not_noticed(filing: Filing) -> None:
    message = filing.upload(serving=Serving(body=TEXT[:9]))

    async def mend(_: float) -> None:
        message.attachments[0].serving = Serving()

    filing.files._sleep = mend

    assert await filing.fetch(message) == TEXT


async def test_another_host_is_never_asked(filing: Filing) -> None:
    message = filing.upload(serving=Serving(redirect=f"{filing.server.elsewhere}/steal"))

    refusal = await filing.refusal(message)

    assert (refusal.reason, str(refusal)) == (IngestReason.UNREADABLE, OUTSIDE)
    assert [download.elsewhere for download in filing.server.downloads] == [False]


@pytest.mark.parametrize(
    "location",
    ["http://169.254.169.254/", "file:///etc/passwd", "http://[::1", "\\\\evil", "https://discord.com/"],
)
async def test_a_redirect_to_nowhere_good_is_not_followed(filing: Filing, location: str) -> None:
    assert str(await filing.refusal(filing.upload(serving=Serving(redirect=location)))) == OUTSIDE
    assert filing.downloads == 1


async def test_redirects_without_end_are_left_at_some_point(filing: Filing) -> None:
    refusal = await filing.refusal(filing.upload(serving=Serving(redirect="loop")))

    assert "from one address to the next" in str(refusal)
    assert filing.downloads == 4


@pytest.mark.parametrize(
    ("status", "words"), [(410, GONE), (404, GONE), (403, LOCKED), (401, LOCKED), (400, "400")]
)
async def test_a_no_is_taken_for_an_answer(filing: Filing, status: int, words: str) -> None:
    refusal = await filing.refusal(filing.upload(serving=Serving(status=status)))

    assert refusal.reason is IngestReason.UNREADABLE
    assert words in str(refusal)
    assert filing.downloads == 1


async def test_a_discord_that_asks_to_wait_is_waited_for_and_not_for_ever(filing: Filing) -> None:
    assert str(await filing.refusal(filing.upload(serving=Serving(status=429)))) == BUSY
    assert filing.clock.monotonic() == pytest.approx(PATIENCE, abs=10)


async def test_a_server_that_falls_silent_is_left(server: DiscordServer) -> None:
    async with opened(server, total=10, sock_read=0.2) as filing:
        refusal = await filing.refusal(filing.upload(serving=Serving(delay=5)))

    assert (refusal.reason, str(refusal)) == (IngestReason.TIMED_OUT, SLOW)
    assert filing.downloads == ATTEMPTS


async def test_a_server_that_drips_is_left_when_the_time_is_over(server: DiscordServer) -> None:
    async with opened(server, total=0.5) as filing:
        refusal = await filing.refusal(filing.upload(bytes(90_000), serving=Serving(delay=5)))

    assert (refusal.reason, str(refusal)) == (IngestReason.TIMED_OUT, SLOW)
    assert filing.downloads == 1


async def test_a_file_that_was_removed_is_said_to_be_gone(filing: Filing) -> None:
    message = filing.upload()
    source = source_of(message)
    assert not await filing.gone(source)
    filing.server.remove_file(message, "plan.md")

    with pytest.raises(IngestError, match=GONE):
        await filing.files.fetch(source)
    assert await filing.gone(source)
    assert filing.downloads == 0


async def test_a_file_goes_with_its_message(filing: Filing) -> None:
    message = filing.upload()
    filing.server.delete(message)

    assert str(await filing.refusal(message)) == GONE
    assert await filing.gone(source_of(message))


async def test_a_file_that_is_forwarded_stands_in_the_message_that_forwards_it(filing: Filing) -> None:
    original = filing.upload(channel=PRIVATE)
    forward = filing.server.forward(original, filing.server.channel(GENERAL), ANNA)
    source = f"discord:{GUILD}/{GENERAL}/{forward.id}/{original.attachments[0].id}"
    assert await filing.files.fetch(source) == TEXT

    filing.server.delete(original)
    assert not await filing.gone(source)

    filing.server.delete(forward)
    assert await filing.gone(source)


async def test_a_file_goes_with_its_channel(filing: Filing) -> None:
    message = filing.upload()
    filing.server.delete_channel(GENERAL)

    assert str(await filing.refusal(message)) == GONE
    assert await filing.gone(source_of(message))


async def test_a_file_goes_with_its_server(filing: Filing) -> None:
    message = filing.upload()
    filing.server.remove_bot()

    assert await filing.gone(source_of(message))


async def test_a_channel_that_the_bot_may_not_look_into_is_still_there(filing: Filing) -> None:
    message = filing.upload(channel=PRIVATE)
    filing.server.hide(PRIVATE, BOT)

    assert str(await filing.refusal(message)) == CLOSED
    assert not await filing.gone(source_of(message))


async def test_without_the_history_a_channel_is_closed_too(filing: Filing) -> None:
    message = filing.upload()
    filing.server.overwrite(GENERAL, BOT, deny=Permission.READ_MESSAGE_HISTORY)

    assert str(await filing.refusal(message)) == CLOSED
    assert not await filing.gone(source_of(message))


async def test_what_discord_does_not_show_is_not_gone(server: DiscordServer) -> None:
    server.privileged = 0
    async with opened(server) as filing:
        message = filing.upload(text="Here is the plan.")

        assert str(await filing.refusal(message)) == HIDDEN
        assert not await filing.gone(source_of(message))


async def test_what_names_the_bot_is_shown(server: DiscordServer) -> None:
    server.privileged = 0
    async with opened(server) as filing:
        message = filing.upload(text=f"<@{BOT}>")
        source = source_of(message)

        assert await filing.fetch(message) == TEXT
        server.remove_file(message, "plan.md")
        assert await filing.gone(source)


@pytest.mark.parametrize(
    ("fault", "error"),
    [(rate_limited(3600, via=False), RateLimited), (http(503), Unreachable), (refused(50013), ChatError)],
)
async def test_whether_a_file_is_gone_is_not_guessed(
    filing: Filing, fault: Any, error: type[ChatError]
) -> None:
    message = filing.upload()
    filing.server.fail("fetch", fault)

    with pytest.raises(error):
        await filing.gone(source_of(message))


async def test_what_is_not_of_discord_is_not_gone(filing: Filing) -> None:
    assert not await filing.gone("slack:T1/F1")
    assert not await filing.gone("discord:nonsense")


async def test_looking_a_file_up_waits_for_a_busy_discord(filing: Filing) -> None:
    message = filing.upload()
    filing.server.fail("fetch", http(503), times=2)

    assert await filing.fetch(message) == TEXT


@pytest.mark.parametrize(
    ("fault", "words"),
    [(http(503), BUSY), (refused(50013), CLOSED), (refused(50083), "50083"), (http(401), NOT_ACCEPTED)],
)
async def test_what_keeps_a_file_from_being_looked_up_is_told(filing: Filing, fault: Any, words: str) -> None:
    message = filing.upload()
    filing.server.fail("fetch", fault, times=None)

    assert words in str(await filing.refusal(message))
    assert filing.downloads == 0


async def test_no_log_tells_an_address_a_name_or_a_token(
    filing: Filing, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await filing.fetch(filing.upload(name="salaries.md"))
    await filing.refusal(filing.upload(name="salaries.md", serving=Serving(redirect="https://evil.com/")))

    for words in ("attachments", "salaries", filing.server.token, "http://"):
        assert words not in caplog.text
