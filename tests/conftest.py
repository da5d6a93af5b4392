"""Keep the machine that the tests run on out of them."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A shared machine may stop a test for longer than any deadline; pytest's timeout still ends what hangs.
settings.register_profile("footnote", deadline=None)
settings.load_profile("footnote")

# Proxies of the machine must not see what tests say to servers on the loopback address.
PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"})


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the user's own settings and proxies from the program under test and from its subprocesses."""
    for name in list(os.environ):
        if name.upper().startswith("FOOTNOTE_") or name.lower() in PROXIES:
            monkeypatch.delenv(name)
