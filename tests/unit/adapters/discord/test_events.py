from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from adapters.discord.events import (
    Room,
    is_by_person,
    place_of_message,
    read_deletion,
    read_edit,
    read_message,
    replies_to,
    room_at,
)
from bot.chat import Thread
from bot.incoming import IncomingMessage, MessageDeleted, MessageEdited
from pipeline.domain import Scope
from tests.unit.adapters.discord.objects import (
    ANNA,
    BEN,
    BOT,
    BOT_ROLE,
    CATEGORY,
    DIRECT,
    FORUM,
    GENERAL,
    PEOPLE,
    PINNED,
    POST,
    ROBOT,
    SECRET,
    SERVER,
    STAFF_ROLE,
    STARTER,
    THREAD,
    VOICE,
    World,
    file,
    forwarding,
)

if TYPE_CHECKING:
    import discord

SCOPE = Scope("discord", str(SERVER), str(GENERAL))
QUESTION = f"<@{BOT}> how many days?"


@pytest.fixture
async def world() -> World:
    return World()


def question(message: discord.Message, thread: Thread | None = None) -> IncomingMessage | None:
    room = room_at(message.channel)
    assert room is not None
    return read_message(message, room, BOT, thread=thread)


def edit(message: discord.Message, *, whole: bool = True) -> MessageEdited | MessageDeleted | None:
    room = room_at(message.channel)
    assert room is not None
    return read_edit(message, room, BOT, whole=whole)


def changed(world: World, text: str, where: int = GENERAL, **more: Any) -> discord.Message:
    return world.edit(None, where=where, text=text, **more).message


async def test_a_message_that_names_the_bot_is_a_question_and_begins_a_conversation(world: World) -> None:
    assert question(world.message(text=QUESTION)) == IncomingMessage(
        event_id="900",
        message_id="900",
        thread=Thread(SCOPE, "900"),
        author=str(ANNA),
        text="how many days?",
        mentioned=True,
        midway=False,
    )


@pytest.mark.parametrize(
    ("where", "scope", "key", "midway"),
    [
        (GENERAL, SCOPE, "900", False),
        (VOICE, Scope("discord", str(SERVER), str(VOICE)), "900", False),
        (THREAD, SCOPE, str(THREAD), True),
        (SECRET, Scope("discord", str(SERVER), str(SECRET)), str(SECRET), True),
        (POST, Scope("discord", str(SERVER), str(FORUM)), str(POST), True),
        (DIRECT, Scope("discord", "direct", str(DIRECT)), str(DIRECT), False),
    ],
)
async def test_files_and_answers_belong_to_the_channel_and_the_conversation_to_its_thread(
    world: World, where: int, scope: Scope, key: str, midway: bool
) -> None:
    asked = question(world.message(where, QUESTION))

    assert asked is not None
    assert (asked.thread, asked.midway) == (Thread(scope, key), midway)


async def test_the_first_message_of_a_forums_post_has_nothing_before_it(world: World) -> None:
    asked = question(world.message(POST, QUESTION, id=str(POST)))

    assert asked is not None
    assert not asked.midway


async def test_a_post_that_only_names_the_bot_asks_what_its_title_says(world: World) -> None:
    asked = question(world.message(POST, f"<@{BOT}>", id=str(POST)))
    later = question(world.message(POST, f"<@{BOT}>"))

    assert (asked and asked.text, later and later.text) == ("a thread", "")


async def test_where_nothing_but_the_number_is_known_there_is_no_room(world: World) -> None:
    assert room_at(world.message(9999, QUESTION).channel) is None
    assert room_at(world.server.get_channel(CATEGORY)) is not None
    assert room_at(None) is None


async def test_the_bots_own_role_is_as_good_as_its_name(world: World) -> None:
    text = f"<@&{BOT_ROLE}> how many days?"
    told = question(world.message(text=text, mention_roles=[str(BOT_ROLE)]))
    untold = question(world.message(text=text))

    assert told == untold
    assert told is not None
    assert told.text == "how many days?"


@pytest.mark.parametrize(
    "more",
    [
        {"text": "how many days?"},
        {"text": f"`<@{BOT}>` is how one calls it", "mentions": []},
        {"text": "@everyone how many days?", "mention_everyone": True},
        {"text": f"<@&{STAFF_ROLE}> how many days?", "mention_roles": [str(STAFF_ROLE)]},
        {"text": f"<@{BEN}> how many days?"},
        {"text": ""},
    ],
)
async def test_talk_in_a_channel_is_not_for_the_bot(world: World, more: dict[str, Any]) -> None:
    assert question(world.message(**more)) is None


async def test_everything_that_is_said_directly_is_for_the_bot(world: World) -> None:
    asked = question(world.message(DIRECT, "how many days?"))

    assert asked is not None
    assert asked.mentioned


async def test_whoever_is_named_is_named_in_words(world: World) -> None:
    asked = question(world.message(text=f"<@{BOT}> what does <@{BEN}> say in <#{VOICE}>?"))

    assert asked is not None
    assert asked.text == "what does @ben say in #lounge?"


async def test_what_is_said_in_a_thread_may_be_for_the_bot(world: World) -> None:
    asked = question(world.message(THREAD, "and half days?"))

    assert asked is not None
    assert not asked.mentioned


@pytest.mark.parametrize(
    "more",
    [
        {"text": f"<@{BEN}> and half days?"},
        {"text": "the plan", "attachments": [file(1)]},
        {"text": ""},
    ],
)
async def test_in_a_thread_talk_among_others_and_comments_on_files_are_not_for_the_bot(
    world: World, more: dict[str, Any]
) -> None:
    assert question(world.message(THREAD, **more)) is None


