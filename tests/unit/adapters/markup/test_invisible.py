from __future__ import annotations

import pytest

from adapters.markup.invisible import is_blank


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\u2060", "\u00ad\u3164"])
def test_what_nobody_sees_is_blank(text: str) -> None:
    assert is_blank(text)
    assert not is_blank(f"{text}.")
