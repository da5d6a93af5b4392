"""Everything that whoever listens to Discord hands things to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errands import Errands

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.discord.adapter import DiscordAdapter
    from adapters.discord.calls import Calls
    from adapters.discord.client import Client
    from adapters.discord.files import DiscordFiles
    from adapters.discord.people import People
    from adapters.discord.places import Places
    from bot.library import ServiceLibrary
    from bot.owners import Owners
    from bot.platform import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Everything that whoever listens to Discord hands things to."""

    platform: Platform
    adapter: DiscordAdapter
    client: Client
    calls: Calls
    places: Places
    people: People
    files: DiscordFiles
    library: ServiceLibrary
    owners: Owners
    first_time: Callable[[str], Awaitable[bool]]
    """Tells whether a key is named for the first time, over replicas and restarts."""
    tasks: Errands = field(default_factory=Errands)
    """For work that must not hold up what comes next."""
