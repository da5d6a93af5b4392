"""Fetch a file's bytes from Slack, and from nowhere else.

The address of a file comes from outside, and the request for it carries the workspace's token. So every
address, and every one that it leads on to, is checked before anything is sent there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from bot.chat import RateLimited, Unreachable
from pipeline.domain import IngestReason
from pipeline.errors import IngestError

if TYPE_CHECKING:
    from adapters.slack.facts import SlackFile

HOSTS = ("slack.com", "slack-gov.com", "slack-files.com")
"""Slack's own; a token goes to these and their sub-domains."""
REDIRECTS = 3
TIMEOUT = aiohttp.ClientTimeout(total=180, sock_connect=10, sock_read=20)
PIECE = 64 * 1024
PATIENCE = 5.0
"""Seconds to wait when Slack asks to and does not say for how long."""

LOCKED = (
    "Slack sent its sign-in page instead of the file: the app lacks the permission files:read, or its token "
    "is not valid any more. Whoever runs me can add the permission and install the app again."
)
OUTSIDE = "Its address leads away from Slack, so it was not visited; upload the file itself."
SLOW = "Slack took too long to send it; upload it again later."
GONE = "It was deleted in Slack, or is not shared with me any more."

_REDIRECTING = frozenset({301, 302, 303, 307, 308})
_MISSING = frozenset({404, 410})
_FORBIDDEN = frozenset({401, 403})
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_ODD = re.compile(r"[\s\\\x00-\x1f\x7f]")
"""What no honest address holds, and what libraries read in different ways."""


Origin = tuple[str, str | None, int | None]
"""Scheme, host and port of an address."""


class Slow(Unreachable):
    """Slack began to send the file and then fell silent, or did not even begin."""


class Downloads:
    """Connections for downloads; opened when they are first used."""

    def __init__(
        self, api_base_url: str, *, max_bytes: int, timeout: aiohttp.ClientTimeout = TIMEOUT
    ) -> None:
        self._own = own_origin(api_base_url)
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._session: aiohttp.ClientSession | None = None

    async def get(self, file: SlackFile, token: str) -> bytes:
        """Return the file's bytes.

        Raises `IngestError`, or what is worth another try: `RateLimited` or `Unreachable`.
        """
        try:
            return await self._follow(file, token)
        except aiohttp.ServerTimeoutError as error:
            raise Slow from error
        except TimeoutError as error:  # all of the time is used up, and would be again
            raise IngestError(IngestReason.TIMED_OUT, SLOW) from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unreachable from error

    async def close(self) -> None:
        """End all connections."""
        if self._session is not None:
            await self._session.close()

    async def _follow(self, file: SlackFile, token: str) -> bytes:
        url = checked(file.url or "", self._own)
        headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
        for _ in range(REDIRECTS + 1):
            async with self._opened().get(url, headers=headers, allow_redirects=False) as response:
                if response.status not in _REDIRECTING:
                    _check(response)
                    return await self._read(response, file)
                url = checked(_target(url, response), self._own)
        raise _unreadable("Slack leads from one address to the next and never to the file; upload it again.")

    async def _read(self, response: aiohttp.ClientResponse, file: SlackFile) -> bytes:
        """Return the body, counted as it comes: what a server says of its length is no proof."""
        is_page = response.content_type in _PAGES
        if is_page and not file.is_page:
            raise _unreadable(LOCKED)
        body = bytearray()
        async for piece in response.content.iter_chunked(PIECE):
            body += piece
            if len(body) > self._max_bytes:
                response.close()
                raise too_large(self._max_bytes)
        if is_page and file.size not in {None, len(body)}:
            raise _unreadable(LOCKED)  # a page was asked for, and this is another one
        return bytes(body)

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            # no cookies: what one workspace's download sets must not go along with another's
            jar = aiohttp.DummyCookieJar()
            self._session = aiohttp.ClientSession(timeout=self._timeout, cookie_jar=jar, trust_env=False)
        return self._session


def own_origin(api_base_url: str) -> Origin | None:
    """Return the origin that stands in for Slack's, as a local server or a proxy; None: it is Slack's own."""
    url = URL(api_base_url)
    return None if _is_slack(url) else _origin(url)


def checked(address: str, own: Origin | None) -> URL:
    """Return *address* if a token may be sent there. Raises `IngestError`."""
    try:
        url = URL(address)
        odd = _ODD.search(address) or "@" in urlsplit(address).netloc
    except ValueError as error:
        raise _unreadable(OUTSIDE) from error
    safe = _origin(url) == own if own else False
    if odd or not url.raw_host or not (safe or _is_safe(url)):
        raise _unreadable(OUTSIDE)
    return url


def too_large(max_bytes: int) -> IngestError:
    """Return the refusal of a file that is over the limit."""
    return IngestError(
        IngestReason.TOO_LARGE,
        f"It is larger than {max_bytes // 2**20} MB; upload it in parts, "
        f"or have FOOTNOTE_INGESTION__MAX_BYTES raised.",
    )


def _origin(url: URL) -> Origin:
    return url.scheme, url.raw_host, url.port


def _is_safe(url: URL) -> bool:
    return url.scheme == "https" and url.port == 443 and _is_slack(url)


def _is_slack(url: URL) -> bool:
    host = (url.raw_host or "").lower().removesuffix(".")
    return any(host == known or host.endswith(f".{known}") for known in HOSTS)


def _target(url: URL, response: aiohttp.ClientResponse) -> str:
    """Return where a redirect leads. Raises `IngestError` when it leads to the sign-in page."""
    location = response.headers.get("Location", "")
    try:
        target = None if not location or _ODD.search(location) else url.join(URL(location))
    except ValueError as error:
        raise _unreadable(OUTSIDE) from error
    if target is None:
        raise _unreadable(OUTSIDE)
    if "redir" in target.query:
        raise _unreadable(LOCKED)
    return str(target)


def _check(response: aiohttp.ClientResponse) -> None:
    """Return if the file follows. Raises `IngestError`, `RateLimited` or `Unreachable`."""
    status = response.status
    if status == 429:
        raise RateLimited(_seconds(response.headers.get("Retry-After", "")))
    if status >= 500:
        raise Unreachable
    if status in _MISSING:
        raise _unreadable(GONE)
    if status in _FORBIDDEN:
        raise _unreadable(LOCKED)
    if status != 200:
        raise _unreadable(f"Slack answered with status {status} instead of the file; upload it again.")


def _seconds(retry_after: str) -> float:
    return float(retry_after) if retry_after.isdecimal() else PATIENCE


def _unreadable(message: str) -> IngestError:
    return IngestError(IngestReason.UNREADABLE, message)
