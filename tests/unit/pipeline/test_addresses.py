from __future__ import annotations

import pytest

from pipeline.addresses import is_loopback, link_of, place_of


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "127.0.0.9", "::1", "app.localhost"])
def test_this_machine_is_told_by_its_names_and_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "localhost.example", "notlocalhost", ""])  # noqa: S104 - a value
def test_no_other_machine_is_taken_for_it(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("source", "link", "place"),
    [
        ("file:///srv/a%23b.md", "file:///srv/a%23b.md", "file:///srv/a%23b.md"),
        ("https://host/plan.md#top", "https://host/plan.md#top", "https://host/plan.md#top"),
        ("chat:W1/F1#https://host/F1/a.md", "https://host/F1/a.md", "chat:W1/F1"),
        ("chat:W1/F1", None, "chat:W1/F1"),
        ("", None, ""),
    ],
)
def test_a_source_has_a_place_for_programs_and_a_link_for_people(
    source: str, link: str | None, place: str
) -> None:
    assert (link_of(source), place_of(source)) == (link, place)
