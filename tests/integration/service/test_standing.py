"""Whatever comes and goes in whatever order, a document stands as long as one of its files does."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Protocol

import pytest

from pipeline.addresses import original_of, place_of
from pipeline.archives import lacks_files
from pipeline.domain import DocumentStatus, document_id_for
from tests.fakes.documents import archive
from tests.integration.service.test_archives import LEAVE, ONE, PICTURE, TRAVEL, Drive
from tests.integration.service.test_archives_again import take_in
from tests.integration.service.test_places import place

if TYPE_CHECKING:
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Document, Scope
    from tests.integration.service.test_archives import Opened

PLAIN: dict[str, bytes] = {
    "leave": LEAVE.encode(),
    "travel": TRAVEL.encode(),
    "tea": b"# Tea\n\nTea is served at four.\n",
    "picture": PICTURE,
}
PACKED: dict[str, tuple[str, ...]] = {
    "one": ("leave", "travel"),
    "two": ("leave", "tea"),
    "three": ("tea", "travel", "tea", "picture"),
    "four": ("picture", "leave"),
}
FILES: dict[str, bytes] = PLAIN | {
    name: archive({f"{at}-{each}": PLAIN[each] for at, each in enumerate(inside)})
    for name, inside in PACKED.items()
}
PLACES = ("F1", "F2", "F3")
STEPS = 14
RESTS = 1.0
"""How often a chat waits until a file is indexed before the next thing happens; less, to look for races."""


@dataclass(kw_only=True)
class Model:
    """What a channel should hold: files by where they stand, and what each archive still brings."""

    places: dict[str, set[str]] = field(default_factory=dict)
    """Of what was taken in as a file, where it stands."""
    inside: dict[str, set[str]] = field(default_factory=dict)
    """Of each archive that is there, which of its files were not taken back alone."""

    def take_in(self, name: str, where: str, *, again: bool = True) -> None:
        if name in PACKED and (again or name not in self.places):
            self.inside[name] = set(PACKED[name])
        self.places.setdefault(name, set()).add(where)

    def leave(self, where: str, besides: str = "") -> None:
        for name in set(self.places) - {besides}:
            self.places[name].discard(where)
            if not self.places[name]:
                self.places.pop(name)
                self.inside.pop(name, None)

    def forget(self, name: str) -> None:
        self.places.pop(name, None)
        self.inside.pop(name, None)
        for files in self.inside.values():
            files.discard(name)

    def expected(self) -> dict[str, set[str]]:
        """Return for each document the places at which it may be said to stand."""
        found = {name: set(places) for name, places in self.places.items()}
        for outer, files in self.inside.items():
            for name in files:
                found.setdefault(name, set()).update(self.places[outer])
        return found

    def lacking(self) -> set[str]:
        return {name for name, files in self.inside.items() if files < set(PACKED[name])}


class World(Protocol):
    """A way in and out of a channel."""

    scope: Scope
    model: Model

    async def step(self, random: Random) -> str:
        """Let something happen, here and in the model, and return what it was."""

    async def documents(self) -> list[Document]:
        """Return what is there once the channel rests."""

    def address(self, where: str) -> str:
        """Return the address of a place."""


class Chat:
    """Files on a platform that keeps them, and says when one changes or goes."""

    scope = ONE

    def __init__(self, service: Service, folder: Path) -> None:
        del folder
        self.model = Model()
        self._drive = Drive(service)
        self._held: dict[str, str] = {}

    async def step(self, random: Random) -> str:
        where, name = random.choice(PLACES), random.choice(list(FILES))
        match random.choice(("share", "share", "share", "delete", "forget")):
            case "delete" if where in self._held:
                del self._held[where]
                self.model.leave(where)
                await self._drive.delete(where)
                return f"delete {where}"
            case "forget" if name in self.model.expected():
                await self._drive.idle()  # of what is on its way, nobody knows yet what is in it
                self.model.forget(name)
                await self._drive.library.forget(self.scope, [known_as(self.scope, name)])
                return f"forget {name}"
        changed = self._held.get(where, name) != name
        self._held[where] = name
        self.model.take_in(name, where, again=not changed)
        self.model.leave(where, besides=name)
        await self._drive.share(where, FILES[name], changed=changed, rests=random.random() < RESTS)
        return f"share {name} at {where}"

    async def documents(self) -> list[Document]:
        await self._drive.idle()
        return list(await self._drive.library.documents(self.scope))

    def address(self, where: str) -> str:
        return place(where, self.scope)


class Folder:
    """Files of this machine, whose earlier versions stay until somebody takes them back."""

    def __init__(self, service: Service, folder: Path, scope: Scope) -> None:
        self.scope = scope
        self.model = Model()
        self._service = service
        self._folder = folder

    async def step(self, random: Random) -> str:
        where, name = random.choice(PLACES), random.choice(list(FILES))
        if random.random() < 0.35 and self.model.expected():
            names = random.sample(sorted(self.model.expected()), k=min(len(self.model.expected()), 2))
            for each in names:
                self.model.forget(each)
            await self._service.chores.forget(self.scope, [known_as(self.scope, each) for each in names])
            return f"forget {names}"
        self.model.take_in(name, where)
        path = self._folder / where
        path.write_bytes(FILES[name])
        await take_in(self._service, self.scope, path)
        return f"ingest {name} at {where}"

    async def documents(self) -> list[Document]:
        await self._service.worker.drain(self.scope)
        return await self._service.stores.catalog.documents(self.scope)

    def address(self, where: str) -> str:
        return (self._folder / where).as_uri()


def known_as(scope: Scope, name: str) -> str:
    return document_id_for(scope, hashlib.sha256(FILES[name]).hexdigest())


async def check(world: World, history: list[str]) -> None:
    names = {known_as(world.scope, name): name for name in FILES}
    documents = {names[each.document_id]: each for each in await world.documents()}
    expected = world.model.expected()
    assert set(documents) == set(expected), str(history)
    for name, document in documents.items():
        places = {world.address(where) for where in expected[name]}
        assert place_of(original_of(document.source)) in places, (name, *history)
        if name in PLAIN:
            state = DocumentStatus.FAILED if name == "picture" else DocumentStatus.READY
            assert document.status is state, (name, *history)
    assert {name for name in documents if lacks_files(documents[name])} == world.model.lacking(), str(history)


@pytest.mark.parametrize("seed", range(3))
async def test_files_that_come_change_and_go_in_a_chat_leave_what_stands_elsewhere(
    opened: Opened, tmp_path: Path, seed: int
) -> None:
    random, history = Random(seed), list[str]()
    async with opened() as service:
        world = Chat(service, tmp_path)
        for step in range(STEPS):
            history.append(await world.step(random))
            if random.random() < RESTS or step == STEPS - 1:
                await check(world, history)


@pytest.mark.parametrize("seed", range(3))
async def test_files_that_are_taken_in_and_forgotten_here_leave_what_stands_elsewhere(
    opened: Opened, scope: Scope, tmp_path: Path, seed: int
) -> None:
    random, history = Random(seed), list[str]()
    async with opened() as service:
        world = Folder(service, tmp_path, scope)
        for _ in range(STEPS):
            history.append(await world.step(random))
            await check(world, history)
