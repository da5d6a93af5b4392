"""A number belongs to the row of a table that it stands in."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.ingestion.tokens import analyze
from pipeline.verification.mechanical import Sign, inspect, read_premise
from pipeline.verification.rows import read_rows

if TYPE_CHECKING:
    from pipeline.verification.mechanical import Premise

HANDBOOK = Path(__file__).resolve().parents[4] / "examples" / "handbook"

PLANS = """\
Our plans:

| Plan | Price | Storage |
|---|---|---|
| Starter | €29 | 5 GB |
| Team | €79 | 50 GB |
| Business | €249 | 500 GB |
"""
FIELDS = "Basic: 10 € per month\nPro: 20 € per month\nTrial: 14 days\nFounded: 2019\nServers: 12\n"


CONFIG = "replicas: 3\nport: 8080\ntimeout: 30"
STOCK = "| SKU | Stock |\n|---|---|\n| A-100 | 5 |\n| A-200 | 9 |"
VERSIONS = "| Version | Downloads |\n|---|---|\n| 1.2.0 | 51 |\n| 1.3.0 | 97 |"


def rows_sign(claim: str, premise: Premise) -> Sign | None:
    return {each.kind: each.sign for each in inspect(claim, premise, analyze)}.get("rows")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Team costs €29.", PLANS),
        ("Starter has 50 GB of storage.", PLANS),
        ("The Team plan is 249 euros a month.", PLANS),
        ("Pro costs 10 €.", FIELDS),
        ("- Basic is 20 € per month", FIELDS),
        ("Pro is 2019 €.", FIELDS),
        ("The timeout is 3.", CONFIG),
        ("A-200 has 5 in stock.", STOCK),
        ("Version 1.3.0 has 51 downloads.", VERSIONS),
    ],
)
def test_the_number_of_another_row_speaks_against(claim: str, source: str) -> None:
    assert rows_sign(claim, read_premise(source, analyze)) is Sign.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Team costs €79.", PLANS),
        ("Starter costs €29 and has 5 GB, Team costs €79.", PLANS),
        ("The cheapest plan costs €29.", PLANS),
        ("Of the team, the starter pays €29.", PLANS),
        ("Team costs €79 and not 29.", PLANS),
        ("Team costs €29.", f"{PLANS}\nUntil May, every plan costs €29."),
        ("After 14 days, Pro is charged.", FIELDS),
        ("The timeout is 30, and replicas is 3.", CONFIG),
        ("The number of replicas is 3.", CONFIG),
        ("The person in the room is 34.", "Age: 34\nRoom: 12"),
        ("The timeout makes 3 replicas restart.", CONFIG),
        ("A-200 has 9 in stock.", STOCK),
        ("Version 1.3.0 has 97 downloads.", VERSIONS),
        ("Since 2019, there are servers.", FIELDS),
        ("The servers of Pro run for 14 days.", FIELDS),
        ("Pro and Pro Plus differ: Pro is 10 €.", "Pro: 10 €\nPro Plus: 20 €"),
        ("By day, a ticket for the bus is 10 €.", "Night bus: 10 €\nDay ticket: 20 €"),
        ("Beta has 5 parts.", "| Name | Due |\n|---|---|\n| Alpha | 2026-01-05 |\n| Beta | 2026-01-07 |"),
    ],
)
def test_what_is_or_may_be_true_is_not_spoken_against(claim: str, source: str) -> None:
    assert rows_sign(claim, read_premise(source, analyze)) is None


@pytest.mark.parametrize("claim", ["Team costs over €29.", "Team does not cost €29.", "Pro is 10 € more."])
def test_where_rows_are_compared_it_only_makes_doubtful(claim: str) -> None:
    assert rows_sign(claim, read_premise(f"{PLANS}\n{FIELDS}", analyze)) is Sign.UNKNOWN


@pytest.mark.parametrize(
    "noise",
    [" " * 20_000 + "x", "a" + " " * 20_000 + "b", "a:" + " " * 20_000, "\t" * 20_000, "k: 1\n" * 5_000],
)
def test_noise_is_read_in_linear_time(noise: str) -> None:
    read_rows(noise, analyze)


def hotels() -> tuple[str, list[tuple[str, str]]]:
    """Return a page of the sample handbook, and the cities of its table with what a night may cost."""
    text = (HANDBOOK / "travel.md").read_text(encoding="utf-8")
    table = [line.strip("| ").split("|") for line in text.splitlines() if line.startswith("|")][2:]
    return text, [(row[0].strip(), row[1].strip()) for row in table]


def invoices() -> tuple[str, list[tuple[str, str]]]:
    """Return some invoices as their chunk has them, and each one's number with its amount."""
    with (HANDBOOK / "invoices-2026.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[:31]
    return "\n".join(" | ".join(row) for row in rows), [(row[0], f"{row[6]} EUR") for row in rows[1:]]


@pytest.mark.parametrize(("text", "pairs"), [hotels(), invoices()])
def test_swapping_the_sums_of_two_rows_is_noticed_and_true_ones_pass(
    text: str, pairs: list[tuple[str, str]]
) -> None:
    premise = read_premise(text, analyze)
    swapped = [
        (name, other)
        for (name, own), (_, other) in zip(pairs, pairs[1:] + pairs[:1], strict=True)
        if own != other
    ]
    noticed = [rows_sign(f"For {name} it is {sum_}.", premise) is Sign.CONTRADICTED for name, sum_ in swapped]

    for name, sum_ in pairs:
        true = inspect(f"For {name} it is {sum_}.", premise, analyze)
        assert Sign.CONTRADICTED not in {signal.sign for signal in true}
    assert len(noticed) > 10
    assert sum(noticed) >= 0.95 * len(noticed)
