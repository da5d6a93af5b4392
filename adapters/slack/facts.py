"""What Slack says of a file, and the name by which the file is known ever after."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from adapters.slack.calls import Refused
from bot.chat import Unreachable
from bot.recent import Fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SCHEME = "slack"
"""What the sources of Slack's files begin with."""
FRESH = 60.0
"""Seconds for which what Slack said of a file is taken for true where nothing says otherwise."""
KEPT = 1000
"""Files of which that is remembered."""

_GONE = frozenset({"file_not_found", "file_deleted", "not_visible"})
"""What ``files.info`` answers for a file that is deleted, or that nothing the bot sees shares any more."""
_LISTS = ("channels", "groups", "ims", "mpims")
_PLACE = re.compile(rf"{SCHEME}:([A-Za-z0-9_-]+)/([A-Za-z0-9_-]+)")
_PAGES = frozenset({"text/html", "application/xhtml+xml"})


class Web(Protocol):
    """Slack's Web API, as far as it is needed here; `Calls` satisfies it."""

    async def call(
        self, team: str, method: str, *, intermediate: bool = False, **arguments: Any
    ) -> Mapping[str, Any]:
        """Return the answer. Raises `ChatError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The message that puts a file into a channel."""

    ts: str
    thread_ts: str | None = None

    @property
    def thread(self) -> str:
        """The thread that it stands in, or begins."""
        return self.thread_ts or self.ts


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackFile:
    """One file that exists."""

    team: str
    """The workspace, or the organisation, whose token reads it."""
    id: str
    name: str
    """What people call it; never empty."""
    mode: str = ""
    filetype: str = ""
    mimetype: str = ""
    external: bool = False
    """Whether another service keeps it; its address is that service's then."""
    size: int | None = None
    url: str | None = None
    permalink: str | None = None
    user: str | None = None
    created: str | None = None
    version: str | None = None
    """Another one whenever the contents changed; None: Slack does not say."""
    visible: frozenset[str] | None = None
    """The channels it can be seen in, of those that the bot is in; None: Slack does not say."""
    shares: Mapping[str, Share]
    """The latest message that carries it, by channel."""

    @classmethod
    def read(cls, team: str, info: Mapping[str, Any]) -> SlackFile:
        """Read the file object of ``files.info``. Raises `KeyError`."""
        shares = _shares(info)
        return cls(
            team=team,
            id=info["id"],
            name=_text(info, "name", "title") or "Untitled",
            mode=_text(info, "mode"),
            filetype=_text(info, "filetype"),
            mimetype=_text(info, "mimetype").lower(),
            external=bool(info.get("is_external")),
            size=info.get("size"),
            url=_text(info, "url_private_download", "url_private") or None,
            permalink=_text(info, "permalink") or None,
            user=_text(info, "user") or None,
            created=_text(info, "created", "timestamp") or None,
            version=_text(info, "edit_timestamp", "updated") or None,
            visible=_visible(info, shares),
            shares=shares,
        )

    @property
    def source(self) -> str:
        """Where the original stays, in the form that `pipeline.addresses` explains."""
        link = self.permalink or ""
        return f"{place(self.team, self.id)}#{link}" if link.startswith("http") else place(self.team, self.id)

    @property
    def is_page(self) -> bool:
        """Whether it is a web page itself, so that receiving one is no sign of trouble."""
        return self.mimetype in _PAGES or (not self.mimetype and self.filetype == "html")


class Facts:
    """Looks files up; nothing is decided about one before."""

    def __init__(self, web: Web, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._web = web
        self._recent: Fresh[tuple[str, str], SlackFile] = Fresh(monotonic, FRESH, KEPT)

    async def of(self, team: str, file_id: str, *, intermediate: bool = False) -> SlackFile | None:
        """Return what Slack knows of a file; None: it was deleted, or is not shared with the bot any more.

        Raises `ChatError` when Slack says neither.
        """
        file = await self._ask(team, file_id, intermediate=intermediate)
        if file is None:
            self._recent.forget((team, file_id))
        else:
            self._recent.note((team, file_id), file)
        return file

    async def lately(self, team: str, file_id: str, *, intermediate: bool = False) -> SlackFile | None:
        """Return what Slack knows of a file, or said within the last minute. Raises `ChatError`."""
        file = self._recent.last((team, file_id))
        return await self.of(team, file_id, intermediate=intermediate) if file is None else file

    async def _ask(self, team: str, file_id: str, *, intermediate: bool) -> SlackFile | None:
        try:
            answer = await self._web.call(team, "files.info", intermediate=intermediate, file=file_id)
        except Refused as refusal:
            if refusal.code in _GONE:
                return None
            raise
        info = answer.get("file")
        if not isinstance(info, dict) or "id" not in info:
            raise Unreachable("Slack's answer is not about a file")
        return None if info.get("mode") == "tombstone" else SlackFile.read(team, info)


def place(team: str, file_id: str) -> str:
    """Return the part of a file's source that stays the same for ever."""
    return f"{SCHEME}:{team}/{file_id}"


def parts_of(source: str) -> tuple[str, str] | None:
    """Return the workspace and the file id that *source* names; None: it is not of Slack."""
    found = _PLACE.fullmatch(source.partition("#")[0])
    return (found[1], found[2]) if found else None


def _text(info: Mapping[str, Any], *names: str) -> str:
    """Return the first of these values that says anything; some files have only a title."""
    values = (str(info.get(name) or "").strip() for name in names)
    return next(filter(None, values), "")


def _visible(info: Mapping[str, Any], shares: Mapping[str, Share]) -> frozenset[str] | None:
    if "shares" not in info and not any(name in info for name in _LISTS):
        return None
    return frozenset(shares).union(*(info.get(name) or () for name in _LISTS))


def _shares(info: Mapping[str, Any]) -> dict[str, Share]:
    latest: dict[str, Share] = {}
    for channel, ts, thread_ts in _carriers(info):
        if channel not in latest or latest[channel].ts < ts:
            latest[channel] = Share(ts=ts, thread_ts=thread_ts)
    return latest


def _carriers(info: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    for channels in (info.get("shares") or {}).values():
        for channel, messages in (channels or {}).items():
            for message in messages or ():
                if message.get("ts"):
                    yield channel, message["ts"], message.get("thread_ts")
