"""Files of the local Slack server, fetched with the real client, and all that can go wrong with that."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Self

import aiohttp
import pytest

from adapters.slack.budgets import Budgets
from adapters.slack.calls import Calls
from adapters.slack.downloads import GONE, INCOMPLETE, LOCKED, OUTSIDE, SLOW, Downloads
from adapters.slack.facts import FRESH
from adapters.slack.files import NO_SCOPE, NOT_ACCEPTED, SlackFiles
from adapters.slack.happenings import FileShared, FileTouched
from adapters.slack.people import People
from adapters.slack.workspaces import OneWorkspace
from bot.patience import PATIENCE
from pipeline.domain import IngestReason, Scope
from pipeline.errors import IngestError
from tests.fakes.clock import FakeClock
from tests.fakes.slack import ADAM, ANNA, BEN, GINA, OLGA, STRANGER, Serving, SlackServer, error, rate_limited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.fakes.slack import File

TEAM, CHANNEL, SECOND = "T0ACME", "C0GENERAL", "C0SECOND"
TEXT = b"# Plan\n\nThe office moves to Oslo in May.\n"
MAX_BYTES = 100_000


class Filing:
    """One workspace and its files."""

    def __init__(self, **timeouts: float) -> None:
        self.slack = SlackServer()
        self.clock = FakeClock()
        self._timeouts = timeouts or {"total": 30.0}

    async def __aenter__(self) -> Self:
        await self.slack.start()
        self.workspaces = OneWorkspace(self.slack.team.token, base_url=self.slack.base_url)
        self.calls = Calls(self.workspaces, Budgets(), time.monotonic)
        timeout = aiohttp.ClientTimeout(**self._timeouts)
        self.files = SlackFiles(
            self.calls,
            self.workspaces,
            Downloads(self.slack.base_url, max_bytes=MAX_BYTES, timeout=timeout),
            holders=self._holders,
            max_bytes=MAX_BYTES,
            sleep=self.clock.sleep,
            monotonic=self.clock.monotonic,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.files.close()
        await self.workspaces.close()
        await self.slack.stop()

    async def _holders(self, platform: str, workspace: str, source: str) -> Sequence[Scope]:
        return [scope(CHANNEL), scope(SECOND)]

    def upload(self, content: bytes = TEXT, name: str = "plan.md", **changes: Any) -> File:
        return self.slack.upload(CHANNEL, ANNA, name, content, events=(), **changes)

    async def fetch(self, file: File) -> bytes:
        return await self.files.fetch(source_of(file))

    async def refusal(self, file: File) -> IngestError:
        with pytest.raises(IngestError) as refused:
            await self.fetch(file)
        return refused.value

    @property
    def downloads(self) -> int:
        return len(self.slack.downloads)


def scope(channel: str) -> Scope:
    return Scope("slack", TEAM, channel)


def source_of(file: File) -> str:
    return f"slack:{file.team}/{file.id}"


def shared(file: File, channel: str | None = CHANNEL, **fields: Any) -> FileShared:
    return FileShared(event_id="e", team=TEAM, channel=channel, file_id=file.id, user=ANNA, **fields)


@pytest.mark.parametrize(
    ("name", "content", "changes"),
    [
        ("plan.md", TEXT, {}),
        ("scan.pdf", b"%PDF-1.7" + bytes(range(256)) * 300, {}),
        ("notes.txt", TEXT, {"mode": "snippet"}),
        ("page.html", b"<html><body>Our own page.</body></html>", {}),
        ("größe 1.txt", TEXT, {}),
        ("empty.txt", b"", {}),
    ],
)
async def test_the_bytes_are_those_that_were_uploaded(
    name: str, content: bytes, changes: dict[str, Any]
) -> None:
    async with Filing() as filing:
        file = filing.upload(content, name, **changes)

        assert await filing.fetch(file) == content


async def test_a_file_of_a_shared_channel_is_looked_up_first() -> None:
    async with Filing() as filing:
        file = filing.slack.upload("C0SHARED", STRANGER, "plan.md", TEXT, events=())
        assert file.connect

        (incoming,) = await filing.files.incoming(shared(file, "C0SHARED"))

        assert incoming.name == "plan.md"
        assert incoming.message_id == file.shares["C0SHARED"]
        assert await filing.files.fetch(incoming.source) == TEXT


async def test_the_sign_in_page_is_not_taken_for_the_file() -> None:
    async with Filing() as filing:
        file = filing.upload(serving=Serving(login=True))

        refused = await filing.refusal(file)

        assert (refused.reason, str(refused)) == (IngestReason.UNREADABLE, LOCKED)
        assert filing.downloads == 1


async def test_the_sign_in_page_is_not_taken_for_another_page_either() -> None:
    async with Filing() as filing:
        page = filing.upload(b"<html>Our own page.</html>", "page.html", serving=Serving(login=True))

        assert str(await filing.refusal(page)) == LOCKED


async def test_a_redirect_to_the_sign_in_page_is_one() -> None:
    async with Filing() as filing:
        login = f"{filing.slack.base_url.removesuffix('api/')}?redir=%2Ffiles-pri%2Fx"

        assert str(await filing.refusal(filing.upload(serving=Serving(redirect=login)))) == LOCKED


async def test_a_redirect_within_slack_is_followed() -> None:
    async with Filing() as filing:
        file = filing.upload()
        other = filing.upload(b"the other", serving=Serving(redirect=file.download_url))

        assert await filing.fetch(other) == TEXT


async def test_a_relative_redirect_is_followed_too() -> None:
    async with Filing() as filing:
        file = filing.upload()
        path = "/" + file.download_url.split("/", 3)[3]

        assert await filing.fetch(filing.upload(serving=Serving(redirect=path))) == TEXT


async def test_another_host_is_never_asked() -> None:
    async with Filing() as filing:
        file = filing.upload(serving=Serving(redirect=f"{filing.slack.elsewhere}steal"))

        refused = await filing.refusal(file)

        assert (refused.reason, str(refused)) == (IngestReason.UNREADABLE, OUTSIDE)
        assert not any(download.elsewhere for download in filing.slack.downloads)


async def test_an_address_that_is_not_slacks_is_never_asked() -> None:
    async with Filing() as filing:
        url = f"{filing.slack.elsewhere}steal"
        file = filing.upload(url=url, download_url=url)

        assert str(await filing.refusal(file)) == OUTSIDE
        assert filing.downloads == 0


@pytest.mark.parametrize(
    "location", ["http://169.254.169.254/", "file:///etc/passwd", "http://[::1", "\\\\evil"]
)
async def test_a_redirect_to_nowhere_good_is_not_followed(location: str) -> None:
    async with Filing() as filing:
        assert str(await filing.refusal(filing.upload(serving=Serving(redirect=location)))) == OUTSIDE
        assert filing.downloads == 1


async def test_redirects_without_end_are_left_at_some_point() -> None:
    async with Filing() as filing:
        refused = await filing.refusal(filing.upload(serving=Serving(redirect="loop")))

        assert "from one address to the next" in str(refused)
        assert filing.downloads == 4


async def test_a_body_over_the_limit_is_cut_off_whatever_was_declared() -> None:
    async with Filing() as filing:
        refused = await filing.refusal(filing.upload(serving=Serving(surplus=50 * MAX_BYTES)))

        assert refused.reason is IngestReason.TOO_LARGE
        assert filing.downloads == 1


async def test_a_file_that_is_declared_too_large_is_not_even_asked_for() -> None:
    async with Filing() as filing:
        refused = await filing.refusal(filing.upload(b"x" * (MAX_BYTES + 1)))

        assert refused.reason is IngestReason.TOO_LARGE
        assert filing.downloads == 0


@pytest.mark.parametrize(
    ("status", "words"), [(410, GONE), (404, GONE), (403, LOCKED), (401, LOCKED), (400, "400")]
)
async def test_a_no_is_taken_for_an_answer(status: int, words: str) -> None:
    async with Filing() as filing:
        refused = await filing.refusal(filing.upload(serving=Serving(status=status)))

        assert refused.reason is IngestReason.UNREADABLE
        assert words in str(refused)
        assert filing.downloads == 1


async def test_a_body_that_ends_too_early_is_not_taken_for_the_file() -> None:
    async with Filing() as filing:
        assert await filing.fetch(filing.upload(serving=Serving(short=[9]))) == TEXT
        assert filing.downloads == 2

        refused = await filing.refusal(filing.upload(serving=Serving(short=list(range(9, 17)))))
        assert (refused.reason, str(refused)) == (IngestReason.UNREADABLE, INCOMPLETE)


async def test_where_slack_counts_more_than_it_keeps_the_same_bytes_twice_are_the_file() -> None:
    async with Filing() as filing:
        assert await filing.fetch(filing.upload(size=len(TEXT) + 5)) == TEXT
        assert filing.downloads == 2


@pytest.mark.parametrize("serving", [Serving(status=500), Serving(status=503), Serving(cut=9)])
async def test_what_may_pass_is_tried_again_and_then_told(serving: Serving) -> None:
    async with Filing() as filing:
        refused = await filing.refusal(filing.upload(serving=serving))

        assert refused.reason is IngestReason.UNREADABLE
        assert "could not be reached, or asks to wait" in str(refused)
        assert filing.downloads == 4
        assert len(filing.clock.slept) == 3


async def test_a_slack_that_asks_to_wait_is_waited_for_and_not_for_ever() -> None:
    async with Filing() as filing:
        refused = await filing.refusal(filing.upload(serving=Serving(status=429)))

        assert "could not be reached, or asks to wait" in str(refused)
        assert filing.clock.monotonic() == pytest.approx(PATIENCE, abs=10)


async def test_what_passes_is_not_noticed() -> None:
    async with Filing() as filing:
        file = filing.upload(serving=Serving(status=502))

        async def mend(seconds: float) -> None:
            file.serving = Serving()

        filing.files._sleep = mend

        assert await filing.fetch(file) == TEXT


async def test_a_server_that_falls_silent_is_left() -> None:
    async with Filing(total=10, sock_read=0.2) as filing:
        refused = await filing.refusal(filing.upload(serving=Serving(delay=5)))

        assert (refused.reason, str(refused)) == (IngestReason.TIMED_OUT, SLOW)
        assert filing.downloads == 4


async def test_a_server_that_drips_is_left_when_the_time_is_over_and_not_asked_again() -> None:
    async with Filing(total=0.5) as filing:
        file = filing.upload(bytes(90_000), serving=Serving(delay=5))
        refused = await filing.refusal(file)

        assert (refused.reason, str(refused)) == (IngestReason.TIMED_OUT, SLOW)
        assert filing.downloads == 1


async def test_a_deleted_file_is_said_to_be_deleted() -> None:
    async with Filing() as filing:
        file = filing.upload()
        filing.slack.delete_file(file, told=False)

        assert str(await filing.refusal(file)) == GONE


async def test_a_missing_permission_is_named() -> None:
    async with Filing() as filing:
        file = filing.upload()
        filing.slack.team.scopes.discard("files:read")

        assert str(await filing.refusal(file)) == NO_SCOPE


async def test_a_workspace_that_removed_the_app_is_named() -> None:
    async with Filing() as filing:
        file = filing.upload()
        await filing.fetch(file)
        filing.slack.team.installed = False
        assert str(await filing.refusal(file)) == LOCKED
        filing.clock.advance(FRESH)

        assert str(await filing.refusal(file)) == NOT_ACCEPTED


async def test_looking_a_file_up_waits_for_a_busy_slack() -> None:
    async with Filing() as filing:
        file = filing.upload()
        filing.slack.fail("files.info", rate_limited(0))
        filing.slack.fail("files.info", error("internal_error"))

        assert await filing.fetch(file) == TEXT


async def test_no_log_tells_an_address_a_name_or_a_token(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with Filing() as filing:
        for serving in (Serving(), Serving(login=True), Serving(redirect=f"{filing.slack.elsewhere}x")):
            file = filing.upload(name="salaries.md", serving=serving)
            await filing.files.incoming(shared(file))
            if serving != Serving():
                await filing.refusal(file)

    for words in ("files-pri", "salaries", "xoxb", "http://"):
        assert words not in caplog.text


async def test_a_file_in_two_channels_comes_for_each_of_them() -> None:
    async with Filing() as filing:
        file = filing.upload()
        filing.slack.share(file, SECOND, BEN)

        (first,) = await filing.files.incoming(shared(file, CHANNEL))
        (second,) = await filing.files.incoming(shared(file, SECOND))

        assert (first.thread.scope, second.thread.scope) == (scope(CHANNEL), scope(SECOND))
        assert first.source == second.source
        assert second.message_id == file.shares[SECOND]


async def test_a_file_that_is_taken_out_of_one_channel_has_left_that_one_only() -> None:
    async with Filing() as filing:
        file = filing.upload()
        filing.slack.share(file, SECOND, BEN)
        filing.slack.unshare_file(file, CHANNEL)

        removed = await filing.files.removed(
            FileTouched(event_id="e", team=TEAM, channel=None, file_id=file.id)
        )

        assert [removal.scope for removal in removed] == [scope(CHANNEL)]
        assert await filing.files.shares.gone(scope(CHANNEL), source_of(file))
        assert not await filing.files.shares.gone(scope(SECOND), source_of(file))


async def test_a_file_that_a_retention_policy_removed_is_gone() -> None:
    async with Filing() as filing:
        file = filing.upload()
        assert not await filing.files.shares.gone(scope(CHANNEL), source_of(file))
        filing.slack.delete_file(file, told=False)

        assert await filing.files.shares.gone(scope(CHANNEL), source_of(file))


async def test_the_right_people_manage_a_channel() -> None:
    async with Filing() as filing:
        people = People(filing.calls, time.monotonic)
        managing = {
            user for user in (ANNA, BEN, ADAM, OLGA, GINA) if await people.manages(TEAM, SECOND, user)
        }
        filing.slack.channel("C0SHARED").creator = STRANGER

        assert managing == {ANNA, ADAM, OLGA}
        assert not await people.manages(TEAM, "C0SHARED", STRANGER)
        assert await people.manages(TEAM, "D0BEN", BEN)
        assert not await people.manages(TEAM, "D0BEN", ANNA)


async def test_members_are_found_in_channels_of_every_kind() -> None:
    async with Filing() as filing:
        people = People(filing.calls, time.monotonic)

        assert await people.is_member(TEAM, "C0PRIVATE", BEN)
        assert await people.is_member(TEAM, "D0ANNA", ANNA)
        assert not await people.is_member(TEAM, "D0ANNA", BEN)
        assert not await people.is_member(TEAM, "C0NOWHERE", ANNA)
        assert not await people.is_member("T9OTHER", CHANNEL, ANNA)
