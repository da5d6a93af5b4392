"""Fetch a file's bytes from the platform that keeps it, and from nowhere else.

The address of a file comes from outside, and the request for it may carry a token. So every address, and
every one that it leads on to, is checked before anything is sent there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from bot.chat import RateLimited, Unreachable
from pipeline.domain import IngestReason
from pipeline.errors import IngestError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

REDIRECTS = 3
TIMEOUT = aiohttp.ClientTimeout(total=180, sock_connect=10, sock_read=20)
PIECE = 64 * 1024
PATIENCE = 5.0
"""Seconds to wait when a platform asks to and does not say for how long."""

_REDIRECTING = frozenset({301, 302, 303, 307, 308})
_MISSING = frozenset({404, 410})
_FORBIDDEN = frozenset({401, 403})
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_ODD = re.compile(r"[\s\\\x00-\x1f\x7f]")
"""What no honest address holds, and what libraries read in different ways."""


Origin = tuple[str, str | None, int | None]
"""Scheme, host and port of an address."""


class Slow(Unreachable):
    """The platform began to send the file and then fell silent, or did not even begin."""


class Incomplete(Unreachable):
    """What came has not the length that the platform declares."""

    def __init__(self, body: bytes = b"") -> None:
        super().__init__()
        self.body = body
        """What came, where it is shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a platform keeps its files, and what people are told when it does not give one."""

    name: str
    hosts: tuple[str, ...]
    wide: bool = False
    """Whether all sub-domains of these hosts are the platform's too."""
    own: Origin | None = None
    """What stands in for the platform, as a local server or a proxy."""
    sign_in: str | None = None
    """The parameter that a redirect to the sign-in page has; None: the platform itself has no such page."""
    locked: str
    """Said when it keeps the file from the bot."""
    gone: str
    """Said when there is no such file."""

    @property
    def outside(self) -> str:
        """Said when an address is not the platform's."""
        return f"Its address leads away from {self.name}, so it was not visited; upload the file itself."

    @property
    def another_page(self) -> str:
        """Said when a web page came in place of the file, as networks send that want people to sign in."""
        return (
            f"A web page came instead of the file, as from a network that wants people to sign in; "
            f"upload it again when {self.name} can be reached."
        )

    @property
    def incomplete(self) -> str:
        """Said when another number of bytes came than the file has."""
        return f"{self.name} sent more or less than the whole file; upload it again."

    @property
    def slow(self) -> str:
        """Said when it did not come in time."""
        return f"{self.name} took too long to send it; upload it again later."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A file to fetch."""

    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    size: int | None = None
    """Bytes, as the platform declares them."""
    page: bool = False
    """Whether it is a web page itself, so that receiving one is no sign of trouble."""
    exact: bool = False
    """Whether the declared size can be relied on, so that whatever has another one is not the file."""


class Downloads:
    """Connections for downloads; opened when they are first used."""

    def __init__(
        self,
        site: Site,
        *,
        max_bytes: int,
        timeout: aiohttp.ClientTimeout = TIMEOUT,
        proxy: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """*proxy* tells through which proxy an address is reached, if through any."""
        self._site = site
        self._proxy = proxy
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._session: aiohttp.ClientSession | None = None

    async def get(self, wanted: Wanted) -> bytes:
        """Return the file's bytes.

        Where the declared size may be wrong, a body that is shorter is taken if it comes twice.

        Raises `IngestError`, or what is worth another try: `RateLimited` or `Unreachable`.
        """
        try:
            return await self._got(wanted)
        except Incomplete as first:
            if wanted.exact:
                raise
            return await self._got_again(wanted, first.body)

    async def close(self) -> None:
        """End all connections."""
        if self._session is not None:
            await self._session.close()

    async def _got_again(self, wanted: Wanted, body: bytes) -> bytes:
        try:
            return await self._got(wanted)
        except Incomplete as second:
            if second.body != body:
                raise
            return body

    async def _got(self, wanted: Wanted) -> bytes:
        try:
            return await self._follow(wanted)
        except aiohttp.ServerTimeoutError as error:
            raise Slow from error
        except TimeoutError as error:  # all of the time is used up, and would be again
            raise IngestError(IngestReason.TIMED_OUT, self._site.slow) from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unreachable from error

    async def _follow(self, wanted: Wanted) -> bytes:
        site, url = self._site, checked(wanted.address, self._site)
        headers = {**wanted.headers, "Accept-Encoding": "identity"}
        for _ in range(REDIRECTS + 1):
            asking = self._opened().get(
                url, headers=headers, allow_redirects=False, proxy=self._proxy(str(url))
            )
            async with asking as response:
                if response.status not in _REDIRECTING:
                    _check(response, site)
                    return await self._read(response, wanted)
                url = checked(_target(url, response, site), site)
        raise _unreadable(
            f"{site.name} leads from one address to the next and never to the file; upload it again."
        )

    async def _read(self, response: aiohttp.ClientResponse, wanted: Wanted) -> bytes:
        """Return the body, counted as it comes: what a server says of its length is no proof."""
        is_page = response.content_type in _PAGES
        if is_page and self._site.sign_in is not None and not wanted.page:
            raise _unreadable(self._site.locked)
        size = wanted.size if wanted.exact else None
        most = self._max_bytes if size is None else min(self._max_bytes, size)
        body = bytearray()
        async for piece in response.content.iter_chunked(PIECE):
            body += piece
            if len(body) > most:
                response.close()
                break
        self._check_length(body, wanted, is_page=is_page)
        return bytes(body)

    def _check_length(self, body: bytearray, wanted: Wanted, *, is_page: bool) -> None:
        """Return if this may be the file. Raises `IngestError` or `Incomplete`."""
        site, size = self._site, wanted.size
        if len(body) > self._max_bytes:
            raise too_large(self._max_bytes)
        if size is None or len(body) == size:
            return
        if is_page and (wanted.exact or site.sign_in is not None):  # a page that is not the one asked for
            raise _unreadable(site.another_page if site.sign_in is None else site.locked)
        if wanted.exact or len(body) < size:
            raise Incomplete(bytes(body))

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            # no cookies: what one workspace's download sets must not go along with another's
            jar = aiohttp.DummyCookieJar()
            self._session = aiohttp.ClientSession(timeout=self._timeout, cookie_jar=jar, trust_env=False)
        return self._session


def own_origin(api_base_url: str, *hosts: str) -> Origin | None:
    """Return the origin that stands in for a platform's *hosts*; None: it is one of them, or below one."""
    url = URL(api_base_url)
    return None if _is_at(url, hosts, wide=True) else _origin(url)


