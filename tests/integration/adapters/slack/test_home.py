"""The Home tab, the greeting and the suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.slack.home import CHANNELS, MOST_BLOCKS
from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogUnavailable
from tests.fakes.library import document
from tests.fakes.slack import ANNA, BEN, http
from tests.integration.adapters.slack.asking import CHANNEL, SCOPE, TEAM, Asking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pipeline.domain import Document, Scope

PRIVATE, DIRECT = "C0PRIVATE", "D0ANNA"


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    async with Asking() as desk:
        yield desk


async def home(asking: Asking, user: str = ANNA) -> str:
    asking.slack.open_home(user)
    await asking.settled()
    return asking.slack.homes[TEAM, user].shown


async def test_home_says_what_the_bot_is_and_how_to_begin(asking: Asking) -> None:
    shown = await home(asking)

    assert "How to use me" in shown
    assert "no channel whose files I know yet" in shown


async def test_home_shows_the_documents_of_the_channels_of_whoever_opens_it(asking: Asking) -> None:
    asking.put("d1")
    asking.library.put(SCOPE, document("d2", "new.md", status=DocumentStatus.QUEUED))
    asking.put("own", channel=DIRECT)

    shown = await home(asking)

    assert f"*<#{CHANNEL}>* · 2 documents: 1 ready, 1 waiting" in shown
    assert "d1.md" in shown
    assert "Your direct messages with me" in shown
    assert "own.md" in shown


async def test_home_hides_the_channels_of_others(asking: Asking) -> None:
    asking.put("secret", channel=PRIVATE)
    asking.put("private", channel=DIRECT)
    asking.slack.channel(PRIVATE).members.remove(BEN)

    shown = await home(asking, BEN)

    assert "secret" not in shown
    assert "private.md" not in shown
    assert PRIVATE not in shown


async def test_home_hides_everything_while_slack_does_not_tell_who_is_where(asking: Asking) -> None:
    asking.put("d1")
    asking.slack.fail("conversations.members", http(503), times=None)

    assert "d1.md" not in await home(asking)


async def test_home_hides_a_channel_that_somebody_left_a_moment_ago(asking: Asking) -> None:
    asking.put("secret", channel=PRIVATE)
    assert "secret" in await home(asking, BEN)

    asking.slack.leave_channel(PRIVATE, BEN)
    await asking.settled()

    assert "secret" not in await home(asking, BEN)


async def test_home_shows_as_many_channels_as_fit_and_counts_the_others(asking: Asking) -> None:
    for number in range(CHANNELS + 5):
        asking.slack.add_channel(f"C1{number:03d}")
        asking.put(*(f"{'long-' * 10}{n}" for n in range(60)), channel=f"C1{number:03d}")

    shown = await home(asking)

    assert len(asking.slack.homes[TEAM, ANNA].view["blocks"]) <= MOST_BLOCKS
    assert "<#C1000>" in shown
    assert "older ones" in shown


async def test_home_says_when_the_store_fails(asking: Asking) -> None:
    asking.put("d1")

    async def broken(scope: Scope) -> Sequence[Document]:
        raise CatalogUnavailable

    asking.library.documents = broken  # type: ignore[method-assign]  # the store breaks

    assert "footnote reindex" in await home(asking)


async def test_whoever_invites_the_bot_is_told_how_to_use_it_and_nobody_else(asking: Asking) -> None:
    asking.slack.event(
        {"type": "member_joined_channel", "user": asking.slack.team.bot, "channel": CHANNEL, "inviter": BEN}
    )
    await asking.settled()

    (whisper,) = asking.whispers
    assert (whisper.user, whisper.channel, whisper.thread_ts) == (BEN, CHANNEL, None)
    assert "Thank you for inviting me" in whisper.shown


@pytest.mark.parametrize("facts", [{"user": "U0BOT"}, {"user": BEN, "inviter": ANNA}])
async def test_where_nobody_invited_the_bot_nobody_is_told(asking: Asking, facts: dict[str, str]) -> None:
    asking.slack.event({"type": "member_joined_channel", "channel": CHANNEL, **facts})
    await asking.settled()

    assert asking.whispers == []


async def test_an_agent_suggests_what_to_ask() -> None:
    async with Asking(agent=True) as asking:
        asking.slack.agent = True
        asking.slack.team.scopes.add("assistant:write")
        asking.slack.open_home(ANNA, "messages")
        await asking.settled()

        (suggested,) = asking.slack.prompts
        assert suggested["prompts"][0]["message"] == "help"


async def test_an_app_without_the_agent_feature_is_asked_once_and_then_left_alone() -> None:
    async with Asking(agent=True) as asking:
        asking.slack.agent = False
        asking.slack.team.scopes.add("assistant:write")
        for _ in range(2):
            asking.slack.open_home(ANNA, "messages")
            await asking.settled()

        assert len(asking.slack.called("assistant.threads.setSuggestedPrompts")) == 1


async def test_nothing_is_suggested_where_the_feature_is_off(asking: Asking) -> None:
    asking.slack.open_home(ANNA, "messages")
    await asking.settled()

    assert asking.slack.called("assistant.threads.setSuggestedPrompts") == []
