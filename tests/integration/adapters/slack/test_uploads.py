"""Files that come back, change, or are hard to look up, from Slack's events to what people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.domain import Scope
from tests.fakes.slack import ANNA, SlackServer, http
from tests.fakes.waiting import eventually
from tests.integration.adapters.slack.serving import Serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.slack import File, Message

CHANNEL, WITHOUT = "C0GENERAL", "C0WITHOUT"
REFUNDS = "# Refunds\n\nA refund for a monthly plan takes five working days.\n"


class Channel:
    """The program, and the channel that files are shared in."""

    def __init__(self, slack: SlackServer, serving: Serving) -> None:
        self.slack = slack
        self.serving = serving

    async def names(self, channel: str = CHANNEL) -> list[str]:
        """Return the names of the documents that can be searched."""
        scope = Scope("slack", self.slack.team.id, channel)
        documents = await self.serving.service.stores.catalog.documents(scope)
        return [document.display_name for document in documents if document.status.value == "ready"]

    async def has(self, *names: str) -> None:
        """Wait until these are the documents."""

        async def stand() -> bool:
            return await self.names() == list(names)

        await eventually(stand)

    async def told(self, ts: str, text: str) -> None:
        """Wait until a thread says *text*."""
        await self.slack.until(lambda: any(text in shown for shown in self.shown(ts)))

    def shown(self, ts: str) -> list[str]:
        return [reply.shown for reply in self.slack.replies(CHANNEL, ts)]

    async def upload(self, name: str = "refunds.md", text: str = REFUNDS) -> File:
        file = self.slack.upload(CHANNEL, ANNA, name, text)
        await self.told(file.shares[CHANNEL], "is ready")
        return file

    async def forget(self, name: str) -> None:
        self.slack.command("/footnote", f"forget {name}")
        await self.slack.until(lambda: any("Forgotten" in one.shown for one in self.slack.ephemerals))
        await self.has()


def signs(message: Message) -> list[str]:
    """Return the reactions that stand at a message."""
    return [name for name, users in message.reactions.items() if users]


@pytest.fixture
async def channel(tmp_path: Path) -> AsyncIterator[Channel]:
    async with SlackServer() as slack, Serving(slack, tmp_path).running() as serving:
        yield Channel(slack, serving)


async def test_a_file_that_left_the_channel_and_is_shared_there_again_is_indexed_again(
    channel: Channel,
) -> None:
    file = await channel.upload()
    channel.slack.unshare_file(file, CHANNEL)
    await channel.has()

    message = channel.slack.share(file, CHANNEL, ANNA)

    await channel.told(message.ts, "is ready")
    assert await channel.names() == ["refunds.md"]


async def test_a_forgotten_file_comes_back_when_it_is_shared_anew_and_not_by_an_echo(
    channel: Channel,
) -> None:
    file = await channel.upload()
    await channel.forget("refunds.md")
    for delivery in list(channel.slack.deliveries):
        channel.slack.again(delivery)
    await channel.slack.settled()
    assert await channel.names() == []

    message = channel.slack.share(file, CHANNEL, ANNA)

    await channel.told(message.ts, "is ready")
    assert await channel.names() == ["refunds.md"]


async def test_a_file_that_is_shared_twice_is_said_to_be_there(channel: Channel) -> None:
    file = await channel.upload()

    message = channel.slack.share(file, CHANNEL, ANNA)

    await channel.told(message.ts, "is already here")
    await channel.slack.until(lambda: signs(message) == ["white_check_mark"])


async def test_a_changed_file_concerns_only_channels_that_have_it(channel: Channel) -> None:
    file = await channel.upload()
    channel.slack.share(file, WITHOUT, ANNA)

    channel.slack.change_file(file, f"{REFUNDS}And an annual plan fifteen.\n")
    await channel.slack.until(lambda: len(channel.shown(file.shares[CHANNEL])) == 2)

    assert await channel.names(WITHOUT) == []
    assert {call.arguments["channel"] for call in channel.slack.called("chat.postMessage")} == {CHANNEL}


async def test_a_file_that_is_only_renamed_is_not_worth_a_word(channel: Channel) -> None:
    file = await channel.upload()
    before = len(channel.slack.calls)

    file.name = "renamed.md"
    channel.slack.change_file(file, REFUNDS)
    await channel.slack.until(lambda: len(channel.slack.downloads) == 2)
    other = await channel.upload("other.md", "Something else.")  # by then, all there is to say is said

    said = [call for call in channel.slack.calls[before:] if call.method.startswith(("chat.", "reactions."))]
    assert {call.arguments.get("thread_ts", other.shares[CHANNEL]) for call in said} == {
        other.shares[CHANNEL]
    }
    assert len(channel.shown(file.shares[CHANNEL])) == 1


async def test_a_changed_file_that_was_forgotten_stays_forgotten(channel: Channel) -> None:
    file = await channel.upload()
    await channel.forget("refunds.md")

    channel.slack.change_file(file, f"{REFUNDS}And an annual plan fifteen.\n")
    await channel.slack.settled()
    await channel.upload("other.md")

    assert await channel.names() == ["other.md"]


async def test_what_becomes_of_a_file_without_a_message_is_said_in_the_channel(
    channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.slack.files.LOOKS", (0.01,))
    file = channel.slack.make_file(CHANNEL, ANNA, "lonely.md", REFUNDS)
    file.shares[CHANNEL], file.kinds[CHANNEL] = "", "public"
    shared = {"type": "file_shared", "file_id": file.id, "user_id": ANNA, "channel_id": CHANNEL}
    channel.slack.event({**shared, "event_ts": channel.slack.ts()})

    await channel.slack.until(
        lambda: (
            [one.shown for one in channel.slack.messages(CHANNEL)] == ["**lonely.md** is ready: 1 passage."]
        )
    )


async def test_a_file_that_cannot_be_looked_up_for_a_while_is_not_lost(
    channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.slack.arrivals.PAUSES", (0.1, 0.1, 0.1))
    monkeypatch.setattr("bot.patience.FIRST", 0.01)
    channel.slack.fail("files.info", http(500), times=10)

    file = channel.slack.upload(CHANNEL, ANNA, "second.md", REFUNDS, events=("file_shared",))

    await channel.told(file.shares[CHANNEL], "is ready")
