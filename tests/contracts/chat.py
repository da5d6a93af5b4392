"""What every chat adapter keeps. A test module subclasses `ChatContract` and gives it a platform."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Protocol

import pytest

from bot.chat import (
    Body,
    Button,
    ChatError,
    MessageGone,
    NotAllowed,
    RateLimited,
    Thread,
    TooLong,
    Unreachable,
)
from bot.splitting import SMALLEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import ChatAdapter, LiveMessage, MessageRef
    from bot.incoming import Incoming

Saying = Literal["addressed", "own", "elsewhere"]
PRACTICAL = 100_000
"""A larger ``max_chars`` is no limit that a test could reach."""
ANSWER = "Refunds take five days [1].\n\n- one\n- two\n\n```py\nx = 1\n```"


class Platform(Protocol):
    """One adapter with the platform behind it, as the contract needs to see and move it."""

    @property
    def adapter(self) -> ChatAdapter: ...
    @property
    def thread(self) -> Thread:
        """A thread that the bot may write to."""

    @property
    def hostile(self) -> Sequence[str]:
        """Texts that would ping, link or command something if they were passed on as they are."""

    def harm(self) -> Sequence[str]:
        """What came through in a form that does."""

    async def visible(self) -> Sequence[str]:
        """What people read in the thread, oldest first; dialects may differ, letters may not."""

    async def vanish(self, message: MessageRef) -> None:
        """Let somebody else delete a message."""

    async def breaks(self, error: ChatError) -> bool:
        """Let the next post fail in the platform's own way that means *error*; False: it has none."""

    async def hear(self, saying: Saying) -> Sequence[Incoming] | None:
        """Return what the adapter hands over when this is said; None: it hears nothing by itself."""


