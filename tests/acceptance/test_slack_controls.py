"""What people do with questions and answers in Slack besides asking: change, stop, judge, look up, set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.acceptance.model import ANNUAL, FIFTEEN, FIVE, about, held
from tests.acceptance.slack import GENERAL, SECOND, Bot, running
from tests.fakes.slack import ANNA, BEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.slack import Message

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

BUTTONS = ["Sources", "Why this answer", "👍", "👎"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data")) as bot:
        await bot.upload()
        yield bot


def mention(bot: Bot, text: str) -> str:
    return f"<@{bot.slack.team.bot}> {text}"


async def test_an_answer_that_was_edited_for_another_question_is_the_same_message(bot: Bot) -> None:
    question = bot.ask(about("Aachen"))
    before = await bot.answered(question)

    bot.slack.edit_message(question, mention(bot, ANNUAL))
    after = await bot.answered(question, FIFTEEN)

    assert after.ts == before.ts
    assert len(bot.replies(question)) == 1
    assert FIVE not in after.shown


async def test_a_question_that_is_edited_while_it_is_answered_is_answered_as_it_reads_now(bot: Bot) -> None:
    answer = held(FIVE, 4)
    bot.model.script(about("Basel"), answer)
    question = bot.ask(about("Basel"))
    await bot.slack.until(lambda: bot.shown(question))

    bot.slack.edit_message(question, mention(bot, ANNUAL))
    await bot.answered(question, FIFTEEN)

    assert len(bot.replies(question)) == 1
    assert bot.model.hung_up


async def test_a_preview_below_a_question_is_no_edit(bot: Bot) -> None:
    question = bot.ask(about("Chur"))
    await bot.answered(question)
    bot.slack.unfurl(question)
    await bot.slack.settled()
    await bot.answered(bot.ask(ANNUAL, thread=question.ts), FIFTEEN)

    assert len(bot.model.asked(about("Chur"))) == 1


@pytest.mark.parametrize("finished", [True, False])
async def test_a_question_that_is_deleted_takes_its_answer_along(bot: Bot, finished: bool) -> None:
    asked = about(f"Davos, finished: {finished}")
    if not finished:
        bot.model.script(asked, held(FIVE, 4))
    question = bot.ask(asked)
    await bot.slack.until(lambda: bot.shown(question))
    if finished:
        await bot.answered(question)

    bot.slack.delete_message(question)
    await bot.slack.until(lambda: not bot.shown(question))


@pytest.mark.parametrize("way", ["word", "mention", "emoji", "Slack's own button", "button"])
async def test_an_answer_is_stopped_and_says_so(bot: Bot, way: str) -> None:
    slack, asked = bot.slack, about(f"Essen, stopped by {way}")
    bot.model.script(asked, held(FIVE, 3))
    if way == "button":  # a message that streams has Slack's
        slack.streams_supported = False
    question = bot.ask(asked)
    written: Message = await slack.until(
        lambda: next((one for one in bot.replies(question) if "refund" in one.shown), None)
    )
    slack.streams_supported = True

    if way == "word":
        slack.say(GENERAL, ANNA, "stop", question.ts)
    elif way == "mention":
        bot.ask("stop", thread=question.ts)
    elif way == "emoji":
        slack.react(question, "octagonal_sign", BEN)
    elif way == "button":
        slack.press(written, "Stop", BEN)
    else:
        slack.stop_session(written)
    await slack.until(lambda: "Stopped." in written.shown)
    await slack.until(lambda: not written.streaming)

    assert written.shown.startswith("A refund")
    assert FIVE not in written.shown
    assert len(bot.replies(question)) == 1


async def test_an_answer_has_its_buttons_and_they_do_what_they_say(bot: Bot) -> None:
    question = bot.ask(about("Fulda"))
    reply = await bot.answered(question)
    await bot.remembered(question)
    assert sorted(reply.buttons) == sorted(BUTTONS)

    assert "takes five working days" in await pressed(bot, reply, "Sources", BEN)
    assert "refunds.md" in await pressed(bot, reply, "Why this answer", ANNA)
    assert "Thank you" in await pressed(bot, reply, "👍", BEN)
    assert bot.judgements(question) == {(BEN, "up", None)}


async def test_a_thumb_down_asks_what_was_wrong_and_keeps_it(bot: Bot) -> None:
    question = bot.ask(about("Genf"))
    reply = await bot.answered(question)
    await bot.remembered(question)
    bot.slack.press(reply, "👎", ANNA)
    form = await bot.slack.until(lambda: next((one for one in bot.slack.views if one.open), None))
    assert bot.judgements(question) == {(ANNA, "down", None)}

    bot.slack.submit_modal(form, {"text": "It is six days now."})
    await bot.slack.until(lambda: bot.judgements(question) == {(ANNA, "down", "It is six days now.")})
    await bot.slack.until(lambda: not form.open)


async def test_a_thumb_as_a_reaction_is_a_judgement_too(bot: Bot) -> None:
    question = bot.ask(about("Hamburg"))
    reply = await bot.answered(question)
    await bot.remembered(question)

    bot.slack.react(reply, "+1", BEN)
    await bot.slack.until(lambda: bot.judgements(question) == {(BEN, "up", None)})


async def test_commands_tell_how_things_stand_to_whoever_asks(bot: Bot) -> None:
    assert "refunds.md" in await bot.told("docs", BEN)
    assert "1 ready" in await bot.told("status", BEN)
    assert "follow-ups" in await bot.told("settings", BEN)
    assert "How to use me" in await bot.told("help", BEN)
    question = bot.ask(about("Ilmenau"), user=BEN)
    await bot.answered(question)
    await bot.remembered(question)
    assert "refunds.md" in await bot.told("why", BEN)


async def test_a_channel_chooses_which_follow_ups_are_answered(bot: Bot) -> None:
    await bot.upload(channel=SECOND)
    assert "can be changed only by" in await bot.told("settings follow-ups always", BEN, SECOND)
    assert "Done." in await bot.told("settings follow-ups always", ANNA, SECOND)
    question = bot.ask(about("Jena"), SECOND)
    await bot.answered(question)

    bot.slack.say(SECOND, BEN, ANNUAL, question.ts)
    await bot.answered(question, FIFTEEN)


async def test_the_home_tab_shows_the_channels_of_whoever_opens_it(bot: Bot) -> None:
    bot.slack.leave_channel(SECOND, BEN)
    await bot.slack.settled()
    bot.slack.open_home(BEN)
    home = await bot.slack.until(lambda: bot.slack.homes.get((bot.slack.team.id, BEN)))

    assert "refunds.md" in home.shown
    assert f"<#{GENERAL}>" in home.shown
    assert SECOND not in home.shown


async def pressed(bot: Bot, reply: Message, button: str, user: str) -> str:
    """Return what pressing a button shows, to whoever pressed it and nobody else."""
    return await bot.whispered(lambda: bot.slack.press(reply, button, user), user)
