from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pipeline.benchmark.bench import FULL, QUICK, Effort
from pipeline.benchmark.course import MEASUREMENTS, measure
from pipeline.benchmark.crowding import SAMPLE_S, sampled
from tests.fakes.models import ScriptedEmbedder

TINY = Effort(
    sizes=(30, 60),
    channel=60,
    vocabulary=80,
    questions=2,
    searches=2,
    first_searches=2,
    crowds=1,
    crowd=3,
    idle_s=0.05,
    files=1,
    sections=2,
    batches=1,
    small_files=2,
    many=4,
    readings=1,
    pages=2,
    long_pages=3,
    helps=1,
    starts=1,
)
PROGRAM = "print('ready')"


async def run(only: str | None = None) -> dict[str, Any]:
    return await measure(
        program=PROGRAM,
        embedder=lambda: ScriptedEmbedder(dimension=64),
        only=only,
        effort=TINY,
        progress=lambda done, total, detail: None,
    )


def names(effort: Effort) -> list[str]:
    return [name for named, _ in MEASUREMENTS for name in named(effort)]


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_no_two_figures_have_the_same_name(effort: Effort) -> None:
    assert len(set(names(effort))) == len(names(effort))


def test_a_full_run_repeats_everything_five_times_at_least() -> None:
    repeated = (
        FULL.questions,
        FULL.searches,
        FULL.first_searches,
        FULL.crowds,
        FULL.files,
        FULL.batches,
        FULL.readings,
        FULL.helps,
        FULL.starts,
    )

    assert min(repeated) >= 5


@pytest.mark.parametrize("part", ["first_text", "search", "threads", "ingest", "start.help"])
async def test_every_figure_can_be_measured(part: str) -> None:
    figures = (await run(part))["figures"]

    assert [figure["name"] for figure in figures] == [name for name in names(TINY) if part in name]
    for figure in figures:
        assert set(figure) == {"name", "value", "unit", "against", "ratio", "runs"}
        assert figure["runs"] >= 1


async def test_every_thread_of_a_crowd_is_answered() -> None:
    [answered] = (await run("threads.answered"))["figures"]

    assert (answered["value"], answered["ratio"]) == (TINY.crowd, 1.0)


async def test_only_what_is_asked_for_is_measured() -> None:
    report = await run("search.growth")

    assert [figure["name"] for figure in report["figures"]] == ["search.growth.60"]


async def test_nothing_is_measured_where_no_name_fits() -> None:
    assert (await run("nonsense"))["figures"] == []


async def test_a_program_that_fails_is_no_figure() -> None:
    with pytest.raises(RuntimeError, match="a measured process failed"):
        await measure(
            program="raise SystemExit('broken')",
            embedder=ScriptedEmbedder,
            only="start.help",
            effort=TINY,
            progress=lambda done, total, detail: None,
        )


async def test_the_progress_counts_the_measurements() -> None:
    told: list[tuple[int, int]] = []
    await measure(
        program=PROGRAM,
        embedder=lambda: ScriptedEmbedder(dimension=64),
        only="first_text",
        effort=TINY,
        progress=lambda done, total, detail: told.append((done, total)),
    )

    assert set(told) == {(0, 1)}


async def test_the_lag_of_a_loop_is_what_a_sleep_takes_too_long() -> None:
    ticks = iter([0.0, SAMPLE_S, 1.0, 1.0 + SAMPLE_S + 0.2])
    enough = asyncio.Event()

    def clock() -> float:
        now = next(ticks, None)
        if now is None:
            enough.set()
            return 0.0
        return now

    async def sleep(_: float) -> None:
        await asyncio.sleep(0)

    async with sampled(clock=clock, sleep=sleep) as lags:
        await enough.wait()

    assert lags[:2] == pytest.approx([0.0, 200.0])
