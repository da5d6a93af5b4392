from __future__ import annotations

import pytest
from prometheus_client import REGISTRY

from pipeline.conversation import CitedSource, Delta, GenerationResponse, Progress, Question, Reason, Stage
from pipeline.conversation import Summary as Recalled
from pipeline.domain import Scope
from pipeline.inquiry import Inquiry
from pipeline.stopwatch import Stopwatch
from tests.fakes.clock import FakeClock
from tests.fakes.stored import chunk_of


def counted(outcome: str) -> float:
    return REGISTRY.get_sample_value("footnote_questions_total", {"outcome": outcome}) or 0.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def inquiry(clock: FakeClock) -> Inquiry:
    made = Inquiry(
        question=Question(text="How long?", scope=Scope.parse("terminal:local:test")),
        watch=Stopwatch(clock.monotonic),
    )
    made.sources = tuple(
        CitedSource(label=label, chunk=chunk_of("d1", index, "text")) for index, label in enumerate("123")
    )
    return made


def test_what_is_released_is_shown_and_the_first_of_it_timed(inquiry: Inquiry, clock: FakeClock) -> None:
    shown: list[Progress | Delta] = []
    inquiry.emit = shown.append
    inquiry.enter(Stage.WRITING)
    inquiry.show("")
    clock.advance(2)
    inquiry.show("Five ")
    clock.advance(2)
    inquiry.show("days.")

    assert shown == [Progress(Stage.WRITING), Delta("Five "), Delta("days.")]
    assert inquiry.close(GenerationResponse(success=True)).latency.first_text == 2000


def test_a_stopped_question_ends_with_its_text_its_sources_its_trace_and_is_counted(
    inquiry: Inquiry, clock: FakeClock
) -> None:
    before = counted("cancelled")
    inquiry.trace = [{"event": "retrieval.fused"}]
    inquiry.degraded = ("dense:unavailable",)
    inquiry.show("It takes five days [2], ")
    clock.advance(3)

    stopped = inquiry.stopped()

    assert (stopped.success, stopped.reason) == (False, Reason.CANCELLED)
    assert stopped.answer == "It takes five days [2],"
    assert [(citation.label, citation.quote) for citation in stopped.citations] == [("2", None)]
    assert stopped.uncited_labels == ("1", "3")
    assert stopped.degraded == ("dense:unavailable",)
    assert stopped.latency.total == 3000
    assert [event["event"] for event in stopped.trace] == ["retrieval.fused", "stopped"]
    assert counted("cancelled") == before + 1


def test_what_was_recalled_goes_along_to_be_built_on(inquiry: Inquiry) -> None:
    inquiry.recalled = Recalled(text="Refunds.", version=4)

    assert inquiry.close(GenerationResponse(success=True)).recalled == Recalled(text="Refunds.", version=4)


def test_a_shortcoming_is_named_once(inquiry: Inquiry) -> None:
    twice = GenerationResponse(success=True, degraded=("context:dropped", "rerank:failed", "context:dropped"))

    assert inquiry.close(twice).degraded == ("context:dropped", "rerank:failed")
