from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ingestion.blocks import Block, Kind, Loaded
from pipeline.ingestion.chunker import MAX_CHARS, ChunkLimits, Piece, chunk
from pipeline.ingestion.loaders import load

SENTENCE = "The quick brown fox jumps over the lazy dog near the river bank. "
SMALL = ChunkLimits(target=200, maximum=300)


def cut(text: str, name: str = "a.md", *, limits: ChunkLimits | None = None) -> list[Piece]:
    return chunk(load(text.encode(), name), limits=limits)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_a_piece_never_spans_two_sections() -> None:
    pieces = cut("# One\n\nalpha\n\n## Two\n\nbeta\n\n# Three\n\ngamma\n")

    assert [(piece.place.section, piece.text) for piece in pieces] == [
        ("One", "# One\n\nalpha"),
        ("One > Two", "## Two\n\nbeta"),
        ("Three", "# Three\n\ngamma"),
    ]


def test_a_heading_without_text_goes_with_its_first_subsection() -> None:
    pieces = cut("# Book\n\n## Empty\n\n## Part\n\n### Detail\n\ntext\n")

    assert [(piece.place.section, piece.place.lines) for piece in pieces] == [
        ("Book > Empty", (1, 3)),
        ("Book > Part > Detail", (5, 9)),
    ]


def test_small_neighbours_of_one_section_become_one_piece() -> None:
    (piece,) = cut("# One\n\nalpha\n\n- beta\n- gamma\n\ndelta\n")

    assert piece.text == "# One\n\nalpha\n\n- beta\n- gamma\n\ndelta"
    assert piece.place.lines == (1, 8)


def test_a_long_section_is_cut_between_paragraphs_and_keeps_its_path() -> None:
    paragraphs = [SENTENCE * 8 + f"End {index}." for index in range(6)]

    pieces = cut("# Long\n\n" + "\n\n".join(paragraphs))

    assert {piece.place.section for piece in pieces} == {"Long"}
    assert all(re.search(r"End \d\.$", piece.text) for piece in pieces)


def test_a_long_paragraph_is_cut_between_sentences_and_then_between_words() -> None:
    assert all(piece.text.endswith(".") for piece in cut(SENTENCE * 60))
    assert all(set(piece.text.split()) == {"word"} for piece in cut("word " * 1_000))


@pytest.mark.parametrize("number", ["2.", "12.", "3.1.", "IV.", "b)", "  7."])
@pytest.mark.parametrize("gap", [" ", "\n"])
def test_a_number_stays_with_the_heading_or_the_entry_that_it_counts(number: str, gap: str) -> None:
    before = f"{(SENTENCE * 5).strip()}\n{number}{gap}"
    # where the two halves of the text meet is the best place for a cut
    text = before + f"Pension\n{SENTENCE * 9}"[: len(before)]
    limits = ChunkLimits(target=len(before), maximum=2 * len(before))

    pieces = chunk(Loaded(kind="PDF", blocks=(Block(text=text, page=1),)), limits=limits)

    assert len(pieces) > 1
    assert not any(piece.text.rstrip().endswith(number.strip()) for piece in pieces)
    assert any(f"{number.strip()}{gap}Pension" in piece.text for piece in pieces)


def test_a_number_at_the_end_of_a_sentence_ends_it_all_the_same() -> None:
    sentence = "The quick brown fox was born in 12. "

    assert all(piece.text.endswith("12.") for piece in cut(sentence * 60, "a.txt"))


@pytest.mark.parametrize("text", ["漢字かな交じり文です。" * 300, "x" * 5_000])
def test_text_without_spaces_is_cut_all_the_same(text: str) -> None:
    pieces = cut(text, "a.txt")

    assert "".join(piece.text for piece in pieces) == text
    assert max(len(piece.text) for piece in pieces) <= MAX_CHARS


def test_a_table_keeps_its_header_in_every_piece_and_its_lines_are_those_of_the_rows() -> None:
    rows = "".join(f"{index},customer number {index},open\n" for index in range(200))

    pieces = cut("id,name,state\n" + rows, "a.csv", limits=SMALL)

    assert all(piece.text.startswith("id | name | state\n") for piece in pieces)
    covered = [
        number
        for piece in pieces
        if piece.place.lines
        for number in range(piece.place.lines[0], piece.place.lines[1] + 1)
    ]
    assert covered == list(range(1, 202))


def test_a_table_or_a_fence_that_fits_is_not_cut() -> None:
    fence = "```\n" + "code line\n\n" * 20 + "```"
    table = "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 14

    pieces = cut(f"{SENTENCE * 3}\n\n{fence}\n\n{SENTENCE * 3}\n\n{table}\n", limits=SMALL)

    assert any(fence in piece.text for piece in pieces)
    assert any(table.strip() in piece.text for piece in pieces)


