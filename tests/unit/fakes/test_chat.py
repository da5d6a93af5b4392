from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import Thread
from pipeline.domain import Scope
from tests.contracts.chat import ChatContract
from tests.fakes.chat import EDITED, FLAT, STREAMED, FakeChat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import ChatError, MessageRef
    from bot.incoming import Incoming
    from tests.contracts.chat import Platform, Saying


class FakePlatform:
    hostile = ()

    def __init__(self, adapter: FakeChat) -> None:
        self.adapter = adapter
        self.thread = Thread(Scope("fake", "w", "c"), "171.5")

    def harm(self) -> Sequence[str]:
        return []

    async def visible(self) -> Sequence[str]:
        return self.adapter.texts(self.thread)

    async def vanish(self, message: MessageRef) -> None:
        self.adapter.vanish(message)

    async def breaks(self, error: ChatError) -> bool:
        self.adapter.fail("post", error)
        return True

    async def hear(self, saying: Saying) -> Sequence[Incoming] | None:
        return None


class TestFakeChatThatEdits(ChatContract):
    @pytest.fixture
    def platform(self) -> Platform:
        return FakePlatform(FakeChat(EDITED))


class TestFakeChatThatStreams(ChatContract):
    @pytest.fixture
    def platform(self) -> Platform:
        return FakePlatform(FakeChat(STREAMED, streams=True))


class TestFakeChatThatOnlyPosts(ChatContract):
    @pytest.fixture
    def platform(self) -> Platform:
        return FakePlatform(FakeChat(FLAT))
