"""Let the process open as many files as the system permits; a store of many channels needs them."""

from __future__ import annotations

import logging

logger = logging.getLogger(__name__)

MODEST = 10_240
"""What macOS grants at most when its hard limit says "unlimited" (OPEN_MAX in sys/syslimits.h)."""


def raise_limit() -> int | None:
    """Lift the soft limit of open files to the hard one; return what holds now, None: no limit."""
    try:
        import resource  # not on Windows, which has no such limit
    except ImportError:
        return None
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (hard, MODEST):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            break
        except (ValueError, OSError):
            logger.debug("the system refused %d open files", wanted)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft
