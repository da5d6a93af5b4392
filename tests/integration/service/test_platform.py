from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from adapters.slack.program import LINGER_S
from bot import removals, uploads, words
from bot.bootstrap import JOBS_S
from bot.chat import Body, Thread
from bot.conversation import GRACE
from bot.incoming import IncomingFile, IncomingMessage
from bot.platform import DRAIN_S, open_platform
from bot.records import Caller
from pipeline.conversation import Question, Reason
from pipeline.domain import Filters
from pipeline.entries import Entry
from tests.fakes.chat import EDITED, FakeChat
from tests.fakes.models import Reply, ScriptedReader
from tests.fakes.waiting import eventually, until
from tests.integration.service.conftest import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    import pytest

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

MONTHLY = "How long does a refund take for a monthly plan?"


class Gate(asyncio.Event):
    """An event that tells when it is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.reached.set()
        return await super().wait()


def message(thread: Thread, text: str, *, number: int = 1, midway: bool = False) -> IncomingMessage:
    return IncomingMessage(
        event_id=f"e{number}",
        message_id=f"m{number}",
        thread=thread,
        author="ann",
        text=text,
        midway=midway,
    )


async def test_a_file_and_a_question_in_a_chat_end_in_an_answer_with_its_source(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    chat, thread = FakeChat(), Thread(scope, "t")
    file = IncomingFile(
        event_id="e0",
        file_id="f0",
        thread=thread,
        author="ann",
        name="refunds.md",
        source=(folder / "refunds.md").as_uri(),
    )
    async with opened() as service, open_platform(service, chat) as platform:
        platform.uploads.receive(file)
        await platform.uploads.settled()
        platform.conversation.receive(message(thread, MONTHLY))
        await platform.conversation.settled()
        why = await platform.commands.run("why", thread, "", Caller(author="ann"))

    uploaded, answered = chat.texts(thread)
    assert "refunds.md** is ready" in uploaded
    assert answered.startswith("It takes five working days [1].")
    assert "[1] refunds.md" in answered
    assert "Outcome: answered" in why.text


async def test_a_question_right_after_the_upload_is_answered_from_it(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    chat, gate = FakeChat(replace(EDITED, edit_interval=0.01)), Gate()
    file = IncomingFile(
        event_id="e0",
        file_id="f0",
        thread=Thread(scope, "t0"),
        author="ann",
        name="refunds.md",
        source="far:refunds",
    )

    async def fetch(_: str) -> bytes:
        await gate.wait()
        return (folder / "refunds.md").read_bytes()

    async def waits() -> bool:
        return any("Waiting for 1 file…" in text for text in chat.texts(thread))

    thread = Thread(scope, "t")
    async with opened() as service, open_platform(service, chat) as platform:
        service.sources.connect("far", fetch)
        platform.uploads.receive(file)
        platform.conversation.receive(message(thread, MONTHLY))
        await gate.reached.wait()
        await eventually(waits)
        gate.set()
        await platform.conversation.settled()

    (answered,) = chat.texts(thread)
    assert answered.startswith("It takes five working days [1].")


async def test_while_a_file_is_fetched_the_channel_is_not_said_to_have_none(
    opened: Opened, scope: Scope
) -> None:
    async with opened() as service:
        pipeline, question = await service.pipeline(), Question(text=MONTHLY, scope=scope)
        coming = service.arriving.expect(Thread(scope, "t"), "far:refunds")
        while_fetched = await pipeline.ask(question)
        narrowed = replace(question, filters=Filters(document_ids=frozenset({"d0"})))
        among_others = await pipeline.ask(narrowed)
        coming.end()
        refused = await pipeline.ask(question)

    assert while_fetched.reason is Reason.STILL_INDEXING
    assert among_others.reason is Reason.NO_RELEVANT_CONTEXT
    assert refused.reason is Reason.NO_DOCUMENTS


async def test_an_event_that_comes_again_is_answered_once_also_after_a_restart(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    chat, thread = FakeChat(), Thread(scope, "t")
    for _ in range(2):
        async with opened() as service:
            await ingest(service, scope, folder)
            async with open_platform(service, chat) as platform:
                platform.conversation.receive(message(thread, MONTHLY))
                platform.conversation.receive(message(thread, MONTHLY))
                await platform.conversation.settled()

    assert len(chat.texts(thread)) == 1


async def test_a_thread_that_began_without_the_bot_is_read_in_the_light_of_what_was_said(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    reader = ScriptedReader("Fifteen working days [1].")
    chat, thread = FakeChat(), Thread(scope, "t")
    chat.show(thread, Body(text="We talk about refunds of annual plans [1]."))
    async with opened(reader) as service:
        await ingest(service, scope, folder)
        async with open_platform(service, chat) as platform:
            platform.conversation.receive(message(thread, "How long do they take?", midway=True))
            await platform.conversation.settled()

    assert reader.reads[0].summary == "We talk about refunds of annual plans."


def test_whatever_the_end_of_the_program_waits_for_ends_before_docker_kills() -> None:
    lost = LINGER_S + max(DRAIN_S + GRACE, words.GRACE, uploads.GRACE, removals.GRACE)

    assert max(lost, JOBS_S) < 10.0


async def test_leaving_a_platform_lets_a_running_answer_end(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    gate = Gate()
    reader = ScriptedReader(Reply(pieces=["It takes five ", "working days [1]."], gate=gate))
    chat, thread = FakeChat(), Thread(scope, "t")
    async with opened(reader) as service:
        await ingest(service, scope, folder)
        async with open_platform(service, chat) as platform:
            platform.conversation.receive(message(thread, MONTHLY))
            await gate.reached.wait()
            asyncio.get_running_loop().call_soon(gate.set)  # opened when the platform is being left

    (answered,) = chat.texts(thread)
    assert answered.startswith("It takes five working days [1].")


async def test_a_question_that_a_killed_process_left_is_answered_in_the_message_that_stands(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    chat, thread = FakeChat(name="terminal"), Thread(scope, "t")
    standing = chat.show(thread, Body(text="It takes fi ▌"))
    async with opened() as service:
        await ingest(service, scope, folder)
        left = Entry(
            kind="question",
            scope=scope,
            id="m1",
            thread="t",
            author="ann",
            payload={"text": MONTHLY},
            messages=(standing.id,),
            attempt=1,
        )
        await service.stores.ledger.open(left)

    async with opened() as service, open_platform(service, chat) as platform:
        await platform.resume()
        await platform.conversation.settled()
        kept = await service.stores.ledger.find(scope, "question", "m1")
        turn = await service.stores.threads.turn_for(scope, "m1")

    (answered,) = chat.texts(thread)
    assert answered.startswith("It takes five working days [1].")
    assert kept is not None
    assert (kept.state, kept.messages) == ("done", (standing.id,))
    assert turn is not None


async def test_what_a_restart_cuts_short_is_answered_after_it(
    opened: Opened, scope: Scope, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platform.DRAIN_S", 0.01)
    chat, thread = FakeChat(name="terminal"), Thread(scope, "t")
    gate = Gate()
    slow = ScriptedReader(Reply(pieces=["It takes five ", "working days [1]."], gate=gate))
    async with opened(slow) as service:
        await ingest(service, scope, folder)
        async with open_platform(service, chat) as platform:
            platform.conversation.receive(message(thread, MONTHLY))
            await gate.reached.wait()
    assert chat.texts(thread)[0].endswith("when I am back.")

    async with opened() as service, open_platform(service, chat) as platform:
        await platform.resume()
        await platform.conversation.settled()

    (answered,) = chat.texts(thread)
    assert answered.startswith("It takes five working days [1].")


async def test_a_file_that_waited_over_a_restart_gets_its_result_in_the_same_notice(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    chat, thread = FakeChat(name="terminal"), Thread(scope, "t")
    file = IncomingFile(
        event_id="e0",
        file_id="f0",
        thread=thread,
        author="ann",
        name="refunds.md",
        source=(folder / "refunds.md").as_uri(),
    )
    async with opened(working=False) as service, open_platform(service, chat) as platform:
        platform.uploads.receive(file)
        await until(lambda: chat.messages)
    assert "will be indexed" in chat.texts(thread)[0]

    async with opened() as service, open_platform(service, chat) as platform:
        await platform.resume()
        await platform.uploads.settled()

    (notice,) = chat.texts(thread)
    assert "refunds.md** is ready" in notice


async def test_a_channel_that_is_lost_leaves_no_question_and_no_setting(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    chat, thread = FakeChat(name="terminal"), Thread(scope, "t")
    async with opened() as service:
        await ingest(service, scope, folder)
        async with open_platform(service, chat) as platform:
            platform.conversation.receive(message(thread, MONTHLY))
            await platform.conversation.settled()
        await service.stores.choices.save(scope, {"follow_ups": "always"})

        await service.chores.forget(scope, None)

        assert await service.stores.ledger.find(scope, "question", "m1") is None
        assert await service.stores.choices.find(scope) == {}
