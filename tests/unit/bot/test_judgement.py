from __future__ import annotations

from typing import Any

import pytest

from bot.chat import Body, Form, Thread
from bot.incoming import IncomingAction
from bot.judgement import NOTE_LENGTH, Judgement
from pipeline.conversation import Reason, Verdict
from pipeline.domain import Scope
from tests.fakes.library import FakeJournal, FakeLibrary, FakeTurn, Opinion, document

SCOPE = Scope("fake", "w", "c")
ELSEWHERE = Scope("fake", "w", "other")
CITATION: dict[str, Any] = {
    "label": "1",
    "document_id": "d1",
    "display_name": "handbook.pdf",
    "chunk_id": "d1-00003",
    "page": 3,
    "lines": None,
    "section": "Refunds > Timing",
    "url": "https://chat.example/f1",
    "quote": "Refunds take five days.",
}


class Desk:
    def __init__(self) -> None:
        self.library = FakeLibrary()
        self.journal = FakeJournal()
        self.judgement = Judgement(self.library, self.journal)

    def answered(self, key: str = "m1", **facts: Any) -> None:
        self.journal.answers[SCOPE.key, key] = FakeTurn(question="How long?", turn_id=7, **facts)

    async def press(
        self, action: str, *, value: str = "m1", text: str = "", scope: Scope = SCOPE
    ) -> Body | Form | None:
        return await self.judgement.act(
            IncomingAction(
                event_id="e", thread=Thread(scope, "t"), author="ann", action=action, value=value, text=text
            )
        )

    async def said(self, action: str, **facts: Any) -> str:
        body = await self.press(action, **facts)
        assert isinstance(body, Body)
        return body.text


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_a_thumb_up_is_kept_with_who_gave_it(desk: Desk) -> None:
    desk.answered()

    assert "Thank you" in await desk.said("good")
    assert desk.journal.opinions == [Opinion(turn_id=7, verdict=Verdict.UP, note=None, user="ann")]


async def test_a_thumb_down_is_kept_and_asks_what_was_wrong(desk: Desk) -> None:
    desk.answered()

    form = await desk.press("bad")

    assert isinstance(form, Form)
    assert (form.action, form.value) == ("note", "m1")
    assert len(form.title) <= 24
    assert desk.journal.opinions == [Opinion(turn_id=7, verdict=Verdict.DOWN, note=None, user="ann")]


async def test_what_was_wrong_is_kept_with_the_thumb_down(desk: Desk) -> None:
    desk.answered()

    assert "noted what was wrong" in await desk.said("note", text="  It is ten days. ")
    assert desk.journal.opinions == [
        Opinion(turn_id=7, verdict=Verdict.DOWN, note="It is ten days.", user="ann")
    ]


async def test_a_note_without_words_is_a_thumb_down_and_an_endless_one_is_cut(desk: Desk) -> None:
    desk.answered()

    assert "did not help" in await desk.said("note", text=" ")
    await desk.said("note", text="x" * 10_000)

    assert desk.journal.opinions[0].note is None
    assert len(desk.journal.opinions[1].note or "") == NOTE_LENGTH


@pytest.mark.parametrize("action", ["good", "bad", "note", "sources", "why"])
async def test_an_answer_that_is_not_known_is_said_to_be_so(desk: Desk, action: str) -> None:
    desk.answered()

    assert "do not know this answer any more" in await desk.said(action, value="m2")
    assert "do not know this answer any more" in await desk.said(action, scope=ELSEWHERE)
    assert desk.journal.opinions == []


@pytest.mark.parametrize("action", ["good", "bad"])
async def test_an_answer_that_goes_while_it_is_judged_is_said_to_be_gone(desk: Desk, action: str) -> None:
    desk.answered()
    desk.journal.gone.add(7)

    assert "do not know this answer any more" in await desk.said(action)


async def test_sources_are_shown_at_length_with_place_and_link(desk: Desk) -> None:
    desk.answered(response={"citations": [CITATION]})
    desk.library.texts[SCOPE.key, "d1-00003"] = "How it works.\nRefunds take five days.\nThen they arrive."

    text = await desk.said("sources")

    assert "[1] handbook.pdf, page 3, Refunds > Timing ([open](<https://chat.example/f1>))" in text
    assert "> How it works. Refunds take five days. Then they arrive." in text


async def test_sources_of_another_channel_are_never_shown(desk: Desk) -> None:
    desk.answered(response={"citations": [CITATION]})
    desk.library.texts[ELSEWHERE.key, "d1-00003"] = "Refunds take five days. Secret."

    assert "Secret" not in await desk.said("sources")


async def test_an_answer_without_sources_says_so(desk: Desk) -> None:
    desk.answered(reason=Reason.NO_RELEVANT_CONTEXT)

    assert "cites no passage" in await desk.said("sources")


async def test_why_explains_this_answer_and_not_the_threads_last(desk: Desk) -> None:
    desk.answered(response={"trace": [{"event": "retrieval.fused", "ids": ["d1-00003"]}]})
    desk.journal.turns[SCOPE.key, "t"] = FakeTurn(question="later", reason=Reason.CANCELLED)
    desk.library.put(SCOPE, document("d1", "handbook.pdf"))

    text = await desk.said("why")

    assert text.startswith("**How this answer came about**\n\n- Outcome: answered")
    assert "ids handbook.pdf passage 4" in text


async def test_other_buttons_are_left_alone(desk: Desk) -> None:
    desk.answered()

    assert await desk.press("forget") is None
