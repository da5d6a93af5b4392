"""Whatever Slack refuses, loses or takes its time for: the whole answer stands there in the end, once."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import pytest
import pytest_asyncio

from tests.acceptance.model import about, held, pieces, release
from tests.acceptance.program import words
from tests.acceptance.slack import MANY, Bot, running
from tests.fakes.slack import error, http, rate_limited, reset_after, reset_before

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from tests.fakes.ollama import Answer
    from tests.fakes.slack import Fault, Message
    from tests.fakes.slack.state import Call

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

LIVE, EDITED = "C0GENERAL", "C0SECOND"
"""Where Slack streams answers, and where it does not; behind it stands the mark of a workspace."""

LONGER = (
    "A refund for a monthly plan takes five working days [1]. A refund for an annual plan takes fifteen "
    "working days [1]. Neither of them depends on who asks for it, or on the weather of the day [1]."
)
PROSE = "\n\n".join(
    f"Paragraph {number} says that a refund takes {number} days, as the file has it [1]. "
    + "There is more of it [1]. " * 8
    for number in range(100)
)
LINES = [f"refund(invoice={number}, days={number % 9}, reason='late')" for number in range(300)]
CODE = "Run this [1]:\n\n```py\n" + "\n".join(LINES) + "\n```\n\nThat is all of it [1]."
TABLE = (
    "The file has this table [1]:\n\n| plan | days |\n|---|---|\n| monthly | 5 |\n| annual | 15 |\n\n"
    "That is all of it [1]."
)
HOSTILE = {
    "As the file has it, tell everybody in <!chan": "everybody in",
    "nel> and everybody in <!here>, and then @every": "and everybody in",
    "one in the house, and in the end <@U0": "in the end",
    "BEN>, &lt;!channel&gt; and <#C0SECOND|second> of it, in code too: `<!subteam^S1|team> ": "in code too",
    "<@U0BEN>` [1].": "U0BEN",
}
"""What comes in one piece, and what people see of it before the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What goes wrong with one method, and while which part of an answer is written."""

    method: str
    fault: Fault
    part: Literal["start", "middle", "end"]
    times: int = 1
    channel: str = LIVE
    final: bool = False
    """Only the call that shows the end of the answer fails."""


TROUBLES = {
    "status refused": Trouble(
        method="assistant.threads.setStatus", fault=error("channel_not_found"), part="start"
    ),
    "start refused": Trouble(method="chat.startStream", fault=error("internal_error"), part="start"),
    "start's answer lost": Trouble(method="chat.startStream", fault=reset_after(), part="start"),
    "pieces limited": Trouble(method="chat.appendStream", fault=rate_limited(1), part="middle", times=2),
    "piece refused": Trouble(method="chat.appendStream", fault=error("internal_error"), part="middle"),
    "piece's answer lost": Trouble(method="chat.appendStream", fault=reset_after(), part="middle"),
    "end limited": Trouble(method="chat.stopStream", fault=rate_limited(1), part="end", times=2),
    "end refused": Trouble(method="chat.stopStream", fault=error("fatal_error"), part="end"),
    "end never arrives": Trouble(method="chat.stopStream", fault=reset_before(), part="end"),
    "post dropped": Trouble(
        method="chat.postMessage", fault=reset_before(), part="start", times=2, channel=EDITED
    ),
    "post's answer lost": Trouble(
        method="chat.postMessage", fault=reset_after(), part="start", channel=EDITED
    ),
    "post limited": Trouble(
        method="chat.postMessage", fault=rate_limited(1), part="start", times=2, channel=EDITED
    ),
    "edits limited": Trouble(
        method="chat.update", fault=rate_limited(1), part="middle", times=2, channel=EDITED
    ),
    "edit refused": Trouble(
        method="chat.update", fault=error("internal_error"), part="middle", channel=EDITED
    ),
    "last edit fails": Trouble(
        method="chat.update", fault=http(503), part="start", times=2, channel=EDITED, final=True
    ),
}


def _is_final(arguments: Mapping[str, Any]) -> bool:
    return "Sources" in words(arguments)


OTHERS, LONG, TABLES = "OTHERS", "LONG", "TABLES"


def _space(name: str, trouble: Trouble) -> str:
    """Return the mark of the workspace in which a trouble happens: caution after some lasts for a while."""
    lasting = trouble.channel == EDITED or trouble.fault.status == 429
    return "".join(filter(str.isalpha, name)).upper() if lasting else OTHERS


ROOMS = sorted(
    {f"{each.channel}{_space(name, each)}" for name, each in TROUBLES.items()}
    | {f"{channel}{space}" for channel in (LIVE, EDITED) for space in (OTHERS, LONG, TABLES)}
)
"""Channels with a file."""
SPACES = sorted({room.removeprefix(LIVE).removeprefix(EDITED) for room in ROOMS})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data"), **MANY) as bot:
        no_stream = error("channel_type_not_supported")
        bot.slack.fail("chat.startStream", no_stream, times=None, when=lambda call: EDITED in call["channel"])
        for space in SPACES:
            await bot.install(bot.slack.add_workspace(f"T0{space}", space.lower(), installed=False))
        await asyncio.gather(*(bot.upload(channel=room) for room in ROOMS))
        yield bot


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_the_whole_answer_stands_there_once_in_the_end(bot: Bot, trouble: str) -> None:
    wrong, answer = TROUBLES[trouble], held(LONGER)
    known = len(bot.slack.called(wrong.method))

    def failed() -> bool:
        calls = bot.slack.called(wrong.method)[known:]
        return sum(call.status != 200 or bool(call.error) for call in calls) >= wrong.times

    def plan(part: str) -> None:
        if part == wrong.part:
            bot.slack.fail(
                wrong.method, wrong.fault, times=wrong.times, when=_is_final if wrong.final else None
            )

    plan("start")
    question = ask(bot, f"Aachen, where {trouble}", answer, f"{wrong.channel}{_space(trouble, wrong)}")
    await begun(bot, question, answer)
    plan("middle")
    if wrong.part == "middle":
        release(answer, 6)
        await bot.slack.until(failed)
    plan("end")
    release(answer)
    reply = await bot.answered(question, LONGER)

    assert failed()
    assert bot.replies(question) == [reply]
    assert reply.shown.startswith(f"{LONGER}\n\n[1] refunds.md")
    assert {"Sources", "👍"} <= {*reply.buttons}
    assert_patient(bot.slack.called(wrong.method)[known:])


async def test_a_stream_that_slack_ends_is_finished_in_the_same_message(bot: Bot) -> None:
    answer = held(LONGER)
    question = ask(bot, "Basel", answer)
    await begun(bot, question, answer)
    (first,) = bot.replies(question)
    assert bot.slack.expire_streams() == 1
    release(answer)

    reply = await bot.answered(question, LONGER)
    assert (reply.ts, reply.broken) == (first.ts, False)
    assert bot.replies(question) == [reply]


@pytest.mark.parametrize("way", ["dropped", "refresh_requested"])
async def test_a_lost_connection_costs_neither_the_answer_nor_the_next_question(bot: Bot, way: str) -> None:
    answer, sockets = held(LONGER), bot.slack.sockets
    question = ask(bot, f"Chur, {way}", answer, f"{EDITED}{OTHERS}")
    await begun(bot, question, answer)
    opened = sockets.opened
    if way == "dropped":
        sockets.drop()
    else:
        await sockets.disconnect(way)
    later = bot.ask(about(f"Davos, {way}"), question.channel)
    release(answer)

    await bot.answered(question, LONGER)
    await bot.answered(later)
    assert len(bot.replies(question)) == len(bot.replies(later)) == 1
    assert sockets.opened > opened


@pytest.mark.parametrize("channel", [LIVE, EDITED], ids=["streamed", "edited"])
@pytest.mark.parametrize("text", [PROSE, CODE, TABLE], ids=["prose", "code", "table"])
async def test_a_long_answer_loses_no_character(bot: Bot, channel: str, text: str) -> None:
    answer, space = held(pieces(text, len(text) // 50)), TABLES if text is TABLE else LONG
    question = ask(bot, f"Essen, {len(text)} letters in {channel}", answer, f"{channel}{space}")
    release(answer, len(answer.pieces) // 2)
    await bot.slack.until(lambda: len(bot.replies(question)) >= max(1, len(text) // 24_000))
    release(answer)
    last = await bot.answered(question, "refunds.md")

    replies = bot.replies(question)
    said = letters("".join(reply.shown for reply in replies))
    assert said.startswith(letters(text) + "1refundsmd")
    assert [reply.shown.count("[1] refunds.md") for reply in replies] == [0] * (len(replies) - 1) + [1]
    assert replies[-1] is last
    assert not any(reply.buttons for reply in replies[:-1])
    assert all(reply.shown.count("```") % 2 == 0 for reply in replies)
    assert text is not TABLE or "| monthly | 5 |" in last.shown  # Slack draws it


@pytest.mark.parametrize("channel", [LIVE, EDITED], ids=["streamed", "edited"])
async def test_what_a_model_writes_pings_nobody(bot: Bot, channel: str) -> None:
    known, answer = len(bot.slack.calls), held([*HOSTILE])
    question = ask(bot, f"Fulda, {channel}", answer, f"{channel}{LONG}")
    for seen in HOSTILE.values() if channel == LIVE else ():
        release(answer, 1)
        await bot.shows(question, seen)
    release(answer)
    reply = await bot.answered(question, "in code too")

    said = "\n".join(text for call in bot.slack.calls[known:] for text in words(call.arguments))
    assert not re.search(r"<[!@#]|&lt;[!@#]|@(here|channel|everyone)", said)
    assert "channel and everybody in" in reply.shown.replace("\u2060", "")


def ask(bot: Bot, place: str, answer: Answer, channel: str = f"{LIVE}{OTHERS}") -> Message:
    """Ask what nobody else asks, and have *answer* ready for it."""
    bot.model.script(about(place), answer)
    return bot.ask(about(place), channel)


async def begun(bot: Bot, question: Message, answer: Answer) -> None:
    """Let some of *answer* come, and wait until it is shown."""
    release(answer, 4)
    start = "".join(answer.pieces)[:20]
    await bot.shows(question, start)


def letters(text: str) -> str:
    """Return what no markup can change."""
    return "".join(character for character in text.replace("```py", "") if character.isalnum())


def assert_patient(calls: Sequence[Call]) -> None:
    """No call comes before the time that Slack asked to wait is over."""
    for refused, following in pairwise(calls):
        if refused.status == 429:
            assert following.at - refused.at >= 1.0
