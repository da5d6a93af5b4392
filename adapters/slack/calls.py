"""The one way to Slack's Web API: within the budget, and with the seam's errors."""

from __future__ import annotations

import logging
import re
from math import isnan
from typing import TYPE_CHECKING, Any

from aiohttp import ClientError
from slack_sdk.errors import (
    BotUserAccessError,
    SlackApiError,
    SlackClientConfigurationError,
    SlackClientError,
    SlackClientNotConnectedError,
    SlackObjectFormationError,
    SlackRequestError,
    SlackTokenRotationError,
)

from bot.chat import ChatError, MessageGone, NotAllowed, RateLimited, TooLong, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.slack.budgets import Budgets
    from adapters.slack.workspaces import Workspaces

logger = logging.getLogger(__name__)

FAILURES = (SlackClientError, ClientError, OSError, ValueError, AttributeError)
"""What a call of the SDK raises; the last two where an answer is not what Slack would send."""
PATIENCE = 5.0
"""Seconds to wait when Slack asks to slow down and does not say for how long."""
LONGEST = 3600.0

_LIMITED = frozenset({"ratelimited", "rate_limited"})
_GONE = frozenset({"message_not_found", "thread_not_found", "invalid_thread_ts"})
_LONG = frozenset({"msg_too_long", "msg_blocks_too_long", "msg_blocks_too_many"})
_FAILED = frozenset({
    "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org",
    "update_failed", "external_channel_migrating",
})  # fmt: skip
_INVALID = frozenset({"invalid_blocks", "invalid_blocks_format", "invalid_attachments"})
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,80}")
_LENGTH = re.compile(r"must be (?:less|no more|no longer|shorter) than|too long|exceeds|max(?:imum)? length")

_KINDS: Mapping[type[Exception], type[ChatError]] = {
    BotUserAccessError: NotAllowed,
    SlackClientConfigurationError: NotAllowed,
    SlackClientNotConnectedError: Unreachable,
    SlackObjectFormationError: NotAllowed,
    SlackRequestError: NotAllowed,
    SlackClientError: Unreachable,
}
"""The SDK's errors that carry no answer of Slack's; the more general ones last."""


class Refused(NotAllowed):
    """Slack answered with an error *code* that only a part of the adapter may know what to do about."""

    def __init__(self, code: str) -> None:
        super().__init__(f"Slack answered: {code}")
        self.code = code


class Calls:
    """Calls Slack's Web API for every workspace that the app is installed in."""

    def __init__(self, workspaces: Workspaces, budgets: Budgets, monotonic: Callable[[], float]) -> None:
        self.workspaces = workspaces
        self.budgets = budgets
        self._monotonic = monotonic

    async def call(
        self, team: str, method: str, *, intermediate: bool = False, **arguments: Any
    ) -> Mapping[str, Any]:
        """Call *method*, named as Slack names it, in one workspace, and return its answer.

        An *intermediate* call is one that may as well be left out. Raises `ChatError`; an error code of
        Slack's without a meaning for everybody is `Refused`.
        """
        # the SDK knows for each method which verb and which encoding Slack takes
        call = getattr(await self.workspaces.client(team), method.replace(".", "_"))
        channel = str(arguments.get("channel", ""))
        self.budgets.take(team, method, channel, self._monotonic(), intermediate=intermediate)
        try:
            response = await call(**arguments)
        except FAILURES as failure:
            raise self._understood(team, method, failure) from failure
        answer: Mapping[str, Any] = response.data
        return answer

    def _understood(self, team: str, method: str, failure: Exception) -> ChatError:
        error = translate(failure)
        if isinstance(error, RateLimited):
            self.budgets.limited(team, method, self._monotonic(), error.retry_after)
        reason = error.code if isinstance(error, Refused) else type(error).__name__
        logger.debug("%s failed: %s", method, reason)
        return error


def translate(failure: Exception) -> ChatError:
    """Return what an exception of the SDK, or below it, means to the bot."""
    if isinstance(failure, SlackApiError):
        return _answered(failure.response)
    if isinstance(failure, SlackTokenRotationError):
        return translate(failure.api_error)
    for kind, meaning in _KINDS.items():
        if isinstance(failure, kind):
            return meaning()
    return Unreachable()


def _answered(response: Any) -> ChatError:
    """Read an answer that was no success; where its body is no JSON the SDK gives aiohttp's response."""
    status = getattr(response, "status_code", getattr(response, "status", 0))
    data = getattr(response, "data", None)
    body: Mapping[str, Any] = data if isinstance(data, dict) else {}
    code = str(body.get("error", ""))
    if status == 429 or code in _LIMITED:
        return RateLimited(_retry_after(response))
    if status >= 500 or code in _FAILED or not code:
        return Unreachable()
    return _refusal(code if _CODE.fullmatch(code) else "unreadable", body)


def _refusal(code: str, body: Mapping[str, Any]) -> ChatError:
    if code in _GONE:
        return MessageGone()
    if code in _LONG or (code in _INVALID and _for_length(body)):
        return TooLong()
    return Refused(code)


def _for_length(body: Mapping[str, Any]) -> bool:
    """Tell whether blocks are invalid because something in them is too long; Slack says so in words only."""
    said = body.get("errors") or (body.get("response_metadata") or {}).get("messages") or ()
    return any(_LENGTH.search(str(line)) for line in said)


def _retry_after(response: Any) -> float:
    try:
        seconds = float(response.headers["Retry-After"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return PATIENCE
    return PATIENCE if isnan(seconds) else min(max(0.0, seconds), LONGEST)
