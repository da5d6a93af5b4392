"""The chat contract, kept by the Slack adapter over its real client."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.events import read_event
from bot.chat import ChatError, MessageGone, NotAllowed, RateLimited
from bot.incoming import IncomingMessage
from tests.contracts.chat import ChatContract
from tests.fakes.slack import ANNA, error, rate_limited, reset_before
from tests.integration.adapters.slack.speaking import CHANNEL, TEAM, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from adapters.slack.adapter import SlackAdapter
    from bot.chat import MessageRef, Thread
    from bot.incoming import Incoming
    from tests.contracts.chat import Saying
    from tests.fakes.slack import Fault

LIVE = re.compile(
    r"<!(?:channel|here|everyone|subteam)|<@[UW]|<#C|@(?:here|channel|everyone)\b", re.IGNORECASE
)
INVISIBLE = {"fields", "metadata", "channel", "recipient_user_id"}
HOSTILE = [
    "<!channel>",
    "<!here|here>",
    "<!subteam^S123|ops>",
    "<@U0ANNA>",
    "<#C0SECOND|second>",
    "@channel",
    "@everyone",
    "`<!here>`",
    "&lt;!channel&gt;",
    "&#60;!everyone&#x3e;",
    "[a link](<!channel>)",
    "```\n<!here>\n```",
]
FAULTS: dict[type[ChatError], Fault] = {
    RateLimited: rate_limited(2),
    NotAllowed: error("not_in_channel"),
    MessageGone: error("thread_not_found"),
}


class SlackRoom:
    """A thread in Slack, as the contract needs to see and move it."""

    def __init__(self, speaking: Speaking) -> None:
        self._speaking = speaking

    @property
    def adapter(self) -> SlackAdapter:
        return self._speaking.adapter

    @property
    def thread(self) -> Thread:
        return self._speaking.thread

    @property
    def hostile(self) -> Sequence[str]:
        return HOSTILE

    def harm(self) -> Sequence[str]:
        said = [text for call in self._speaking.slack.calls for text in _texts(call.arguments)]
        stands = [one.markdown for one in self._speaking.slack.replies(CHANNEL, self.thread.key)]
        return [text for text in (*said, *stands) if LIVE.search(text) or LIVE.search(html.unescape(text))]

    async def visible(self) -> Sequence[str]:
        return [text.replace("\u2060", "") for text in self._speaking.shown()]

    async def vanish(self, message: MessageRef) -> None:
        self._speaking.slack.message(CHANNEL, message.id).deleted = True

    async def breaks(self, error: ChatError) -> bool:
        self._speaking.slack.fail("chat.postMessage", FAULTS.get(type(error), reset_before()))
        return True

    async def hear(self, saying: Saying) -> Sequence[Incoming] | None:
        identity = await self._speaking.workspaces.own()
        who, text = {
            "addressed": (ANNA, f"<@{identity.user_id}> what is the refund policy?"),
            "own": (identity.user_id, f"I am <@{identity.user_id}>."),
            "elsewhere": (ANNA, "Write to help@footnote.example."),
        }[saying]
        event = {"type": "message", "channel": CHANNEL, "channel_type": "channel", "user": who, "text": text}
        event |= {"ts": self._speaking.slack.ts()}
        body = {"event_id": "Ev1", "authorizations": [{"team_id": TEAM}], "event": event}
        return [heard for heard in read_event(body, identity) if isinstance(heard, IncomingMessage)]


class TestSlackAdapter(ChatContract):
    @pytest.fixture
    async def platform(self) -> AsyncIterator[SlackRoom]:
        async with Speaking() as speaking:
            yield Patient(speaking)


class Patient(SlackRoom):
    """Lets the minutes pass that a test of many calls needs, so that no budget is used up."""

    @property
    def adapter(self) -> SlackAdapter:
        self._speaking.clock.advance(4.0)
        return self._speaking.adapter


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, inner in value.items():
                if key not in INVISIBLE:
                    yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
