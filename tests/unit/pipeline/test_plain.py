from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.plain import folded, visible


@pytest.mark.parametrize(
    "written",
    [
        "ig\u200bno\u00adre",
        "ｉｇｎｏｒｅ",
        "ⓘⓖⓝⓞⓡⓔ",
        "𝗂𝗀𝗇𝗈𝗋𝖾",
        "ign\u043ere",
        "\u0456gnor\u0435",
        "i\u0335g\u0335n\u0335ore",
        "ig\U000e0041nore",
    ],
)
def test_a_word_is_read_as_it_looks(written: str) -> None:
    assert folded(written) == "ignore"


@pytest.mark.parametrize(
    "text", ["Большая разница", "Ελληνικά", "naïve café", "für Öl", "忽略", "5 µm of the σ value"]
)
def test_other_scripts_and_accents_stay(text: str) -> None:
    assert folded(text) == text.replace("µ", "μ")


@given(st.text())
def test_doing_it_twice_is_doing_it_once(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert len(visible(text)) <= len(text)
