"""What people do with questions and answers in Discord besides asking: change, stop, judge, look up, set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.acceptance.discord import Bot, mention, running
from tests.acceptance.model import ANNUAL, FIFTEEN, FIVE, about, held
from tests.fakes.discord import (
    ADAM,
    ANNA,
    BEN,
    GENERAL,
    HIDDEN,
    NO_THREADS,
    OLGA,
    READONLY,
    SECOND,
    THIRD,
    Permission,
)
from tests.fakes.discord.components import fillable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import Message

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

BUTTONS = ["👍", "👎", "Sources", "Why this answer"]
TYPED = ["ask", "docs", "forget", "help", "reset", "settings", "status", "upload", "why"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data")) as bot:
        bot.discord.rates.change("threads", 1_000)  # nobody opens so many in one channel in five minutes
        await bot.upload()
        yield bot


async def test_an_answer_that_was_edited_for_another_question_is_the_same_message(bot: Bot) -> None:
    question = bot.ask(about("Aachen"))
    before = await bot.answered(question)
    bot.discord.edit(question, mention(bot, ANNUAL))
    after = await bot.answered(question, FIFTEEN)

    assert after is before
    assert bot.replies(question) == [after]
    assert FIVE not in after.shown


async def test_a_question_that_is_edited_while_it_is_answered_is_answered_as_it_reads_now(bot: Bot) -> None:
    bot.model.script(about("Basel"), held(FIVE, 4))
    question = bot.ask(about("Basel"))
    await bot.discord.until(lambda: bot.model.asked(about("Basel")))
    bot.discord.edit(question, mention(bot, ANNUAL))
    await bot.answered(question, FIFTEEN)

    assert len(bot.replies(question)) == 1
    await bot.discord.until(lambda: bot.model.hung_up)


async def test_a_message_becomes_a_question_by_being_edited(bot: Bot) -> None:
    message = bot.discord.say(GENERAL, BEN, about("Bonn"))
    await bot.discord.settled()
    bot.discord.edit(message, mention(bot, about("Bonn")))

    await bot.answered(message)


async def test_a_preview_below_a_question_and_a_pin_are_no_edits(bot: Bot) -> None:
    question = bot.ask(about("Chur"))
    await bot.answered(question)
    bot.discord.unfurl(question)
    bot.discord.pin(question)
    await bot.discord.settled()
    bot.ask(ANNUAL, question.thread or GENERAL)
    await bot.answered(question, FIFTEEN)

    assert len(bot.model.asked(about("Chur"))) == 1


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("way", ["deleted", "deleted with others", "edited to name nobody"])
async def test_a_question_that_is_taken_back_takes_its_answer_along(
    bot: Bot, way: str, finished: bool
) -> None:
    asked = about(f"Davos, {way}, finished: {finished}")
    if not finished:
        bot.model.script(asked, held(FIVE, 4))
    question = bot.ask(asked)
    await bot.discord.until(lambda: bot.shown(question))
    if finished:
        await bot.answered(question)

    if way == "deleted":
        bot.discord.delete(question)
    elif way == "deleted with others":
        bot.discord.delete(bot.discord.say(GENERAL, BEN, "Something else."), question)
    else:
        bot.discord.edit(question, asked)
    await bot.discord.until(lambda: not bot.shown(question))


@pytest.mark.parametrize("way", ["word", "mention", "emoji at the answer", "emoji at the question", "button"])
async def test_an_answer_is_stopped_and_says_so(bot: Bot, way: str) -> None:
    discord, asked = bot.discord, about(f"Essen, stopped by {way}")
    bot.model.script(asked, held(FIVE, 3))
    question = bot.ask(asked)
    written: Message = await discord.until(
        lambda: next((one for one in bot.replies(question) if "refund" in one.shown), None)
    )
    thread = question.thread
    assert thread is not None

    if way == "word":
        discord.say(thread, ANNA, "stop")
    elif way == "mention":
        bot.ask("stop", thread)
    elif way == "emoji at the answer":
        discord.react(written, "🛑", BEN)
    elif way == "emoji at the question":
        discord.react(question, "🛑", BEN)
    else:
        discord.press(written, "Stop", BEN)
    await discord.until(lambda: "Stopped." in written.shown)

    assert written.shown.startswith("A refund")
    assert FIVE not in written.shown
    assert bot.replies(question) == [written]


async def test_an_answer_has_its_buttons_and_they_do_what_they_say(bot: Bot) -> None:
    question = bot.ask(about("Fulda"))
    reply = await bot.answered(question)
    await bot.remembered(question)
    assert reply.buttons == BUTTONS

    assert "takes five working days" in await pressed(bot, reply, "Sources", BEN)
    assert "refunds.md" in await pressed(bot, reply, "Why this answer", ANNA)
    assert "Thank you" in await pressed(bot, reply, "👍", BEN)
    assert bot.judgements(question) == {(str(BEN), "up", None)}


async def test_a_thumb_down_asks_what_was_wrong_and_keeps_it(bot: Bot) -> None:
    question = bot.ask(about("Genf"))
    reply = await bot.answered(question)
    await bot.remembered(question)
    use = bot.discord.press(reply, "👎", ANNA)
    await bot.discord.until(lambda: use.modal)
    await bot.discord.until(lambda: bot.judgements(question) == {(str(ANNA), "down", None)})

    assert use.modal is not None
    (field,) = fillable(use.modal["components"])
    assert await bot.whispered(bot.discord.submit(use, {field: "It is six days now."}))
    assert bot.judgements(question) == {(str(ANNA), "down", "It is six days now.")}


async def test_a_thumb_as_a_reaction_is_a_judgement_too(bot: Bot) -> None:
    question = bot.ask(about("Hamburg"))
    reply = await bot.answered(question)
    await bot.remembered(question)

    bot.discord.react(reply, "👍🏽", BEN)
    await bot.discord.until(lambda: bot.judgements(question) == {(str(BEN), "up", None)})


async def test_an_answer_that_stands_in_a_channel_has_working_buttons_too(bot: Bot) -> None:
    await bot.signed(bot.share(channel=NO_THREADS))
    question = bot.ask(about("Ilmenau"), NO_THREADS)
    reply = await bot.answered(question)
    await bot.remembered(question)

    assert "takes five working days" in await pressed(bot, reply, "Sources", BEN)
    assert "Thank you" in await pressed(bot, reply, "👍", BEN)


async def test_commands_tell_how_things_stand_to_whoever_asks(bot: Bot) -> None:
    assert sorted(one["name"] for one in bot.discord.commands[None] if one["type"] == 1) == TYPED
    assert "refunds.md" in await bot.told("docs", BEN)
    assert "1 ready" in await bot.told("status", BEN)
    assert "How to use me" in await bot.told("help", BEN)
    assert "follow-ups" in await bot.told("settings", ADAM)
    question = bot.ask(about("Jena"), user=BEN)
    await bot.answered(question)
    await bot.remembered(question)
    assert "refunds.md" in await bot.told("why", BEN)
    assert "anew" in await bot.told("reset", BEN)


async def test_commands_are_obeyed_in_a_thread_and_in_a_direct_conversation(bot: Bot) -> None:
    question = bot.ask(about("Kiel"))
    await bot.answered(question)

    assert "refunds.md" in await bot.told("docs", BEN, question.thread or GENERAL)
    assert "no documents yet" in await bot.told("docs", BEN, bot.discord.direct(BEN))


async def test_a_thread_that_was_reset_is_not_remembered(bot: Bot) -> None:
    question = bot.ask(f"My code word is XYZZY. {about('Linz')}")
    await bot.answered(question)
    await bot.remembered(question)
    thread = question.thread or GENERAL
    await bot.told("reset", ANNA, thread)
    bot.ask(ANNUAL, thread)
    await bot.answered(question, FIFTEEN)

    assert not [prompt for prompt in bot.model.asked(ANNUAL) if "XYZZY" in prompt]


async def test_names_of_documents_are_completed_and_only_who_may_takes_them_back(bot: Bot) -> None:
    await bot.signed(bot.share("travel.md", "# Travel\n\nA visit to Oslo costs 500 crowns.", THIRD))
    await bot.signed(bot.share("leave.md", "# Leave\n\nThere are 28 days of leave.", THIRD, BEN))
    typed = await bot.discord.autocomplete(BEN, THIRD, "forget", focused="document", document="l").answered()
    assert [one["name"] for one in typed.choices] == ["leave.md", "travel.md"]

    (travel,) = [one["value"] for one in typed.choices if one["name"] == "travel.md"]
    assert "can be taken back" in await bot.told("forget", BEN, THIRD, document=travel)
    assert "travel.md" in await bot.told("docs", BEN, THIRD)
    await bot.told("forget", BEN, THIRD, document="leave.md")
    assert "leave.md" not in await bot.told("docs", BEN, THIRD)
    assert "can be taken back only by" in await bot.told("forget", BEN, THIRD, document="all")
    await bot.told("forget", ADAM, THIRD, document="all")
    assert "no documents yet" in await bot.told("docs", BEN, THIRD)


async def test_a_channel_chooses_which_follow_ups_are_answered(bot: Bot) -> None:
    await bot.signed(bot.share(channel=SECOND))
    with pytest.raises(PermissionError):  # Discord does not even offer it
        bot.discord.slash(BEN, SECOND, "settings", **{"follow-ups": "always"})
    assert "Done." in await bot.told("settings", OLGA, SECOND, **{"follow-ups": "always"})
    question = bot.ask(about("Mainz"), SECOND)
    await bot.answered(question)

    bot.discord.say(question.thread or SECOND, BEN, ANNUAL)
    await bot.answered(question, FIFTEEN)


async def test_thanks_are_no_question(bot: Bot) -> None:
    question = bot.ask(about("Neuss"))
    await bot.answered(question)
    bot.discord.say(question.thread or GENERAL, ANNA, "Thanks!")
    await bot.discord.settled()
    bot.discord.say(question.thread or GENERAL, ANNA, ANNUAL)
    await bot.answered(question, FIFTEEN)

    assert len(bot.replies(question)) == 2


async def test_where_the_bot_may_not_answer_whoever_asks_is_told_so(bot: Bot) -> None:
    said = await bot.whispered(bot.discord.slash(ANNA, READONLY, "ask", question=about("Olten")))
    assert "Send Messages" in said
    said = await bot.whispered(bot.discord.slash(ANNA, HIDDEN, "docs"))
    assert "View Channel" in said
    assert "Create Public Threads" in await bot.told("status", ANNA, NO_THREADS)
    silent = bot.ask(about("Passau"), READONLY)
    await bot.answered(bot.ask(about("Passau")))
    assert not bot.shown(silent)


async def test_a_bot_that_may_not_read_what_was_said_answers_all_the_same(bot: Bot) -> None:
    room = bot.discord.add_channel("forgetful")
    await bot.signed(bot.share(channel=room))
    bot.discord.overwrite(room, bot.discord.application, deny=Permission.READ_MESSAGE_HISTORY)

    await bot.answered(bot.ask(about("Quedlinburg"), room))


async def test_a_server_that_invites_the_bot_is_greeted_and_served(bot: Bot) -> None:
    guild = bot.discord.add_guild("Beta", invited=False)
    (room,) = guild.channels.values()
    guild.system_channel = room.id
    bot.discord.invite_bot(guild)
    await bot.discord.until(lambda: bot.discord.replies(room))

    assert "Thank you for inviting me!" in bot.discord.replies(room)[0].shown
    await bot.signed(bot.share(channel=room))
    await bot.answered(bot.ask(about("Riga"), room))


async def test_doctor_says_what_is_in_order_and_what_is_not(bot: Bot) -> None:
    checks = await examined(bot)
    for part in ("token", "message content", "gateway", "commands"):
        assert checks[f"discord {part}"] == "ok"
    assert checks[f"discord server {bot.discord.guild.id}"] == "warn"  # of channels that it may not write in

    bot.discord.privileged = 0
    try:
        assert (await examined(bot))["discord message content"] == "warn"
    finally:
        bot.discord.privileged = 1 << 15


async def test_a_token_that_discord_does_not_accept_is_named_and_not_shown(bot: Bot) -> None:
    right = bot.discord.token
    wrong = right.replace("token", "wrong")
    done = await bot.command("doctor", "--json", FOOTNOTE_DISCORD__TOKEN=wrong)
    assert {one["name"]: one["status"] for one in done.json["checks"]}["discord token"] == "fail"
    started = await bot.command("discord", FOOTNOTE_DISCORD__TOKEN=wrong)
    assert started.status == 1
    assert "Reset Token" in started.err
    assert not [one for one in (done.out, done.err, started.out, started.err) if wrong in one]


async def pressed(bot: Bot, reply: Message, button: str, user: int) -> str:
    """Return what pressing a button shows, to whoever pressed it and nobody else."""
    return await bot.whispered(bot.discord.press(reply, button, user))


async def examined(bot: Bot) -> dict[str, str]:
    """Return how each thing stands that the doctor looks at."""
    done = await bot.command("doctor", "--json")
    assert bot.discord.token not in done.out + done.err
    return {one["name"]: one["status"] for one in done.json["checks"]}
