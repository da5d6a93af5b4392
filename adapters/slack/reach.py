"""Everything that speaks to Slack's Web API, wired, and Slack's files for the rest of the service."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.slack.budgets import Budgets
from adapters.slack.calls import Calls
from adapters.slack.downloads import Downloads
from adapters.slack.facts import SCHEME
from adapters.slack.files import SlackFiles
from adapters.slack.installations import Installations, InstalledWorkspaces
from adapters.slack.people import People
from adapters.slack.workspaces import OneWorkspace, proxy_for
from bot.chat import NotAllowed
from bot.library import ServiceLibrary, SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.bootstrap import Service
    from bot.groups import Slack


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The ways to Slack."""

    workspaces: OneWorkspace | InstalledWorkspaces
    installations: Installations | None
    """Where workspaces install the app themselves."""
    calls: Calls
    files: SlackFiles
    people: People
    library: ServiceLibrary


@asynccontextmanager
async def reach_slack(service: Service) -> AsyncIterator[Reach]:
    """Speak to Slack for the length of the block; in it, the service can fetch files from there.

    Nothing is asked yet. Raises `NotAllowed` when the settings name no workspace.
    """
    slack, clock = service.settings.slack, SystemClock()
    most = service.settings.ingestion.max_bytes
    async with AsyncExitStack() as stack:
        installations = _installations(service)
        workspaces = _workspaces(slack, installations)
        stack.push_async_callback(workspaces.close)
        calls = Calls(workspaces, Budgets(), clock.monotonic)
        downloads = Downloads(slack.api_base_url, max_bytes=most, proxy=proxy_for)
        library = ServiceLibrary(
            service, gone=lambda scope, source: files.shares.gone(scope, source, lately=True)
        )
        files = SlackFiles(
            calls, workspaces, downloads, holders=library.keeping, max_bytes=most, sleep=clock.sleep
        )
        stack.push_async_callback(files.close)
        service.sources.connect(SCHEME, files.fetch)
        yield Reach(
            workspaces=workspaces,
            installations=installations,
            calls=calls,
            files=files,
            people=People(calls, clock.monotonic),
            library=library,
        )


def _installations(service: Service) -> Installations | None:
    vault = service.stores.vault
    return Installations(vault) if service.settings.slack.client_id and vault is not None else None


def _workspaces(slack: Slack, installations: Installations | None) -> OneWorkspace | InstalledWorkspaces:
    if installations is not None:
        return InstalledWorkspaces(installations, base_url=slack.api_base_url)
    if slack.bot_token is None:
        raise NotAllowed(slack.lacking or "")
    return OneWorkspace(slack.bot_token.get_secret_value(), base_url=slack.api_base_url)
