from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.addressing import channel_itself
from adapters.slack.calls import Refused
from adapters.slack.downloads import GONE
from adapters.slack.files import LOOKS, NAMELESS, NO_SCOPE, NOT_ACCEPTED, SlackFiles
from adapters.slack.happenings import FileShared, FileTouched
from bot.chat import NotAllowed, RateLimited, Thread, Unreachable
from bot.incoming import FileRemoved
from pipeline.domain import IngestReason, Scope
from pipeline.errors import IngestError
from tests.fakes.clock import FakeClock
from tests.fakes.slackweb import FakeWeb, info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.slack.facts import SlackFile
    from bot.incoming import IncomingFile

ONE = Scope("slack", "T1", "C1")
TWO = Scope("slack", "T1", "C2")
SOURCE = "slack:T1/F1"
MESSAGE = FileShared(
    event_id="e1", team="T1", channel="C1", file_id="F1", user="U2", ts="5.1", thread_ts="4.1"
)
SHARED = FileShared(event_id="e2", team="T1", channel="C1", file_id="F1", user="U2")
CHANGED = FileShared(event_id="e3", team="T1", channel=None, file_id="F1", user=None, changed=True)
UNSHARED = info(channels=[], shares={})


@dataclass(frozen=True)
class FakeClient:
    token: str


class FakeTokens:
    """One workspace; satisfies `Workspaces` as far as files need it."""

    async def client(self, team: str) -> Any:
        if team != "T1":
            raise NotAllowed
        return FakeClient("xoxb-1")

    async def identity(self, team: str) -> Any:
        raise AssertionError


class FakeDownloads:
    def __init__(self, *outcomes: bytes | Exception) -> None:
        self.outcomes = list(outcomes)
        self.got: list[tuple[str, str]] = []

    async def get(self, file: SlackFile, token: str) -> bytes:
        self.got.append((file.id, token))
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> None:
        self.got.append(("closed", ""))


class Desk:
    def __init__(self, *answers: object, downloads: Sequence[bytes | Exception] = (b"text",)) -> None:
        self.clock = FakeClock()
        self.web = FakeWeb(files_info=list(answers))  # type: ignore[arg-type]  # any mixture of answers
        self.downloads = FakeDownloads(*downloads)
        self.files = SlackFiles(
            self.web,
            FakeTokens(),
            self.downloads,
            holders=self.holders,
            max_bytes=1024,
            sleep=self.clock.sleep,
            monotonic=self.clock.monotonic,
        )

    async def holders(self, platform: str, workspace: str, source: str) -> Sequence[Scope]:
        assert (platform, workspace, source) == ("slack", "T1", SOURCE)
        return [ONE, TWO]

    async def incoming(self, shared: FileShared) -> IncomingFile:
        (file,) = await self.files.incoming(shared)
        return file

    async def refusal(self, source: str = SOURCE) -> IngestError:
        with pytest.raises(IngestError) as refused:
            await self.files.fetch(source)
        return refused.value


async def test_a_file_in_a_message_is_answered_in_the_messages_thread() -> None:
    file = await Desk(info()).incoming(MESSAGE)

    assert file.thread == Thread(ONE, "4.1")
    assert file.message_id == "5.1"
    assert (file.event_id, file.file_id, file.author) == ("e1", "F1/5.1", "U2")
    assert (file.name, file.size) == ("plan.md", 12)
    assert file.source == f"{SOURCE}#https://acme.slack.com/files/U1/F1/plan.md"


async def test_a_message_that_stands_in_the_channel_itself_begins_the_thread() -> None:
    file = await Desk(info()).incoming(replace(MESSAGE, thread_ts=None))

    assert file.thread == Thread(ONE, "5.1")


async def test_an_event_without_the_message_finds_it_by_the_file() -> None:
    shares = {"public": {"C1": [{"ts": "7.1", "thread_ts": "6.1"}]}}

    file = await Desk(info(shares=shares)).incoming(SHARED)

    assert file.thread == Thread(ONE, "6.1")
    assert file.message_id == "7.1"


async def test_both_events_about_a_file_speak_of_the_same_file() -> None:
    answer = info(shares={"public": {"C1": [{"ts": "5.1", "thread_ts": "4.1"}]}})
    one, other = await Desk(answer).incoming(MESSAGE), await Desk(answer).incoming(SHARED)

    assert one.file_id == other.file_id
    assert one.source == other.source
    assert one.thread == other.thread


async def test_a_file_that_is_shared_once_more_is_another_upload_of_the_same_file() -> None:
    desk = Desk(info())
    first, second = await desk.incoming(MESSAGE), await desk.incoming(replace(MESSAGE, ts="9.1"))

    assert first.file_id != second.file_id
    assert first.source == second.source


async def test_a_file_that_somebody_asks_for_is_another_upload_each_time() -> None:
    desk = Desk(info())
    asked = [replace(MESSAGE, event_id=event, wanted=True) for event in ("e1", "e2")]
    files = [await desk.incoming(one) for one in (MESSAGE, *asked)]

    assert len({file.file_id for file in files}) == 3


