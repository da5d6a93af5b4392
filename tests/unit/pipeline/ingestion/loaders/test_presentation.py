from __future__ import annotations

import pytest

from pipeline.domain import IngestReason, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Kind, Loaded
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load
from tests.fakes.documents import archive
from tests.fakes.office import Deck

_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"


def read(deck: Deck) -> Loaded:
    return load(deck.save(), "deck.pptx")


def texts(loaded: Loaded) -> list[str]:
    return [block.text for block in loaded.blocks]


def test_each_piece_knows_its_slide_and_is_under_the_slides_title() -> None:
    deck = (
        Deck()
        .add("Welcome")
        .write("For all who join us.")
        .add("Prices", (0, "Tea is free."), (1, "Green tea too."))
    )
    loaded = read(deck)

    assert (loaded.pages, loaded.blank_pages) == (2, 0)
    assert [(piece.place.described(), piece.text) for piece in chunk(loaded)] == [
        ("slide 1, Welcome", "Welcome\n\nFor all who join us."),
        ("slide 2, Prices", "Prices\n\n- Tea is free.\n  - Green tea too."),
    ]
    assert {block.unit for block in loaded.blocks} == {Unit.SLIDE}


def test_what_the_speaker_noted_is_told_from_what_is_shown() -> None:
    loaded = read(Deck().add("Outlook", notes="Mention the new warehouse."))

    assert [(block.text, block.path, block.page) for block in loaded.blocks] == [
        ("Outlook", ("Outlook",), 1),
        ("Mention the new warehouse.", ("Outlook", "Notes"), 1),
    ]


def test_texts_in_groups_inside_of_groups_are_read() -> None:
    deck = Deck().add("Plan")
    outer = deck.group()
    deck.write("outer", outer).write("inner", outer.add_group_shape().shapes).write("after")

    assert texts(read(deck)) == ["Plan", "outer", "inner", "after"]


def test_tables_keep_their_header() -> None:
    loaded = read(Deck().add("Rates").table(["Zone", "Price"], ["A", "5"], ["B", "7"]))

    assert [(block.kind, block.text, block.header) for block in loaded.blocks[1:]] == [
        (Kind.TABLE, "Zone | Price", ""),
        (Kind.TABLE, "A | 5", "Zone | Price"),
        (Kind.TABLE, "B | 7", "Zone | Price"),
    ]


def test_charts_are_read_as_tables_of_their_figures() -> None:
    loaded = read(Deck().add("Growth").chart("Members", ["2024", "2025"], North=[10, 12.5], South=[3, None]))

    assert texts(loaded)[1:] == ["Members", " | North | South", "2024 | 10 | 3", "2025 | 12.5 | "]


def test_numbers_dates_and_footers_of_slides_are_left_out() -> None:
    deck = Deck().add("Plan").write("Text")
    for shape in deck.slide.slide_layout.placeholders:
        if shape.placeholder_format.idx >= 10:
            deck.slide.shapes.clone_placeholder(shape)
            deck.slide.placeholders[shape.placeholder_format.idx].text_frame.text = "page 7, confidential"

    assert len(deck.slide.placeholders) == 4
    assert texts(read(deck)) == ["Plan", "Text"]


def test_line_breaks_inside_of_a_title_and_a_paragraph_are_no_control_characters() -> None:
    loaded = read(Deck().add("Two\vlines").write("one\vtwo"))

    assert texts(loaded) == ["Two lines", "one\ntwo"]


def test_a_slide_of_pictures_only_is_counted_as_blank_and_numbers_go_on() -> None:
    loaded = read(Deck().add("First").add().add("Third"))

    assert (loaded.pages, loaded.blank_pages) == (3, 1)
    assert [block.page for block in loaded.blocks] == [1, 3]


def test_the_entries_of_a_diagram_are_read() -> None:
    deck = Deck().add("Steps")
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI

    data = (
        f'<d:dataModel xmlns:d="{_DIAGRAM}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        "<d:ptLst><d:pt><d:t><a:p><a:r><a:t>Pack </a:t></a:r><a:r><a:t>boxes</a:t></a:r></a:p></d:t></d:pt>"
        "<d:pt><d:t><a:p/></d:t></d:pt></d:ptLst></d:dataModel>"
    )
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/x", deck.slide.part.package, data.encode())
    number = deck.slide.part.relate_to(part, "http://example.invalid/diagramData")
    deck.table(["replaced"])
    frame = deck.slide.shapes[-1].element
    graphic = frame.graphic.graphicData
    graphic.remove(graphic[0])
    graphic.set("uri", _DIAGRAM)
    ids = graphic.makeelement(f"{{{_DIAGRAM}}}relIds")
    ids.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm", number)
    graphic.append(ids)

    assert texts(read(deck)) == ["Steps", "- Pack boxes"]


def test_a_presentation_of_too_many_slides_is_refused() -> None:
    with pytest.raises(IngestError) as caught:
        load(Deck().add("A").add("B").save(), "deck.pptx", max_pages=1)

    assert caught.value.reason is IngestReason.TOO_MANY_PAGES


@pytest.mark.parametrize("member", ["ppt/presentation.xml", "ppt/slides/slide1.xml", "[Content_Types].xml"])
def test_a_damaged_presentation_is_refused(member: str) -> None:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(Deck().add("A").save())) as deck:
        members: dict[str, str | bytes] = {name: deck.read(name) for name in deck.namelist()}
    with pytest.raises(IngestError) as caught:
        load(archive({**members, member: b"<broken"}), "deck.pptx")

    assert caught.value.reason is IngestReason.CORRUPT
