from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
import pytest
from discord import app_commands, ui

from tests.fakes.discord import ADAM, ANNA, BEN, GENERAL, GINA, GUILD, DiscordServer, rate_limited
from tests.fakes.discord.listener import Listener, listening

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NOBODY = discord.AllowedMentions.none()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Why(ui.Modal, title="What was wrong?"):
    note: ui.Label[Any] = ui.Label(text="Note", component=ui.TextInput(custom_id="note"))
    proof: ui.Label[Any] = ui.Label(text="Proof", component=ui.FileUpload(custom_id="proof", required=False))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        assert isinstance(self.note.component, ui.TextInput)
        assert isinstance(self.proof.component, ui.FileUpload)
        files = [one.filename for one in self.proof.component.values]
        await interaction.response.send_message(f"{self.note.component.value} {files}", ephemeral=True)


class Judge(ui.DynamicItem[ui.Button[Any]], template=r"judge:(?P<answer>\d+):(?P<verdict>up|down)"):
    def __init__(self, answer: str, verdict: str) -> None:
        self.verdict = verdict
        super().__init__(ui.Button(label=verdict, custom_id=f"judge:{answer}:{verdict}"))

    @classmethod
    async def from_custom_id(cls, interaction: Any, item: Any, match: Any, /) -> Judge:
        return cls(match["answer"], match["verdict"])

    async def callback(self, interaction: discord.Interaction) -> None:
        if self.verdict == "down":
            await interaction.response.send_modal(Why())
        else:
            await interaction.response.edit_message(content="thanks", view=None)


