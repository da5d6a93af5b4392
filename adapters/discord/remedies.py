"""What is wrong with a Discord bot in the doctor's words, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from discord.http import Route

from adapters.discord.calls import Refused
from bot.chat import RateLimited, Unreachable
from bot.doctor import Check
from bot.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.chat import ChatError

PORTAL = "https://discord.com/developers/applications"

RESET_TOKEN = (
    f"set FOOTNOTE_DISCORD__TOKEN to the token that the Bot page of the application at {PORTAL} shows after "
    "“Reset Token”"
)
NETWORK = "check the network, and FOOTNOTE_DISCORD__API_BASE_URL if it is set"
GATEWAY = "check the network, and FOOTNOTE_DISCORD__GATEWAY_URL if it is set"
SHARD = "set FOOTNOTE_DISCORD__SHARDED=true"
CALM = "find out what starts the program again and again, and stop it until tomorrow"
NO_ENDPOINT = "delete the “Interactions Endpoint URL” under General Information, and save"
NO_GRANT = "turn “Requires OAuth2 Code Grant” off on the Bot page, and save"
START = "run 'footnote discord' once: it tells Discord which commands there are"
SYNC = f"set FOOTNOTE_DISCORD__SYNC_COMMANDS=true, and {START}"
KEPT = "They are kept. To answer from them, set that application's token again, or invite this bot there."
PERMIT_THERE = "permit it to the bot's role in the channel's settings, or take View Channel from it there"


def turn_on(application: int | None) -> str:
    """Return how to let the bot read all messages."""
    return (
        f"turn “Message Content Intent” on at {PORTAL}/{application or 0}/bot, save, and start Footnote again"
    )


def whose(others: Mapping[str, str]) -> str:
    """Return that servers belong to other applications than the token; *others* has these by server."""
    files = f"the files of {counted(len(others), 'server')} were taken in"
    owners = sorted(set(others.values()))
    if len(owners) > 1:
        return f"{files} by other applications ({', '.join(owners)})."
    return f"{files} by another application ({owners[0]})."


def explained(name: str, error: ChatError, refused: tuple[str, str] | None = None) -> Check:
    """Say in words what Discord answered, or that it did not; nothing that was sent is shown.

    *refused* is what a refusal means, and its remedy.
    """
    if isinstance(error, Unreachable):
        message = f"Discord's API at {urlsplit(Route.BASE).hostname} cannot be reached."
        remedy = NETWORK
    elif isinstance(error, RateLimited):
        message, remedy = "Discord asks to slow down.", f"run this again in {error.retry_after:.0f} seconds"
    elif refused is not None:
        message, remedy = refused
    else:
        code = f" ({error.code})" if isinstance(error, Refused) else ""
        message, remedy = f"Discord refuses to tell{code}.", "look the number up in Discord's documentation"
    return Check(name=name, status="fail", message=message, remedy=remedy)
