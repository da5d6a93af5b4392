"""The whole service, connected to the local Slack server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.slack.manifest import EVENTS_PATH
from adapters.slack.program import open_slack
from tests.integration.adapters.running import Running, given

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from adapters.serving import Connection
    from pipeline.ports import Reader
    from tests.fakes.slack import SlackServer


class Serving(Running):
    """One run of the program."""

    ready = "Slack: connected"

    def __init__(
        self, slack: SlackServer, folder: Path, *, reader: Reader | None = None, **slack_settings: Any
    ) -> None:
        self.slack = slack
        own = {
            "api_base_url": slack.base_url,
            "bot_token": slack.team.token,
            "app_token": slack.app_token,
            **slack_settings,
        }
        super().__init__(slack, folder, reader=reader, slack=given(own))

    def _open(self) -> AbstractAsyncContextManager[Connection]:
        return open_slack(self.service)

    def _listening(self, port: int) -> None:
        super()._listening(port)
        if self._settings.slack.app_token is None:
            self.slack.request_url = f"http://127.0.0.1:{port}{EVENTS_PATH}"
