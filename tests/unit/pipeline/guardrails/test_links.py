"""Addresses that an answer may show, and those that would carry something away."""

from __future__ import annotations

import pytest

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.guardrails.links import LEFT_OUT, Held, without_foreign

TEXT = (
    "Order at https://shop.example/pumps/nine?size=4 or write to mailto:parts@shop.example. "
    "Help: www.help.example, and www.Wiki.example/Pump_(water)."
)


def held() -> Held:
    chunk = Chunk(
        chunk_id="d-0",
        document_id="d",
        display_name="pumps.md",
        source="https://docs.example/d/pumps.md",
        chunk_index=0,
        text=TEXT,
        place=Place(),
    )
    return Held.by("What is at https://asked.example?", [CitedSource(label="1", chunk=chunk)])


@pytest.mark.parametrize(
    "address",
    [
        "https://shop.example/pumps/nine?size=4",
        "https://shop.example/pumps/nine",
        "HTTPS://SHOP.example/pumps/",
        "https://shop.example",
        "http://help.example",
        "www.help.example",
        "https://wiki.example/Pump_(water)",
        "mailto:parts@shop.example",
        "https://docs.example/d/pumps.md",
        "https://asked.example",
    ],
)
def test_what_a_source_or_the_question_holds_is_shown(address: str) -> None:
    said = f"See {address}, [this]({address}) or <{address}>."

    assert without_foreign(said, held()) == (said, 0)


@pytest.mark.parametrize(
    "address",
    [
        "https://collector.example/?q=nine+bar",
        "https://shop.example/pumps/nine?size=4&q=secret",
        "https://shop.example/pumps/nine/secret",
        "https://shop.example@collector.example/",
        "https://shop.example.collector.example/",
        "https://secret.shop.example/pumps/nine",
        "https://hop.example/pumps",
        "https://shop.example/pum",
        "ftp://collector.example/nine",
        "www.collector.example",
        "mailto:arts@shop.example",
    ],
)
def test_what_none_of_them_holds_is_left_out(address: str) -> None:
    assert without_foreign(f"See {address}, please.", held()) == (f"See {LEFT_OUT}, please.", 1)
    assert without_foreign(f"![x]({address})", held()) == (f"![x]({LEFT_OUT})", 1)


@pytest.mark.parametrize("text", ["a://", "https://", "and/or", "10:30", "C++: fast", "note: this", "www."])
def test_what_is_no_address_stays(text: str) -> None:
    assert without_foreign(text, held()) == (text, 0)
