"""A server on this machine that speaks Slack's Web API, Socket Mode and Events API. It is not Slack.

Its world: the workspace T0ACME with the bot U0BOT, people (`ANNA` and so on) and the channels C0GENERAL,
C0SECOND, C0THIRD, C0PRIVATE, C0MPIM, D0ANNA, D0BEN, C0ARCHIVED, C0SHARED (with another workspace) and
C0WITHOUT (without the bot).
"""

from __future__ import annotations

from tests.fakes.slack.deliveries import Delivery
from tests.fakes.slack.faults import (
    Fault,
    error,
    held,
    http,
    rate_limited,
    reset_after,
    reset_before,
    slow,
)
from tests.fakes.slack.server import SlackServer
from tests.fakes.slack.shared_files import File, Serving
from tests.fakes.slack.world import (
    ADAM,
    ANNA,
    BEN,
    GINA,
    OLGA,
    ROBOT,
    STRANGER,
    Channel,
    Ephemeral,
    Message,
    User,
    View,
    Workspace,
)

__all__ = [
    "ADAM",
    "ANNA",
    "BEN",
    "GINA",
    "OLGA",
    "ROBOT",
    "STRANGER",
    "Channel",
    "Delivery",
    "Ephemeral",
    "Fault",
    "File",
    "Message",
    "Serving",
    "SlackServer",
    "User",
    "View",
    "Workspace",
    "error",
    "held",
    "http",
    "rate_limited",
    "reset_after",
    "reset_before",
    "slow",
]
