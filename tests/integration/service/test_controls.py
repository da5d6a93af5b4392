"""What people ask about an answer and a channel, from real stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Body, Form, Thread
from bot.controls import BAD, NOTE, SOURCES, WHY
from bot.incoming import IncomingAction, IncomingFile, IncomingMessage
from bot.judgement import Judgement
from bot.library import ServiceLibrary
from bot.platform import open_platform
from bot.records import Caller, Waiting
from pipeline.conversation import Question
from pipeline.domain import Scope
from tests.fakes.chat import FakeChat
from tests.integration.service.conftest import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

MONTHLY = "How long does a refund take for a monthly plan?"


async def answer(service: Service, scope: Scope, key: str, text: str = MONTHLY) -> None:
    """Ask, answer and remember."""
    pipeline = await service.pipeline()
    question = Question(text=text, scope=scope, thread="t", key=key)
    await pipeline.remember(question, await pipeline.ask(question))


async def press(service: Service, scope: Scope, action: str, key: str, text: str = "") -> Body | Form | None:
    judgement = Judgement(ServiceLibrary(service), service.stores.threads)
    return await judgement.act(
        IncomingAction(
            event_id="e", thread=Thread(scope, "t"), author="ann", action=action, value=key, text=text
        )
    )


async def test_an_answer_is_explained_and_shown_with_its_passages_by_its_question(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        await answer(service, scope, "m1")
        await answer(service, scope, "m2", "zzyzx qwertz?")
        sources = await press(service, scope, SOURCES, "m1")
        why = await press(service, scope, WHY, "m1")
        elsewhere = await press(service, Scope.parse("terminal:local:other"), SOURCES, "m1")

    assert isinstance(sources, Body) and isinstance(why, Body) and isinstance(elsewhere, Body)
    assert "[1] refunds.md" in sources.text
    assert "A refund for a monthly plan takes five working days." in sources.text
    assert "- Outcome: answered" in why.text
    assert "refunds.md" in why.text
    assert "do not know this answer any more" in elsewhere.text


async def test_what_was_wrong_with_an_answer_is_among_the_gaps(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        await answer(service, scope, "m1")
        assert isinstance(await press(service, scope, BAD, "m1"), Form)
        await press(service, scope, NOTE, "m1", "It is ten days.")
        gaps = await service.stores.threads.gaps(scope, frozenset(), 9)

    assert [gap.question for gap in gaps] == [MONTHLY]


async def test_an_answer_whose_file_was_forgotten_is_not_shown_any_more(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        await answer(service, scope, "m1")
        await service.chores.forget(scope, None)
        sources = await press(service, scope, SOURCES, "m1")

    assert isinstance(sources, Body)
    assert "do not know this answer any more" in sources.text


async def test_a_channel_tells_which_files_still_wait_and_is_known_by_its_workspace(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
    (folder / "new.md").write_text("# New\n\nSomething new.\n")
    async with opened(working=False) as service:
        library = ServiceLibrary(service)
        file = IncomingFile(
            event_id="e",
            file_id="f",
            thread=Thread(scope, "t"),
            author="ann",
            name="new.md",
            source=(folder / "new.md").as_uri(),
        )
        await library.accept(scope, file)
        status = await library.status(scope)
        channels = await library.channels("terminal", "local")
        others = await library.channels("terminal", "elsewhere")

    assert status.waiting == (Waiting(name="new.md"),)
    assert (channels, others) == ([scope], [])


def said(thread: Thread, text: str, message_id: str) -> IncomingMessage:
    return IncomingMessage(
        event_id=f"e-{message_id}", message_id=message_id, thread=thread, author="ann", text=text
    )


async def test_who_asked_where_is_known_to_commands_that_are_given_in_no_thread(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    chat, thread, ann = FakeChat(), Thread(scope, "t"), Caller(author="ann")
    async with opened() as service, open_platform(service, chat) as platform:
        await ingest(service, scope, folder)
        platform.words.receive(said(thread, MONTHLY, "m1"))
        await platform.conversation.settled()
        (answered,) = chat.messages
        found = await platform.commands.question_of(scope, answered.id)
        why = await platform.commands.run("why", scope, "", ann)
        others = await platform.commands.run("why", scope, "", Caller(author="ben"))
        reset = await platform.commands.run("reset", scope, "", ann)
        summary = await service.stores.threads.summary(scope, "t")

    assert found == (thread, "m1")
    assert "Outcome: answered" in why.text
    assert "Nothing was answered" in others.text
    assert reset.text.startswith("1 thread of this channel")
    assert summary.text == ""


async def test_a_word_that_is_a_command_is_obeyed_once_also_after_a_restart(
    opened: Opened, scope: Scope
) -> None:
    chat, thread = FakeChat(), Thread(scope, "t")
    for _ in range(2):
        async with opened(working=False) as service, open_platform(service, chat) as platform:
            platform.words.receive(said(thread, "help", "m1"))

    (text,) = chat.texts(thread)
    assert "`settings`" in text


async def test_a_channels_settings_outlive_the_program(opened: Opened, scope: Scope) -> None:
    caller = Caller(author="ann", manages=True)
    async with opened(working=False) as service, open_platform(service, FakeChat()) as platform:
        await platform.commands.run("settings", scope, "follow-ups always", caller)
    async with opened(working=False) as service, open_platform(service, FakeChat()) as platform:
        shown = await platform.commands.run("settings", scope, "", caller)

    assert "`follow-ups` is `always`" in shown.text
