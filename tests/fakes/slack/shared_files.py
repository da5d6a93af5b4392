"""The files of the local Slack server, and how their bytes are served."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.sending import Sending

ChannelKind = Literal["public", "private", "mpim", "im"]


@dataclass(slots=True, kw_only=True)
class Serving(Sending):
    """How a file's bytes are served when that goes wrong."""

    login: bool = False
    """Serve the login page, whoever asks."""


@dataclass(slots=True, kw_only=True, eq=False)
class File:
    """One file and where it is shared."""

    id: str
    team: str
    name: str
    content: bytes
    mimetype: str
    user: str
    created: int
    updated: int
    url: str
    download_url: str
    permalink: str
    mode: str = "hosted"
    external: bool = False
    deleted: bool = False
    size: int | None = None
    """The declared one, when it is not the true one."""
    shares: dict[str, str] = field(default_factory=dict)
    """Channel → ts of the message that shares it."""
    kinds: dict[str, ChannelKind] = field(default_factory=dict)
    connect: bool = False
    """Uploaded in a shared channel: messages say only that one has to ask."""
    serving: Serving = field(default_factory=Serving)

    def described(self, *, whole: bool = False) -> dict[str, Any]:
        """Return the file object; *whole* is what ``files.info`` says."""
        if self.deleted:
            return {"id": self.id, "mode": "tombstone"}
        if self.connect and not whole:
            return {"id": self.id, "mode": "file_access", "file_access": "check_file_info"}
        groups = [channel for channel in self.shares if self.kinds[channel] in {"private", "mpim"}]
        return {
            "id": self.id,
            "created": self.created,
            "timestamp": self.created,
            "updated": self.updated,
            "name": self.name,
            "title": self.name,
            "mimetype": self.mimetype,
            "filetype": self.name.rpartition(".")[2],
            "user": self.user,
            "user_team": self.team,
            "mode": self.mode,
            "is_external": self.external,
            "is_public": any(kind == "public" for kind in self.kinds.values()),
            "size": len(self.content) if self.size is None else self.size,
            "url_private": self.url,
            "url_private_download": self.download_url,
            "permalink": self.permalink,
            "channels": [channel for channel in self.shares if self.kinds[channel] == "public"],
            "groups": groups,
            "ims": [channel for channel in self.shares if self.kinds[channel] == "im"],
            "shares": self._shares(),
        }

    def _shares(self) -> dict[str, Any]:
        shares: dict[str, Any] = {}
        for channel, ts in self.shares.items():
            kind = "public" if self.kinds[channel] == "public" else "private"
            shares.setdefault(kind, {})[channel] = [{"ts": ts, "team_id": self.team}]
        return shares