async def test_slacks_records_are_given_time_to_tell_of_the_message() -> None:
    desk = Desk(Refused("file_not_found"), UNSHARED, info())

    file = await desk.incoming(SHARED)

    assert file.message_id == "1.1"
    assert desk.clock.slept == list(LOOKS[:2])


async def test_a_file_whose_message_is_never_found_is_read_all_the_same() -> None:
    file = await Desk(info(shares=...)).incoming(SHARED)

    assert file.message_id is None
    assert file.thread == channel_itself(ONE)


@pytest.mark.parametrize("answer", [UNSHARED, info(channels=..., groups=..., ims=..., shares=...)])
async def test_a_file_without_a_message_is_not_read_where_slack_does_not_say_that_it_is(
    answer: object,
) -> None:
    assert await Desk(answer).files.incoming(SHARED) == []


async def test_a_file_in_two_channels_is_two_files_for_two_channels() -> None:
    shares = {"public": {"C1": [{"ts": "1.1"}]}, "private": {"C2": [{"ts": "2.1"}]}}

    files = await Desk(info(shares=shares)).files.incoming(replace(SHARED, channel=None))

    assert [(file.thread, file.message_id) for file in files] == [
        (Thread(ONE, "1.1"), "1.1"),
        (Thread(TWO, "2.1"), "2.1"),
    ]


async def test_a_changed_file_is_another_version_wherever_it_is_shared() -> None:
    shares = {"public": {"C1": [{"ts": "1.1"}], "C2": [{"ts": "2.1"}]}}
    changed = info(edit_timestamp=1_700_000_009, channels=["C1", "C2"], shares=shares)
    one, two = await Desk(changed).files.incoming(CHANGED)

    assert one.file_id == two.file_id == "F1@1700000009"
    assert (one.author, one.changed) == ("U1", True)
    assert (one.thread, two.thread) == (Thread(ONE, "1.1"), Thread(TWO, "2.1"))


async def test_a_changed_file_concerns_no_channel_that_has_nothing_of_it() -> None:
    shares = {"public": {"C1": [{"ts": "1.1"}], "C9": [{"ts": "9.1"}]}}
    changed = info(edit_timestamp=1_700_000_009, channels=["C1", "C9"], shares=shares)
    file = await Desk(changed).incoming(CHANGED)

    assert file.thread.scope == ONE


async def test_a_changed_file_concerns_no_channel_that_it_has_left_or_may_have_left() -> None:
    for lists in (
        {"channels": ["C9"], "shares": {}},
        {"channels": ..., "shares": ..., "groups": ..., "ims": ...},
    ):
        assert await Desk(info(edit_timestamp=1_700_000_009, **lists)).files.incoming(CHANGED) == []


async def test_a_change_that_leaves_the_contents_alone_is_nothing_new() -> None:
    assert await Desk(info()).files.incoming(CHANGED) == []


async def test_a_canvas_is_refused_when_it_comes_and_not_each_time_somebody_types() -> None:
    canvas = info(mode="quip", filetype="quip", updated=1)

    assert len(await Desk(canvas).files.incoming(SHARED)) == 1
    assert await Desk(canvas).files.incoming(CHANGED) == []


@pytest.mark.parametrize("shared", [MESSAGE, SHARED, CHANGED])
async def test_a_file_that_is_gone_already_is_nobodys_concern(shared: FileShared) -> None:
    assert await Desk(Refused("file_deleted")).files.incoming(shared) == []


@pytest.mark.parametrize("error", [Refused("missing_scope"), Refused("access_denied"), Unreachable()])
async def test_whoever_shared_a_file_that_slack_does_not_show_gets_to_know(error: Exception) -> None:
    file = await Desk(error).incoming(MESSAGE)

    assert (file.name, file.source) == (NAMELESS, SOURCE)
    assert file.thread == Thread(ONE, "4.1")


@pytest.mark.parametrize("error", [Refused("missing_scope"), Refused("access_denied")])
async def test_where_nobody_can_be_told_a_file_that_slack_does_not_show_is_left(error: Exception) -> None:
    assert await Desk(error).files.incoming(SHARED) == []


@pytest.mark.parametrize("error", [Unreachable(), RateLimited(30)])
@pytest.mark.parametrize("shared", [SHARED, CHANGED])
async def test_while_slack_is_away_nobody_takes_that_for_a_word_about_the_file(
    shared: FileShared, error: Exception
) -> None:
    with pytest.raises(type(error)):
        await Desk(error).files.incoming(shared)


async def test_an_upload_costs_one_look_at_the_file() -> None:
    desk = Desk(info())
    file = await desk.incoming(SHARED)
    await desk.incoming(replace(MESSAGE, ts=file.message_id))
    await desk.files.fetch(file.source)
    assert not await desk.files.shares.gone(ONE, file.source, lately=True)

    assert len(desk.web.calls) == 1


async def test_a_changed_file_is_looked_at_anew() -> None:
    desk = Desk(info(size=12), info(size=1025, edit_timestamp=1_700_000_009))
    await desk.incoming(MESSAGE)

    assert await desk.files.incoming(CHANGED) == []
    assert (await desk.refusal()).reason is TOO_LARGE


