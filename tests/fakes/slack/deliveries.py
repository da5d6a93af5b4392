"""What Slack sends to the bot, until the bot says that it has it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from tests.fakes.slack.http_events import EventsApi
from tests.fakes.slack.socket_mode import SocketMode
from tests.fakes.slack.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.fakes.slack.world import Workspace

Kind = Literal["events_api", "interactive", "slash_commands"]


@dataclass(slots=True, kw_only=True, eq=False)
class Delivery:
    """One payload on its way to the bot."""

    kind: Kind
    payload: dict[str, Any]
    attempts: int = 0
    acked: bool = False
    latency: float | None = None
    """Seconds from the attempt that was acknowledged to its acknowledgement."""
    answer: dict[str, Any] | None = None
    """What came with the acknowledgement."""
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    async def settled(self) -> Self:
        """Wait until the bot has it, or Slack gave up."""
        await self._over.wait()
        return self

    def end(self) -> None:
        self._over.set()


class Deliverer(State):
    """Sends events over Socket Mode, or to `request_url` when that is set."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.request_url: str | None = None
        self.ack_seconds = 3.0
        self.retries = 3
        self.retry_pauses: Sequence[float] = (0.0, 0.0, 0.0)
        """Seconds before each retry, after the time for the acknowledgement is over."""
        self.copies = 1
        """How often each event is sent, acknowledged or not."""
        self.deliveries: list[Delivery] = []
        self.sockets = SocketMode(self)
        self.events_api = EventsApi(self)

    @property
    def slowest_ack(self) -> float:
        """Seconds that the slowest acknowledgement took."""
        return max((one.latency for one in self.deliveries if one.latency is not None), default=0.0)

    async def settled(self) -> None:
        """Wait until everything sent so far has arrived, or was given up."""
        for delivery in list(self.deliveries):
            await delivery.settled()

    def deliver(
        self,
        kind: Kind,
        payload: dict[str, Any],
        *,
        attempt: int = 0,
        on_ack: Callable[[Delivery], None] | None = None,
    ) -> Delivery:
        """Send *payload* in a task of its own; *attempt* counts from there."""
        delivery = Delivery(kind=kind, payload=payload)
        self.deliveries.append(delivery)
        self.start_task(self._carry(delivery, attempt, on_ack))
        return delivery

    def event(
        self,
        event: dict[str, Any],
        workspace: Workspace | None = None,
        *,
        event_id: str | None = None,
        attempt: int = 0,
        copies: int | None = None,
    ) -> Delivery:
        """Send one event. Returns its first delivery."""
        space = workspace or next(iter(self.workspaces.values()))
        payload = self.callback(event, space, event_id)
        first, *_ = [
            self.deliver("events_api", payload, attempt=attempt) for _ in range(copies or self.copies)
        ]
        return first

    def again(self, delivery: Delivery, *, attempt: int = 1) -> Delivery:
        """Send the same payload once more, as if the acknowledgement had been lost."""
        return self.deliver(delivery.kind, delivery.payload, attempt=attempt)

    def callback(
        self, event: dict[str, Any], workspace: Workspace, event_id: str | None = None
    ) -> dict[str, Any]:
        """Return the payload around *event*."""
        authorization = {
            "enterprise_id": None,
            "team_id": workspace.id,
            "user_id": workspace.bot,
            "is_bot": True,
            "is_enterprise_install": False,
        }
        channel = workspace.channels.get(str(event.get("channel") or event.get("channel_id") or ""))
        return {
            "token": "not-used-any-more",
            "team_id": workspace.id,
            "context_team_id": workspace.id,
            "context_enterprise_id": None,
            "api_app_id": self.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": event_id or f"Ev{self.number():09d}",
            "event_time": int(self.wall()),
            "authorizations": [authorization],
            "is_ext_shared_channel": channel is not None and channel.shared,
            "event_context": f"4-{self.number()}",
        }

    def echo_event(self, event: dict[str, Any], workspace: Workspace) -> None:
        listening = self.request_url is not None or self.sockets.connections
        if self.echo and listening:
            self.event(event, workspace, copies=1)

    async def _carry(
        self, delivery: Delivery, attempt: int, on_ack: Callable[[Delivery], None] | None
    ) -> None:
        retries = self.retries if delivery.kind == "events_api" else 0
        try:
            for retry in range(attempt, attempt + retries + 1):
                delivery.attempts += 1
                if await self._attempt(delivery, retry):
                    delivery.acked = True
                    if on_ack is not None:
                        on_ack(delivery)
                    return
                await asyncio.sleep(self.retry_pauses[min(retry - attempt, len(self.retry_pauses) - 1)])
        finally:
            delivery.end()

    async def _attempt(self, delivery: Delivery, retry: int) -> bool:
        if self.request_url is not None:
            return await self.events_api.attempt(delivery, retry)
        return await self.sockets.attempt(delivery, retry)
