"""Files come, change and go on a platform that keeps them itself, and the channel's documents with them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from bot.chat import Thread, Unreachable
from bot.incoming import ChannelLost, FileDeleted, FileRemoved, IncomingFile, WorkspaceLost
from bot.library import TAKEN_BACK, ServiceLibrary, SystemClock
from bot.removals import Removals
from pipeline.conversation import Question
from pipeline.domain import DocumentStatus, IngestReason, Scope
from pipeline.entries import Entry
from pipeline.errors import IngestError
from tests.fakes.waiting import eventually
from tests.integration.service.test_forgetting import converse, stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Document
    from pipeline.ingestion.intake import Accepted

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

ONE, TWO, OTHER = Scope("slack", "T1", "C1"), Scope("slack", "T1", "C2"), Scope("slack", "T2", "C1")
REFUNDS = "# Refunds\n\nA refund for a monthly plan takes five working days.\n"
LEAVE = "# Leave\n\nEvery employee has 28 days of paid leave a year.\n"


class Cloud:
    """A platform that keeps files; what is not in it is gone."""

    def __init__(self, service: Service, *, asks: bool = True) -> None:
        self.files: dict[str, str] = {}
        self.fetched: list[str] = []
        self.gate: asyncio.Event | None = None
        self.reached = asyncio.Event()
        self.silent = False
        self.left: set[tuple[Scope, str]] = set()
        """Channels that files were taken out of."""
        self.library = ServiceLibrary(service, gone=self.gone if asks else None)
        self.removals = Removals(self.library, clock=SystemClock())
        self._service = service
        service.sources.connect("slack", self.fetch)

    async def fetch(self, source: str) -> bytes:
        place = source.partition("#")[0]
        if self.gate is not None:
            self.reached.set()
            await self.gate.wait()
        if place not in self.files:
            raise IngestError(IngestReason.UNREADABLE, "It was deleted.")
        self.fetched.append(place)
        return self.files[place].encode()

    async def gone(self, scope: Scope, source: str) -> bool:
        if self.silent:
            raise Unreachable
        place = source.partition("#")[0]
        return place not in self.files or (scope, place) in self.left

    async def share(
        self, file_id: str, text: str, *, scope: Scope = ONE, name: str = "", changed: bool = False
    ) -> Accepted:
        self.files[place(file_id, scope)] = text
        file = incoming(file_id, scope, name or f"{file_id}.md", changed=changed)
        accepted = await self.library.accept(scope, file)
        await self.idle(scope)
        return accepted

    async def idle(self, scope: Scope = ONE) -> None:
        async def is_idle() -> bool:
            return not await self._service.stores.queue.waiting(scope)

        await eventually(is_idle)

    async def delete(self, file_id: str, *, told: bool = True) -> None:
        """Delete a file everywhere."""
        del self.files[place(file_id)]
        if told:
            self.removals.receive(
                FileDeleted(event_id="e", platform="slack", workspace="T1", source=place(file_id))
            )
            await self.removals.settled()

    async def unshare(self, file_id: str, scope: Scope = ONE) -> None:
        self.left.add((scope, place(file_id)))
        self.removals.receive(FileRemoved(event_id="e", scope=scope, source=place(file_id)))
        await self.removals.settled()

    async def documents(self, scope: Scope = ONE) -> list[Document]:
        await self.idle(scope)
        return list(await self.library.documents(scope))

    async def names(self, scope: Scope = ONE) -> list[str]:
        return [document.display_name for document in await self.documents(scope)]


def place(file_id: str, scope: Scope = ONE) -> str:
    return f"slack:{scope.workspace}/{file_id}"


def incoming(file_id: str, scope: Scope, name: str, *, changed: bool = False) -> IncomingFile:
    return IncomingFile(
        event_id="e",
        file_id=file_id,
        thread=Thread(scope, "1.1"),
        author="ann",
        name=name,
        source=f"{place(file_id, scope)}#https://acme.slack.com/files/{name}",
        changed=changed,
    )


async def found(service: Service, text: str, scope: Scope = ONE) -> list[str]:
    """Return which files a question is answered from."""
    answer = await (await service.pipeline()).ask(Question(text=text, scope=scope))
    return sorted({source.chunk.source for source in answer.sources})


async def test_a_deleted_file_is_in_no_answer_of_any_channel_any_more(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        for scope in (ONE, TWO):
            await cloud.share("F1", REFUNDS, scope=scope)
            await cloud.share("F2", LEAVE, scope=scope)
        await cloud.share("F1", REFUNDS, scope=OTHER)

        await cloud.delete("F1")

        assert await cloud.names(ONE) == await cloud.names(TWO) == ["F2.md"]
        assert await cloud.names(OTHER) == ["F1.md"]
        assert all("F1" not in source for source in await found(service, "How long does a refund take?"))


async def test_a_file_that_is_taken_out_of_one_channel_stays_in_the_other(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        for scope in (ONE, TWO):
            await cloud.share("F1", REFUNDS, scope=scope)

        await cloud.unshare("F1")

        assert (await cloud.names(ONE), await cloud.names(TWO)) == ([], ["F1.md"])


async def test_a_deleted_file_whose_name_is_the_beginning_of_anothers_takes_only_itself(
    opened: Opened,
) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        await cloud.share("F1", REFUNDS)
        await cloud.share("F12", LEAVE)

        await cloud.delete("F1")

        assert await cloud.names() == ["F12.md"]


async def test_of_two_files_with_the_same_bytes_the_document_stays_while_one_is_there(
    opened: Opened,
) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        first = await cloud.share("F1", REFUNDS)
        second = await cloud.share("F2", REFUNDS)
        assert (first.status, second.status) == ("queued", "duplicate")

        await cloud.delete("F1")

        (document,) = await cloud.documents()
        assert (document.document_id, document.display_name) == (first.document_id, "F2.md")
        assert document.status is DocumentStatus.READY
        (source,) = await found(service, "How long does a refund for a monthly plan take?")
        assert source.startswith(place("F2"))

        await cloud.delete("F2")

        assert await cloud.documents() == []


async def test_the_copy_may_go_first(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        await cloud.share("F1", REFUNDS)
        await cloud.share("F2", REFUNDS)
        await cloud.delete("F2")
        assert await cloud.names() == ["F1.md"]

        await cloud.delete("F1")

        assert await cloud.names() == []


async def test_three_files_with_the_same_bytes_may_go_in_any_order(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        for file_id in ("F1", "F2", "F3"):
            await cloud.share(file_id, REFUNDS)
        shown = []
        for file_id in ("F2", "F1", "F3"):
            await cloud.delete(file_id)
            shown.append(await cloud.names())

        assert shown == [["F1.md"], ["F3.md"], []]


async def test_two_that_go_at_once_leave_the_third(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        for file_id in ("F1", "F2", "F3"):
            await cloud.share(file_id, REFUNDS)

        await asyncio.gather(cloud.delete("F1"), cloud.delete("F2"))

        assert await cloud.names() == ["F3.md"]


async def test_a_copy_of_what_is_still_in_the_queue_is_known_too(opened: Opened) -> None:
    async with opened(working=False) as service:
        cloud = Cloud(service)
        for file_id in ("F1", "F2"):
            cloud.files[place(file_id)] = REFUNDS
            await cloud.library.accept(ONE, incoming(file_id, ONE, f"{file_id}.md"))
        async with service.working():
            await cloud.delete("F1")

            (document,) = await cloud.documents()
    assert (document.display_name, document.status) == ("F2.md", DocumentStatus.READY)


async def test_a_forgotten_document_does_not_come_back_when_its_copy_goes(
    opened: Opened, tmp_path: Path
) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        first = await cloud.share("F1", REFUNDS, name="vault.md")
        await cloud.share("F2", REFUNDS, name="safe.md")
        assert first.document_id is not None
        await cloud.library.forget(ONE, [first.document_id])
        await cloud.delete("F1")

        assert await cloud.documents() == []
    assert stored(tmp_path / "data", "vault.md") == stored(tmp_path / "data", "safe.md") == []


async def test_a_changed_file_takes_the_place_of_what_it_was(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        old = await cloud.share("F1", REFUNDS)
        new = await cloud.share("F1", LEAVE)

        (document,) = await cloud.documents()
        assert document.document_id == new.document_id != old.document_id
        assert new.namesakes == ()


async def test_a_file_is_fetched_once_to_be_let_in_and_indexed(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        await cloud.share("F1", REFUNDS)

        assert await cloud.names() == ["F1.md"]
        assert cloud.fetched == [place("F1")]


async def test_a_changed_file_with_the_same_bytes_is_nothing_new_even_before_it_is_indexed(
    opened: Opened,
) -> None:
    async with opened(working=False) as service:
        cloud = Cloud(service)
        cloud.files[place("F1")] = REFUNDS
        statuses = [
            (await cloud.library.accept(ONE, incoming("F1", ONE, name, changed=changed))).status
            for name, changed in (("F1.md", False), ("renamed.md", True))
        ]
        cloud.files[place("F1")] = LEAVE
        other = await cloud.library.accept(ONE, incoming("F1", ONE, "renamed.md", changed=True))

    assert [*statuses, other.status] == ["queued", "duplicate", "queued"]


async def test_a_file_is_kept_by_the_channels_that_have_a_document_from_it_or_are_getting_it(
    opened: Opened,
) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        first = await cloud.share("F1", REFUNDS)
        await cloud.share("F12", LEAVE, scope=TWO)
        await cloud.share("F1", REFUNDS, scope=OTHER)
        assert await cloud.library.keeping("slack", "T1", f"{place('F1')}#link") == [ONE]

        assert first.document_id is not None
        await cloud.library.forget(ONE, [first.document_id])
        assert await cloud.library.keeping("slack", "T1", place("F1")) == []

        cloud.gate = asyncio.Event()
        sharing = asyncio.create_task(cloud.share("F1", REFUNDS, scope=TWO))
        await cloud.reached.wait()
        assert await cloud.library.keeping("slack", "T1", place("F1")) == [TWO]
        cloud.gate.set()
        await sharing


async def test_a_copy_is_kept_as_well(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        for file_id in ("F1", "F2"):
            await cloud.share(file_id, REFUNDS)

        assert await cloud.library.keeping("slack", "T1", place("F2")) == [ONE]


async def test_a_changed_file_leaves_its_former_document_to_its_copy(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        await cloud.share("F1", REFUNDS)
        await cloud.share("F2", REFUNDS)
        await cloud.share("F1", LEAVE)
        assert sorted(await cloud.names()) == ["F1.md", "F2.md"]

        await cloud.delete("F2")

        assert await cloud.names() == ["F1.md"]


async def test_a_copy_that_changed_does_not_hold_the_document_any_more(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        await cloud.share("F1", REFUNDS)
        await cloud.share("F2", REFUNDS)
        await cloud.share("F2", LEAVE)
        await cloud.delete("F1")

        (document,) = await cloud.documents()
        assert (document.display_name, await found(service, "paid leave")) == ("F2.md", [document.source])


@pytest.mark.parametrize("asks", [True, False])
async def test_a_file_that_is_taken_back_while_it_is_fetched_stays_away(opened: Opened, asks: bool) -> None:
    async with opened() as service:
        cloud = Cloud(service, asks=asks)
        cloud.gate = asyncio.Event()
        sharing = asyncio.create_task(cloud.share("F1", REFUNDS))
        await cloud.reached.wait()
        cloud.removals.receive(FileRemoved(event_id="e", scope=ONE, source=place("F1")))
        await cloud.removals.settled()
        cloud.gate.set()

        accepted = await sharing

        assert (accepted.status, accepted.message) == ("failed", TAKEN_BACK)
        assert await cloud.documents() == []


@pytest.mark.parametrize(
    "lost",
    [
        FileDeleted(event_id="e", platform="slack", workspace="T1", source=place("F1")),
        ChannelLost(event_id="e", scope=ONE),
        WorkspaceLost(event_id="e", platform="slack", workspace="T1"),
    ],
)
async def test_so_does_one_whose_channel_is_lost_meanwhile(opened: Opened, lost: Any) -> None:
    async with opened() as service:
        cloud = Cloud(service, asks=False)
        cloud.gate = asyncio.Event()
        sharing = asyncio.create_task(cloud.share("F1", REFUNDS))
        await cloud.reached.wait()
        cloud.removals.receive(lost)
        await cloud.removals.settled()
        cloud.gate.set()

        assert (await sharing).status == "failed"
        assert await cloud.documents() == []


async def test_a_file_that_left_before_anybody_here_had_heard_of_it_stays_away(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        await cloud.unshare("F1")

        accepted = await cloud.share("F1", REFUNDS)

        assert (accepted.status, accepted.message) == ("failed", TAKEN_BACK)
        assert await cloud.documents() == []


async def test_a_platform_that_does_not_say_whether_a_file_is_there_keeps_none_away(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        cloud.silent = True
        await cloud.share("F1", REFUNDS)

        assert await cloud.names() == ["F1.md"]


@pytest.mark.parametrize("done", [False, True])
async def test_a_file_that_comes_back_is_new(opened: Opened, done: bool) -> None:
    async with opened() as service:
        cloud, ledger = Cloud(service), service.stores.ledger
        payload = {"source": f"{place('F1')}#link", "name": "F1.md"}
        entry = Entry(kind="file", scope=ONE, id="F1", thread="1.1", author="ann", payload=payload)
        assert await ledger.open(entry)
        accepted = await cloud.share("F1", REFUNDS)
        if done:
            left = {"source": place("F1"), "document_id": accepted.document_id}
            await ledger.save(ONE, "file", "F1", payload=left, state="done")
        await cloud.unshare("F1")
        cloud.left.clear()

        assert await ledger.open(entry)
        await cloud.share("F1", REFUNDS)

        assert await cloud.names() == ["F1.md"]


async def test_nothing_is_kept_of_a_channel_that_is_lost(opened: Opened, tmp_path: Path) -> None:
    async with opened() as service:
        cloud, stores = Cloud(service), service.stores
        for scope in (ONE, TWO):
            await cloud.share("F1", "The password of the vault is zebrafish-4711.", scope=scope)
        await cloud.share("F2", "The password of the vault is zebrafish-4711.")
        await converse(service, ONE, "t", "What is the password of the vault?")
        await stores.choices.save(ONE, {"follow_ups": "always"})
        entry = Entry(kind="question", scope=ONE, id="m1", thread="t", author="ann")
        await stores.ledger.open(entry)

        for scope in (ONE, TWO):
            cloud.removals.receive(ChannelLost(event_id="e", scope=scope))
        await cloud.removals.settled()

        assert await cloud.documents(ONE) == await cloud.documents(TWO) == []
        assert await stores.threads.last_turn(ONE, "t") is None
        assert await stores.choices.find(ONE) == {}
        assert await stores.ledger.find(ONE, "question", "m1") is None
    for words in ("zebrafish", "F1.md", "F2.md"):
        assert stored(tmp_path / "data", words) == []


async def test_nothing_is_kept_of_a_workspace_that_is_lost_and_all_of_the_others(opened: Opened) -> None:
    async with opened() as service:
        cloud, stores = Cloud(service), service.stores
        for scope in (ONE, TWO, OTHER):
            await cloud.share("F1", REFUNDS, scope=scope)
        spoken = Scope("slack", "T1", "C9")
        await stores.threads.save_summary(spoken, "t", "Said.", expected_version=0)

        cloud.removals.receive(WorkspaceLost(event_id="e", platform="slack", workspace="T1"))
        await cloud.removals.settled()

        assert await cloud.documents(ONE) == await cloud.documents(TWO) == []
        assert (await stores.threads.summary(spoken, "t")).text == ""
        assert await cloud.names(OTHER) == ["F1.md"]


async def test_every_place_of_a_platform_can_be_looked_at(opened: Opened) -> None:
    async with opened() as service:
        cloud = Cloud(service)
        await cloud.share("F1", REFUNDS)
        await cloud.share("F2", REFUNDS)
        await cloud.share("F3", LEAVE, scope=OTHER)
        seen = [(scope, source.partition("#")[0]) async for scope, source in cloud.library.sources("slack")]
        others = [source async for _, source in cloud.library.sources("terminal")]

    assert seen == [(ONE, place("F1")), (ONE, place("F2")), (OTHER, place("F3", OTHER))]
    assert others == []


async def test_files_of_this_machine_are_replaced_by_nobody(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        library, path = ServiceLibrary(service), folder / "leave.md"
        for text in (LEAVE, REFUNDS):
            path.write_text(text)
            file = IncomingFile(
                event_id="e",
                file_id=text,
                thread=Thread(scope, "t"),
                author="ann",
                name="leave.md",
                source=path.as_uri(),
            )
            accepted = await library.accept(scope, file)
        documents = await library.documents(scope)

    assert len(documents) == 2
    assert len(accepted.namesakes) == 1