async def test_a_busy_slack_is_waited_for() -> None:
    desk = Desk(RateLimited(5), info())

    assert (await desk.incoming(MESSAGE)).name == "plan.md"
    assert desk.clock.slept == [5]


async def test_a_file_that_left_its_channel_is_removed_there() -> None:
    touched = FileTouched(event_id="e", team="T1", channel="C1", file_id="F1")

    assert await Desk(info()).files.removed(touched) == []
    assert await Desk(UNSHARED).files.removed(touched) == [
        FileRemoved(event_id="e", scope=ONE, source=SOURCE)
    ]


async def test_where_the_event_names_no_channel_all_that_have_the_file_are_looked_at() -> None:
    touched = FileTouched(event_id="e", team="T1", channel=None, file_id="F1")

    removed = await Desk(info()).files.removed(touched)

    assert [removal.scope for removal in removed] == [TWO]


async def test_a_file_is_fetched_with_its_workspaces_token() -> None:
    desk = Desk(info())

    assert await desk.files.fetch(f"{SOURCE}#https://acme.slack.com/files/U1/F1/plan.md") == b"text"
    assert desk.downloads.got == [("F1", "xoxb-1")]


async def test_a_download_that_fails_through_nobodys_fault_is_tried_again() -> None:
    desk = Desk(info(), downloads=[Unreachable(), RateLimited(4), b"text"])

    assert await desk.files.fetch(SOURCE) == b"text"
    assert desk.clock.slept == [1, 4]


UNSUPPORTED, UNREADABLE, TOO_LARGE = (
    IngestReason.UNSUPPORTED_TYPE,
    IngestReason.UNREADABLE,
    IngestReason.TOO_LARGE,
)


@pytest.mark.parametrize(
    ("fields", "reason", "words"),
    [
        ({"mode": "external", "is_external": True}, UNSUPPORTED, "Another service"),
        ({"is_external": True, "url_private": "https://docs.google.com/x"}, UNSUPPORTED, "Another service"),
        ({"mode": "external", "filetype": "gdoc"}, UNSUPPORTED, "download it there"),
        ({"mode": "quip", "filetype": "quip"}, UNSUPPORTED, "a canvas"),
        ({"mode": "canvas"}, UNSUPPORTED, "save it as a PDF"),
        ({"mimetype": "application/vnd.slack-docs"}, UNSUPPORTED, "a canvas"),
        ({"mode": "post"}, UNSUPPORTED, "a post"),
        ({"mode": "space", "filetype": "space"}, UNSUPPORTED, "a post"),
        ({"mode": "list", "filetype": "list"}, UNSUPPORTED, "a list"),
        ({"mode": "hidden_by_limit"}, UNREADABLE, "Slack hides it"),
        ({"mode": "file_access", "file_access": "check_file_info"}, UNREADABLE, "another workspace"),
        ({"url_private": None, "url_private_download": None}, UNREADABLE, "upload a copy"),
        ({"size": 1025}, TOO_LARGE, "larger than"),
    ],
)
async def test_what_cannot_be_read_is_refused_before_anything_is_fetched(
    fields: dict[str, object], reason: IngestReason, words: str
) -> None:
    desk = Desk(info(**fields))

    refused = await desk.refusal()

    assert refused.reason is reason
    assert words in str(refused)
    assert desk.downloads.got == []


@pytest.mark.parametrize("fields", [{"mode": "snippet"}, {"mode": ...}, {"size": 1024}, {"size": ...}])
async def test_snippets_and_whatever_else_slack_keeps_are_fetched(fields: dict[str, object]) -> None:
    assert await Desk(info(**fields)).files.fetch(SOURCE) == b"text"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Refused("file_deleted"), GONE),
        (Refused("missing_scope"), NO_SCOPE),
        (Refused("invalid_auth"), NOT_ACCEPTED),
        (NotAllowed(), NOT_ACCEPTED),
        (Refused("access_denied"), "access_denied"),
        (Unreachable(), "could not be reached"),
        (RateLimited(1), "asks to wait"),
    ],
)
async def test_every_failure_to_look_a_file_up_has_a_sentence(error: Exception, words: str) -> None:
    refused = await Desk(error).refusal()

    assert refused.reason is IngestReason.UNREADABLE
    assert words in str(refused)


async def test_a_workspace_that_the_app_left_has_no_files_any_more() -> None:
    assert str(await Desk(info()).refusal("slack:T2/F1")) == NOT_ACCEPTED


@pytest.mark.parametrize("source", ["slack:T1", "file:///etc/passwd", "slack:T1/F1/../F2"])
async def test_a_source_of_another_form_is_refused(source: str) -> None:
    assert (await Desk(info()).refusal(source)).reason is IngestReason.UNREADABLE


async def test_closing_ends_the_downloads() -> None:
    desk = Desk(info())
    await desk.files.close()

    assert desk.downloads.got == [("closed", "")]