def checked(address: str, site: Site) -> URL:
    """Return *address* if it is the platform's, so that a token may be sent there. Raises `IngestError`."""
    try:
        url = URL(address)
        odd = _ODD.search(address) or "@" in urlsplit(address).netloc
    except ValueError as error:
        raise _unreadable(site.outside) from error
    safe = _origin(url) == site.own if site.own else False
    if odd or not url.raw_host or not (safe or _is_safe(url, site)):
        raise _unreadable(site.outside)
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


def _is_safe(url: URL, site: Site) -> bool:
    return url.scheme == "https" and url.port == 443 and _is_at(url, site.hosts, wide=site.wide)


def _is_at(url: URL, hosts: tuple[str, ...], *, wide: bool) -> bool:
    host = (url.raw_host or "").lower().removesuffix(".")
    return any(host == known or (wide and host.endswith(f".{known}")) for known in hosts)


def _target(url: URL, response: aiohttp.ClientResponse, site: Site) -> str:
    """Return where a redirect leads. Raises `IngestError` when it leads to the sign-in page."""
    location = response.headers.get("Location", "")
    try:
        target = None if not location or _ODD.search(location) else url.join(URL(location))
    except ValueError as error:
        raise _unreadable(site.outside) from error
    if target is None:
        raise _unreadable(site.outside)
    if site.sign_in is not None and site.sign_in in target.query:
        raise _unreadable(site.locked)
    return str(target)


def _check(response: aiohttp.ClientResponse, site: Site) -> None:
    """Return if the file follows. Raises `IngestError`, `RateLimited` or `Unreachable`."""
    status = response.status
    if status == 429:
        raise RateLimited(_seconds(response.headers.get("Retry-After", "")))
    if status >= 500:
        raise Unreachable
    if status in _MISSING:
        raise _unreadable(site.gone)
    if status in _FORBIDDEN:
        raise _unreadable(site.locked)
    if status != 200:
        raise _unreadable(f"{site.name} answered with status {status} instead of the file; upload it again.")


def _seconds(retry_after: str) -> float:
    return float(retry_after) if retry_after.isdecimal() else PATIENCE


def _unreadable(message: str) -> IngestError:
    return IngestError(IngestReason.UNREADABLE, message)
