"""Who may do what: asked of Slack, remembered for some minutes, and no wherever Slack does not say yes."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from bot.chat import ChatError
from bot.recent import Fresh

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from adapters.slack.facts import Web

logger = logging.getLogger(__name__)

FRESH = 300.0
"""Seconds for which an answer of Slack's counts."""
KEPT = 2_000
"""People and channels that are remembered."""
KEPT_MEMBERS = 100
"""Channels whose members are remembered; a large one has tens of thousands."""
PAGE = 1_000
PAGES = 20
"""Members beyond this many pages are not looked for, so that nobody knows of them."""

T = TypeVar("T")
Key: TypeAlias = tuple[str, str]
"""A workspace, and somebody or a channel in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Person:
    """What counts of somebody, as one workspace sees them."""

    outside: bool
    manages: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Members:
    """People who are in a channel."""

    found: frozenset[str]
    complete: bool
    """Whether these are all of them."""


class People:
    """The people of every workspace that the app is installed in."""

    def __init__(self, web: Web, monotonic: Callable[[], float], *, fresh: float = FRESH) -> None:
        self._web = web
        self._persons: Fresh[Key, _Person] = Fresh(monotonic, fresh, KEPT)
        self._owners: Fresh[Key, str] = Fresh(monotonic, fresh, KEPT)
        self._members: Fresh[Key, _Members] = Fresh(monotonic, fresh, KEPT_MEMBERS)

    async def manages(self, team: str, channel: str, user: str) -> bool:
        """Tell whether somebody manages a channel: it is theirs, or the workspace is; never a guest."""
        person = await self._person(team, user)
        if person is None or person.outside:
            return False
        return person.manages or await self._owner(team, channel) == user

    async def belongs(self, team: str, user: str) -> bool:
        """Tell whether somebody is of the workspace itself: no guest, nobody from another organisation."""
        person = await self._person(team, user)
        return person is not None and not person.outside

    async def is_member(self, team: str, channel: str, user: str) -> bool | None:
        """Tell whether somebody is in a channel; None: nobody knows."""
        members = await self._asked(
            "members", self._members.get((team, channel), partial(self._find_members, team, channel))
        )
        if members is None:
            return None
        return True if user in members.found else (False if members.complete else None)

    def changed(self, team: str, channel: str) -> None:
        """Ask anew who is in a channel: somebody came or left."""
        self._members.forget((team, channel))

    async def _person(self, team: str, user: str) -> _Person | None:
        return await self._asked(
            "a person", self._persons.get((team, user), partial(self._find_person, team, user))
        )

    async def _owner(self, team: str, channel: str) -> str | None:
        return await self._asked(
            "a channel", self._owners.get((team, channel), partial(self._find_owner, team, channel))
        )

    async def _find_person(self, team: str, user: str) -> _Person:
        answer = await self._web.call(team, "users.info", user=user)
        return _read_person(team, answer.get("user") or {})

    async def _find_owner(self, team: str, channel: str) -> str:
        """Return who made the channel, or whose conversation with the bot it is; empty: nobody."""
        answer = await self._web.call(team, "conversations.info", channel=channel)
        said = answer.get("channel") or {}
        return str(said.get("user" if said.get("is_im") else "creator") or "")

    async def _find_members(self, team: str, channel: str) -> _Members:
        found: set[str] = set()
        cursor = ""
        for _ in range(PAGES):
            answer = await self._web.call(
                team, "conversations.members", channel=channel, limit=PAGE, cursor=cursor or None
            )
            found.update(answer.get("members") or ())
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return _Members(found=frozenset(found), complete=not cursor)

    @staticmethod
    async def _asked(what: str, looking: Awaitable[T]) -> T | None:
        """Return what Slack says; None: nothing, and so nobody may do anything."""
        try:
            return await looking
        except ChatError as error:
            logger.info("Slack does not tell about %s: %s", what, type(error).__name__)
            return None


def _read_person(team: str, user: Mapping[str, Any]) -> _Person:
    """Read a user object; the roles that it tells of are those in somebody's own workspace, maybe another."""
    organisation = user.get("enterprise_user") or {}
    homes = {user.get("team_id"), organisation.get("enterprise_id"), *(organisation.get("teams") or ())}
    guest = any(user.get(sign) for sign in ("is_restricted", "is_ultra_restricted", "is_stranger"))
    absent = any(user.get(sign) for sign in ("deleted", "is_bot"))
    roles = any(user.get(role) for role in ("is_admin", "is_owner", "is_primary_owner"))
    outside = guest or absent or team not in homes
    return _Person(outside=outside, manages=roles and not outside)
