from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from adapters.slack.owned import Owned
from bot.chat import NotAllowed, Thread
from bot.incoming import IncomingFile
from bot.owners import Owners
from pipeline.domain import Scope
from tests.fakes.library import FakeChoices

SCOPE, ELSEWHERE = Scope("slack", "T1", "C1"), Scope("slack", "T2", "C1")
FILE = IncomingFile(
    event_id="E1", file_id="F1", thread=Thread(SCOPE, "1.1"), author="U1", name="a.md", source="slack:T1/F1"
)


class App:
    """One app, which is installed in T1 and nowhere else."""

    def __init__(self, bot: str, choices: FakeChoices) -> None:
        self.bot = bot
        self.taken: list[IncomingFile] = []
        self.owned = Owned(Owners(choices, "slack"), cast("Any", self))

    async def identity(self, team: str) -> Any:
        if team != "T1":
            raise NotAllowed
        return SimpleNamespace(user_id=self.bot)

    async def share(self) -> None:
        async def receive(file: IncomingFile) -> None:
            self.taken.append(file)

        await self.owned.take(FILE, receive)

    async def gone(self, scope: Scope = SCOPE) -> bool:
        async def ask(_: Scope, __: str) -> bool:
            return True

        return await self.owned.gone(scope, FILE.source, ask)


@pytest.fixture
def choices() -> FakeChoices:
    return FakeChoices()


async def test_what_another_app_does_not_see_is_not_gone(choices: FakeChoices) -> None:
    first, second = App("UONE", choices), App("UTWO", choices)
    await first.share()

    assert await first.gone()
    assert not await second.gone()
    assert (await first.owned.others([SCOPE]), await second.owned.others([SCOPE])) == ([], [SCOPE])


async def test_an_app_that_takes_a_file_in_is_shown_all_of_its_channel(choices: FakeChoices) -> None:
    await App("UONE", choices).share()
    second = App("UTWO", choices)
    await second.share()

    assert second.taken == [FILE]
    assert await second.gone()


async def test_what_nobody_noted_belongs_to_the_app_that_comes_first(choices: FakeChoices) -> None:
    first, second = App("UONE", choices), App("UTWO", choices)
    assert await first.gone()
    await first.owned.adopt([SCOPE])
    await second.owned.adopt([SCOPE])

    assert not await second.gone()


async def test_of_a_workspace_without_the_app_nothing_is_known(choices: FakeChoices) -> None:
    app = App("UONE", choices)
    await app.owned.adopt([ELSEWHERE])

    assert await app.owned.others([ELSEWHERE]) == [ELSEWHERE]
    with pytest.raises(NotAllowed):
        await app.gone(ELSEWHERE)
