from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.benchmark.figures import compared, machine, percentile, timed

VALUES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=50)


def test_a_figure_is_the_median_beside_the_median_of_the_bare_thing() -> None:
    figure = compared("search", [30.0, 10.0, 20.0], [8.0, 100.0, 10.0], unit="ms", against="the library")

    assert (figure.value, figure.runs) == (20.0, 3)
    assert figure.against == "the library: 10 ms"


def test_a_slow_minute_of_the_machine_does_not_change_the_ratio() -> None:
    calm = compared("search", [2.0, 2.0, 2.0], [1.0, 1.0, 1.0], unit="ms", against="the library")
    disturbed = compared("search", [2.0, 18.0, 20.0], [1.0, 9.0, 10.0], unit="ms", against="the library")

    assert calm.ratio == disturbed.ratio == 2.0


def test_nothing_is_compared_with_what_took_no_time() -> None:
    assert compared("search", [1.0], [0.0], unit="ms", against="nothing").ratio is None


@given(VALUES, st.floats(0.01, 1.0))
def test_a_percentile_is_one_of_the_values_and_enough_of_them_do_not_exceed_it(
    values: list[float], share: float
) -> None:
    found = percentile(values, share)

    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)


def test_the_percentile_of_a_hundred_is_read_off() -> None:
    assert percentile(range(1, 101), 0.99) == 99
    assert percentile([7.0], 0.99) == 7.0


def test_the_machine_is_described_by_what_the_figures_depend_on() -> None:
    described = machine()

    assert described["cpus"] >= 1
    assert described["python"].startswith("3.")
    assert described["versions"]["lancedb"]


async def test_work_is_timed_in_milliseconds_and_its_fault_is_not_swallowed() -> None:
    async def nothing() -> None: ...

    async def fault() -> None:
        raise LookupError

    assert 0 <= await timed(nothing()) < 1000
    with pytest.raises(LookupError):
        await timed(fault())
