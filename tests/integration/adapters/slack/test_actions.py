"""Buttons, forms and reactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import Button
from bot.controls import FORGET, while_writing
from bot.incoming import StopRequested
from pipeline.conversation import Verdict
from pipeline.errors import CatalogUnavailable
from tests.fakes.library import Opinion
from tests.fakes.slack import ADAM, ANNA, BEN, GINA, STRANGER, error
from tests.integration.adapters.slack.asking import CHANNEL, SCOPE, Asking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pipeline.domain import Scope

SHARED = "C0SHARED"


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    async with Asking() as desk:
        yield desk


def retire(document_id: str) -> Button:
    return Button(label="Retire the older one", action=FORGET, value=document_id)


async def test_a_thumb_up_is_kept_and_thanked_for_to_one_person_in_the_thread(asking: Asking) -> None:
    answer = await asking.answer()

    asking.slack.press(answer, "👍", BEN)
    await asking.settled()

    assert asking.journal.opinions == [Opinion(turn_id=7, verdict=Verdict.UP, note=None, user=BEN)]
    (whisper,) = asking.whispers
    assert (whisper.user, whisper.channel, whisper.thread_ts) == (BEN, CHANNEL, answer.thread)
    assert "Thank you" in whisper.shown


async def test_a_thumb_down_opens_a_form_and_what_is_written_there_is_kept(asking: Asking) -> None:
    answer = await asking.answer()

    asking.slack.press(answer, "👎")
    await asking.settled()
    (view,) = asking.slack.views
    assert asking.journal.opinions == [Opinion(turn_id=7, verdict=Verdict.DOWN, note=None, user=ANNA)]
    (action_id,) = [
        block["element"]["action_id"] for block in view.view["blocks"] if block["type"] == "input"
    ]
    asking.slack.submit_modal(view, {action_id: "It is ten days."})
    await asking.settled()

    assert asking.journal.opinions[-1].note == "It is ten days."
    assert not view.open
    (whisper,) = asking.whispers
    assert whisper.thread_ts == answer.thread
    assert "noted what was wrong" in whisper.shown


async def test_a_form_that_cannot_be_opened_loses_no_judgement(asking: Asking) -> None:
    answer = await asking.answer()
    asking.slack.fail("views.open", error("expired_trigger_id"))

    asking.slack.press(answer, "👎")
    await asking.settled()

    assert [opinion.verdict for opinion in asking.journal.opinions] == [Verdict.DOWN]
    assert "did not help" in asking.whispered


async def test_sources_and_reasons_are_shown_to_whoever_asks(asking: Asking) -> None:
    answer = await asking.answer()

    for label in ("Sources", "Why this answer"):
        asking.slack.press(answer, label, BEN)
        await asking.settled()

    sources, why = asking.whispers
    assert "cites no passage" in sources.shown
    assert "How this answer came about" in why.shown
    assert {whisper.user for whisper in asking.whispers} == {BEN}


async def test_an_answer_that_is_not_known_is_said_to_be_so(asking: Asking) -> None:
    answer = await asking.answer(known=False)

    asking.slack.press(answer, "👍")
    await asking.settled()

    assert "do not know this answer any more" in asking.whispered


async def test_a_long_explanation_comes_in_several_pieces(asking: Asking) -> None:
    answer = await asking.answer()
    key, turn = next(iter(asking.journal.answers.items()))
    trace = [{"event": f"step.{n}", "fact": "x" * 40} for n in range(400)]
    asking.journal.answers[key] = type(turn)(question="?", response={"trace": trace})

    asking.slack.press(answer, "Why this answer")
    await asking.settled()

    assert len(asking.whispers) > 1
    assert "step 399" in asking.whispers[-1].shown


async def test_stop_goes_to_the_conversation_with_the_thread(asking: Asking) -> None:
    answer = await asking.answer(buttons=while_writing("m1"))

    asking.slack.press(answer, "Stop", BEN)
    await asking.settled()

    (event,) = asking.received
    assert isinstance(event, StopRequested)
    assert (event.thread.scope, event.thread.key) == (SCOPE, answer.thread)
    assert asking.whispers == []


@pytest.mark.parametrize(("user", "left"), [(ANNA, 0), (ADAM, 0), (BEN, 1), (GINA, 1)])
async def test_documents_are_retired_by_those_who_uploaded_them_and_those_who_manage(
    asking: Asking, user: str, left: int
) -> None:
    asking.put("d1")
    answer = await asking.answer(buttons=[retire("d1")])

    asking.slack.press(answer, "Retire the older one", user)
    await asking.settled()

    assert len(await asking.library.documents(SCOPE)) == left
    assert ("Forgotten: d1.md" in asking.whispered) is (left == 0)


async def test_a_guest_does_not_even_take_back_what_they_uploaded(asking: Asking) -> None:
    asking.put("d1", uploader=GINA)
    answer = await asking.answer(buttons=[retire("d1")])

    asking.slack.press(answer, "Retire the older one", GINA)
    await asking.settled()

    assert len(await asking.library.documents(SCOPE)) == 1
    assert "delete it in the chat" in asking.whispered


async def test_somebody_of_another_organisation_may_judge_but_not_forget(asking: Asking) -> None:
    asking.put("d1", channel=SHARED, uploader=STRANGER)
    answer = await asking.answer(channel=SHARED)
    notice = await asking.answer(channel=SHARED, buttons=[retire("d1")])

    asking.slack.press(answer, "👍", STRANGER)
    await asking.settled()
    asking.slack.press(notice, "Retire the older one", STRANGER)
    await asking.settled()

    assert [opinion.user for opinion in asking.journal.opinions] == [STRANGER]
    assert "Forgotten" not in asking.whispers[-1].shown


async def test_where_no_whisper_is_possible_the_answer_goes_to_the_response_url(asking: Asking) -> None:
    answer = await asking.answer()
    asking.slack.fail("chat.postEphemeral", error("user_not_in_channel"), times=None)

    asking.slack.press(answer, "👍")
    await asking.settled()

    assert "Thank you" in asking.whispered
    assert asking.slack.message(CHANNEL, answer.ts).shown == answer.shown


async def test_a_store_that_fails_is_said_in_words(asking: Asking) -> None:
    answer = await asking.answer()

    async def broken(scope: Scope, question_key: str) -> None:
        raise CatalogUnavailable

    asking.journal.turn_for = broken  # type: ignore[method-assign]  # the store breaks
    asking.slack.press(answer, "👍")
    await asking.settled()

    assert "footnote reindex" in asking.whispered


async def test_every_press_is_acknowledged_before_anything_is_done(asking: Asking) -> None:
    answer = await asking.answer()

    presses = [asking.slack.press(answer, label) for label in ("👍", "👎", "Sources")]
    await asking.settled()

    assert all(press.acked and press.attempts == 1 for press in presses)


@pytest.mark.parametrize(
    ("emoji", "verdict"),
    [("+1", Verdict.UP), ("thumbsup", Verdict.UP), ("-1::skin-tone-3", Verdict.DOWN)],
)
async def test_a_thumb_as_a_reaction_counts_like_the_button(
    asking: Asking, emoji: str, verdict: Verdict
) -> None:
    answer = await asking.answer()

    asking.slack.react(answer, emoji, BEN)
    await asking.settled()

    assert asking.journal.opinions == [Opinion(turn_id=7, verdict=verdict, note=None, user=BEN)]
    assert asking.whispers == []
    assert asking.slack.views == []


async def test_a_thumb_at_the_question_is_among_people_and_other_emojis_are_too(asking: Asking) -> None:
    answer = await asking.answer()

    asking.slack.react(asking.slack.message(CHANNEL, answer.thread), "+1", BEN)
    asking.slack.react(answer, "tada", BEN)
    await asking.settled()

    assert asking.journal.opinions == []


@pytest.mark.parametrize("emoji", ["octagonal_sign", "no_entry"])
async def test_a_stop_sign_at_the_question_or_its_answer_stops_it(asking: Asking, emoji: str) -> None:
    answer = await asking.answer()

    asking.slack.react(asking.slack.message(CHANNEL, answer.thread), emoji, BEN)
    asking.slack.react(answer, emoji, ANNA)
    await asking.settled()

    assert [event.thread.key for event in asking.received] == [answer.thread] * 2


async def test_a_reaction_at_what_is_no_answer_does_nothing(asking: Asking) -> None:
    message = asking.slack.say(CHANNEL, ANNA, "Hello.", events=())

    asking.slack.react(message, "no_entry", BEN)
    await asking.settled()

    assert asking.received == []
    assert asking.journal.opinions == []
