"""Slack's files: which message carries one, whether it can be read at all, and its bytes."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Protocol

from adapters.downloads import Incomplete, Slow, too_large
from adapters.slack.addressing import PLATFORM, channel_itself
from adapters.slack.calls import Refused
from adapters.slack.downloads import GONE, INCOMPLETE, SLOW
from adapters.slack.facts import Facts, Share, SlackFile, parts_of, place
from adapters.slack.shares import Shares, is_in
from bot.chat import ChatError, NotAllowed, RateLimited, Thread, Unreachable
from bot.incoming import FileRemoved, IncomingFile
from bot.patience import patiently
from pipeline.domain import IngestReason, Scope
from pipeline.errors import IngestError, SourceAway

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from adapters.slack.facts import Web
    from adapters.slack.happenings import FileShared, FileTouched
    from adapters.slack.workspaces import Workspaces

logger = logging.getLogger(__name__)

LOOKS = (1.0, 2.0, 4.0)
"""Seconds between looks for the message that carries a file: Slack's records come after its events."""
NAMELESS = "The file"
"""What a file is called of which Slack says nothing."""

_ONLY_SLACK: Mapping[str, str] = {
    "application/vnd.slack-docs": "a canvas",
    "canvas": "a canvas",
    "quip": "a canvas",
    "list": "a list",
    "post": "a post",
    "space": "a post",
}
"""What only Slack itself can show, by mode, kind or media type."""
NO_SCOPE = (
    "Slack does not let me read files: the app lacks the permission files:read. "
    "Whoever runs me can add it and install the app again."
)
NOT_ACCEPTED = "Slack does not accept my token for this workspace; whoever runs me can run 'footnote doctor'."

_NOT_OURS = frozenset({"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked"})
_HIDDEN = "hidden_by_limit"
_WITHHELD = "file_access"


class Getter(Protocol):
    """What fetches bytes; `Downloads` satisfies it."""

    async def get(self, file: SlackFile, token: str) -> bytes:
        """Return the file's bytes. Raises `IngestError`, `RateLimited` or `Unreachable`."""

    async def close(self) -> None:
        """End all connections."""


