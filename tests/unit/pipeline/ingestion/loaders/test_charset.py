from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import IngestError
from pipeline.ingestion.loaders.charset import decode

GERMAN = "Die Größe der Straße läßt sich ändern; überall fährt man müßig über Brücken. " * 3
JAPANESE = "日本語の文書は昔の文字コードで保存されていることがあります。確認してください。" * 3
CHINESE = "维基百科是一个自由的百科全书,任何人都可以编辑其中的条目。欢迎参与编写工作。" * 3
RUSSIAN = "Кодировка старого документа определяется по частоте букв русского языка. " * 3


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (CHINESE, "gb18030"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (RUSSIAN, "utf-32"),
    ],
)
def test_the_encoding_is_found(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).removeprefix("\ufeff") == text


def test_what_a_page_declares_counts_where_the_bytes_are_silent() -> None:
    assert decode("Straße".encode("cp1252"), declared="ISO-8859-1") == "Straße"
    assert decode("Straße".encode(), declared="ISO-8859-1") == "Straße"
    assert decode(b"plain", declared="no-such-charset") == "plain"


def test_line_ends_of_every_system_become_line_feeds() -> None:
    assert decode(b"one\r\ntwo\rthree\n") == "one\ntwo\nthree\n"


@pytest.mark.parametrize("data", [b"\0\0\1\2" * 100, bytes(range(256)) * 20, b"\x01\x02\x03\x04\x05" * 50])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(IngestError, match="no text"):
        decode(data)


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Z"])))
def test_utf_8_is_never_misread(text: str) -> None:
    assert decode(text.encode()) == text
