"""Whatever Discord refuses, loses or takes its time for: the whole answer stands there in the end, once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import pytest
import pytest_asyncio

from tests.acceptance.discord import LIMIT, PING, Bot, running
from tests.acceptance.model import ANNUAL, FIFTEEN, about, held, pieces, release
from tests.acceptance.program import words
from tests.fakes.discord import SECOND, http, rate_limited, refused, reset_after, reset_before
from tests.fakes.discord.messages import CODE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from tests.fakes.discord import Fault, Message
    from tests.fakes.discord.rest import Call
    from tests.fakes.ollama import Answer

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

LONGER = (
    "A refund for a monthly plan takes five working days [1]. A refund for an annual plan takes fifteen "
    "working days [1]. Neither of them depends on who asks for it, or on the weather of the day [1]."
)
SENTENCE = (
    "A refund takes five working days, whoever asks for it and however they paid, as the file has it [1]. "
)
PROSE = "\n\n".join(f"Paragraph {number}. {SENTENCE * 4}".rstrip() for number in range(12))
LIST = "Do this, one after the other [1]:\n\n" + "\n".join(
    f"{number}. Take invoice {100 + number} and look up its day, then count **five working days** [1]."
    for number in range(1, 61)
)
LINES = [f"refund(invoice={number}, days={number % 9}, reason='late')" for number in range(300)]
BLOCK = "Run this [1]:\n\n```py\n" + "\n".join(LINES) + "\n```\n\nThat is all of it [1]."
TABLE = (
    "The file has this table [1]:\n\n| plan | days |\n|---|---|\n| monthly | 5 |\n| annual | 15 |\n\n"
    "That is all of it [1]."
)
ONE_MORE = ("x" * 30 + " ") * 64 + "y" * 17
"""2,001 characters."""
LONG = {"prose": PROSE, "a list": LIST, "code": BLOCK, "one too many": f"{ONE_MORE[:-4]} [1]"}
HOSTILE = {
    "As the file has it, tell @every": "the file has it",
    "one and @here in the house of <@10000000000": "in the house of",
    "0000004> and of <@&2000000000": "and of",
    "00000000> in <#300000000000000002> of it, in code too: `@everyone": "in code too",
    "` [1].": "everyone",
}
"""What comes in one piece, and what people see of it before the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What goes wrong with one kind of call, and while which part of an answer is written."""

    route: str
    fault: Fault
    part: Literal["start", "middle", "end"]
    times: int = 1
    replies: bool = False
    """No thread came about, so the answer is a reply."""
    elsewhere: bool = False
    """The answer stands in another message than it began in."""


TROUBLES = {
    "thread refused": Trouble(route="thread", fault=refused(50013), part="start", replies=True),
    "too many threads": Trouble(route="thread", fault=refused(160006), part="start", replies=True),
    "thread unavailable": Trouble(route="thread", fault=http(503), part="start"),
    "thread limited": Trouble(route="thread", fault=rate_limited(1), part="start"),
    "thread's answer lost": Trouble(route="thread", fault=reset_after(), part="start"),
    "send dropped": Trouble(route="send", fault=reset_before(), part="start", times=2),
    "send's answer lost": Trouble(route="send", fault=reset_after(), part="start"),
    "send unavailable": Trouble(route="send", fault=http(503), part="start", times=2),
    "send unavailable, but done": Trouble(route="send", fault=http(503, done=True), part="start"),
    "send broken": Trouble(route="send", fault=http(502), part="start"),
    "send limited": Trouble(route="send", fault=rate_limited(1), part="start", times=2),
    "edit limited": Trouble(route="edit", fault=rate_limited(1), part="middle", times=2),
    "edit limited for all": Trouble(route="edit", fault=rate_limited(1, "shared"), part="middle"),
    "everything limited": Trouble(route="edit", fault=rate_limited(1, "global"), part="middle"),
    "edit broken": Trouble(route="edit", fault=http(500), part="middle"),
    "edit unavailable": Trouble(route="edit", fault=http(503), part="middle"),
    "edit dropped": Trouble(route="edit", fault=reset_before(), part="middle"),
    "edit's answer lost": Trouble(route="edit", fault=reset_after(), part="middle"),
    "edit refused": Trouble(route="edit", fault=refused(200000), part="middle"),
    "last edit unavailable": Trouble(route="edit", fault=http(503), part="end", times=2),
    "last edit dropped": Trouble(route="edit", fault=reset_before(), part="end", times=2),
    "last edit's answer lost": Trouble(route="edit", fault=reset_after(), part="end"),
    "last edit limited": Trouble(route="edit", fault=rate_limited(1), part="end", times=2),
    "message too old": Trouble(route="edit", fault=refused(30046), part="end", times=2, elsewhere=True),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data")) as bot:
        bot.discord.rates.change("threads", 1_000)  # nobody opens so many in one channel in five minutes
        await bot.upload()
        yield bot


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_the_whole_answer_stands_there_once_in_the_end(bot: Bot, trouble: str) -> None:
    wrong, answer = TROUBLES[trouble], held(LONGER)
    bot.model.script(about(f"Aachen, where {trouble}"), answer)

    def concerns(call: Call) -> bool:
        return str(question.id) in call.path and (wrong.part != "end" or _is_last(call))

    def calls() -> list[Call]:
        return [call for call in bot.discord.called(wrong.route) if concerns(call)]

    def failed() -> bool:
        return sum(call.status >= 400 or not call.status for call in calls()) >= wrong.times

    if wrong.part != "middle":
        bot.discord.fail(wrong.route, wrong.fault, times=wrong.times, when=concerns)
    question = bot.ask(about(f"Aachen, where {trouble}"))
    await begun(bot, question, answer)
    (first,) = bot.replies(question)
    if wrong.part == "middle":
        bot.discord.fail(wrong.route, wrong.fault, times=wrong.times, when=concerns)
        release(answer, 6)
        await bot.discord.until(failed)
    release(answer)
    reply = await bot.answered(question, LONGER)

    assert failed()
    assert bot.replies(question) == [reply]
    assert (reply is first) is not wrong.elsewhere
    assert (question.thread is None) is wrong.replies
    assert reply.shown.startswith(f"{LONGER}\n\n[1] refunds.md")
    assert {"Sources", "👍"} <= {*reply.buttons}
    assert_patient(calls())


async def test_an_answer_grows_in_place(bot: Bot) -> None:
    answer = held(LONGER)
    question = ask(bot, "Basel", answer)
    for number in range(1, 4):
        release(answer, 5)
        # the last word may still become an address, and is held back with what is too short for a step
        await bot.shows(question, LONGER[: number * 60 - 24])
    release(answer)
    reply = await bot.answered(question, LONGER)

    texts = [shown for shown in reply.history if shown.startswith("A refund")]
    assert len(texts) >= 4
    assert all(len(before) < len(after) for before, after in pairwise(texts))
    assert bot.replies(question) == [reply]


async def test_an_answer_that_somebody_deletes_while_it_is_written_is_given_anew(bot: Bot) -> None:
    answer = held(LONGER)
    question = ask(bot, "Chur", answer)
    await begun(bot, question, answer)
    (first,) = bot.replies(question)
    bot.discord.delete(first)
    release(answer)

    reply = await bot.answered(question, LONGER)
    assert bot.replies(question) == [reply]


async def test_an_archived_thread_wakes_when_its_answer_ends(bot: Bot) -> None:
    answer = held(LONGER)
    question = ask(bot, "Davos", answer)
    await begun(bot, question, answer)
    assert question.thread is not None
    bot.discord.archive(question.thread)
    release(answer)

    reply = await bot.answered(question, LONGER)
    assert bot.replies(question) == [reply]


async def test_a_lock_leaves_no_half_answer_that_looks_whole(bot: Bot) -> None:
    answer = held(LONGER)
    question = ask(bot, "Dresden", answer)
    await begun(bot, question, answer)
    assert question.thread is not None
    bot.discord.archive(question.thread, archived=False, locked=True)
    release(answer)
    await bot.discord.until(lambda: not bot.model.running)
    await bot.answered(bot.ask(about("Dublin")))

    (left,) = bot.replies(question)
    assert "Stop" in left.buttons or left.shown.startswith(LONGER)
    bot.discord.archive(question.thread, archived=False, locked=False)
    bot.discord.delete(question)


@pytest.mark.parametrize("way", ["dropped", "reconnect", "closed", "invalid", "resumable in appearance"])
async def test_a_lost_connection_costs_neither_the_answer_nor_the_next_question(bot: Bot, way: str) -> None:
    answer, gateway = held(LONGER), bot.discord.gateway
    question = ask(bot, f"Essen, {way}", answer)
    await begun(bot, question, answer)
    began = len(gateway.identifies) + gateway.resumes
    lose: dict[str, Callable[[], None]] = {
        "dropped": gateway.drop,
        "reconnect": gateway.reconnect,
        "closed": gateway.close,
        "invalid": gateway.invalidate,
        "resumable in appearance": lambda: gateway.invalidate(resumable=True),
    }
    gateway.rewind = 5
    lose[way]()
    later = bot.ask(about(f"Fulda, {way}"))
    release(answer)

    await bot.answered(question, LONGER)
    await bot.answered(later, seconds=40)
    await bot.discord.until(lambda: len(gateway.identifies) + gateway.resumes > began)
    await bot.discord.settled()
    await bot.answered(bot.ask(about(f"Genf, {way}")))
    assert len(bot.replies(question)) == len(bot.replies(later)) == 1
    assert len(bot.model.asked(about(f"Fulda, {way}"))) == 1


async def test_what_happened_while_discord_refused_to_resume_is_read_up(bot: Bot) -> None:
    gateway = bot.discord.gateway
    answered = bot.ask(about("Halle"))
    await bot.answered(answered)
    gateway.drop()
    gateway.forget()
    missed = bot.ask(about("Hamm"))
    bot.discord.say(answered.thread or 0, answered.author.id, ANNUAL)

    await bot.answered(missed, seconds=40)
    await bot.answered(answered, FIFTEEN)
    await bot.discord.settled()
    assert len(bot.replies(missed)) == 1
    assert len(bot.replies(answered)) == 2


@pytest.mark.parametrize("kind", LONG)
async def test_a_long_answer_loses_no_character(bot: Bot, kind: str) -> None:
    text = LONG[kind]
    answer = held(pieces(text, max(1, len(text) // 40)))
    question = ask(bot, f"Ilmenau, {kind}", answer)
    release(answer, len(answer.pieces) // 2)
    await bot.discord.until(lambda: len(bot.replies(question)) >= max(1, len(text) // (2 * LIMIT)))
    release(answer)
    last = await bot.answered(question, "refunds.md", 60)

    replies = bot.replies(question)
    assert len(replies) > 1
    said = letters("".join(reply.shown for reply in replies))
    assert said.startswith(letters(text) + "1refundsmd")
    assert [reply.shown.count("[1] refunds.md") for reply in replies] == [0] * (len(replies) - 1) + [1]
    assert replies[-1] is last
    assert not any(reply.buttons for reply in replies[:-1])
    assert all(len(reply.shown) <= LIMIT for reply in replies)
    assert all(reply.shown.count("```") % 2 == 0 for reply in replies)
    assert not [one.shown for one in replies if "refund(" in one.shown and "```py\nrefund(" not in one.shown]
    items = {line.partition(". Take")[0] for reply in replies for line in reply.shown.splitlines()}
    assert text is not LIST or items >= {str(number) for number in range(1, 61)}


async def test_every_state_of_a_long_block_of_code_is_one(bot: Bot) -> None:
    answer = held(pieces(BLOCK, 400))
    question = ask(bot, "Jena", answer)
    for _ in answer.pieces:
        release(answer, 1)
        await asyncio.sleep(0)
    await bot.answered(question, "refunds.md", 60)

    states = [state for reply in bot.replies(question) for state in reply.history]
    assert all(state.count("```") % 2 == 0 for state in states)


async def test_a_table_is_aligned_for_people_to_read(bot: Bot) -> None:
    question = ask(bot, "Kiel", TABLE)
    reply = await bot.answered(question, "That is all of it")

    block = reply.shown.split("```")[1].splitlines()
    monthly, annual = (next(line for line in block if name in line) for name in ("monthly", "annual"))
    assert "|--" not in reply.shown
    assert monthly.split("monthly")[1].strip(" │|") == "5"
    assert monthly.index("5") == annual.index("15")


async def test_links_of_an_answer_show_no_preview(bot: Bot) -> None:
    text = "It is at https://example.com/refunds and [here](https://example.com/again) too [1]."
    # an answer may only hold addresses that its question or its sources hold
    question = ask(bot, "Linz, as https://example.com/refunds and https://example.com/again say", text)
    reply = await bot.answered(question, "example.com")

    assert reply.previews == []
    assert reply.suppressed
    assert "https://example.com/refunds" in reply.shown


async def test_what_a_model_writes_pings_nobody(bot: Bot) -> None:
    known, answer = len(bot.discord.calls), held([*HOSTILE])
    question = ask(bot, "Mainz", answer)
    for seen in HOSTILE.values():
        release(answer, 1)
        await bot.shows(question, seen)
    release(answer)
    reply = await bot.answered(question, "in code too")

    calls = [call for call in bot.discord.calls[known:] if call.route in {"send", "edit"}]
    said = [CODE.sub(" ", text) for call in calls for text in words(call.payload)]
    assert not [text for text in said if PING.search(text)]
    assert all(call.body["allowed_mentions"] == {"parse": []} for call in calls)
    assert "of it, in code too" in reply.shown


async def test_edits_that_use_up_the_budget_leave_room_for_the_last_word(bot: Bot) -> None:
    bot.discord.rates.enforced = True
    try:
        await bot.signed(bot.share(channel=SECOND))
        answers = [held(LONGER) for _ in range(4)]
        questions = [ask(bot, f"Neuss {number}", one, SECOND) for number, one in enumerate(answers)]
        for _ in range(16):
            for answer in answers:
                release(answer, 1)
            await asyncio.sleep(0.3)  # as a model takes its time
        for answer in answers:
            release(answer)
        for question in questions:
            await bot.answered(question, LONGER)
    finally:
        bot.discord.rates.enforced = False

    assert bot.discord.rates.refusals == 0
    assert [len(bot.replies(question)) for question in questions] == [1] * 4


def ask(bot: Bot, place: str, answer: Answer | str, channel: int | None = None) -> Message:
    """Ask what nobody else asks, and have *answer* ready for it."""
    bot.model.script(about(place), answer)
    return bot.ask(about(place), *([] if channel is None else [channel]))


async def begun(bot: Bot, question: Message, answer: Answer) -> None:
    """Let some of *answer* come, and wait until it is shown."""
    release(answer, 4)
    start = "".join(answer.pieces)[:20]
    await bot.shows(question, start)


def letters(text: str) -> str:
    """Return what no markup can change; fences that are closed and opened again say no more."""
    return "".join(character for character in text.replace("```py", "") if character.isalnum())


def assert_patient(calls: Sequence[Call]) -> None:
    """No call comes before the time that Discord asked to wait is over."""
    for refused_call, following in pairwise(calls):
        if refused_call.status == 429:
            assert following.at - refused_call.at >= 1.0


def _is_last(call: Call) -> bool:
    return "Sources" in words(call.payload)