class ChatContract:
    """Subclasses override the fixture `platform`."""

    @pytest.fixture
    def platform(self) -> Platform:
        raise NotImplementedError("a contract needs a platform")

    async def test_its_limits_can_be_kept(self, platform: Platform) -> None:
        capabilities = platform.adapter.capabilities

        assert capabilities.max_chars > SMALLEST
        assert capabilities.edit_interval is None or capabilities.edit_interval > 0
        assert capabilities.max_buttons >= 0
        assert capabilities.max_upload_bytes >= 0

    async def test_its_threads_are_the_same_after_being_text(self, platform: Platform) -> None:
        assert Thread.parse(str(platform.thread)) == platform.thread
        assert platform.thread.scope.platform == platform.adapter.name

    async def test_a_posted_message_is_seen(self, platform: Platform) -> None:
        ref = await platform.adapter.post(platform.thread, Body(text=ANSWER))

        assert ref.thread == platform.thread
        (seen,) = await platform.visible()
        assert _letters(seen) == _letters(ANSWER)

    async def test_two_messages_are_seen_in_order_and_have_two_names(self, platform: Platform) -> None:
        refs = [await platform.adapter.post(platform.thread, Body(text=text)) for text in ("One.", "Two.")]

        assert len(set(refs)) == 2
        assert list(map(_letters, await platform.visible())) == ["One", "Two"]

    async def test_a_body_of_exactly_the_limit_is_taken(self, platform: Platform) -> None:
        most = platform.adapter.capabilities.max_chars
        if most > PRACTICAL:
            return

        await platform.adapter.post(platform.thread, Body(text="w" * most))

        (seen,) = await platform.visible()
        assert _letters(seen) == "w" * most

    async def test_a_body_far_over_the_limit_is_too_long_and_not_seen(self, platform: Platform) -> None:
        most = platform.adapter.capabilities.max_chars
        if most > PRACTICAL:
            return

        with pytest.raises(TooLong):
            await platform.adapter.post(platform.thread, Body(text="w" * most * 4))

        assert await platform.visible() == []

    async def test_buttons_up_to_the_limit_are_taken(self, platform: Platform) -> None:
        most = platform.adapter.capabilities.max_buttons
        buttons = tuple(Button(label=f"Choice {n}", action="forget", value=f"d{n}") for n in range(most))

        await platform.adapter.post(platform.thread, Body(text="Choose.", buttons=buttons))

        assert _letters((await platform.visible())[0]).startswith("Choose")

    async def test_an_edit_replaces_all_and_twice_is_once(self, platform: Platform) -> None:
        ref = await platform.adapter.post(platform.thread, Body(text="Searching"))
        if platform.adapter.capabilities.edit_interval is None:
            with pytest.raises(NotAllowed):
                await platform.adapter.edit(ref, Body(text=ANSWER))
            return

        for _ in range(2):
            await platform.adapter.edit(ref, Body(text=ANSWER))

        (seen,) = await platform.visible()
        assert _letters(seen) == _letters(ANSWER)

    async def test_a_message_that_is_gone_cannot_be_edited_or_deleted(self, platform: Platform) -> None:
        if platform.adapter.capabilities.edit_interval is None:
            return
        ref = await platform.adapter.post(platform.thread, Body(text="One."))
        await platform.vanish(ref)

        with pytest.raises(MessageGone):
            await platform.adapter.edit(ref, Body(text="Two."))
        with pytest.raises(MessageGone):
            await platform.adapter.delete(ref)

        assert await platform.visible() == []

    async def test_a_deleted_message_is_not_seen(self, platform: Platform) -> None:
        ref = await platform.adapter.post(platform.thread, Body(text="One."))
        if platform.adapter.capabilities.edit_interval is None:
            with pytest.raises(NotAllowed):
                await platform.adapter.delete(ref)
            return

        await platform.adapter.delete(ref)

        assert await platform.visible() == []

    async def test_a_status_leaves_no_message_behind(self, platform: Platform) -> None:
        await platform.adapter.set_status(platform.thread, "Searching 3 documents…")
        await platform.adapter.set_status(platform.thread, None)

        assert await platform.visible() == []

    async def test_history_tells_its_own_messages_oldest_first(self, platform: Platform) -> None:
        for text in ("One.", "Two.", "Three."):
            await platform.adapter.post(platform.thread, Body(text=text))

        turns = await platform.adapter.history(platform.thread, limit=2)

        assert [(_letters(turn.text), turn.own) for turn in turns] == [("Two", True), ("Three", True)]

    async def test_opening_a_stream_shows_nothing(self, platform: Platform) -> None:
        await platform.adapter.open_stream(platform.thread)

        assert await platform.visible() == []

    async def test_a_stream_ends_with_its_body_and_nothing_else(self, platform: Platform) -> None:
        live = await _opened(platform)
        if live is None:
            return

        for piece in ("Refunds take ", "five days."):
            await live.append(piece)
        ref = await live.close(Body(text="Refunds take five days [1].\n\n[1] handbook.pdf, page 3"))

        assert ref.thread == platform.thread
        (seen,) = await platform.visible()
        assert _letters(seen) == _letters("Refunds take five days [1]. [1] handbook.pdf, page 3")

    async def test_a_stream_without_text_is_just_its_body(self, platform: Platform) -> None:
        live = await _opened(platform)
        if live is None:
            return

        await live.close(Body(text="Nothing was found."))

        assert list(map(_letters, await platform.visible())) == ["Nothingwasfound"]

    async def test_a_closed_stream_can_be_edited_like_any_message(self, platform: Platform) -> None:
        live = await _opened(platform)
        if live is None or platform.adapter.capabilities.edit_interval is None:
            return
        await live.append("Old.")
        ref = await live.close(Body(text="Old."))

        await platform.adapter.edit(ref, Body(text="New."))

        assert list(map(_letters, await platform.visible())) == ["New"]

    async def test_hostile_text_is_shown_and_not_obeyed(self, platform: Platform) -> None:
        for text in platform.hostile:
            ref = await platform.adapter.post(platform.thread, Body(text=f"See {text} here."))
            if platform.adapter.capabilities.edit_interval is not None:
                await platform.adapter.edit(ref, Body(text=f"Look at {text} there."))

        assert platform.harm() == []

    async def test_hostile_text_that_arrives_in_pieces_is_not_obeyed_either(self, platform: Platform) -> None:
        for text in platform.hostile:
            for cut in range(1, len(text)):
                live = await _opened(platform)
                if live is None:
                    return
                await live.append(f"See {text[:cut]}")
                await live.append(f"{text[cut:]} here.")
                await live.close(Body(text=f"See {text} here."))

        assert platform.harm() == []

    @pytest.mark.parametrize(
        "error",
        [RateLimited(2.0), NotAllowed(), Unreachable(), MessageGone()],
        ids=lambda e: type(e).__name__,
    )
    async def test_the_platforms_own_failures_are_told_apart(
        self, platform: Platform, error: ChatError
    ) -> None:
        if not await platform.breaks(error):
            return

        with pytest.raises(type(error)) as caught:
            await platform.adapter.post(platform.thread, Body(text="One."))

        if isinstance(caught.value, RateLimited):
            assert caught.value.retry_after == pytest.approx(2.0, abs=0.5)

    async def test_what_is_for_the_bot_is_handed_over_once(self, platform: Platform) -> None:
        heard = await platform.hear("addressed")

        assert heard is None or len(heard) == 1

    @pytest.mark.parametrize("saying", ["own", "elsewhere"])
    async def test_what_is_not_for_the_bot_is_not_handed_over(
        self, platform: Platform, saying: Saying
    ) -> None:
        assert not await platform.hear(saying)

    async def test_a_nonce_and_a_preview_change_nothing_that_is_read(self, platform: Platform) -> None:
        plain = Body(text="One.")
        await platform.adapter.post(platform.thread, replace(plain, nonce="k-1", preview="In short"))

        assert list(map(_letters, await platform.visible())) == ["One"]


async def _opened(platform: Platform) -> LiveMessage | None:
    return await platform.adapter.open_stream(platform.thread)


def _letters(text: str) -> str:
    """Return what must survive any dialect: letters and digits."""
    return "".join(character for character in text if character.isalnum())
