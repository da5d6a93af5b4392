from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from adapters.discord.files import HOSTS, DiscordFiles, discord_at, name_of
from adapters.discord.shares import Stand
from adapters.downloads import checked
from bot.chat import Thread
from pipeline.addresses import link_of
from pipeline.domain import IngestReason, Scope
from pipeline.errors import IngestError
from tests.unit.adapters.discord.objects import (
    ANNA,
    BOT,
    DIRECT,
    FORUM,
    GENERAL,
    POST,
    SECRET,
    SERVER,
    THREAD,
    World,
    file,
    forwarding,
)

DISCORD = discord_at("https://discord.com/api/v10")
LOCAL = discord_at("http://127.0.0.1:9000/api/v10")


def files() -> DiscordFiles:
    me, nobody = cast("Any", SimpleNamespace(me=BOT)), cast("Any", None)
    return DiscordFiles(me, nobody, nobody, max_bytes=100, sleep=nobody)


async def test_each_file_of_a_message_comes_with_where_it_stays() -> None:
    message = World().message(GENERAL, attachments=[file(11), file(12, "b.pdf")])

    first, second = files().incoming(message)

    assert (first.name, first.size, first.author, first.message_id) == ("plan.md", 6, str(ANNA), "900")
    assert first.thread == Thread(Scope("discord", str(SERVER), str(GENERAL)), "900")
    assert first.source == f"discord:{SERVER}/{GENERAL}/900/11#{message.jump_url}"
    assert link_of(first.source) == message.jump_url
    assert (first.file_id, second.file_id, second.name) == ("11", "12", "b.pdf")
    assert not first.changed


@pytest.mark.parametrize(
    ("where", "home", "key"),
    [(THREAD, GENERAL, THREAD), (POST, FORUM, POST), (SECRET, SECRET, SECRET)],
)
async def test_a_file_in_a_thread_belongs_to_its_conversation(where: int, home: int, key: int) -> None:
    (incoming,) = files().incoming(World().message(where, attachments=[file(11)]))

    assert incoming.thread == Thread(Scope("discord", str(SERVER), str(home)), str(key))
    assert incoming.source.startswith(f"discord:{SERVER}/{where}/900/11#")


async def test_a_file_that_is_forwarded_belongs_to_the_message_that_forwards_it() -> None:
    message = World().message(GENERAL, **forwarding(file(11)))

    (incoming,) = files().incoming(message)

    assert incoming.source == f"discord:{SERVER}/{GENERAL}/900/11#{message.jump_url}"
    assert (incoming.name, incoming.author, incoming.message_id) == ("plan.md", str(ANNA), "900")
    assert incoming.file_id == incoming.event_id == "900/11"


@pytest.mark.parametrize(
    ("where", "text", "addressed"),
    [(GENERAL, "look", False), (THREAD, "look", False), (GENERAL, f"<@{BOT}>", True), (DIRECT, "look", True)],
)
async def test_a_file_is_for_the_bot_where_its_message_is(where: int, text: str, *, addressed: bool) -> None:
    (incoming,) = files().incoming(World().message(where, text, attachments=[file(11)]))

    assert incoming.addressed is addressed


async def test_a_message_without_files_brings_none() -> None:
    assert files().incoming(World().message(GENERAL, "hello")) == []


async def test_a_message_that_stands_nobody_knows_where_brings_none() -> None:
    message = World().message(4711, attachments=[file(11)])
    message.channel = cast("Any", discord.PartialMessageable(state=cast("Any", None), id=4711))

    assert files().incoming(message) == []


async def test_a_file_in_a_direct_conversation_belongs_to_it() -> None:
    (incoming,) = files().incoming(World().message(DIRECT, attachments=[file(11)]))

    assert incoming.thread == Thread(Scope("discord", "direct", str(DIRECT)), str(DIRECT))
    assert incoming.source.startswith(f"discord:direct/{DIRECT}/900/11#")


@pytest.mark.parametrize(
    ("kept", "title", "name"),
    [
        ("plan.md", None, "plan.md"),
        ("plan.md", "", "plan.md"),
        ("gre_1.txt", "größe 1", "größe 1.txt"),
        ("unknown.pdf", "план", "план.pdf"),
        ("Plan_2.PDF", "Plan 2.pdf", "Plan 2.pdf"),
        ("v1.2_notes.md", "v1.2 notes", "v1.2 notes.md"),
        ("README", "READ ME", "READ ME"),
    ],
)
def test_a_file_is_called_what_people_call_it(kept: str, title: str | None, name: str) -> None:
    data = file(11, kept) | {"title": title}
    (attachment,) = World().message(attachments=[data]).attachments

    assert name_of(attachment) == name


@pytest.mark.parametrize(
    ("source", "stand"),
    [
        ("discord:1/2/3/4", Stand(server=1, channel=2, message=3, attachment=4)),
        ("discord:1/2/3/4#https://x/y", Stand(server=1, channel=2, message=3, attachment=4)),
        ("discord:direct/2/3/4#x", Stand(server=None, channel=2, message=3, attachment=4)),
        ("discord:1/2/3", None),
        ("discord:1/2/3/4/5", None),
        ("discord:1/2/3/x", None),
        ("discord:1/2/3/٤", None),
        ("discord:1/2/3/4\n", None),
        ("slack:1/2/3/4", None),
        ("https://cdn.discordapp.com/1/2/3/4", None),
        ("", None),
    ],
)
def test_a_source_says_where_a_file_stands(source: str, stand: Stand | None) -> None:
    assert Stand.of(source) == stand


async def test_what_is_no_source_of_discord_is_not_fetched() -> None:
    with pytest.raises(IngestError, match="not the address of a file in Discord"):
        await files().fetch("discord:nonsense")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("site", [DISCORD, LOCAL], ids=["discord", "local"])
def test_where_discord_keeps_files_may_be_visited(host: str, site: Any) -> None:
    assert checked(f"https://{host}/attachments/1/2/plan.md?ex=1&is=2&hm=3&", site)


@pytest.mark.parametrize("site", [DISCORD, LOCAL], ids=["discord", "local"])
@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://cdn.discordapp.com/x",
        "https://cdn.discordapp.com:8443/x",
        "https://cdn.discordapp.com.evil.com/x",
        "https://evil.cdn.discordapp.com/x",
        "https://discord.com/x",
        "https://discordapp.com/x",
        "https://images.discordapp.net/x",
        "https://cdn.discordapp.com@evil.com/x",
        "https://user@cdn.discordapp.com/x",
        "https://evil.com/cdn.discordapp.com",
        "https://evil.com\\.cdn.discordapp.com/",
        "https://169.254.169.254/latest/meta-data/",
        "http://localhost:9000/x",
        "https://127.0.0.1:9000/x",
        "http://127.0.0.1:9001/x",
        "file:///etc/passwd",
    ],
)
def test_no_other_address_is_visited(address: str, site: Any) -> None:
    with pytest.raises(IngestError) as refused:
        checked(address, site)

    assert (refused.value.reason, str(refused.value)) == (IngestReason.UNREADABLE, DISCORD.outside)


def test_what_stands_in_for_discord_may_be_visited() -> None:
    assert checked("http://127.0.0.1:9000/attachments/1/2/plan.md", LOCAL)


@pytest.mark.parametrize(
    "base", ["https://discord.com/api/v10", "https://ptb.discord.com/api/v10", "https://discordapp.com/api"]
)
def test_discords_own_address_as_a_setting_opens_nothing_more(base: str) -> None:
    assert discord_at(base).own is None
