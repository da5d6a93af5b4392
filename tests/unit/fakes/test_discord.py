from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
import pytest
from discord import ui

from tests.fakes.discord import (
    ADAM,
    ANNA,
    BEN,
    BOT,
    FORUM,
    GENERAL,
    HIDDEN,
    READONLY,
    SECOND,
    DiscordServer,
    Permission,
)
from tests.fakes.discord.listener import Listener, pointed_at, raw, refusal

if TYPE_CHECKING:
    from tests.fakes.clock import Wall

HOUR, DAY = 3600.0, 24 * 3600.0
NOBODY = discord.AllowedMentions.none()
EVERYBODY = discord.AllowedMentions.all()


async def test_the_token_says_who_calls(server: DiscordServer) -> None:
    with pointed_at(server):
        async with Listener() as client:
            with pytest.raises(discord.LoginFailure):
                await client.login("another")
        async with Listener() as client:
            await client.login(server.token)
            assert client.user is not None and client.user.id == BOT
            info = await client.application_info()
            assert info.flags.gateway_message_content_limited
            assert not info.flags.gateway_guild_members_limited
    assert [call.status for call in server.called("me")] == [401, 200]


async def test_a_message_stands_where_it_was_posted(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    question = server.say(GENERAL, ANNA, "when?")
    sent = await general.send(
        " soon ", reference=discord.MessageReference(message_id=question.id, channel_id=GENERAL)
    )
    [message] = server.replies(GENERAL)
    assert (message.id, message.shown, message.answered) == (sent.id, "soon", question)
    assert sent.type is discord.MessageType.reply and sent.content == "soon"

    await general.get_partial_message(sent.id).edit(content="later")
    assert message.history == ["soon", "later"]
    fetched = await general.fetch_message(sent.id)
    assert fetched.content == "later" and fetched.edited_at is not None
    assert isinstance(fetched.reference, discord.MessageReference)
    assert isinstance(fetched.reference.resolved, discord.Message)
    assert fetched.reference.resolved.content == "when?"

    await sent.delete()
    assert not server.replies(GENERAL) and message.deleted
    assert await refusal(sent.edit(content="x")) == 10008


@pytest.mark.parametrize(
    ("channel", "code"), [(1, 10003), (HIDDEN, 50001), (READONLY, 50013), (FORUM, 50008)]
)
async def test_the_bot_writes_only_where_it_may(bot: Listener, channel: int, code: int) -> None:
    assert await refusal(bot.get_partial_messageable(channel).send("hello")) == code


async def test_only_own_messages_can_be_changed(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    other = general.get_partial_message(server.say(GENERAL, ANNA, "mine").id)
    assert await refusal(other.edit(content="x")) == 50005
    assert await refusal(other.delete()) == 50013
    server.change_role(server.guild, server.guild.role_of(BOT), Permission.MANAGE_MESSAGES)
    await other.delete()
    assert not server.messages(GENERAL)


async def test_a_reply_needs_what_it_replies_to(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    question = server.say(GENERAL, ANNA, "when?")
    server.delete(question)
    gone = discord.MessageReference(message_id=question.id, channel_id=GENERAL)
    assert await refusal(general.send("soon", reference=gone)) == 50035
    gone.fail_if_not_exists = False
    await general.send("soon", reference=gone)
    [message] = server.replies(GENERAL)
    assert (message.type, message.answered) == (0, None)
    server.overwrite(GENERAL, BOT, deny=Permission.READ_MESSAGE_HISTORY)
    assert await refusal(general.send("soon", reference=gone)) == 160002


async def test_characters_are_counted_as_code_points(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    sent = await general.send("👩" * 2_000)
    assert await refusal(general.send("x" * 2_001)) == 50035
    assert await refusal(sent.edit(content="x" * 2_001)) == 50035
    assert await refusal(general.send("  ")) == 50006
    assert await refusal(sent.edit(content="")) == 50006
    assert [len(one.content) for one in server.replies(GENERAL)] == [2_000]


@pytest.mark.parametrize(
    "embeds",
    [
        [discord.Embed(description="x" * 4_097)],
        [discord.Embed(title="x" * 257)],
        [discord.Embed(description="x" * 4_000), discord.Embed(description="x" * 2_001)],
        [discord.Embed().set_footer(text="x" * 2_049)],
        [discord.Embed().add_field(name="x", value="x" * 1_025)],
    ],
)
async def test_the_limits_of_embeds_hold(
    general: discord.PartialMessageable, embeds: list[discord.Embed]
) -> None:
    assert await refusal(general.send(embeds=embeds)) == 50035


def row(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(parts)}


def button(label: str = "x", custom_id: str = "a", **more: Any) -> dict[str, Any]:
    return {"type": 2, "style": 2, "label": label, "custom_id": custom_id, **more}


def text(said: str) -> dict[str, Any]:
    return {"type": 10, "content": said}


V2 = 1 << 15


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"content": "x", "components": [row(button("x" * 81))]}, 400, 50035),
        ({"content": "x", "components": [row(button(custom_id="x" * 101))]}, 400, 50035),
        ({"content": "x", "components": [row(button(), button())]}, 400, 50035),
        ({"content": "x", "components": [row(*(button(custom_id=f"{n}") for n in range(6)))]}, 400, 50035),
        ({"content": "x", "components": [row(button(custom_id=f"{n}")) for n in range(6)]}, 400, 50035),
        ({"content": "x", "components": [button()]}, 400, 50035),
        ({"content": "x", "components": [row()]}, 400, 50035),
        ({"content": "x", "components": [text("x")]}, 400, 50035),
        ({"content": "x", "flags": V2, "components": [text("x")]}, 400, 50035),
        ({"flags": V2, "components": [text("x")] * 41}, 400, 50035),
        ({"flags": V2, "components": [text("x" * 2_001)] * 2}, 400, 50035),
        ({"flags": V2, "components": [text("語" * 3_400)]}, 500, 0),
        ({"flags": V2, "components": []}, 400, 50006),
        ({"content": "x", "nonce": "x" * 26}, 400, 50035),
        ({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}, 400, 50035),
    ],
)
async def test_the_limits_of_messages_hold(
    server: DiscordServer, body: dict[str, Any], status: int, code: int
) -> None:
    refused = await raw(server, "POST", f"/channels/{GENERAL}/messages", body)
    assert (refused[0], refused[1]["code"]) == (status, code)
    assert not server.messages(GENERAL)


