"""Files in Discord: each is indexed once and as it is, or says why not; what is gone is not answered from."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from tests.acceptance.discord import DONE, FAILED, INDEX, WORKING, Bot, mention, running
from tests.acceptance.model import FIVE, MONTHLY, REFUNDS
from tests.fakes.discord import ADAM, ANNA, BEN, FORUM, GUILD, PRIVATE, Permission, Serving, http
from tests.fakes.documents import pdf

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import Channel, Message

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

NO_FILES = "This channel has no indexed files yet."
PAGE = b"<!DOCTYPE html><html><body>Sign in</body></html>"
_ROOMS = count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data")) as bot:
        yield bot


@pytest.fixture
def room(bot: Bot) -> Channel:
    """A channel of its own: there every file is known."""
    return bot.discord.add_channel(f"room-{next(_ROOMS)}")


async def test_people_see_how_a_file_stands(bot: Bot, room: Channel) -> None:
    serving = Serving(gate=asyncio.Event())
    upload = bot.share(channel=room, serving=serving)
    await bot.signed(upload, WORKING)
    await bot.shows(upload, "is being fetched")
    assert serving.gate is not None
    serving.gate.set()
    await bot.signed(upload, DONE)

    await bot.shows(upload, "**refunds.md** is ready: 2 passages.")
    assert len(bot.replies(upload)) == 1
    assert upload.thread is None or len(bot.discord.threads(room)) == 1


REFUSED: dict[str, tuple[str, str, bytes, dict[str, Any]]] = {
    "a page instead": (
        "upload it again",
        "refunds.md",
        REFUNDS.encode(),
        {
            "serving": Serving(
                body=b"<!DOCTYPE html><html><body>Sign in</body></html>", content_type="text/html"
            )
        },
    ),
    "images only": (
        "The document has no text layer, only pictures of its pages",
        "scan.pdf",
        pdf(["", ""]),
        {},
    ),
    "empty": ("The file is empty", "empty.txt", b"", {}),
    "gone": ("deleted in Discord", "refunds.md", REFUNDS.encode(), {"gone": True}),
    "too large": ("too large", "large.txt", b"small", {"size": 2**31}),
    "cut off": (
        "Upload it again in a few minutes",
        "refunds.md",
        REFUNDS.encode(),
        {"serving": Serving(cut=10)},
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
async def test_a_file_that_cannot_be_read_says_why_and_is_not_indexed(
    bot: Bot, room: Channel, kind: str
) -> None:
    why, name, content, how = REFUSED[kind]
    upload = bot.share(name, content, room, **how)
    await bot.signed(upload, FAILED)
    await bot.shows(upload, "was not indexed: ")
    assert why in bot.shown(upload)[0]

    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)


async def test_a_picture_gets_a_sign_and_no_words(bot: Bot, room: Channel) -> None:
    upload = bot.share("cat.png", b"\x89PNG\r\n\x1a\n" + bytes(64), room)
    await bot.signed(upload, FAILED)
    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)

    assert bot.replies(upload) == []


async def test_a_file_is_fetched_from_discord_and_from_nowhere_else(bot: Bot, room: Channel) -> None:
    upload = bot.share(channel=room, serving=Serving(redirect=f"{bot.discord.elsewhere}refunds.md"))
    await bot.signed(upload, FAILED)

    assert not [one for one in bot.discord.downloads if one.elsewhere]


async def test_a_file_that_discord_tells_of_several_times_is_indexed_once(bot: Bot, room: Channel) -> None:
    bot.discord.gateway.copies = 3
    try:
        upload = bot.share(channel=room)
        bot.discord.unfurl(upload)
        await bot.signed(upload)
    finally:
        bot.discord.gateway.copies = 1
    bot.discord.pin(upload)
    await bot.shows(upload, "is ready")
    reply = await bot.answered(bot.ask(MONTHLY, room))

    assert bot.shown(upload) == ["**refunds.md** is ready: 2 passages."]
    assert upload.link in reply.shown
    assert len([one for one in bot.discord.downloads if str(upload.attachments[0].id) in one.path]) == 1


async def test_a_question_right_after_the_upload_is_answered_from_it(bot: Bot, room: Channel) -> None:
    bot.share(channel=room)

    assert FIVE in (await bot.replied(bot.ask(MONTHLY, room))).shown


async def test_a_question_that_comes_with_its_file_is_answered_from_it(bot: Bot, room: Channel) -> None:
    question = bot.ask(MONTHLY, room, files=[("refunds.md", REFUNDS)])
    await bot.answered(question)
    await bot.shows(question, "is ready")
    await bot.signed(question)

    assert len(bot.replies(question)) == 2


async def test_a_file_of_which_the_address_expired_is_fetched_all_the_same(bot: Bot, room: Channel) -> None:
    upload = bot.share(channel=room)
    bot.discord.links.expire()

    await bot.signed(upload)


async def test_a_file_keeps_the_name_that_people_gave_it(bot: Bot, room: Channel) -> None:
    upload = await bot.upload("Rückerstattung für Kunden.md", channel=room)

    assert upload.files == ["Rckerstattung_fr_Kunden.md"]
    assert "Rückerstattung für Kunden.md" in bot.shown(upload)[0]
    assert "Rückerstattung für Kunden.md" in await bot.told("docs", ANNA, room)


async def test_several_files_of_one_message_have_one_sign_together(bot: Bot, room: Channel) -> None:
    upload = bot.discord.say(
        room, ANNA, files=[("refunds.md", REFUNDS), ("empty.txt", ""), ("a.txt", "A refund.")]
    )
    await bot.signed(upload, FAILED)

    said = "\n".join(bot.shown(upload))
    assert said.count("is ready") == 2
    assert said.count("was not indexed") == 1


async def test_files_of_one_name_or_of_one_content_are_kept_apart(bot: Bot, room: Channel) -> None:
    old, new = "A visit to Oslo costs 500 crowns.", "A visit to Oslo costs 700 crowns since May."
    first = await bot.upload("A.txt", old, room)
    second = await bot.upload("A.txt", new, room)
    third = bot.share("B.txt", old, room)
    await bot.shows(third, "is already here")
    assert "Another document of the same name is still here" in bot.shown(second)[0]

    asked = "What does a visit to Oslo cost?"
    await bot.answered(bot.ask(asked, room))
    assert {old in prompt and new in prompt for prompt in bot.model.asked(asked)} == {True}

    bot.discord.delete(first)
    asked = "What does a visit to Oslo cost now?"
    while "B.txt" not in await bot.told("docs", ANNA, room):
        pass
    await bot.answered(bot.ask(asked, room))
    assert {old in prompt and new in prompt for prompt in bot.model.asked(asked)} == {True}


async def test_a_large_file_holds_up_no_small_one(bot: Bot, room: Channel) -> None:
    serving = Serving(gate=asyncio.Event())
    large = bot.share("large.txt", "A long story. " * 200, room, serving=serving)
    small = bot.share(channel=room)
    await bot.signed(small)

    assert bot.signs(large) == {WORKING}
    bot.discord.delete(large)
    assert serving.gate is not None
    serving.gate.set()


async def test_a_file_in_a_thread_belongs_to_the_channel(bot: Bot, room: Channel) -> None:
    thread = bot.discord.start_thread(room, BEN, "Papers")
    upload = await bot.upload(channel=thread, user=BEN)

    reply = await bot.answered(bot.ask(MONTHLY, room))
    assert upload.link in reply.shown


async def test_a_private_thread_keeps_its_files_to_itself(bot: Bot, room: Channel) -> None:
    members = (ANNA, bot.discord.application)
    thread = bot.discord.start_thread(room, ANNA, "Secret", private=True, members=members)
    await bot.upload(channel=thread)

    await bot.answered(bot.ask(MONTHLY, thread))
    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)


async def test_a_command_puts_a_file_into_the_channel_and_indexes_it(bot: Bot, room: Channel) -> None:
    used = bot.discord.slash(BEN, room, "upload", file=("refunds.md", REFUNDS.encode()))
    await bot.discord.until(lambda: used.answers and len(used.answers) > 1)
    upload = used.answers[1]
    await bot.signed(upload)

    assert used.hidden
    assert upload.files == ["refunds.md"]
    reply = await bot.answered(bot.ask(MONTHLY, room))
    assert upload.link in reply.shown


async def test_the_menu_of_a_message_indexes_what_was_shared_before_the_bot_came(bot: Bot) -> None:
    room = bot.discord.add_channel(f"room-{next(_ROOMS)}")
    bot.discord.hide(room)
    upload = bot.share(channel=room)
    bot.discord.show(room)
    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)

    assert "refunds.md" in await bot.whispered(bot.discord.context_menu(BEN, upload, INDEX))
    await bot.signed(upload)
    await bot.answered(bot.ask(MONTHLY, room))
    nothing = bot.discord.say(room, ANNA, "There is no file here.")
    assert "carries no file" in await bot.whispered(bot.discord.context_menu(BEN, nothing, INDEX))


def _delete(bot: Bot, upload: Message) -> None:
    bot.discord.delete(upload)


def _delete_many(bot: Bot, upload: Message) -> None:
    bot.discord.delete(bot.discord.say(upload.channel, BEN, "Another one."), upload)


def _take_off(bot: Bot, upload: Message) -> None:
    bot.discord.remove_file(upload, "refunds.md")


WAYS = {"deleted": _delete, "with others": _delete_many, "taken off": _take_off}


@pytest.mark.parametrize("way", WAYS)
async def test_what_was_taken_back_is_not_answered_from(bot: Bot, room: Channel, way: str) -> None:
    upload = await bot.upload(channel=room)
    await bot.answered(bot.ask(MONTHLY, room))
    WAYS[way](bot, upload)

    await forgotten(bot, room)


async def test_a_file_that_is_deleted_while_it_is_fetched_is_not_answered_from(
    bot: Bot, room: Channel
) -> None:
    serving = Serving(gate=asyncio.Event())
    upload = bot.share(channel=room, serving=serving)
    file = str(upload.attachments[0].id)
    await bot.discord.until(lambda: any(file in one.path for one in bot.discord.downloads))
    bot.discord.delete(upload)
    await bot.discord.settled()
    assert serving.gate is not None
    serving.gate.set()

    await forgotten(bot, room)


@pytest.mark.parametrize("archived", [False, True])
async def test_a_thread_that_is_deleted_takes_its_files_along(
    bot: Bot, room: Channel, archived: bool
) -> None:
    thread = bot.discord.start_thread(room, BEN, "Papers")
    await bot.upload(channel=thread, user=BEN)
    await bot.answered(bot.ask(MONTHLY, room))
    if archived:
        bot.discord.archive(thread)
    bot.discord.delete_channel(thread)

    await forgotten(bot, room)


async def test_a_channel_that_is_deleted_takes_its_files_along(bot: Bot, room: Channel) -> None:
    await bot.upload(channel=room)
    thread = bot.discord.start_thread(room, BEN, "Papers")
    await bot.upload("more.md", "# More\n\nThere is more of it.", thread, user=BEN)
    assert await documents(bot, GUILD, room) == ["refunds.md", "more.md"]
    bot.discord.delete_channel(room)

    await gone(bot, GUILD, room)


async def test_a_server_that_removes_the_bot_is_forgotten_and_one_that_is_out_of_reach_is_not(
    bot: Bot,
) -> None:
    guild = bot.discord.add_guild("Other")
    (room,) = guild.channels.values()
    bot.discord.tell_guild(guild)
    await bot.upload(channel=room)
    bot.discord.outage(guild)
    await bot.discord.settled()
    bot.discord.recover(guild)
    await bot.answered(bot.ask(MONTHLY, room))
    assert await documents(bot, guild.id, room) == ["refunds.md"]

    bot.discord.remove_bot(guild)
    await gone(bot, guild.id, room)


async def test_a_channel_that_is_hidden_for_a_while_is_not_forgotten(bot: Bot, room: Channel) -> None:
    await bot.upload(channel=room)
    bot.discord.hide(room)
    await bot.discord.settled()
    bot.discord.show(room)

    await bot.answered(bot.ask(MONTHLY, room))


@pytest.mark.parametrize(
    ("encoding", "text", "question"),
    [
        ("gb18030", "月度方案的退款需要五个工作日。", "退款"),
        ("cp932", "月額プランの返金には五営業日かかります。", "返金"),
        ("euc-kr", "월간 요금제의 환불은 영업일 기준 닷새가 걸립니다.", "환불"),
        ("utf-16", "Eine Rückerstattung dauert fünf Werktage.", "Wie lange dauert eine Rückerstattung?"),
    ],
    ids=["Chinese", "Japanese", "Korean", "UTF-16"],
)
async def test_a_text_is_read_in_the_encoding_it_was_written_in(
    bot: Bot, room: Channel, encoding: str, text: str, question: str
) -> None:
    await bot.upload("notes.txt", (text * 3).encode(encoding), room)
    await bot.answered(bot.ask(question, room))

    assert text in bot.model.asked(question)[0]


async def test_no_channel_is_answered_from_the_files_of_another(bot: Bot, room: Channel) -> None:
    await bot.upload("secret.md", "# Refunds\n\nThe code word for a refund is XYZZY.\n", PRIVATE)
    await bot.upload(channel=room)
    asked = "What is the code word for a refund for a monthly plan?"
    await bot.answered(bot.ask(asked, room))

    assert "XYZZY" not in bot.model.asked(asked)[0]


async def test_a_file_that_discord_serves_only_at_the_second_try_is_indexed(bot: Bot, room: Channel) -> None:
    bot.discord.fail("fetch", http(503))
    upload = bot.share(channel=room, serving=(serving := Serving(status=503)))
    await bot.discord.until(lambda: any(one.status == 503 for one in bot.discord.downloads))
    serving.status = 200

    await bot.signed(upload)


async def test_where_files_cannot_be_marked_people_are_told_in_words(bot: Bot, room: Channel) -> None:
    bot.discord.overwrite(room, bot.discord.application, deny=Permission.ADD_REACTIONS)
    upload = bot.share(channel=room)

    await bot.shows(upload, "is ready")
    assert not bot.signs(upload)


async def test_a_post_of_a_forum_with_a_file_and_a_question_is_answered_from_it(bot: Bot) -> None:
    post = bot.discord.start_post(
        FORUM, ADAM, "Refunds", mention(bot, MONTHLY), files=[("refunds.md", REFUNDS)]
    )

    await bot.answered(post.messages[post.id])


async def documents(bot: Bot, guild: int, room: Channel) -> list[str]:
    """Return which documents there are of a channel, whether it is still there or not."""
    listed = await bot.command("docs", "--channel", f"discord:{guild}:{room.id}", "--json")
    return [one["display_name"] for one in listed.json["documents"]]


async def gone(bot: Bot, guild: int, room: Channel) -> None:
    """Wait until there are none any more."""
    while await documents(bot, guild, room):
        pass


async def forgotten(bot: Bot, room: Channel) -> None:
    """Wait until the channel lists nothing any more; then a question finds nothing either."""
    while "no documents yet" not in await bot.told("docs", ANNA, room):
        pass
    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)