class Commands(Listener):
    """Offers a little of everything."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = app_commands.CommandTree(self)
        self.add_dynamic_items(Judge)
        self.seen: list[Any] = []
        self.tree.add_command(app_commands.Command(name="ask", description="Ask", callback=self.ask))
        forget: app_commands.Command[Any, ..., Any] = app_commands.Command(
            name="forget", description="Forget", callback=self.forget
        )
        forget.autocomplete("document")(self.names)
        group = app_commands.Group(name="docs", description="Documents")
        group.add_command(forget)
        group.add_command(app_commands.Command(name="add", description="Add", callback=self.add))
        self.tree.add_command(group)
        self.tree.add_command(app_commands.ContextMenu(name="Index this file", callback=self.index))

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def ask(self, interaction: discord.Interaction, question: str, private: bool = False) -> None:
        await interaction.response.defer(thinking=True, ephemeral=private)
        await interaction.edit_original_response(content=f"about {question}")
        await interaction.followup.send("more", ephemeral=private)

    async def forget(self, interaction: discord.Interaction, document: str) -> None:
        await interaction.response.send_message(f"forgot {document}", ephemeral=True)
        await interaction.delete_original_response()

    async def names(self, interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        known = ("report.pdf", "plan.md")
        return [app_commands.Choice(name=one, value=one) for one in known if one.startswith(current)]

    async def add(self, interaction: discord.Interaction, file: discord.Attachment) -> None:
        content = (await file.read()).decode()
        await interaction.response.send_message(f"{file.filename}: {content} {file.ephemeral}")

    async def index(self, interaction: discord.Interaction, message: discord.Message) -> None:
        self.seen.append([one.filename for one in message.attachments])
        await interaction.response.defer(thinking=True, ephemeral=True)
        await interaction.followup.send("indexed", ephemeral=True)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[DiscordServer]:
    async with DiscordServer(clock=clock) as server:
        server.rates.lift()
        yield server


@pytest.fixture
async def bot(server: DiscordServer) -> AsyncIterator[Commands]:
    client = Commands()
    async with listening(server, client):
        yield client


async def judged(bot: Commands, server: DiscordServer, verdict: str) -> Any:
    view = ui.View(timeout=None)
    view.add_item(Judge("42", verdict))
    sent = await bot.get_partial_messageable(GENERAL).send("answer", view=view)
    return server.message(sent.id)


async def test_commands_are_registered_before_they_are_used(server: DiscordServer, bot: Commands) -> None:
    assert sorted(one["name"] for one in server.commands[None]) == ["Index this file", "ask", "docs"]
    with pytest.raises(LookupError):
        server.slash(ANNA, GENERAL, "status")
    with pytest.raises(LookupError):
        server.slash(ANNA, GENERAL, "ask")
    with pytest.raises(LookupError):
        server.slash(ANNA, GENERAL, "ask", question="x", colour="red")
    before = {one["name"]: one["id"] for one in server.commands[None]}
    await bot.tree.sync()
    assert {one["name"]: one["id"] for one in server.commands[None]} == before


async def test_a_command_is_answered_after_a_while(server: DiscordServer, bot: Commands) -> None:
    used = await server.slash(ANNA, GENERAL, "ask", question="when?").answered()
    await server.until(lambda: len(used.answers) == 2)
    assert [one.shown for one in server.replies(GENERAL)] == ["about when?", "more"]
    assert used.original is not None and used.original.history == ["…", "about when?"]
    assert (used.hidden, used.failed, used.response) == (False, False, 5)
    await server.until(lambda: len(bot.said) == 2)
    assert bot.events("message")[0].type is discord.MessageType.chat_input_command


async def test_hidden_answers_are_seen_by_one(server: DiscordServer, bot: Commands) -> None:
    used = await server.slash(ANNA, GENERAL, "ask", question="when?", private=True).answered()
    await server.until(lambda: len(used.answers) == 2)
    assert used.hidden and used.shown == "about when?"
    assert [(one.shown, one.seen_by) for one in server.ephemerals] == [("about when?", ANNA), ("more", ANNA)]
    assert not server.messages(GENERAL)


async def test_names_are_completed(server: DiscordServer, bot: Commands) -> None:
    typed = server.autocomplete(ANNA, GENERAL, "docs", "forget", focused="document", document="re")
    await typed.answered()
    assert typed.choices == [{"name": "report.pdf", "value": "report.pdf"}]
    used = await server.slash(ANNA, GENERAL, "docs", "forget", document="report.pdf").answered()
    await server.until(lambda: used.original is not None and used.original.deleted)


async def test_files_come_with_commands(server: DiscordServer, bot: Commands) -> None:
    used = await server.slash(ANNA, GENERAL, "docs", "add", file=("a.txt", "content")).answered()
    assert used.shown == "a.txt: content True"


async def test_a_menu_shows_the_whole_message(server: DiscordServer, bot: Commands) -> None:
    message = server.say(GENERAL, BEN, "look", files=[("a.pdf", b"%PDF")])
    used = await server.context_menu(ANNA, message, "Index this file").answered()
    await server.until(lambda: used.shown == "indexed")
    assert bot.seen == [["a.pdf"]] and [one.shown for one in server.ephemerals] == ["indexed"]


async def test_commands_work_in_direct_conversations(server: DiscordServer, bot: Commands) -> None:
    used = await server.slash(ANNA, server.direct(ANNA), "ask", question="when?").answered()
    await server.until(lambda: len(used.answers) == 2)
    assert [one.shown for one in server.replies(server.direct(ANNA))] == ["about when?", "more"]


async def test_buttons_change_their_message(server: DiscordServer, bot: Commands) -> None:
    message = await judged(bot, server, "up")
    bot._connection._view_store._views.clear()  # as after a restart
    pressed = await server.press(message, "up", BEN).answered()
    assert (message.shown, message.buttons, pressed.original) == ("thanks", [], message)
    with pytest.raises(LookupError):
        server.press(message, "up", BEN)


async def test_forms_are_filled_in(server: DiscordServer, bot: Commands) -> None:
    message = await judged(bot, server, "down")
    pressed = await server.press(message, "judge:42:down", ANNA).answered()
    with pytest.raises(LookupError):
        server.submit(pressed, {})
    sent = await server.submit(pressed, {"Note": "too short", "proof": [("a.txt", "x")]}).answered()
    assert (sent.shown, sent.hidden) == ("too short ['a.txt']", True)
    assert message.buttons == ["down"]


async def test_only_those_who_see_a_button_press_it(server: DiscordServer, bot: Commands) -> None:
    message = await judged(bot, server, "up")
    server.hide(GENERAL, GINA)
    with pytest.raises(PermissionError):
        server.press(message, "up", GINA)
    with pytest.raises(PermissionError):
        server.slash(GINA, GENERAL, "ask", question="x")


async def test_commands_may_be_for_those_who_manage(server: DiscordServer, bot: Commands) -> None:
    command = bot.tree.get_command("ask")
    assert isinstance(command, app_commands.Command)
    command.default_permissions = discord.Permissions(manage_guild=True)
    await bot.tree.sync()
    with pytest.raises(PermissionError):
        server.slash(ANNA, GENERAL, "ask", question="x")
    used = await server.slash(ADAM, GENERAL, "ask", question="x").answered()
    assert used.payload["guild_id"] == str(GUILD)


async def test_answers_come_in_three_seconds_or_not_at_all(
    server: DiscordServer, bot: Commands, clock: Clock
) -> None:
    used = server.slash(ANNA, GENERAL, "ask", question="when?")
    clock.now += 3.1
    assert used.failed
    await server.until(lambda: server.called("respond"))
    assert [call.code for call in server.called("respond")] == [10062]
    assert not server.messages(GENERAL)


async def test_an_interaction_is_answered_once_and_for_a_quarter_of_an_hour(
    server: DiscordServer, bot: Commands, clock: Clock
) -> None:
    await server.slash(ANNA, GENERAL, "docs", "add", file=("a.txt", "x")).answered()
    [interaction] = bot.events("interaction")
    again = discord.http.Route(
        "POST",
        "/interactions/{id}/{token}/callback",
        id=interaction.id,
        token=interaction.token,
    )
    with pytest.raises(discord.HTTPException) as twice:
        await bot.http.request(again, json={"type": 5})
    assert twice.value.code == 40060
    clock.now += 15 * 60 + 1
    with pytest.raises(discord.HTTPException) as late:
        await interaction.followup.send("late")
    assert late.value.code == 50027


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"type": 4, "data": {"content": "x"}}, 50035),
        ({"type": 6}, 50035),
        ({"type": 8, "data": {"choices": [{"name": "x", "value": "x"}] * 26}}, 50035),
        ({"type": 8, "data": {"choices": [{"name": "x" * 101, "value": "x"}]}}, 50035),
    ],
)
async def test_answers_of_the_wrong_kind_are_refused(server: DiscordServer, body: Any, code: int) -> None:
    name = {"name": "document", "description": "x", "type": 3, "autocomplete": True}
    forget: Any = {"name": "forget", "description": "x", "options": [name]}
    bot = Listener()
    async with listening(server, bot):
        await bot.http.bulk_upsert_global_commands(server.application, [forget])
        used = server.autocomplete(ANNA, GENERAL, "forget", focused="document", document="")
        path = "/interactions/{id}/{token}/callback"
        route = discord.http.Route("POST", path, id=used.id, token=used.token)
        with pytest.raises(discord.HTTPException) as refused:
            await bot.http.request(route, json=body)
    assert (refused.value.code, used.response) == (code, 0)


async def test_a_button_may_be_answered_later(server: DiscordServer, bot: Commands) -> None:
    class Later(ui.View):
        @ui.button(label="Stop", custom_id="stop")
        async def ended(self, interaction: discord.Interaction, _: Any) -> None:
            await interaction.response.defer()
            await interaction.edit_original_response(content="stopped", view=None)
            await interaction.followup.send("only you", ephemeral=True)

    sent = await bot.get_partial_messageable(GENERAL).send("running", view=Later(timeout=None))
    message = server.message(sent.id)
    pressed = await server.press(message, "Stop", BEN).answered()
    await server.until(lambda: server.ephemerals)
    assert (message.shown, message.buttons, pressed.response) == ("stopped", [], 6)
    assert (server.ephemerals[0].shown, server.ephemerals[0].seen_by) == ("only you", BEN)


@pytest.mark.parametrize(
    "command",
    [
        {"name": "Ask", "description": "x"},
        {"name": "ask me", "description": "x"},
        {"name": "ask", "description": ""},
        {"name": "ask", "description": "x" * 101},
        {"name": "x" * 33, "type": 3},
        {"name": "Index", "type": 3, "description": "x"},
        {
            "name": "ask",
            "description": "x",
            "options": [
                {"name": "a", "description": "x", "type": 3},
                {"name": "b", "description": "x", "type": 3, "required": True},
            ],
        },
    ],
)
async def test_commands_have_to_be_in_order(server: DiscordServer, bot: Commands, command: Any) -> None:
    before = list(server.commands[None])
    with pytest.raises(discord.HTTPException) as refused:
        await bot.http.bulk_upsert_global_commands(server.application, [command])
    assert refused.value.code == 50035 and server.commands[None] == before


async def test_webhooks_have_limits_and_faults_too(server: DiscordServer, bot: Commands) -> None:
    server.fail("follow up", rate_limited(0.01))
    used = await server.slash(ANNA, GENERAL, "ask", question="when?").answered()
    await server.until(lambda: len(used.answers) == 2)
    assert [call.status for call in server.called("follow up")] == [429, 200]
    assert server.rates.worst("webhook") == 3
