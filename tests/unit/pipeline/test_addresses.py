from __future__ import annotations

import pytest

from pipeline.addresses import is_loopback


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "127.0.0.9", "::1", "app.localhost"])
def test_this_machine_is_told_by_its_names_and_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "localhost.example", "notlocalhost", ""])  # noqa: S104 - a value
def test_no_other_machine_is_taken_for_it(host: str) -> None:
    assert not is_loopback(host)
