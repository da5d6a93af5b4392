"""What goes into a column comes out as it was, or as much of it as a database can hold."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql, sqlite

from pipeline.storage.schema import Prose, Timestamp

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

SQLITE: Dialect = sqlite.dialect()
POSTGRESQL: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call] # SQLAlchemy leaves it so

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(1970, 1, 3), datetime(2100, 1, 1), timezones=zones)  # noqa: DTZ001 - zones follow
anything = st.text(st.characters(exclude_categories=[]))


@given(moments, st.sampled_from([SQLITE, POSTGRESQL]))
def test_a_moment_survives_any_zone_and_any_database(moment: datetime, dialect: Dialect) -> None:
    column = Timestamp()
    kept = column.process_result_value(column.process_bind_param(moment, dialect), dialect)
    assert kept == moment
    assert kept is not None
    assert kept.utcoffset() == timedelta(0)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        Timestamp().process_bind_param(datetime(2026, 3, 1), SQLITE)  # noqa: DTZ001 - that is the point


@given(anything)
def test_any_text_can_be_written(text: str) -> None:
    kept = Prose().process_bind_param(text, POSTGRESQL)
    assert kept is not None
    assert "\0" not in kept
    assert kept.encode() == text.replace("\0", "").encode("utf-8", "replace")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_ordinary_text_is_written_as_it_is(text: str) -> None:
    assert Prose().process_bind_param(text, SQLITE) == text
