"""Answers that one person sees and nobody else."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.slack import blocks
from adapters.slack.calls import FAILURES, Refused
from adapters.slack.workspaces import is_direct
from bot.asides import in_pieces
from bot.chat import Body, ChatError, NotAllowed, Unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from adapters.slack.calls import Calls
    from adapters.slack.interactions import Spot

logger = logging.getLogger(__name__)

TIMEOUT = 15
"""Seconds for one answer to a response URL."""

_sdk = logging.getLogger(f"{__name__}.sdk")
_sdk.setLevel(logging.WARNING)  # below that the SDK quotes whole requests and answers
_INVALID = frozenset({"invalid_blocks", "invalid_blocks_format"})


class Whispers:
    """Shows something to the person who asked for it, where they asked for it."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def say(self, team: str, spot: Spot, body: Body, *, directly: bool = False) -> bool:
        """Show *body* at *spot*, however long it is; False: Slack lets us in neither way.

        *directly* answers what was done there by its response URL first, which needs no membership.
        """
        ways: list[Callable[[Mapping[str, Any]], Awaitable[None]]] = [
            lambda shape: self._post(team, spot, shape),
            lambda shape: _respond(spot, shape),
        ]
        for way in reversed(ways) if directly else ways:
            try:
                await in_pieces(body.text, blocks.MAX_CHARS, partial(_show, way))
            except ChatError as error:
                logger.info("a whisper goes another way: %s", type(error).__name__)
            else:
                return True
        logger.warning("a whisper could not be delivered")
        return False

    async def _post(self, team: str, spot: Spot, shape: Mapping[str, Any]) -> None:
        place: dict[str, Any] = {"channel": spot.channel, "user": spot.user}
        if spot.thread is not None:
            place["thread_ts"] = spot.thread
        await self._calls.call(team, "chat.postEphemeral", **place, **shape)


async def _show(way: Callable[[Mapping[str, Any]], Awaitable[None]], text: str) -> None:
    body = Body(text=text)
    try:
        await way(blocks.still(blocks.message(body)))
    except Refused as refused:
        if refused.code not in _INVALID:
            raise
        await way(blocks.still(blocks.simple_message(body)))


async def _respond(spot: Spot, shape: Mapping[str, Any]) -> None:
    """Answer by the response URL, which works five times within half an hour. Raises `ChatError`."""
    if spot.response_url is None:
        raise NotAllowed("there is no response URL")
    client = AsyncWebhookClient(spot.response_url, timeout=TIMEOUT, logger=_sdk, retry_handlers=[])
    if is_direct(spot.response_url):
        client.proxy = None
    answer = {"response_type": "ephemeral", "replace_original": False, **shape}
    if spot.thread is not None:
        answer["thread_ts"] = spot.thread
    try:
        response = await client.send_dict(answer)
    except FAILURES as failure:
        raise Unreachable from failure
    if response.status_code != 200:
        raise Refused(_code(response.body))


def _code(answer: str) -> str:
    return (
        answer if answer.isascii() and answer.replace("_", "").isalnum() and len(answer) < 80 else "refused"
    )