class SlackFiles:
    """The files of every workspace that the app is installed in."""

    def __init__(
        self,
        web: Web,
        workspaces: Workspaces,
        downloads: Getter,
        *,
        holders: Callable[[str, str, str], Awaitable[Sequence[Scope]]],
        max_bytes: int,
        sleep: Callable[[float], Awaitable[None]],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """*holders* returns the channels, of a platform and workspace, that have documents from a source."""
        facts = Facts(web, monotonic)
        self.shares = Shares(facts, sleep=sleep)
        self._facts = facts
        self._holders = holders
        self._workspaces = workspaces
        self._downloads = downloads
        self._max_bytes = max_bytes
        self._sleep = sleep

    async def incoming(self, shared: FileShared) -> list[IncomingFile]:
        """Return what to index, one for each channel; nothing for a file that is gone.

        A file that cannot be read comes too: fetching it says why, and whoever shared it gets to know. Only
        a changed file that cannot be read is left out, for that was said when it came. Raises `RateLimited`
        or `Unreachable` where nobody would get to know, so that it is to be looked up later.
        """
        try:
            file = await self._placed(shared)
        except ChatError as error:
            logger.warning("Slack says nothing about a file: %s", type(error).__name__)
            if shared.channel and shared.ts:
                return [_unknown(shared, shared.channel, shared.ts)]
            if isinstance(error, RateLimited | Unreachable):
                raise
            return []
        if file is None or (shared.changed and (not file.version or refusal(file, self._max_bytes))):
            return []
        shares = await self._held(file) if shared.changed else _places(shared, file)
        return [_incoming(shared, file, channel, share) for channel, share in shares.items()]

    async def removed(self, touched: FileTouched) -> list[FileRemoved]:
        """Return the channels that a file has left. Raises `ChatError` when Slack does not say."""
        source = place(touched.team, touched.file_id)
        if touched.channel is None:
            scopes = await self._holders(PLATFORM, touched.team, source)
        else:
            scopes = [Scope(PLATFORM, touched.team, touched.channel)]
        left = await self.shares.left(scopes, source)
        return [FileRemoved(event_id=touched.event_id, scope=scope, source=source) for scope in left]

    async def fetch(self, source: str) -> bytes:
        """Return the bytes of a source that begins with ``slack:``. Raises `IngestError`."""
        named = parts_of(source)
        if named is None:
            raise IngestError(IngestReason.UNREADABLE, "This is not the address of a file in Slack.")
        try:
            file = await self._look_up(*named, lately=True)
            if file is None:
                raise IngestError(IngestReason.UNREADABLE, GONE)
            if (refused := refusal(file, self._max_bytes)) is not None:
                raise refused
            token = (await self._workspaces.client(file.team)).token or ""
            return await patiently(lambda: self._downloads.get(file, token), self._sleep)
        except ChatError as error:
            raise _explained(error) from error

    async def close(self) -> None:
        """End all connections."""
        await self._downloads.close()

    async def _placed(self, shared: FileShared) -> SlackFile | None:
        """Return the file, with the message that carries it if there is one. Raises `ChatError`."""
        file = await self._look_up(shared.team, shared.file_id, lately=bool(shared.ts))
        for pause in LOOKS:
            if shared.changed or (file is not None and _is_placed(shared, file)):
                break
            await self._sleep(pause)
            file = await self._look_up(shared.team, shared.file_id)
        return file

    async def _held(self, file: SlackFile) -> Mapping[str, Share]:
        """Return the message that carries a file in each channel that has a document from it."""
        scopes = await self._holders(PLATFORM, file.team, place(file.team, file.id))
        held = [scope.channel for scope in scopes if is_in(scope, file)]
        return {channel: file.shares.get(channel, Share(ts="")) for channel in held}

    async def _look_up(self, team: str, file_id: str, *, lately: bool = False) -> SlackFile | None:
        look = self._facts.lately if lately else self._facts.of
        return await patiently(lambda: look(team, file_id), self._sleep)


def refusal(file: SlackFile, max_bytes: int) -> IngestError | None:
    """Return why a file cannot be read, None if it may be tried."""
    only_slack = next(
        (_ONLY_SLACK[x] for x in (file.mode, file.filetype, file.mimetype) if x in _ONLY_SLACK), ""
    )
    if only_slack:
        message = f"It is {only_slack}, which only Slack can open; save it as a PDF and upload that."
        return IngestError(IngestReason.UNSUPPORTED_TYPE, message)
    if file.external or file.mode == "external":
        message = (
            "Another service keeps it, where I cannot read it; download it there and upload the file itself."
        )
        return IngestError(IngestReason.UNSUPPORTED_TYPE, message)
    if file.mode == _HIDDEN:
        message = "Slack hides it, because the workspace's plan keeps recent files only; upload it again."
        return IngestError(IngestReason.UNREADABLE, message)
    if file.mode == _WITHHELD or not file.url:
        message = "It belongs to another workspace, which does not let me see it; upload a copy here."
        return IngestError(IngestReason.UNREADABLE, message)
    return too_large(max_bytes) if (file.size or 0) > max_bytes else None


def _is_placed(shared: FileShared, file: SlackFile) -> bool:
    return shared.channel is None or bool(shared.ts) or shared.channel in file.shares


def _places(shared: FileShared, file: SlackFile) -> Mapping[str, Share]:
    """Return the message that carries the file in each channel that the event is about."""
    if shared.channel is None:
        return file.shares
    if shared.ts:
        return {shared.channel: Share(ts=shared.ts, thread_ts=shared.thread_ts)}
    if shared.channel in file.shares:
        return {shared.channel: file.shares[shared.channel]}
    seen = is_in(Scope(PLATFORM, shared.team, shared.channel), file)
    return {shared.channel: Share(ts="")} if seen else {}


def _incoming(shared: FileShared, file: SlackFile, channel: str, share: Share) -> IncomingFile:
    scope = Scope(PLATFORM, shared.team, channel)
    return IncomingFile(
        event_id=shared.event_id,
        file_id=_upload(shared, share.ts, file.version),
        # without a message there is nothing to answer to, but the file is read all the same
        thread=Thread(scope, share.thread) if share.ts else channel_itself(scope),
        author=shared.user or file.user or "",
        name=file.name,
        source=file.source,
        size=file.size,
        message_id=share.ts or None,
        changed=shared.changed,
        addressed=shared.addressed or shared.wanted,
    )


def _unknown(shared: FileShared, channel: str, ts: str) -> IncomingFile:
    return IncomingFile(
        event_id=shared.event_id,
        file_id=_upload(shared, ts),
        thread=Thread(Scope(PLATFORM, shared.team, channel), shared.thread_ts or ts),
        author=shared.user or "",
        name=NAMELESS,
        source=place(shared.team, shared.file_id),
        message_id=ts,
    )


def _upload(shared: FileShared, ts: str, version: str | None = None) -> str:
    """Name one version of a file, or one occasion on which it was shared or asked for."""
    if shared.changed:
        return f"{shared.file_id}@{version}"
    if shared.wanted:
        return f"{shared.file_id}@{shared.event_id}"
    return f"{shared.file_id}/{ts}"


def _explained(error: ChatError) -> IngestError:
    """Return what people are told when Slack did not give the file."""
    match error:
        case Refused(code="missing_scope"):
            message = NO_SCOPE
        case Refused(code=code) if code not in _NOT_OURS:
            message = f"Slack does not let me see it ({code}); upload a copy here."
        case NotAllowed():
            message = NOT_ACCEPTED
        case Incomplete():
            message = INCOMPLETE
        case Slow():
            return IngestError(IngestReason.TIMED_OUT, SLOW)
        case _:
            return SourceAway("Slack could not be reached, or asks to wait.")
    return IngestError(IngestReason.UNREADABLE, message)