async def test_in_a_thread_a_reply_is_for_whom_it_replies_to(world: World) -> None:
    to_the_bot = world.message(THREAD, "Five days.", BOT)
    to_himself = world.message(THREAD, "how many days?", BEN)
    to_anna = world.message(THREAD, "I see.")

    assert question(world.reply(to_the_bot, "and half days?", ping=False)) is not None
    assert question(world.reply(to_himself, "and half days?", ping=False)) is not None
    assert question(world.reply(to_anna, "and half days?", ping=False)) is None


async def test_a_reply_with_a_ping_is_a_question_and_without_words_it_is_nothing(world: World) -> None:
    answer = world.message(text="Five days.", by=BOT)
    asked = question(world.reply(answer, "and half days?"))

    assert asked is not None
    assert (asked.text, asked.mentioned) == ("and half days?", True)
    assert question(world.reply(answer)) is None


async def test_a_reply_goes_on_with_the_conversation_that_stands_in_the_channel(world: World) -> None:
    answer = world.message(text="Five days.", by=BOT)
    conversation = Thread(SCOPE, "700")
    asked = question(world.reply(answer, "and half days?", ping=False), conversation)

    assert asked is not None
    assert (asked.thread, asked.mentioned, asked.midway) == (conversation, False, False)


async def test_naming_the_bot_and_nothing_else_is_worth_a_sentence(world: World) -> None:
    asked = question(world.message(text=f"<@{BOT}>"))

    assert asked is not None
    assert asked.text == ""


async def test_naming_the_bot_at_a_file_asks_nothing(world: World) -> None:
    assert question(world.message(text=f"<@{BOT}>", attachments=[file(1)])) is None


@pytest.mark.parametrize(
    ("more", "person"),
    [
        ({}, True),
        ({"type": PINNED}, False),
        ({"type": STARTER}, False),
        ({"by": ROBOT}, False),
        ({"by": BOT}, False),
        ({"webhook_id": "77"}, False),
    ],
)
async def test_programs_and_notices_are_not_heard(world: World, more: dict[str, Any], person: bool) -> None:
    assert is_by_person(world.message(text=QUESTION, **more)) is person


async def test_a_reply_to_a_message_that_is_gone_may_reply_to_anybody(world: World) -> None:
    assert replies_to(world.reply(None, "and half days?"), BOT)
    assert not replies_to(world.message(text="and half days?"), BOT)


async def test_a_question_that_was_changed_is_told(world: World) -> None:
    edited = edit(changed(world, f"<@{BOT}> how many half days?"))

    assert edited == MessageEdited(
        event_id="900/1777896300.0",
        message_id="900",
        thread=Thread(SCOPE, "900"),
        author=str(ANNA),
        text="how many half days?",
        mentioned=True,
    )


async def test_a_preview_or_a_pin_changes_nothing(world: World) -> None:
    assert edit(world.message(text=QUESTION, edited_timestamp=None)) is None


async def test_a_change_of_a_message_that_does_not_name_the_bot_may_concern_it(world: World) -> None:
    edited = edit(changed(world, "how many half days?"))

    assert isinstance(edited, MessageEdited)
    assert not edited.mentioned


async def test_a_question_that_was_emptied_is_taken_back(world: World) -> None:
    edited = edit(changed(world, "", attachments=[file(1)]))

    assert edited == MessageDeleted(event_id="900/1777896300.0", message_id="900", scope=SCOPE)


async def test_a_message_that_discord_does_not_show_is_not_taken_for_an_empty_one(world: World) -> None:
    assert edit(changed(world, ""), whole=False) is None
    assert edit(changed(world, QUESTION), whole=False) is not None


async def test_messages_that_are_gone_are_told_in_their_order() -> None:
    assert [(one.message_id, one.scope) for one in read_deletion({30, 4}, SCOPE)] == [
        ("4", SCOPE),
        ("30", SCOPE),
    ]


def test_files_are_found_by_where_their_message_stands() -> None:
    assert place_of_message(SERVER, GENERAL, 900) == f"discord:{SERVER}/{GENERAL}/900/"
    assert place_of_message(SERVER, GENERAL) == f"discord:{SERVER}/{GENERAL}/"
    assert place_of_message(None, DIRECT, 900) == f"discord:direct/{DIRECT}/900/"


def test_a_room_knows_whether_each_question_begins_a_conversation() -> None:
    rooms = [
        Room(id=1, scope=SCOPE),
        Room(id=1, scope=SCOPE, parent=2),
        Room(id=1, scope=Scope("discord", "direct", "1")),
    ]

    assert [room.flat for room in rooms] == [True, False, False]


def test_everybody_in_these_tests_has_a_number_of_their_own() -> None:
    assert len({PEOPLE[number]["id"] for number in PEOPLE}) == len(PEOPLE)


@pytest.mark.parametrize("files", [[], [file(1)]])
@pytest.mark.parametrize("where", [DIRECT, THREAD, GENERAL])
def test_a_message_that_forwards_another_asks_nothing(
    world: World, where: int, files: list[dict[str, Any]]
) -> None:
    assert question(world.message(where, **forwarding(*files, text="how many days?"))) is None


def test_words_about_a_message_that_is_forwarded_are_a_question_where_they_name_the_bot(world: World) -> None:
    asked = question(world.message(GENERAL, f"<@{BOT}> is that so?", **forwarding(text="five days")))

    assert asked is not None
    assert asked.text == "is that so?"
