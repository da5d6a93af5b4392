"""An answer on its way through the gate: while it is shown, or before it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.ask import UNCHECKED, Pipeline
from pipeline.conversation import Delta, Progress, Question, Reason, Stage
from pipeline.domain import RankedChunk, Retrieval, Scope
from pipeline.errors import ModelUnavailable
from pipeline.ingestion.tokens import analyze
from pipeline.lookup import Found
from pipeline.verdicts import Mode, Standing
from pipeline.verification.attribution import Attributor
from pipeline.verification.entailment import SignScorer
from pipeline.verification.gate import Gate
from tests.fakes.clock import FakeClock
from tests.fakes.models import Reply, ScriptedEmbedder, ScriptedReader
from tests.fakes.stored import chunk_of
from tests.unit.pipeline.test_ask import NoMemory, holdings

if TYPE_CHECKING:
    from pipeline.conversation import GenerationResponse
    from pipeline.verification.gate import Checked

SCOPE = Scope("terminal", "local", "test")
TRUE = "Refunds for monthly plans take five working days [1]."
FALSE = "Refunds cost 99 euros each [1]."
PASSAGE = "Refunds for monthly plans take five working days."


async def search(question: Question, summary: str) -> Found:
    ranked = RankedChunk(chunk=chunk_of("d1", 0, PASSAGE), score=1.0)
    return Found(retrieval=Retrieval(ranked=(ranked,)), sufficient=True, summary="")


class BrokenGate(Gate):
    """Has a fault."""

    def __init__(self) -> None:
        """Need nothing."""

    async def check(self, *args: Any, **kwargs: Any) -> Checked:
        raise ValueError("a fault of ours")


def pipeline_of(reply: str | Reply, gate: Gate | None = None) -> Pipeline:
    embedder, clock = ScriptedEmbedder(dimension=512), FakeClock()
    return Pipeline(
        holdings=holdings,
        search=search,
        reader=ScriptedReader(reply),
        attributor=Attributor(embedder, analyze),
        memory=NoMemory(),
        gate=gate or Gate(SignScorer(embedder, analyze), analyze),
        clock=clock.monotonic,
        sleep=clock.sleep,
    )


def question(mode: Mode) -> Question:
    return Question(text="How long do refunds take?", scope=SCOPE, mode=mode)


async def streamed(pipeline: Pipeline, mode: Mode) -> tuple[list[Progress | Delta], GenerationResponse]:
    stream = pipeline.ask_stream(question(mode))
    events = [event async for event in stream]
    return events, stream.response


async def test_while_streaming_the_verdict_comes_after_the_text_and_takes_nothing_away() -> None:
    events, response = await streamed(pipeline_of(f"{TRUE} {FALSE}"), Mode.STREAMING)

    assert "".join(event.text for event in events if isinstance(event, Delta)) == f"{TRUE} {FALSE}"
    assert Progress(Stage.CHECKING, position=1, total=2) not in events
    assert response.success
    assert response.answer == f"{TRUE} {FALSE}"
    assert response.verification is not None
    assert [claim.verdict for claim in response.verification.claims] == [
        Standing.SUPPORTED,
        Standing.UNSUPPORTED,
    ]


async def test_in_verified_mode_stages_are_shown_and_then_one_checked_answer() -> None:
    reply = Reply(pieces=[TRUE[:20], TRUE[20:], " ", FALSE])

    events, response = await streamed(pipeline_of(reply), Mode.VERIFIED)

    assert events == [
        Progress(Stage.SEARCHING, total=1),
        Progress(Stage.WRITING),
        Progress(Stage.CHECKING, position=1, total=2),
        Progress(Stage.CHECKING, position=2, total=2),
        Delta(TRUE),
    ]
    assert (response.success, response.answer) == (True, TRUE)
    assert [citation.label for citation in response.citations] == ["1"]


async def test_an_answer_of_which_nothing_survives_ends_with_the_passages() -> None:
    events, response = await streamed(pipeline_of(FALSE), Mode.VERIFIED)

    assert not [event for event in events if isinstance(event, Delta)]
    assert (response.success, response.reason) == (False, Reason.UNSUPPORTED_ANSWER)
    assert response.answer == ""
    assert [citation.quote for citation in response.citations] == [PASSAGE]
    assert response.verification is not None
    assert response.verification.removed == 1


async def test_an_answer_that_says_the_files_do_not_tell_is_shown_verified() -> None:
    response = await pipeline_of("The documents do not answer this.").ask(question(Mode.VERIFIED))

    assert (response.success, response.answer) == (True, "The documents do not answer this.")


async def test_a_fault_of_the_gate_costs_a_stream_its_verdict_and_nothing_else() -> None:
    response = await pipeline_of(TRUE, BrokenGate()).ask(question(Mode.STREAMING))

    assert (response.success, response.answer, response.verification) == (True, TRUE, None)
    assert UNCHECKED in response.degraded


async def test_in_verified_mode_nothing_is_shown_that_could_not_be_checked() -> None:
    response = await pipeline_of(TRUE, BrokenGate()).ask(question(Mode.VERIFIED))

    assert (response.success, response.reason) == (False, Reason.INTERNAL_ERROR)
    assert response.answer == ""


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_model_that_fails_is_told_in_both_modes(mode: Mode) -> None:
    reply = Reply(pieces=[TRUE[:20]], error=ModelUnavailable("gone"))

    response = await pipeline_of(reply).ask(question(mode))

    assert response.reason is Reason.MODEL_UNAVAILABLE
    assert response.citations


async def test_a_stopped_answer_in_verified_mode_shows_no_unchecked_text() -> None:
    stream = pipeline_of(Reply(pieces=[TRUE, FALSE], hang_after=1)).ask_stream(question(Mode.VERIFIED))
    async for event in stream:
        if event == Progress(Stage.WRITING):
            await stream.aclose()

    assert (stream.response.reason, stream.response.answer) == (Reason.CANCELLED, "")
