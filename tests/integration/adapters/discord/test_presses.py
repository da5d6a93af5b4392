"""Buttons and forms."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from adapters.discord import whispers
from adapters.discord.presses import modal, written
from bot.chat import Button, Form, Thread
from bot.controls import FORGET, while_writing
from bot.incoming import StopRequested
from pipeline.conversation import Verdict
from pipeline.errors import CatalogUnavailable
from tests.fakes.discord import ADAM, ANNA, BEN, GENERAL, GINA, NO_THREADS, OLGA, Fault, held, http, refused
from tests.fakes.library import FakeTurn, Opinion
from tests.integration.adapters.discord.using import SCOPE, Using

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pipeline.domain import Scope
    from tests.fakes.discord import DiscordServer, Interaction, Message


@pytest.fixture
async def using(server: DiscordServer) -> AsyncIterator[Using]:
    async with Using(server).open() as using:
        yield using
    assert server.unguarded() == []


def retire(document_id: str) -> Button:
    return Button(label="Retire the older one", action=FORGET, value=document_id)


async def press(using: Using, message: Message, button: str, user: int = ANNA) -> str:
    return await using.whispered(using.discord.press(message, button, user))


async def silently(using: Using, message: Message, button: str, user: int = ANNA) -> Interaction:
    pressed = await using.discord.press(message, button, user).answered()
    # the answer has to arrive before what comes after it begins
    await using.discord.until(lambda: len(using.desk.tasks) or using.received or using.journal.opinions)
    await using.settled()
    return pressed


async def test_a_thumb_up_is_kept_and_thanked_for_to_one_person(using: Using) -> None:
    answer = await using.answer()

    assert "Thank you" in await press(using, answer, "👍", BEN)
    assert using.journal.opinions == [Opinion(turn_id=7, verdict=Verdict.UP, note=None, user=str(BEN))]
    assert answer.shown == "Five days [1]."


async def test_a_thumb_down_opens_a_form_and_what_is_written_there_is_kept(using: Using) -> None:
    answer = await using.answer()

    pressed = await silently(using, answer, "👎")
    assert using.journal.opinions == [Opinion(turn_id=7, verdict=Verdict.DOWN, note=None, user=str(ANNA))]
    assert pressed.modal is not None and pressed.modal["title"] == "What was wrong?"

    sent = using.discord.submit(pressed, {"text": "It is ten days."})
    assert "noted what was wrong" in await using.whispered(sent)
    assert using.journal.opinions[-1].note == "It is ten days."


async def test_the_form_opens_before_anything_else_is_done(using: Using) -> None:
    answer = await using.answer()
    gate, asked = asyncio.Event(), using.journal.turn_for

    async def slow(scope: Scope, question_key: str) -> FakeTurn | None:
        await gate.wait()
        return await asked(scope, question_key)

    using.journal.turn_for = slow  # type: ignore[method-assign]  # the store is busy
    pressed = await using.discord.press(answer, "👎", ANNA).answered()

    assert pressed.modal is not None
    gate.set()
    await using.discord.until(lambda: using.journal.opinions)


async def test_buttons_and_forms_live_longer_than_the_process(server: DiscordServer) -> None:
    async with Using(server).open() as before:
        answer = await before.answer()
        opened = await silently(before, answer, "👎")
    async with Using(server, before.ledger).open() as after:
        after.journal.answers = before.journal.answers
        assert "Thank you" in await press(after, answer, "👍", BEN)
        sent = server.submit(opened, {"text": "Too short."})
        assert "noted" in await after.whispered(sent)
        assert [opinion.note for opinion in after.journal.opinions] == [None, "Too short."]


async def test_an_empty_form_is_a_judgement_too(using: Using) -> None:
    answer = await using.answer()
    pressed = await silently(using, answer, "👎")

    assert "did not help" in await using.whispered(using.discord.submit(pressed, {}))


async def test_sources_and_reasons_are_shown_to_whoever_asks(using: Using) -> None:
    answer = await using.answer()

    assert "cites no passage" in await press(using, answer, "Sources", BEN)
    assert "How this answer came about" in await press(using, answer, "Why this answer", GINA)


async def test_a_long_explanation_comes_in_several_pieces(using: Using) -> None:
    answer = await using.answer()
    key = next(iter(using.journal.answers))
    trace = [{"event": f"step.{n}", "fact": "x" * 40} for n in range(100)]
    using.journal.answers[key] = FakeTurn(question="?", response={"trace": trace})

    pressed = using.discord.press(answer, "Why this answer", ANNA)
    shown = await using.whispered(pressed)

    assert len(pressed.answers) > 2
    assert "step 99" in shown


async def test_an_answer_that_is_not_known_is_said_to_be_so(using: Using) -> None:
    answer = await using.answer(known=False)

    assert "do not know this answer any more" in await press(using, answer, "👍")


async def test_a_button_of_another_version_is_said_to_be_unknown(using: Using) -> None:
    answer = await using.answer()
    answer.components[0]["components"][0]["custom_id"] = "fn:2:good:1"

    assert "do not know this button" in await press(using, answer, "👍")


@pytest.mark.parametrize("channel", [GENERAL, NO_THREADS])
async def test_stop_goes_to_the_conversation_without_a_word(using: Using, channel: int) -> None:
    answer = await using.answer(channel=channel, buttons=while_writing("m1"))

    pressed = await silently(using, answer, "Stop", BEN)

    (event,) = using.received
    (entry,) = {id(one): one for one in using.asked.questions.values()}.values()
    assert event == StopRequested(thread=Thread(entry.scope, entry.thread))
    assert pressed.answers == [] and not using.discord.ephemerals


async def test_stop_finds_the_conversation_in_a_channel_by_its_question_if_nobody_knows_the_answer(
    using: Using,
) -> None:
    answer = await using.answer(channel=NO_THREADS, buttons=while_writing("77"), known=False)

    await silently(using, answer, "Stop", BEN)

    (event,) = using.received
    assert event.thread.key == "77"


@pytest.mark.parametrize(("user", "left"), [(ANNA, 0), (ADAM, 0), (OLGA, 0), (BEN, 1), (GINA, 1)])
async def test_documents_are_retired_by_those_who_uploaded_them_and_those_who_manage(
    using: Using, user: int, left: int
) -> None:
    using.put("d1")
    answer = await using.answer(buttons=[retire("d1")])

    shown = await press(using, answer, "Retire the older one", user)

    assert len(await using.library.documents(SCOPE)) == left
    assert ("Forgotten: d1.md" in shown) is (left == 0)


async def test_a_store_that_fails_is_said_in_words(using: Using) -> None:
    answer = await using.answer()

    async def broken(scope: Scope, question_key: str) -> None:
        raise CatalogUnavailable

    using.journal.turn_for = broken  # type: ignore[method-assign]  # the store breaks

    assert "footnote reindex" in await press(using, answer, "Sources")


async def test_a_form_that_discord_does_not_open_keeps_nothing(using: Using) -> None:
    answer = await using.answer()
    using.discord.fail("respond", refused(10062))

    using.discord.press(answer, "👎", ANNA)
    await using.discord.until(lambda: using.discord.called("respond"))
    await using.settled()

    assert using.journal.opinions == []


async def test_a_form_whose_opening_is_confirmed_late_keeps_the_verdict(
    using: Using, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whispers, "PATIENCE", 0.05)
    gate = asyncio.Event()
    answer = await using.answer()
    using.discord.fail("respond", held(gate, late=True))

    using.discord.press(answer, "👎", ANNA)
    await using.discord.until(lambda: using.journal.opinions)
    gate.set()


@pytest.mark.parametrize("fault", [refused(10062), http(404), held(asyncio.Event())])
async def test_whoever_stops_an_answer_is_obeyed_although_discord_does_not_listen(
    using: Using, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setattr(whispers, "PATIENCE", 0.05)
    answer = await using.answer(buttons=while_writing("1"))
    using.discord.fail("respond", fault, times=None)

    using.discord.press(answer, "Stop", ANNA)

    await using.discord.until(lambda: any(isinstance(one, StopRequested) for one in using.received))
    if fault.gate is not None:
        fault.gate.set()


async def test_what_another_process_stops_is_left_to_it(using: Using) -> None:
    answer = await using.answer(buttons=while_writing("1"))
    using.discord.fail("respond", refused(40060))

    using.discord.press(answer, "Stop", ANNA)
    await using.discord.until(lambda: using.discord.called("respond"))
    await using.settled()

    assert using.received == []


async def test_nothing_of_buttons_and_forms_is_kept_in_memory(using: Using) -> None:
    answer = await using.answer()
    await silently(using, answer, "👎")

    store = using.client._connection._view_store
    assert not store._modals
    assert not any(store._views.values())


@pytest.mark.parametrize(
    "label", ["Why?", "What is missing, wrong or out of date? Whoever runs me can read it."]
)
async def test_a_form_fits_into_discord(label: str) -> None:
    form = Form(title="t" * 24, label=label, submit="Send", action="note", value="1")

    (row,) = modal(form).to_dict()["components"]

    assert len(row["label"]) <= 45
    assert label in {row["label"], row.get("description")}


def test_what_was_written_is_found_wherever_it_stands() -> None:
    field = {"type": 4, "custom_id": "text", "value": "x"}

    assert written({"components": [{"type": 18, "component": field}]}) == "x"
    assert written({"components": [{"type": 1, "components": [field]}]}) == "x"
    assert written({"components": []}) == written(None) == ""