def test_a_row_longer_than_a_piece_is_cut_between_cells() -> None:
    pieces = cut("a,b\n" + ",".join(f"cell {index}" for index in range(100)), "a.csv", limits=SMALL)

    assert max(len(piece.text) for piece in pieces) <= SMALL.maximum
    assert all(piece.place.lines == (2, 2) for piece in pieces[1:])


def test_code_is_cut_at_definitions_and_a_long_one_between_lines() -> None:
    body = "".join(f"    value_{index} = compute({index})\n" for index in range(40))
    text = f"import os\n\n\ndef short():\n    return 1\n\n\ndef long():\n{body}"

    pieces = cut(text, "module.py", limits=SMALL)

    sections = [piece.place.section for piece in pieces]
    assert sections[:2] == ["module.py", "module.py > short"]
    assert set(sections[2:]) == {"module.py > long"}
    lines = text.split("\n")
    for piece in pieces:
        assert piece.place.lines is not None
        assert piece.text == "\n".join(lines[piece.place.lines[0] - 1 : piece.place.lines[1]])


def test_pages_are_never_mixed() -> None:
    blocks = tuple(Block(text=f"Text of page {page}.", page=page) for page in (1, 1, 2))

    assert [piece.place.page for piece in chunk(Loaded(kind="PDF", blocks=blocks, pages=2))] == [1, 2]


def test_a_very_long_path_is_shortened_in_the_middle() -> None:
    path = tuple(f"A heading of considerable length, number {index}" for index in range(50))

    (piece,) = chunk(Loaded(kind="HTML", blocks=(Block(text="deep", path=path),)))

    section = piece.place.section
    assert section is not None
    assert len(section) <= 400
    assert section.startswith(f"{path[0]} > … > ")
    assert section.endswith(path[-1])


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("a.txt", "word "),
        ("a.txt", "x"),
        ("a.js", "function a(b){return b+1};var q={x:1,y:[1,2]};"),
        ("a.json", '{"key":[1,2,3]},'),
        ("a.csv", "1,2,3\n"),
        ("a.md", "# H\n\n"),
        ("a.html", "<p>some text"),
    ],
)
def test_monstrous_files_give_bounded_pieces_in_linear_time(name: str, unit: str) -> None:
    def seconds(size: int) -> float:
        loaded = load((unit * (size // len(unit))).encode(), name)
        begun = time.process_time()
        pieces = chunk(loaded)
        assert max(len(piece.text) for piece in pieces) <= MAX_CHARS
        return time.process_time() - begun

    assert seconds(120_000) < 12 * seconds(30_000) + 0.5


PARAGRAPH = st.lists(
    st.sampled_from(["alpha", "beta.", "gamma", "漢字。", "δ!", "x" * 40]), min_size=1, max_size=60
)
BLOCK = st.one_of(
    PARAGRAPH.map(" ".join),
    st.builds(
        lambda level, text: "#" * level + " " + text,
        st.integers(1, 4),
        st.sampled_from(["One", "Two", "Three"]),
    ),
    st.lists(st.sampled_from(["a = 1", "", "    b(2)"]), min_size=1, max_size=40).map(
        lambda lines: "```\n" + "\n".join(lines) + "\n```"
    ),
    st.integers(1, 30).map(lambda rows: "| h | i |\n|---|---|\n" + "\n".join(["| c | d |"] * rows)),
    st.integers(1, 12).map(lambda entries: "\n".join(["- an entry of a list"] * entries)),
)


@given(blocks=st.lists(BLOCK, min_size=1, max_size=20), target=st.integers(60, 400))
def test_every_word_is_in_a_piece_and_every_piece_in_its_lines(blocks: list[str], target: int) -> None:
    text = "\n\n".join(["Begin.", *blocks])
    lines = text.split("\n")
    loaded = load(text.encode(), "a.md")
    limits = ChunkLimits(target=target, maximum=target + target // 2)

    pieces = chunk(loaded, limits=limits)

    # the header of a table stands in every one of its pieces
    found = [word for piece in pieces for word in words(piece.text) if word not in ("h", "i")]
    assert found == [word for word in words(text) if word not in ("h", "i")]
    for piece in pieces:
        assert len(piece.text) <= limits.maximum
        assert piece.place.lines is not None
        source = words("\n".join(lines[piece.place.lines[0] - 1 : piece.place.lines[1]]))
        assert set(words(piece.text)) - {"h", "i"} <= set(source)


@given(blocks=st.lists(st.text(min_size=0, max_size=300), max_size=8), kind=st.sampled_from(list(Kind)))
def test_no_text_whatever_breaks_the_limits(blocks: list[str], kind: Kind) -> None:
    limits = ChunkLimits(target=50, maximum=75)
    loaded = Loaded(kind="any", blocks=tuple(Block(text=text, kind=kind, header="h" * 90) for text in blocks))

    pieces = chunk(loaded, limits=limits)

    assert all(len(piece.text) <= limits.maximum for piece in pieces)
    kept = "".join("".join(piece.text.split()) for piece in pieces)
    assert len(kept) >= sum(len(re.findall(r"\w", text)) for text in blocks)
