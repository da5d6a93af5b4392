"""Which events were seen before: platforms deliver some of them more than once."""

from __future__ import annotations

import logging
from typing import Protocol

logger = logging.getLogger(__name__)


class SeenEvents(Protocol):
    """A memory of keys that all replicas share."""

    async def first_time(self, key: str) -> bool:
        """Return True for exactly one of all callers that ever name *key*."""


async def is_first(seen: SeenEvents, key: str) -> bool:
    """Tell whether *key* was never named before; True as well when nobody knows."""
    try:
        first = await seen.first_time(key)
    except Exception as error:  # noqa: BLE001 - rather done twice than not at all
        logger.warning("seen events are unknown: %s", type(error).__name__)
        return True
    if not first:
        logger.debug("an event was seen before")
    return first
