from __future__ import annotations

import pytest

from adapters.discord.clerk import CUSTOMS as DISCORD
from adapters.slack.clerk import CUSTOMS as SLACK
from bot.manners import with_manners
from bot.records import Customs
from pipeline.conversation import Question, Reason
from tests.fakes.pipeline import ScriptedPipeline, answer
from tests.fakes.room import SCOPE


@pytest.mark.parametrize(
    ("customs", "command"),
    [(SLACK, "`/footnote docs`"), (DISCORD, "`/docs`"), (Customs(prefix="/"), "`/docs`")],
)
async def test_who_asks_for_the_files_is_pointed_to_the_platforms_command(
    customs: Customs, command: str
) -> None:
    pipeline = ScriptedPipeline()
    ask = with_manners(pipeline.ask_stream, customs)

    stream = ask(Question(text="What files do you have?", scope=SCOPE))

    assert [event async for event in stream] == []
    assert (stream.response.success, stream.response.reason) == (False, Reason.ABOUT_ASSISTANT)
    assert command in (stream.response.message or "")
    assert await stream.remember() is None
    await stream.aclose()
    assert pipeline.questions == []


@pytest.mark.parametrize(("text", "begins"), [("hello", "Hello! I answer"), ("what can you do?", "I answer")])
async def test_a_greeting_is_returned(text: str, begins: str) -> None:
    ask = with_manners(ScriptedPipeline().ask_stream, Customs(prefix="/"))

    said = ask(Question(text=text, scope=SCOPE)).response.message or ""

    assert said.startswith(begins)
    assert "`/docs`" in said
    assert "`/help`" in said


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("thanks", "You're welcome."),
        ("Great, thank you!", "You're welcome."),
        ("danke", "You're welcome."),
        ("ok", "All right. Ask me whenever you want to know something from the files."),
    ],
)
async def test_thanks_get_a_line_and_nothing_is_asked_or_remembered(text: str, reply: str) -> None:
    pipeline = ScriptedPipeline()

    stream = with_manners(pipeline.ask_stream, Customs(prefix="/"))(Question(text=text, scope=SCOPE))

    assert stream.response.message == reply
    assert stream.response.citations == ()
    assert await stream.remember() is None
    assert pipeline.questions == []


@pytest.mark.parametrize("text", ["are you sure?", "where does it say that?", "why?"])
@pytest.mark.parametrize(
    ("customs", "way"),
    [
        (SLACK, "press “Why this answer” below it, or use `/footnote why`."),
        (DISCORD, "press “Why this answer” below it, or use `/why`."),
        (Customs(prefix="/"), "rests on, use `/why`."),
    ],
)
async def test_who_doubts_an_answer_is_shown_how_to_check_it(customs: Customs, way: str, text: str) -> None:
    pipeline = ScriptedPipeline()

    stream = with_manners(pipeline.ask_stream, customs)(Question(text=text, scope=SCOPE))

    assert (stream.response.message or "").endswith(way)
    assert pipeline.questions == []


async def test_a_question_is_asked() -> None:
    pipeline = ScriptedPipeline(answer("Five days."))
    ask = with_manners(pipeline.ask_stream, Customs())

    stream = ask(Question(text="What files do I need for a visa application?", scope=SCOPE))

    assert [event async for event in stream]
    assert [question.text for question in pipeline.questions] == [
        "What files do I need for a visa application?"
    ]
