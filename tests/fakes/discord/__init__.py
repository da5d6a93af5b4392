"""A server on this machine that speaks Discord's REST API, gateway and CDN. It is not Discord.

Its world: the guild GUILD, owned by OLGA, with ADAM (a moderator), ANNA, BEN, GINA, the bot BOT with a role
of its own, and ROBOT, another bot. Its channels: GENERAL, SECOND, THIRD, PRIVATE (ANNA, BEN, the bot), FORUM,
NEWS (announcements), READONLY (the bot cannot write), NO_THREADS (it cannot begin threads) and HIDDEN (it
cannot look in). `DiscordServer.direct` gives the direct conversation with somebody.
"""

from __future__ import annotations

from tests.fakes.discord.faults import (
    Fault,
    banned,
    held,
    http,
    rate_limited,
    refused,
    reset_after,
    reset_before,
    slow,
)
from tests.fakes.discord.messages import Attachment, Mentions, Message, Ping, Serving
from tests.fakes.discord.permissions import Permission
from tests.fakes.discord.server import DiscordServer
from tests.fakes.discord.using import Interaction
from tests.fakes.discord.world import (
    ADAM,
    ANNA,
    BEN,
    BOT,
    FORUM,
    GENERAL,
    GINA,
    GUILD,
    HIDDEN,
    NEWS,
    NO_THREADS,
    OLGA,
    PRIVATE,
    READONLY,
    ROBOT,
    SECOND,
    THIRD,
    Channel,
    Guild,
    Member,
    Overwrite,
    Role,
    User,
)

__all__ = [
    "ADAM",
    "ANNA",
    "BEN",
    "BOT",
    "FORUM",
    "GENERAL",
    "GINA",
    "GUILD",
    "HIDDEN",
    "NEWS",
    "NO_THREADS",
    "OLGA",
    "PRIVATE",
    "READONLY",
    "ROBOT",
    "SECOND",
    "THIRD",
    "Attachment",
    "Channel",
    "DiscordServer",
    "Fault",
    "Guild",
    "Interaction",
    "Member",
    "Mentions",
    "Message",
    "Overwrite",
    "Permission",
    "Ping",
    "Role",
    "Serving",
    "User",
    "banned",
    "held",
    "http",
    "rate_limited",
    "refused",
    "reset_after",
    "reset_before",
    "slow",
]
