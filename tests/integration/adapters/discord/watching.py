"""What a simulated Discord was sent, and whether a real one would have liked it."""

from __future__ import annotations

import logging
import re
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import discord
from simcord import BackendError
from simcord.http import router

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simcord import HttpLogEntry, InteractionResult

LONGEST = 2_000
"""Code points that Discord takes in one message."""

_SPEAKS = re.compile(
    r"(POST|PATCH) /(channels/\d+/messages(/\d+)?|webhooks/\d+/.+|interactions/\d+/.+)",
)
"""Calls by which something is said."""


class Watch(logging.Handler):
    """Keeps what the bot would otherwise bear in silence."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.gaps: list[Exception] = []
        """Calls, or fields of calls, that simcord's Discord does not know."""
        self.refused: list[str] = []
        """Calls that Discord answered with an error, and its code."""
        self.troubles: list[str] = []
        """What was logged as a warning or worse."""

    def emit(self, record: logging.LogRecord) -> None:
        self.troubles.append(f"{record.name}: {record.getMessage()}")

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch for the length of the block."""
        root = logging.getLogger()
        with ExitStack() as stack:
            stack.enter_context(self._between())
            root.addHandler(self)
            stack.callback(root.removeHandler, self)
            yield

    @contextmanager
    def _between(self) -> Iterator[None]:
        """Stand before simcord's Discord: its refusals look like Discord's own, or are logged only."""
        real = router.dispatch

        def dispatch(backend: Any, method: str, path: str, **call: Any) -> Any:
            try:
                return real(backend, method, path, **call)
            except (router.RouteNotImplemented, router.UnsupportedField) as error:
                self.gaps.append(error)
                raise
            except BackendError as error:
                self.refused.append(f"{method} {error.code}")
                raise

        router.dispatch = dispatch
        try:
            yield
        finally:
            router.dispatch = real


def careless(calls: Sequence[HttpLogEntry]) -> list[Any]:
    """Return what was said without taking all pings away from it, or too much at once."""
    return [body for body in _said(calls) if _is_careless(body)]


def pinging(backend: Any) -> list[str]:
    """Return what the bot said that pinged anybody; that a thread began, Discord says for it."""
    said = [one for channel in backend.messages.values() for one in channel.values()]
    own = [one for one in said if one.author_id == backend.bot_user.id and one.system_metadata is None]
    return [one.content for one in own if one.ping_user_ids or one.ping_role_ids or one.mention_everyone]


def whispered(used: InteractionResult) -> str:
    """Return what whoever used something was shown, and nobody else."""
    shown = [one for one in (used.response, *used.followups) if one is not None]
    assert shown
    assert all(one.ephemeral for one in shown)
    return "\n\n".join(one.content for one in shown)


def labels(message: discord.Message) -> list[str]:
    """Return the labels of the buttons under a message."""
    buttons = (each for row in message.components for each in getattr(row, "children", ()))
    return [str(one.label) for one in buttons if isinstance(one, discord.Button)]


def signs(message: discord.Message) -> list[str]:
    """Return the reactions at a message."""
    return [str(one.emoji) for one in message.reactions]


def _said(calls: Sequence[HttpLogEntry]) -> Iterator[dict[str, Any]]:
    for call in calls:
        body = call.json
        if _SPEAKS.fullmatch(f"{call.method} {call.path}") and isinstance(body, dict):
            yield (body.get("data") or {}) if call.path.startswith("/interactions/") else body


def _is_careless(body: dict[str, Any]) -> bool:
    """Tell whether this may ping, or is too long; a deferral and a form say nothing to anybody."""
    content = body.get("content")
    if (content is None and "components" not in body) or "title" in body:
        return False
    return body.get("allowed_mentions") != {"parse": []} or len(content or "") > LONGEST
