"""The commands that Discord offers in its menus, and all else that people can use.

discord.py reads from their functions which options they have, so each has one of its own.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from adapters.discord.adding import Adding
from adapters.discord.asking import MOST, Asking
from adapters.discord.clerk import INDEX, OPTIONS, Clerk
from adapters.discord.completion import Completion
from adapters.discord.greeting import Greeting
from adapters.discord.presses import Presses
from adapters.discord.registration import register
from bot.chat import Body
from bot.choices import CHOICES, Choice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from typing import TypeAlias

    from adapters.discord.client import Client
    from adapters.discord.desk import Desk
    from adapters.discord.spots import Interaction, Spot
    from adapters.discord.whispers import Whisper
    from bot.ledger import Ledger

    Command: TypeAlias = app_commands.Command[Any, ..., Any]
    Part: TypeAlias = Callable[[Desk], Awaitable[None]]

logger = logging.getLogger(__name__)
logging.getLogger("discord.app_commands.tree").setLevel(logging.CRITICAL)
# it would tell of every suggestion that came too late to be shown; of commands, `Tree.on_error` tells

PLAIN = {
    "docs": "What documents this channel has",
    "why": "How the last answer came about",
    "status": "Models, documents, and files that still wait",
    "reset": "Forget what was said in this thread, or in your threads of this channel",
    "help": "How to use me",
}
"""Commands without options."""

_FOLLOW_UPS, _ANSWERS = CHOICES
_LONGEST_CHOICE = 100
_UNKNOWN = "I do not know this command any more. Restart Discord, and it shows the present ones."


def offering(ledger: Ledger, *, sync: bool = True) -> Part:
    """Return what lets people use commands, buttons and forms; with *sync*, Discord is told of new ones."""

    async def offer(desk: Desk) -> None:
        tree = build_tree(desk)
        _listen(desk, Presses(desk, tree.clerk), Greeting(desk))
        if sync:
            await register(tree, desk.calls, ledger)

    return offer


class Tree(app_commands.CommandTree["Client"]):
    """All commands. What goes wrong in one is not quoted in the log, and people are told."""

    def __init__(self, client: Client, clerk: Clerk) -> None:
        super().__init__(
            client,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True),
        )
        self.clerk = clerk

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        logger.warning("a command could not be run: %s", type(error).__name__)
        logger.debug("a command could not be run", exc_info=error)
        known = not isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch)
        if not known and interaction.type is discord.InteractionType.application_command:
            await self.clerk.serve(interaction, _tell_unknown, name="unknown command")


def build_tree(desk: Desk) -> Tree:
    """Return the commands, which *desk*'s client has from now on."""
    clerk = Clerk(desk)
    tree = Tree(desk.client, clerk)
    adding = Adding(desk, clerk, sleep=asyncio.sleep)
    for command in (*_plain(clerk), _forget(desk, clerk), _settings(clerk)):
        tree.add_command(command)
    tree.add_command(_ask(Asking(desk, clerk)))
    tree.add_command(_upload(adding))
    tree.add_command(_index(adding))
    return tree


def _plain(clerk: Clerk) -> Iterator[Command]:
    for name, description in PLAIN.items():
        yield _without_options(clerk, name, description)


def _without_options(clerk: Clerk, name: str, description: str) -> Command:
    async def run(interaction: discord.Interaction[Any]) -> None:
        await clerk.obey(interaction, name)

    return app_commands.Command(name=name, description=description, callback=run)


def _forget(desk: Desk, clerk: Clerk) -> Command:
    completion = Completion(desk.library)

    @app_commands.describe(document="Its name or its id; “all” takes back every one")
    async def run(interaction: discord.Interaction[Any], document: str) -> None:
        await clerk.obey(interaction, "forget", document)

    async def names(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
        return await completion.documents(interaction, current)

    command: Command = app_commands.Command(name="forget", description="Take a document back", callback=run)
    command.autocomplete(OPTIONS["forget"])(names)
    return command


def _settings(clerk: Clerk) -> Command:
    @app_commands.rename(follow_ups=_FOLLOW_UPS.name, answers=_ANSWERS.name)
    @app_commands.describe(follow_ups=_capital(_FOLLOW_UPS.about), answers=_capital(_ANSWERS.about))
    @app_commands.choices(follow_ups=_values(_FOLLOW_UPS), answers=_values(_ANSWERS))
    @app_commands.default_permissions(manage_channels=True)
    async def run(
        interaction: discord.Interaction[Any], follow_ups: str | None = None, answers: str | None = None
    ) -> None:
        given = ((_FOLLOW_UPS.name, follow_ups), (_ANSWERS.name, answers))
        await clerk.obey(
            interaction, "settings", " ".join(f"{name} {value}" for name, value in given if value)
        )

    return app_commands.Command(name="settings", description="How I behave in this channel", callback=run)


def _values(choice: Choice) -> list[app_commands.Choice[str]]:
    return [_choice(value, meaning) for value, meaning in choice.meanings.items()]


def _ask(asking: Asking) -> Command:
    @app_commands.describe(question="What you want to know from this channel's files")
    async def run(interaction: discord.Interaction[Any], question: app_commands.Range[str, 1, MOST]) -> None:
        await asking.ask(interaction, question)

    return app_commands.Command(
        name="ask", description="Ask a question; all can read it and the answer", callback=run
    )


def _upload(adding: Adding) -> Command:
    @app_commands.describe(file="It is put into this channel, where all can see it")
    async def run(interaction: discord.Interaction[Any], file: discord.Attachment) -> None:
        await adding.upload(interaction, file)

    return app_commands.Command(name="upload", description="Index a file for this channel", callback=run)


def _index(adding: Adding) -> app_commands.ContextMenu:
    async def run(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await adding.index(interaction, message)

    return app_commands.ContextMenu(name=INDEX, callback=run)


def _listen(desk: Desk, presses: Presses, greeting: Greeting) -> None:
    """Let the client tell of buttons and forms, and of servers that let the bot in."""
    heard = desk.client.on_guild_join  # discord.py has one handler for each event, so it is called too

    async def on_interaction(interaction: Interaction) -> None:
        await presses.take(interaction)

    async def on_guild_join(server: discord.Guild) -> None:
        await heard(server)
        desk.tasks.start(greeting.greet(server), name="greeting")

    desk.client.event(on_interaction)
    desk.client.event(on_guild_join)


async def _tell_unknown(_: Spot, __: Whisper) -> Body:
    return Body(text=_UNKNOWN)


def _choice(value: str, meaning: str) -> app_commands.Choice[str]:
    return app_commands.Choice(name=f"{value}: {meaning}"[:_LONGEST_CHOICE], value=value)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
