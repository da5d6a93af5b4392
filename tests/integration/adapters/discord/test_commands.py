"""Slash commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.discord.commands import PLAIN
from bot.choices import CHOICES
from bot.preferences import FollowUps
from pipeline.domain import Scope
from pipeline.errors import CatalogUnavailable
from tests.fakes.discord import (
    ADAM,
    ANNA,
    BEN,
    BOT,
    GENERAL,
    GINA,
    GUILD,
    HIDDEN,
    NO_THREADS,
    OLGA,
    PRIVATE,
    Overwrite,
    Permission,
    http,
    refused,
    reset_after,
    reset_before,
)
from tests.fakes.library import FakeTurn, document
from tests.integration.adapters.discord.using import SCOPE, Using

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pipeline.domain import Document
    from tests.fakes.discord import DiscordServer


@pytest.fixture
async def using(server: DiscordServer) -> AsyncIterator[Using]:
    async with Using(server).open() as using:
        yield using
    assert server.unguarded() == []


async def test_all_commands_are_offered(using: Using) -> None:
    offered = {one["name"] for one in using.discord.commands[None]}

    assert offered == {"ask", "docs", "forget", "help", "reset", "settings", "status", "upload", "why"} | {
        "Index this file"
    }
    assert all(one["integration_types"] == [0] for one in using.discord.commands[None])
    assert {*using.commands.names} == {*PLAIN, "forget", "settings"}


async def test_help_names_the_commands_as_they_are_typed(using: Using) -> None:
    shown = await using.slash(ANNA, GENERAL, "help")

    assert "How to use me" in shown
    assert "`/docs`" in shown
    assert "`/forget document:ID`" in shown
    assert "the threads of this channel" in shown


@pytest.mark.parametrize("name", ["docs", "status", "help", "why", "reset"])
async def test_only_whoever_asks_sees_the_answer(using: Using, name: str) -> None:
    assert await using.slash(BEN, GENERAL, name)
    assert not using.discord.replies(GENERAL)


async def test_documents_and_states_are_shown(using: Using) -> None:
    using.put("d1")

    assert "d1.md" in await using.slash(BEN, GENERAL, "docs")
    assert "Status of this channel" in await using.slash(GINA, GENERAL, "status")
    assert "no documents yet" in await using.slash(BEN, PRIVATE, "docs")


async def test_a_direct_conversation_is_a_channel_of_its_own(using: Using) -> None:
    direct = using.discord.direct(ANNA)
    using.put("d1", scope=Scope("discord", "direct", str(direct.id)))

    assert "d1.md" in await using.slash(ANNA, direct, "docs")
    assert "no documents yet" in await using.slash(ANNA, GENERAL, "docs")


async def test_a_thread_shares_the_documents_of_its_channel(using: Using) -> None:
    using.put("d1")
    thread = using.discord.start_thread(GENERAL, ANNA, "a thread")

    assert "d1.md" in await using.slash(BEN, thread, "docs")


async def test_a_private_thread_has_documents_of_its_own(using: Using) -> None:
    using.put("d1")
    thread = using.discord.start_thread(GENERAL, ANNA, "secret", private=True, members=[BOT])

    assert "no documents yet" in await using.slash(ANNA, thread, "docs")


async def test_a_thread_that_discord_py_has_forgotten_is_still_one(using: Using) -> None:
    using.put("d1")
    thread = using.discord.start_thread(GENERAL, ANNA, "a thread")
    await using.settled()
    using.client.get_guild(GUILD)._threads.clear()  # type: ignore[union-attr]  # it is there

    assert "d1.md" in await using.slash(BEN, thread, "docs")


async def test_in_a_thread_reset_and_why_are_about_that_thread(using: Using) -> None:
    thread = using.discord.start_thread(GENERAL, ANNA, "a thread")
    using.journal.turns[SCOPE.key, str(thread.id)] = FakeTurn(question="How long?")

    assert "the last answer of this thread" in await using.slash(BEN, thread, "why")
    assert "This thread begins anew" in await using.slash(BEN, thread, "reset")
    assert using.journal.resets == [(SCOPE.key, str(thread.id))]


async def test_in_a_channel_reset_and_why_are_about_the_threads_of_whoever_asks(using: Using) -> None:
    using.asked.threads[SCOPE.key, str(ANNA)] = ["1", "2"]

    assert "2 threads of this channel" in await using.slash(ANNA, GENERAL, "reset")
    assert using.journal.resets == [(SCOPE.key, "1"), (SCOPE.key, "2")]
    assert "Nothing was answered for you" in await using.slash(BEN, GENERAL, "why")


@pytest.mark.parametrize(("user", "left"), [(BEN, 1), (GINA, 1), (ANNA, 0), (ADAM, 0), (OLGA, 0)])
async def test_documents_are_forgotten_by_whoever_uploaded_them_and_those_who_manage(
    using: Using, user: int, left: int
) -> None:
    using.put("d1")

    shown = await using.slash(user, GENERAL, "forget", document="d1")

    assert len(await using.library.documents(SCOPE)) == left
    assert ("Forgotten: d1.md" in shown) is (left == 0)


@pytest.mark.parametrize(("user", "left"), [(ANNA, 1), (ADAM, 0)])
async def test_everything_is_forgotten_only_for_those_who_manage(using: Using, user: int, left: int) -> None:
    using.put("d1")

    await using.slash(user, GENERAL, "forget", document="all")

    assert len(await using.library.documents(SCOPE)) == left


async def test_in_a_direct_conversation_everything_is_for_whoever_has_it(using: Using) -> None:
    direct = using.discord.direct(ANNA)
    using.put("d1", scope=Scope("discord", "direct", str(direct.id)), uploader=BEN)

    assert "Forgotten" in await using.slash(ANNA, direct, "forget", document="all")


async def test_whoever_manages_one_channel_manages_only_that(using: Using) -> None:
    using.put("d1")
    using.put("d2", scope=Scope("discord", str(GUILD), str(PRIVATE)))
    channel = using.discord.channel(PRIVATE)
    channel.overwrites[BEN] = Overwrite(allow=Permission.VIEW_CHANNEL | Permission.MANAGE_CHANNELS)

    assert "Forgotten" in await using.slash(BEN, PRIVATE, "forget", document="d2")
    assert "Forgotten" not in await using.slash(BEN, GENERAL, "forget", document="d1")


async def test_names_of_documents_are_suggested_and_stand_for_their_ids(using: Using) -> None:
    using.library.put(
        SCOPE,
        document("i1", "report.pdf", uploader=str(BEN)),
        document("i2", "Report 2.pdf", uploader=str(ANNA)),
        document("i3", "plan.md", uploader=str(ANNA)),
    )

    typed = await using.discord.autocomplete(
        BEN, GENERAL, "forget", focused="document", document="repo"
    ).answered()

    assert typed.choices == [
        {"name": "report.pdf", "value": "i1"},
        {"name": "Report 2.pdf", "value": "i2"},
    ]


async def test_suggestions_are_of_this_channel_few_and_short(using: Using) -> None:
    using.library.put(SCOPE, *(document(f"i{n}", f"{'long' * 30}-{n}.pdf") for n in range(40)))
    using.put("secret", scope=Scope("discord", str(GUILD), str(PRIVATE)))

    typed = await using.discord.autocomplete(
        BEN, GENERAL, "forget", focused="document", document=""
    ).answered()

    assert len(typed.choices) == 25
    assert all(len(one["name"]) <= 100 and "secret" not in one["name"] for one in typed.choices)


async def test_documents_with_one_name_are_told_apart(using: Using) -> None:
    using.library.put(SCOPE, document("i1", "a.pdf"), document("i2", "a.pdf"), document("i3", " \n "))

    typed = await using.discord.autocomplete(
        BEN, GENERAL, "forget", focused="document", document=""
    ).answered()

    assert [one["name"] for one in typed.choices] == [
        "unnamed file",
        "a.pdf · 2026-01-01 00:00 · i2",
        "a.pdf · 2026-01-01 00:00 · i1",
    ]


async def test_nothing_is_suggested_while_the_store_fails(using: Using) -> None:
    async def broken(scope: Scope) -> Sequence[Document]:
        raise CatalogUnavailable

    using.library.documents = broken  # type: ignore[method-assign]  # the store breaks
    typed = using.discord.autocomplete(BEN, GENERAL, "forget", focused="document", document="")

    assert (await typed.answered()).choices == []


async def test_settings_are_offered_to_those_who_manage_and_changed(using: Using) -> None:
    with pytest.raises(PermissionError):
        using.discord.slash(ANNA, GENERAL, "settings")

    shown = await using.slash(ADAM, GENERAL, "settings")
    assert "`follow-ups` is `asker`" in shown
    assert "`/settings follow-ups:always`" in shown
    assert "Done." in await using.slash(ADAM, GENERAL, "settings", **{"follow-ups": "always"})
    assert (await using.preferences.read(SCOPE)).follow_ups is FollowUps.ALWAYS


async def test_in_a_direct_conversation_settings_are_for_whoever_has_it(using: Using) -> None:
    shown = await using.slash(ANNA, using.discord.direct(ANNA), "settings", **{"follow-ups": "mention"})

    assert "Done." in shown


async def test_settings_that_somebody_was_let_use_are_still_only_changed_by_those_who_manage(
    using: Using,
) -> None:
    (command,) = (one for one in using.discord.commands[None] if one["name"] == "settings")
    command["default_member_permissions"] = None

    shown = await using.slash(ANNA, GENERAL, "settings", **{"follow-ups": "always"})

    assert "can be changed only by those who may manage the channel" in shown
    assert (await using.preferences.read(SCOPE)).follow_ups is FollowUps.ASKER


async def test_every_setting_has_an_option_with_all_its_values(using: Using) -> None:
    (command,) = (one for one in using.discord.commands[None] if one["name"] == "settings")

    offered = {one["name"]: {choice["value"] for choice in one["choices"]} for one in command["options"]}

    assert offered == {choice.name: {*choice.meanings} for choice in CHOICES}


async def test_a_long_list_comes_in_several_pieces_with_nothing_to_ping_anybody(using: Using) -> None:
    name = f"<@{BEN}> @everyone {'long-' * 8}"
    using.library.put(SCOPE, *(document(f"i{n}", f"{name}{n}.md", message="x" * 60) for n in range(40)))

    used = using.discord.slash(ANNA, GENERAL, "docs")
    shown = await using.whispered(used)

    assert len(used.answers) > 1
    assert all(len(answer.content) <= 2000 and not answer.mentions for answer in used.answers)
    assert "39.md" in shown
    assert f"<@{BEN}>" not in shown


async def test_a_store_that_fails_is_said_in_words(using: Using) -> None:
    async def broken(scope: Scope) -> Sequence[Document]:
        raise CatalogUnavailable

    using.library.documents = broken  # type: ignore[method-assign]  # the store breaks

    assert "footnote reindex" in await using.slash(ANNA, GENERAL, "docs")


async def test_a_fault_of_ours_is_said_in_words_and_not_quoted_in_the_log(
    using: Using, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(scope: Scope) -> Sequence[Document]:
        raise ZeroDivisionError("my secret")

    using.library.documents = broken  # type: ignore[method-assign]  # there is a fault

    assert "Something went wrong here" in await using.slash(ANNA, GENERAL, "docs")
    assert "ZeroDivisionError" in caplog.text
    assert "secret" not in caplog.text


async def test_where_the_bot_may_not_look_it_tells_nothing_and_says_what_it_lacks(using: Using) -> None:
    using.put("d1", scope=Scope("discord", str(GUILD), str(HIDDEN)))

    shown = await using.slash(ANNA, HIDDEN, "docs")

    assert "**View Channel**" in shown
    assert "d1.md" not in shown
    assert "How to use me" in await using.slash(ANNA, HIDDEN, "help")
    typed = using.discord.autocomplete(ANNA, HIDDEN, "forget", focused="document", document="")
    assert (await typed.answered()).choices == []


async def test_what_the_bot_may_not_is_named_when_it_is_used_there_first_and_with_its_status(
    using: Using,
) -> None:
    first, second = [await using.slash(ANNA, NO_THREADS, "docs") for _ in range(2)]

    assert "not permitted: **Create Public Threads**" in first
    assert "not permitted" not in second
    assert "not permitted" not in await using.slash(ANNA, GENERAL, "docs")
    assert "**Create Public Threads**" in await using.slash(ANNA, NO_THREADS, "status")


async def test_a_command_that_is_no_more_is_said_to_be_so(
    using: Using, caplog: pytest.LogCaptureFixture
) -> None:
    using.discord.commands[None].append(
        {**using.discord.commands[None][1], "name": "dance", "id": "1", "options": []}
    )

    assert "do not know this command" in await using.slash(ANNA, GENERAL, "dance")
    assert "CommandNotFound" in caplog.text


@pytest.mark.parametrize("fault", [reset_before(), reset_after(), http(503)])
async def test_an_answer_to_discord_that_is_lost_on_its_way_is_sent_again(
    using: Using, fault: object
) -> None:
    using.discord.fail("respond", fault)  # type: ignore[arg-type]  # all are faults

    assert "no documents yet" in await using.slash(ANNA, GENERAL, "docs")


async def test_what_another_process_answered_is_left_to_it(using: Using) -> None:
    using.discord.fail("respond", refused(40060))

    used = using.discord.slash(ANNA, GENERAL, "docs")
    await using.discord.until(lambda: using.discord.called("respond"))
    await using.settled()

    assert used.answers == []


async def test_a_piece_that_is_lost_on_its_way_is_sent_again(
    using: Using, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.patience.FIRST", 0.01)
    using.discord.fail("edit answer", reset_before())

    assert "no documents yet" in await using.slash(ANNA, GENERAL, "docs")


async def test_every_command_is_answered_at_once(using: Using) -> None:
    used = [using.discord.slash(ANNA, GENERAL, name) for name in ("docs", "status", "help") * 5]
    for one in used:
        assert "…" not in await using.whispered(one)

    assert all(one.latency is not None and one.latency < 2 for one in used)
    assert using.received == []
