from __future__ import annotations

import pytest

from adapters.slack.calls import Refused
from adapters.slack.facts import Facts, Share, SlackFile, parts_of
from bot.chat import RateLimited, Unreachable
from pipeline.addresses import link_of, place_of
from tests.fakes.slackweb import FILES, FakeWeb, info


def read(**fields: object) -> SlackFile:
    return SlackFile.read("T1", info(**fields)["file"])


async def test_a_file_is_looked_up_in_its_workspace() -> None:
    web = FakeWeb(files_info=info())

    file = await Facts(web).of("T1", "F1")

    assert web.calls == [("T1", "files.info", {"file": "F1"})]
    assert file is not None
    assert (file.name, file.size, file.user) == ("plan.md", 12, "U1")
    assert file.url == f"https://{FILES}/files-pri/T1-F1/download/plan.md"


@pytest.mark.parametrize("code", ["file_not_found", "file_deleted", "not_visible"])
async def test_a_file_that_slack_knows_no_more_is_gone(code: str) -> None:
    assert await Facts(FakeWeb(files_info=Refused(code))).of("T1", "F1") is None


async def test_a_tombstone_is_gone_too() -> None:
    assert await Facts(FakeWeb(files_info={"file": {"id": "F1", "mode": "tombstone"}})).of("T1", "F1") is None


@pytest.mark.parametrize(
    "error", [Refused("access_denied"), Refused("missing_scope"), RateLimited(3), Unreachable()]
)
async def test_what_says_nothing_about_the_file_does_not_make_it_gone(error: Exception) -> None:
    with pytest.raises(type(error)):
        await Facts(FakeWeb(files_info=error)).of("T1", "F1")


@pytest.mark.parametrize("answer", [{}, {"file": None}, {"file": {}}])
async def test_an_answer_without_a_file_says_nothing(answer: dict[str, object]) -> None:
    with pytest.raises(Unreachable):
        await Facts(FakeWeb(files_info=answer)).of("T1", "F1")


@pytest.mark.parametrize(
    ("name", "title", "shown"),
    [
        ("plan.md", "The plan", "plan.md"),
        (None, "The plan", "The plan"),
        ("", "The plan", "The plan"),
        ("  ", " The plan ", "The plan"),
        (None, None, "Untitled"),
        (..., ..., "Untitled"),
    ],
)
def test_a_name_that_stands_only_in_the_title_is_found_there(name: object, title: object, shown: str) -> None:
    assert read(name=name, title=title).name == shown


def test_a_source_has_a_place_that_stays_and_a_link_for_people() -> None:
    source = read().source

    assert place_of(source) == "slack:T1/F1"
    assert link_of(source) == "https://acme.slack.com/files/U1/F1/plan.md"
    assert parts_of(source) == ("T1", "F1")


@pytest.mark.parametrize("permalink", [None, "", ..., "javascript:alert(1)"])
def test_a_file_without_a_link_has_a_source_all_the_same(permalink: object) -> None:
    source = read(permalink=permalink).source

    assert source == "slack:T1/F1"
    assert link_of(source) is None


@pytest.mark.parametrize("source", ["file:///plan.md", "slack:T1", "slack:T1/F1/x", "slack:T1/../F1", "x"])
def test_other_sources_are_not_of_slack(source: str) -> None:
    assert parts_of(source) is None


def test_it_is_visible_wherever_any_list_says_so() -> None:
    file = read(channels=["C1"], groups=["G1"], ims=["D1"], shares={"private": {"C2": [{"ts": "2.1"}]}})

    assert file.visible == frozenset({"C1", "G1", "D1", "C2"})


def test_without_any_list_nobody_knows_where_it_is_visible() -> None:
    assert read(channels=..., groups=..., ims=..., shares=...).visible is None
    assert read(channels=[], shares={}).visible == frozenset()
    assert read(channels=None, shares={"public": None, "private": {"C1": None}}).visible == frozenset()


def test_the_latest_message_that_carries_it_counts() -> None:
    messages = [{"ts": "2.1", "thread_ts": "1.5"}, {"ts": "3.1", "thread_ts": "1.5"}, {"ts": "1.1"}, {}]

    file = read(shares={"public": {"C1": messages}, "private": {"C2": [{"ts": "4.1"}]}})

    assert file.shares == {"C1": Share(ts="3.1", thread_ts="1.5"), "C2": Share(ts="4.1")}
    assert file.shares["C1"].thread == "1.5"
    assert file.shares["C2"].thread == "4.1"


def test_its_version_is_when_its_contents_changed() -> None:
    assert read(edit_timestamp=17, updated=18).version == "17"
    assert read(updated=18).version == "18"
    assert read().version is None


def test_a_web_page_is_told_from_other_files() -> None:
    assert read(mimetype="text/html").is_page
    assert read(mimetype=..., filetype="html").is_page
    assert not read().is_page
    assert not read(mimetype="text/plain", filetype="html").is_page
