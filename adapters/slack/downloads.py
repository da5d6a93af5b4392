"""Fetch a file's bytes from Slack, and from nowhere else: the request carries the workspace's token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters import downloads
from adapters.downloads import TIMEOUT, Site, Wanted, own_origin

if TYPE_CHECKING:
    from collections.abc import Callable

    import aiohttp

    from adapters.slack.facts import SlackFile

HOSTS = ("slack.com", "slack-gov.com", "slack-files.com")
"""Slack's own; a token goes to these and their sub-domains."""

LOCKED = (
    "Slack sent its sign-in page instead of the file: the app lacks the permission files:read, or its token "
    "is not valid any more. Whoever runs me can add the permission and install the app again."
)
GONE = "It was deleted in Slack, or is not shared with me any more."


class Downloads:
    """Connections for downloads; opened when they are first used."""

    def __init__(
        self,
        api_base_url: str,
        *,
        max_bytes: int,
        timeout: aiohttp.ClientTimeout = TIMEOUT,
        proxy: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """*proxy* tells through which proxy an address is reached, if through any."""
        self._downloads = downloads.Downloads(
            slack_at(api_base_url), max_bytes=max_bytes, timeout=timeout, proxy=proxy
        )

    async def get(self, file: SlackFile, token: str) -> bytes:
        """Return the file's bytes.

        Raises `IngestError`, or what is worth another try: `RateLimited` or `Unreachable`.
        """
        headers = {"Authorization": f"Bearer {token}"}
        wanted = Wanted(address=file.url or "", headers=headers, size=file.size, page=file.is_page)
        return await self._downloads.get(wanted)

    async def close(self) -> None:
        """End all connections."""
        await self._downloads.close()


def slack_at(api_base_url: str) -> Site:
    """Return where Slack's files are, when its API is at this address."""
    own = own_origin(api_base_url, *HOSTS)
    return Site(name="Slack", hosts=HOSTS, wide=True, own=own, sign_in="redir", locked=LOCKED, gone=GONE)


SLACK = slack_at("https://slack.com/api/")
OUTSIDE, INCOMPLETE, SLOW = SLACK.outside, SLACK.incomplete, SLACK.slow
