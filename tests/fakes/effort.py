"""How much work something is, whatever else the machine does meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the seconds of a processor that *work* took; those that others had it for do not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun
