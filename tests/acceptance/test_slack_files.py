"""Files in Slack: each is indexed once and as it is, or says why not; what is gone is not answered from."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from tests.acceptance.model import FIVE, MONTHLY, REFUNDS
from tests.acceptance.slack import Bot, running
from tests.fakes.documents import pdf
from tests.fakes.slack import ANNA, BEN, Serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.slack import Message

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

NO_FILES = "This channel has no indexed files yet."
_ROOMS = count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data")) as bot:
        yield bot


@pytest.fixture
def room(bot: Bot) -> str:
    """A channel of its own: there every file is known."""
    return bot.slack.add_channel(f"C0ROOM{next(_ROOMS)}").id


REFUSED: dict[str, tuple[str, str, bytes, dict[str, Any]]] = {
    "login page": (
        "Slack sent its sign-in page instead of the file",
        "refunds.md",
        REFUNDS.encode(),
        {"serving": Serving(login=True)},
    ),
    "images only": (
        "The document has no text layer, only pictures of its pages",
        "scan.pdf",
        pdf(["", ""]),
        {},
    ),
    "empty": ("The file is empty", "empty.txt", b"", {}),
    "elsewhere": (
        "Another service keeps it",
        "refunds.gdoc",
        b"",
        {"external": True, "mode": "external"},
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
async def test_a_file_that_cannot_be_read_says_why_and_is_not_indexed(bot: Bot, room: str, kind: str) -> None:
    why, name, content, how = REFUSED[kind]
    upload = shared(bot, room, name, content, **how)
    await bot.shows(upload, f"was not indexed: {why}")
    await bot.slack.until(lambda: signs(upload) == {"x"})

    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)


async def test_a_token_goes_nowhere_but_to_slack(bot: Bot, room: str) -> None:
    serving = Serving(redirect=f"{bot.slack.elsewhere}refunds.md")
    upload = shared(bot, room, serving=serving)
    await bot.shows(upload, "was not indexed")

    assert not [one for one in bot.slack.downloads if one.elsewhere]


@pytest.mark.parametrize(
    "events",
    [("file_shared", "message"), ("message", "file_shared"), ("file_shared",)],
    ids=["file first", "message first", "file alone"],
)
async def test_a_file_is_indexed_once_however_slack_tells_of_it(
    bot: Bot, room: str, events: tuple[str, ...]
) -> None:
    upload = await bot.upload(channel=room, events=events, copies=2)
    for delivery in list(bot.slack.deliveries):
        bot.slack.again(delivery)
    await bot.slack.settled()
    await bot.slack.until(lambda: signs(upload) == {"white_check_mark"})
    reply = await bot.answered(bot.ask(MONTHLY, room))

    (notice,) = bot.shown(upload)
    assert notice == "**refunds.md** is ready: 2 passages."
    assert upload.files[0].permalink in reply.shown


async def test_a_question_right_after_the_upload_is_answered_from_it(bot: Bot, room: str) -> None:
    shared(bot, room)

    assert FIVE in (await bot.replied(bot.ask(MONTHLY, room))).shown


async def test_a_question_that_comes_with_its_file_is_answered_from_it(bot: Bot, room: str) -> None:
    file = bot.slack.make_file(room, ANNA, "refunds.md", REFUNDS)
    question = bot.ask(MONTHLY, room, files=[file])
    await bot.replied(question)
    await bot.shows(question, "is ready")

    assert any(FIVE in shown for shown in bot.shown(question))


async def test_files_of_one_name_or_of_one_content_are_kept_apart(bot: Bot, room: str) -> None:
    old, new = "A visit to Oslo costs 500 crowns.", "A visit to Oslo costs 700 crowns since May."
    first = await bot.upload("A.txt", old, room)
    second = await bot.upload("A.txt", new, room)
    third = shared(bot, room, "B.txt", old.encode())
    await bot.shows(third, "is already here")
    assert "Another document of the same name is still here" in bot.shown(second)[0]

    asked = "What does a visit to Oslo cost?"
    await bot.slack.until(lambda: signs(second) == {"white_check_mark"})
    await bot.answered(bot.ask(asked, room))
    assert {old in prompt and new in prompt for prompt in bot.model.asked(asked)} == {True}

    bot.slack.delete_file(first.files[0])
    asked = "What does a visit to Oslo cost now?"
    while "B.txt" not in await bot.told("docs", ANNA, room):
        pass
    await bot.answered(bot.ask(asked, room))
    assert {old in prompt and new in prompt for prompt in bot.model.asked(asked)} == {True}


@pytest.mark.parametrize("way", ["deleted", "unshared", "with its message"])
async def test_what_was_taken_back_is_not_answered_from(bot: Bot, room: str, way: str) -> None:
    upload = await bot.upload(channel=room)
    await bot.answered(bot.ask(MONTHLY, room))
    (file,) = upload.files
    if way == "deleted":
        bot.slack.delete_file(file)
    elif way == "unshared":
        bot.slack.unshare_file(file, room)
    else:
        file.shares.clear()
        bot.slack.delete_message(upload)
    await forgotten(bot, room)


async def test_a_channel_that_the_bot_leaves_is_forgotten(bot: Bot, room: str) -> None:
    await bot.upload(channel=room)
    bot.slack.leave_channel(room)
    await bot.slack.settled()
    bot.slack.join_channel(room, bot.slack.team.bot)

    await forgotten(bot, room)


async def test_a_changed_file_is_answered_from_as_it_is_now(bot: Bot, room: str) -> None:
    upload = await bot.upload(channel=room)
    bot.slack.change_file(upload.files[0], REFUNDS.replace("five", "six"))
    await bot.slack.until(lambda: len(bot.replies(upload)) == 2 and "is ready" in bot.shown(upload)[1])
    while (await bot.told("docs", ANNA, room)).count(
        "refunds.md"
    ) > 1:  # the old one goes when the new one is there
        pass
    asked = f"{MONTHLY} Now, that is."
    await bot.answered(bot.ask(asked, room))

    (prompt,) = bot.model.asked(asked)
    assert "takes six working days" in prompt
    assert "takes five working days" not in prompt


async def test_index_this_reads_what_was_shared_before_the_bot_came(bot: Bot) -> None:
    room = bot.slack.add_channel(f"C0ROOM{next(_ROOMS)}", members=[ANNA, BEN]).id
    upload = shared(bot, room)
    bot.slack.join_channel(room, bot.slack.team.bot)
    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)

    bot.slack.shortcut("index_file", upload, BEN)
    await bot.shows(upload, "is ready")
    await bot.answered(bot.ask(MONTHLY, room))


@pytest.mark.parametrize(
    ("encoding", "text", "question"),
    [
        ("gb18030", "月度方案的退款需要五个工作日。", "月度方案的退款需要多久？"),
        ("cp932", "月額プランの返金には五営業日かかります。", "月額プランの返金にはどのくらいかかりますか？"),
        ("utf-16", "Eine Rückerstattung dauert fünf Werktage.", "Wie lange dauert eine Rückerstattung?"),
    ],
    ids=["Chinese", "Japanese", "UTF-16"],
)
async def test_a_text_is_read_in_the_encoding_it_was_written_in(
    bot: Bot, room: str, encoding: str, text: str, question: str
) -> None:
    await bot.upload("notes.txt", (text * 3).encode(encoding), room)
    await bot.answered(bot.ask(question, room))

    assert text in bot.model.asked(question)[0]


async def test_no_channel_is_answered_from_the_files_of_another(bot: Bot, room: str) -> None:
    await bot.upload("secret.md", "# Refunds\n\nThe code word for a refund is XYZZY.\n", "C0PRIVATE")
    await bot.upload(channel=room)
    asked = "What is the code word for a refund for a monthly plan?"
    await bot.answered(bot.ask(asked, room))

    assert "XYZZY" not in bot.model.asked(asked)[0]


def shared(
    bot: Bot, room: str, name: str = "refunds.md", content: bytes | str = REFUNDS, **how: Any
) -> Message:
    """Let somebody upload a file, and return the message that carries it."""
    file = bot.slack.upload(room, ANNA, name, content, **how)
    return bot.slack.message(room, file.shares[room])


def signs(message: Message) -> set[str]:
    """Return the reactions that stand at a message."""
    return {name for name, users in message.reactions.items() if users}


async def forgotten(bot: Bot, room: str) -> None:
    """Wait until the channel lists nothing any more; then a question finds nothing either."""
    while "no documents yet" not in await bot.told("docs", ANNA, room):
        pass
    await bot.answered(bot.ask(MONTHLY, room), NO_FILES)