async def test_a_message_can_become_a_layout_and_never_stops_being_one(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    sent = await general.send("thinking")
    layout = ui.LayoutView(timeout=None)
    layout.add_item(
        ui.Container(ui.TextDisplay("The answer"), ui.Separator(), ui.TextDisplay("-# [1] a.pdf"))
    )
    layout.add_item(ui.ActionRow(ui.Button(label="Sources", custom_id="sources")))
    partial = general.get_partial_message(sent.id)
    assert await refusal(partial.edit(view=layout)) == 50035
    await partial.edit(content=None, view=layout, allowed_mentions=NOBODY)
    [message] = server.replies(GENERAL)
    assert message.history == ["thinking", "The answer\n-# [1] a.pdf"]
    assert message.buttons == ["Sources"]
    assert await refusal(partial.edit(content="back", view=None)) == 50035
    assert message.flags & V2


async def test_previews_come_back_with_an_edit_that_clears_the_flag(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    sent = await general.send("https://example.org", suppress_embeds=True, silent=True)
    [message] = server.replies(GENERAL)
    assert (message.suppressed, message.silent) == (True, True)
    await general.get_partial_message(sent.id).edit(content="x")
    assert message.suppressed
    await sent.edit(content="y")
    assert (message.suppressed, message.silent) == (False, True)


async def test_a_nonce_makes_sending_again_harmless(
    server: DiscordServer, general: discord.PartialMessageable, wall: Wall
) -> None:
    first = await general.send("once", nonce="q1")
    assert (await general.send("twice", nonce="q1")).id == first.id
    assert [message.content for message in server.replies(GENERAL)] == ["once"]
    wall.now += server.nonce_seconds
    await general.send("again", nonce="q1")
    assert [message.content for message in server.replies(GENERAL)] == ["once", "again"]
    server.delete(*server.replies(GENERAL))
    assert await refusal(general.send("again", nonce="q1")) == 10008


@pytest.mark.parametrize(
    ("said", "allowed", "users", "everyone"),
    [
        (f"<@{ANNA}> and <@!{BEN}> @everyone", None, [ANNA, BEN], True),
        (f"<@{ANNA}> @here", {"parse": []}, [], False),
        (f"<@{ANNA}> <@{BEN}>", {"users": [str(BEN)]}, [BEN], False),
        (f"`<@{ANNA}>` ```\n@everyone\n``` <@{BEN}>", None, [BEN], False),
        ("<@999999999999999999> x@everyone", None, [], True),
    ],
)
async def test_pings_follow_what_is_allowed(
    server: DiscordServer, said: str, allowed: Any, users: list[int], everyone: bool
) -> None:
    body = {"content": said} | ({"allowed_mentions": allowed} if allowed is not None else {})
    _, answer = await raw(server, "POST", f"/channels/{GENERAL}/messages", body)
    assert [int(one["id"]) for one in answer["mentions"]] == users
    assert answer["mention_everyone"] is everyone
    assert [ping.mentions.users for ping in server.pings] == ([tuple(users)] if users or everyone else [])


async def test_roles_ping_when_they_may_be_mentioned(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    role = server.guild.members[ADAM].roles[0]
    await general.send(f"<@&{role}>", allowed_mentions=EVERYBODY)
    server.overwrite(GENERAL, BOT, deny=Permission.MENTION_EVERYONE)
    server.guild.roles[role].mentionable = False
    await general.send(f"<@&{role}> @everyone", allowed_mentions=EVERYBODY)
    assert [ping.mentions.roles for ping in server.pings] == [(role,)]


async def test_an_edit_without_permissions_for_mentions_pings_again(
    server: DiscordServer, bot: Listener, general: discord.PartialMessageable
) -> None:
    sent = await general.send(f"<@{ANNA}>")
    assert not server.pings
    await sent.edit(embed=discord.Embed(title="x"))
    [ping] = server.pings
    assert (ping.edited, ping.mentions.users) == (True, (ANNA,))
    [message] = server.replies(GENERAL)
    assert [moment.mentions.users for moment in message.moments] == [(), (ANNA,)]


async def test_a_reply_pings_unless_it_is_told_not_to(server: DiscordServer, bot: Listener) -> None:
    question = server.say(GENERAL, ANNA, "when?")
    body = {"content": "soon", "message_reference": {"message_id": str(question.id)}}
    await raw(server, "POST", f"/channels/{GENERAL}/messages", body)
    await raw(
        server, "POST", f"/channels/{GENERAL}/messages", body | {"allowed_mentions": {"parse": ["users"]}}
    )
    assert [message.mentions.users for message in server.replies(GENERAL)] == [(ANNA,), ()]


@pytest.mark.parametrize(
    ("said", "links"),
    [
        ("see https://a.example/x and <https://b.example>", ["https://a.example/x"]),
        ("[1](https://a.example) [2](<https://b.example>)", ["https://a.example"]),
        ("`https://a.example` ```\nhttps://b.example\n```", []),
    ],
)
async def test_previews_are_what_people_would_see(
    server: DiscordServer, general: discord.PartialMessageable, said: str, links: list[str]
) -> None:
    await general.send(said)
    await general.send(said, suppress_embeds=True)
    assert [message.previews for message in server.replies(GENERAL)] == [links, []]


async def test_calls_that_might_ping_are_found(server: DiscordServer, bot: Listener) -> None:
    general = bot.get_partial_messageable(GENERAL)
    sent = await general.send("hello")
    await sent.edit(embed=discord.Embed(title="x"))
    await sent.edit(embed=discord.Embed(title="x"), allowed_mentions=NOBODY)
    await sent.edit(suppress=True)
    await general.send("hello", allowed_mentions=EVERYBODY)
    assert [call.route for call in server.unguarded()] == ["edit", "send"]


async def test_typing_ends_with_a_message(server: DiscordServer, general: discord.PartialMessageable) -> None:
    assert not server.is_typing(GENERAL)
    await general.typing()
    assert server.is_typing(GENERAL) and not server.is_typing(SECOND)
    await general.send("here")
    assert not server.is_typing(GENERAL)
