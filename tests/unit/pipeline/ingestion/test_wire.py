from __future__ import annotations

import pytest

from pipeline.domain import IngestReason, Place, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.chunker import ChunkLimits, Piece
from pipeline.ingestion.wire import (
    Parsed,
    ParseLimits,
    Reply,
    pack_reply,
    pack_request,
    unpack_reply,
    unpack_request,
)


def test_a_request_arrives_as_it_was_sent() -> None:
    limits = ParseLimits(max_pages=3, chunk=ChunkLimits(target=10, maximum=20))

    assert unpack_request(pack_request("Übersicht.pdf", limits)) == ("Übersicht.pdf", limits, False)
    assert unpack_request(pack_request("a.zip", limits, unpack=True)) == ("a.zip", limits, True)


def test_a_reply_arrives_as_it_was_sent() -> None:
    pieces = (
        Piece(text="漢字", place=Place(page=2, section="A > B")),
        Piece(text="x", place=Place(lines=(1, 2))),
        Piece(text="y", place=Place(lines=(1, 2), section="Prices", unit=Unit.ROW)),
    )
    reply = Reply(outcome=Parsed(pages=2, pieces=pieces, blank_pages=1, note="Not all."), retire=True)

    assert unpack_reply(pack_reply(reply)) == reply


def test_a_refusal_arrives_with_its_reason() -> None:
    reply = unpack_reply(
        pack_reply(Reply(outcome=IngestError(IngestReason.NO_TEXT, "None."), retire=False, cause="X"))
    )

    assert isinstance(reply.outcome, IngestError)
    assert (reply.outcome.reason, str(reply.outcome), reply.cause) == (IngestReason.NO_TEXT, "None.", "X")


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    reply = Reply(outcome=IngestError(IngestReason.CORRUPT, "a\ud800b"), retire=False)

    assert str(unpack_reply(pack_reply(reply)).outcome) == "a?b"


@pytest.mark.parametrize(
    "payload", [b"", b"{}", b"[]", b'{"pieces": [[1]], "pages": 1}', b'{"reason": "NEW"}']
)
def test_anything_else_is_no_reply(payload: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        unpack_reply(payload)
