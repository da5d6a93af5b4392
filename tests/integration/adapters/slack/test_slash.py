"""The command ``/footnote`` and the shortcut “Index this”."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.preferences import FollowUps
from tests.fakes.slack import ADAM, ANNA, BEN, GINA, STRANGER, error, http
from tests.integration.adapters.slack.asking import CHANNEL, SCOPE, Asking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

WITHOUT, PRIVATE, DIRECT, SHARED = "C0WITHOUT", "C0PRIVATE", "D0ANNA", "C0SHARED"


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    async with Asking() as desk:
        yield desk


async def command(asking: Asking, text: str, user: str = ANNA, channel: str = CHANNEL) -> str:
    """Return what the command shows to *user*, and to nobody else."""
    asking.slack.ephemerals.clear()
    asking.slack.command("/footnote", text, user, channel)
    await asking.settled()
    assert {whisper.user for whisper in asking.whispers} == {user}
    return "\n\n".join(whisper.shown for whisper in asking.whispers)


@pytest.mark.parametrize("text", ["", "help", "HELP"])
async def test_without_a_name_the_command_says_how_the_bot_is_used(asking: Asking, text: str) -> None:
    shown = await command(asking, text)

    assert "How to use me" in shown
    assert "/footnote docs" in shown
    assert asking.slack.deliveries[-1].answer is None


async def test_an_unknown_name_is_answered_with_what_there_is(asking: Asking) -> None:
    shown = await command(asking, "dance")

    assert "There is no command “dance”" in shown
    assert "/footnote docs" in shown


async def test_documents_and_states_are_shown_to_members(asking: Asking) -> None:
    asking.put("d1")

    assert "d1.md" in await command(asking, "docs", BEN)
    assert "Status of this channel" in await command(asking, "status", GINA)


async def test_a_direct_conversation_is_a_channel_of_its_own(asking: Asking) -> None:
    asking.put("d1", channel=DIRECT)

    assert "d1.md" in await command(asking, "docs", ANNA, DIRECT)
    assert "no documents yet" in await command(asking, "docs", ANNA)


async def test_where_the_bot_is_no_member_it_asks_to_be_invited(asking: Asking) -> None:
    asking.put("d1", channel=WITHOUT)

    shown = await command(asking, "docs", ANNA, WITHOUT)

    assert "Invite me" in shown
    assert "d1.md" not in shown
    assert "How to use me" in await command(asking, "help", ANNA, WITHOUT)


async def test_nothing_is_shown_to_somebody_who_is_no_member(asking: Asking) -> None:
    asking.put("d1", channel=PRIVATE)
    asking.slack.channel(PRIVATE).members.remove(BEN)

    shown = await command(asking, "docs", BEN, PRIVATE)

    assert "to its members only" in shown
    assert "d1.md" not in shown


@pytest.mark.parametrize("fault", [error("missing_scope"), http(503)])
@pytest.mark.parametrize("channel", [PRIVATE, "C0MPIM"])
async def test_while_slack_does_not_tell_who_is_a_member_nothing_private_is_shown(
    asking: Asking, fault: object, channel: str
) -> None:
    asking.put("d1", channel=channel)
    asking.slack.fail("conversations.members", fault, times=None)  # type: ignore[arg-type]  # both are faults

    shown = await command(asking, "docs", channel=channel)

    assert "Slack does not tell me" in shown
    assert "d1.md" not in shown


async def test_in_a_public_channel_whoever_can_type_may_read_even_if_slack_tells_nothing(
    asking: Asking,
) -> None:
    asking.put("d1")
    asking.slack.fail("conversations.members", error("unknown_method"), times=None)

    assert "d1.md" in await command(asking, "docs")


@pytest.mark.parametrize(("user", "left"), [(BEN, 1), (ANNA, 0), (ADAM, 0), (GINA, 1)])
async def test_everything_is_forgotten_only_for_those_who_manage(
    asking: Asking, user: str, left: int
) -> None:
    asking.put("d1", uploader=BEN)

    shown = await command(asking, "forget all", user)

    assert len(await asking.library.documents(SCOPE)) == left
    assert ("creator and the workspace" in shown) is bool(left)


async def test_people_forget_what_they_uploaded(asking: Asking) -> None:
    asking.put("d1", uploader=BEN)

    assert "Forgotten: d1.md" in await command(asking, "forget d1.md", BEN)


@pytest.mark.parametrize(
    ("user", "kept"),
    [(ANNA, FollowUps.ALWAYS), (ADAM, FollowUps.ALWAYS), (BEN, FollowUps.ASKER), (GINA, FollowUps.ASKER)],
)
async def test_settings_are_changed_only_by_those_who_manage(
    asking: Asking, user: str, kept: FollowUps
) -> None:
    await command(asking, "settings follow-ups always", user)

    assert (await asking.preferences.read(SCOPE)).follow_ups is kept
    assert f"follow-ups` is `{kept}`" in (await command(asking, "settings", BEN)).replace("*", "")


async def test_whether_somebody_manages_is_asked_only_where_it_matters(asking: Asking) -> None:
    for text in ("help", "docs", "status", "settings", "reset", "why"):
        await command(asking, text)

    assert asking.slack.called("users.info") == []


async def test_reset_and_why_are_about_the_threads_of_whoever_asks(asking: Asking) -> None:
    asking.asked.threads[SCOPE.key, ANNA] = ["1.1", "2.2"]

    assert "2 threads of this channel" in await command(asking, "reset")
    assert asking.journal.resets == [(SCOPE.key, "1.1"), (SCOPE.key, "2.2")]
    assert "Nothing was answered for you" in await command(asking, "why", BEN)


async def test_a_long_list_comes_in_several_pieces(asking: Asking) -> None:
    asking.put(*(f"{'long-' * 12}{n}" for n in range(40)))
    for shelf in asking.library.shelves.values():
        shelf[:] = [replace(one, message="x" * 400) for one in shelf]

    shown = await command(asking, "docs")

    assert len(asking.whispers) > 1
    assert "39.md" in shown


async def test_a_response_url_that_is_spent_is_no_end(asking: Asking) -> None:
    asking.slack.command("/footnote", "docs")
    for url in asking.slack.response_urls.values():
        url.left = 0
    await asking.settled()

    assert "no documents yet" in asking.whispered
    assert len(asking.slack.called("chat.postEphemeral")) == 1


async def test_the_files_of_a_picked_message_are_indexed_again_and_again(asking: Asking) -> None:
    file = asking.slack.upload(CHANNEL, BEN, "a.md", "text", events=())
    message = asking.slack.messages(CHANNEL)[-1]

    for _ in range(2):
        asking.slack.shortcut("index_file", message, ANNA)
        await asking.settled()

    first, second = asking.uploads
    assert first.file_id != second.file_id
    assert first.source == second.source == f"slack:{SCOPE.workspace}/{file.id}"
    assert (first.author, first.message_id) == (ANNA, message.ts)
    assert asking.whispers == []


@pytest.mark.parametrize(
    ("carries", "words"), [(False, "carries no file"), (True, "nothing left of the file")]
)
async def test_a_picked_message_without_a_file_is_said_to_be_so(
    asking: Asking, carries: bool, words: str
) -> None:
    if carries:
        file = asking.slack.upload(CHANNEL, BEN, "a.md", "text", events=())
        asking.lost_files.add(file.id)
    else:
        asking.slack.say(CHANNEL, BEN, "No file.", events=())

    asking.slack.shortcut("index_file", asking.slack.messages(CHANNEL)[-1], ANNA)
    await asking.settled()

    assert words in asking.whispered
    assert asking.uploads == []


async def test_where_the_bot_is_no_member_nothing_is_indexed(asking: Asking) -> None:
    asking.slack.upload(WITHOUT, ANNA, "a.md", "text", events=())

    asking.slack.shortcut("index_file", asking.slack.messages(WITHOUT)[-1], ANNA)
    await asking.settled()

    assert "Invite me" in asking.whispered
    assert asking.uploads == []


async def test_the_message_of_somebody_of_another_organisation_can_be_picked(asking: Asking) -> None:
    asking.slack.upload(SHARED, STRANGER, "a.md", "text", events=())

    asking.slack.shortcut("index_file", asking.slack.messages(SHARED)[-1], ANNA)
    await asking.settled()

    assert [file.thread.scope.channel for file in asking.uploads] == [SHARED]


async def test_every_command_is_acknowledged_at_once(asking: Asking) -> None:
    for text in ("docs", "forget all", "nonsense"):
        asking.slack.command("/footnote", text)
    await asking.settled()

    assert all(delivery.acked and delivery.attempts == 1 for delivery in asking.slack.deliveries)
    assert asking.slack.slowest_ack < 1
