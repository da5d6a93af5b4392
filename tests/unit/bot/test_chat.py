from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat import ChatError, RateLimited, Thread
from pipeline.domain import Scope
from pipeline.errors import InvalidScope

parts = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)


@given(parts, parts, parts, st.text(min_size=1))
def test_a_thread_is_the_same_after_being_text(platform: str, workspace: str, channel: str, key: str) -> None:
    thread = Thread(Scope(platform, workspace, channel), key)

    assert Thread.parse(str(thread)) == thread


@pytest.mark.parametrize("text", ["slack:T:C", "slack:T:C/"])
def test_a_thread_needs_a_key(text: str) -> None:
    with pytest.raises(ValueError, match="needs a key"):
        Thread.parse(text)


def test_a_thread_needs_a_scope() -> None:
    with pytest.raises(InvalidScope):
        Thread.parse("nonsense/171.5")


def test_every_error_has_a_sentence() -> None:
    for kind in ChatError.__subclasses__():
        error = RateLimited(1.0) if kind is RateLimited else kind()
        assert str(error)
