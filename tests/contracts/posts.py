"""What becomes of a post or an edit whose answer is lost. A test module gives `PostsContract` a platform."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

import pytest

from bot.chat import Body, TooLong, Unreachable

if TYPE_CHECKING:
    from bot.chat import ChatAdapter, Thread
    from tests.fakes.faults import Mishap
    from tests.fakes.loopback import Loopback

ONE = Body(text="Refunds take **five days** [1].", nonce="k-0")


class Room(Protocol):
    """A thread on a local server, and the adapter that writes there."""

    thread: Thread

    @property
    def adapter(self) -> ChatAdapter: ...
    @property
    def server(self) -> Loopback: ...

    def shown(self) -> list[str]:
        """Return what the bot's messages in the thread show, oldest first."""

    def called(self) -> list[str]:
        """Return the names of the calls so far, those that only log in left out."""


class PostsContract:
    """Subclasses name the calls of their platform; their module has a fixture `room`."""

    posting: str
    editing: str
    fault: type[Mishap]

    async def test_a_post_that_was_cancelled_on_its_way_is_found_again(self, room: Room) -> None:
        gate = asyncio.Event()
        room.server.fail(self.posting, self.fault.held(gate, late=True))
        posting = asyncio.create_task(room.adapter.post(room.thread, ONE))
        await room.server.until(room.shown)
        posting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await posting
        gate.set()

        await room.adapter.post(room.thread, ONE)

        assert len(room.shown()) == 1

    async def test_an_edit_whose_answer_was_lost_can_be_made_again(self, room: Room) -> None:
        ref = await room.adapter.post(room.thread, ONE)
        room.server.fail(self.editing, self.fault.reset_after())
        with pytest.raises(Unreachable):
            await room.adapter.edit(ref, Body(text="Six days."))

        await room.adapter.edit(ref, Body(text="Six days."))

        assert room.shown() == ["Six days."]

    async def test_a_body_that_is_too_long_is_not_sent(self, room: Room) -> None:
        with pytest.raises(TooLong):
            await room.adapter.post(room.thread, Body(text="w" * 20_000))

        assert room.called() == []
