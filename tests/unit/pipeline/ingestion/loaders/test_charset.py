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


@pytest.mark.parametrize(
    "text",
    [
        "hello\0world text\0",
        "a,b\0c\n1,2\0\n3,4\n",
        "name\0\nplace\0\nRome\0\nOslo\0\n" * 40,
        "Größe\0, Straße und Übermaß\0\n" * 40,
    ],
)
def test_zero_bytes_in_text_are_gaps(text: str) -> None:
    for encoding in ("utf-8", "cp1252"):
        assert decode(text.encode(encoding)) == text.replace("\0", " ")


@pytest.mark.parametrize(
    "text", ["あいう えお\nかきく けこ\n", "退款 五个 工作日\n一 二 三\n", "Привет, это\n", "ab c\n"]
)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_zero_bytes_of_utf_16_are_none_of_these(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Z"])))
def test_utf_8_is_never_misread(text: str) -> None:
    assert decode(text.encode()) == text


CHINESE = "退款将在五个工作日内处理完毕，会议定于下周一在上海举行。"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [CHINESE * 3 + "\n一二三\n", "返金は五日以内に行われます。" * 3])
def test_utf_16_without_a_mark_is_known_in_scripts_that_have_no_zero_bytes(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("The refund “policy” costs €50 – it’s paid within five days.", "cp1252"),
        ("Zwrot kosztów następuje w ciągu pięciu dni, proszę się zgłosić.", "cp1250"),
        ("Возврат средств производится в течение пяти рабочих дней.", "koi8-r"),
        ("환불은 영업일 기준 닷새 안에 처리됩니다.", "euc_kr"),
        ("退款將在五個工作天內處理完畢。", "big5"),
        ("返金は五日以内", "euc_jp"),
    ],
)
def test_one_line_is_enough_to_know_its_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_stray_byte_does_not_spoil_a_file_in_utf_8() -> None:
    assert decode("Größe ".encode() * 50 + b"\xff" + "über".encode()).startswith("Größe Größe")
    assert decode(("Größe " * 50 + "ß").encode()[:-1]).startswith("Größe Größe")


def test_a_word_that_comes_again_and_again_is_no_rare_encoding() -> None:
    assert decode("Größe ".encode("cp1252") * 10_000).startswith("Größe Größe")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Le café est à 3 €.", "cp1252"),
        ("Le café est à 3 €. L’été, le magasin ferme à vingt heures.", "cp1252"),
        ("Il caffè è già pagato, perché la città è più cara. Costa 3 €.", "cp1252"),
        ("Martedì e venerdì il mercato è già finito.", "cp850"),
        ("Aquí está el número", "cp850"),
        ("Le café est à 3 €, chez ma sœur aînée.", "iso-8859-15"),
        ("Hélène;12\nCrêperie Bénodet;3", "cp1252"),
        ("Nombre;Ciudad\nMuñoz;Cádiz\nIbáñez;León", "cp1252"),
        ("Şehir;Ücret\nİzmir;ığüşç 12", "cp1254"),
        ("Şehir\nİzmir\nMuğla", "cp1254"),
        ("Það er fundur á morgun klukkan níu í stóra salnum.", "cp1252"),
        ("Žádost o dovolenou prosím odevzdejte nejpozději v pátek.", "iso-8859-2"),
        ("Książka leży na półce obok łóżka, pod żó", "cp1250"),
        ("Vaikai mokykloje mokosi skaityti ir rašyti.", "cp1257"),
        ("Статья о Windows и Linux: pip install, USB-кабель и т. д.", "cp1251"),
        ("PCをUSBで接続し、Excelのファイルを開く。", "cp932"),
        ("USB케이블을 PC에 연결하고 email을 보내세요.", "euc_kr"),
    ],
)
def test_words_of_mixed_letters_rule_an_encoding_out(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text
