"""The chat platforms that can be served, by the names that people know them by.

A platform's library takes a while to load, so each is imported only when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractAsyncContextManager

    from adapters.serving import Connection
    from bot.bootstrap import Service
    from bot.doctor import Examination
    from bot.settings import Settings

SLACK, DISCORD = "Slack", "Discord"


def lacking(name: str, settings: Settings) -> str | None:
    """Return what must be set for a platform to be served, as a sentence; None: nothing."""
    return settings.slack.lacking if name == SLACK else settings.discord.lacking


def opened(name: str, service: Service) -> AbstractAsyncContextManager[Connection]:
    """Return the way to serve a platform."""
    if name == SLACK:
        from adapters.slack.program import open_slack

        return open_slack(service)
    from adapters.discord.program import open_discord

    return open_discord(service)


def reached(service: Service) -> Iterator[AbstractAsyncContextManager[object]]:
    """Yield what brings the files of each platform that is set up within the *service*'s reach."""
    if service.settings.slack.bot_token or service.settings.slack.client_id:
        from adapters.slack.reach import reach_slack

        yield reach_slack(service)
    if service.settings.discord.token:
        from adapters.discord.reach import reach_discord

        yield reach_discord(service)


def examinations() -> dict[str, Examination]:
    """Return how each platform is looked at."""
    from adapters.discord.doctor import examine_discord
    from adapters.slack.doctor import examine_slack

    return {SLACK: examine_slack, DISCORD: examine_discord}
