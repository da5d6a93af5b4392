"""Keep the machine that the tests run on out of them, and use all of it."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# A shared machine may stop a test for longer than any deadline; pytest's timeout still ends what hangs.
settings.register_profile(
    "footnote", deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow]
)
# For a search of an hour: pytest --hypothesis-profile=thorough tests/unit/adapters
settings.register_profile("thorough", settings.get_profile("footnote"), max_examples=10_000)
settings.load_profile("footnote")

# Proxies of the machine must not see what tests say to servers on the loopback address.
PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes ``-n auto`` starts: one more than processors, because many tests wait."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the user's own settings and proxies from the program under test and from its subprocesses."""
    for name in list(os.environ):
        if name.upper().startswith("FOOTNOTE_") or name.lower() in PROXIES:
            monkeypatch.delenv(name)
