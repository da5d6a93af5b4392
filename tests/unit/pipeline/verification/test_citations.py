"""Two documents of one name can be told apart in what an answer cites."""

from __future__ import annotations

import pytest

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.verification.citations import resolve


def source(label: str, document_id: str, where: str, name: str = "policy.pdf") -> CitedSource:
    chunk = Chunk(
        chunk_id=f"{document_id}-{label}",
        document_id=document_id,
        display_name=name,
        source=where,
        chunk_index=0,
        text="",
        place=Place(),
    )
    return CitedSource(label=label, chunk=chunk)


def apart(*sources: CitedSource) -> list[str | None]:
    return [citation.apart for citation in resolve(sources, {})]


@pytest.mark.parametrize(
    ("first", "second", "marks"),
    [
        ("file:///srv/HR/policy.pdf", "file:///srv/Finance/policy.pdf", ["HR", "Finance"]),
        ("file:///srv/HR/old%20ones/policy.pdf", "file:///srv/IT/old%20ones/policy.pdf",
         ["HR/old ones", "IT/old ones"]),
        ("file:///policy.pdf", "file:///policy.pdf", ["d1234567", "d7654321"]),
        ("file:///srv/HR/policy.pdf", "https://example.org/policy.pdf", ["d1234567", "d7654321"]),
        ("slack:F1#https://example.org/a", "slack:F2#https://example.org/b", ["d1234567", "d7654321"]),
        ("", "", ["d1234567", "d7654321"]),
    ],
)  # fmt: skip
def test_a_folder_or_an_id_tells_two_documents_of_one_name_apart(
    first: str, second: str, marks: list[str]
) -> None:
    assert apart(source("1", "d1234567890", first), source("2", "d7654321890", second)) == marks


def test_where_nothing_is_mistaken_nothing_is_added() -> None:
    same = source("1", "d1", "file:///a/policy.pdf"), source("2", "d1", "file:///a/policy.pdf")

    assert apart(*same, source("3", "d2", "file:///b/other.pdf", name="other.pdf")) == [None] * 3
