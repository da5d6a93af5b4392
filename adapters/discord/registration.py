"""Tells Discord which commands there are, and only when they are others than before."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, Any

from adapters.discord.places import DIRECT, PLATFORM
from bot.chat import ChatError
from bot.ledger import Book
from pipeline.domain import Scope
from pipeline.entries import Entry

if TYPE_CHECKING:
    from discord import app_commands

    from adapters.discord.calls import Calls
    from bot.ledger import Ledger

logger = logging.getLogger(__name__)

KIND = "commands"
_KEY = "told"


async def register(tree: app_commands.CommandTree[Any], calls: Calls, ledger: Ledger) -> None:
    """Let Discord offer the commands of *tree*; it takes some hundreds of such calls a day.

    Without it the bot works as before, so a failure is only logged.
    """
    book, scope = Book(ledger, KIND), Scope(PLATFORM, DIRECT, str(tree.client.application_id))
    payload = {"commands": fingerprint(tree)}
    told = await book.find(scope, _KEY)
    if told is not None and told.payload == payload:
        return
    try:
        await calls.call(tree.sync)
    except ChatError as error:
        logger.warning("Discord was not told which commands there are: %s", error)
        return
    logger.info("Discord was told which commands there are")
    if await book.save(scope, _KEY, payload=payload) is False:
        entry = Entry(kind=KIND, scope=scope, id=_KEY, thread="", author="", payload=payload, state="done")
        await book.open(entry)


def fingerprint(tree: app_commands.CommandTree[Any]) -> str:
    """Return a name for all commands as they are now; with any difference it is another one."""
    commands = [command.to_dict(tree) for command in tree.get_commands()]
    commands.sort(key=lambda command: (command["type"], command["name"]))
    return hashlib.sha256(json.dumps(commands, sort_keys=True).encode()).hexdigest()
