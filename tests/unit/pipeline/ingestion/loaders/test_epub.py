from __future__ import annotations

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders import load
from tests.fakes.documents import archive
from tests.fakes.office import CONTAINER, epub

_XHTML = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'


def page(body: str, head: str = "<title/>") -> str:
    return f"{_XHTML}<head>{head}</head><body>{body}</body></html>"


def point(target: str, name: str) -> str:
    return f'<navPoint><navLabel><text>{name}</text></navLabel><content src="{target}"/></navPoint>'


def places(data: bytes) -> list[tuple[str, tuple[str, ...]]]:
    return [(block.text, block.path) for block in load(data, "book.epub").blocks]


def test_chapters_are_read_in_the_order_of_the_book_under_their_headings() -> None:
    data = epub(
        {
            "b.xhtml": page("<h1>Arrival</h1><p>We came.</p>"),
            "a.xhtml": page("<h1>Departure</h1><p>We went.</p>"),
        }
    )

    assert places(data) == [
        ("Arrival", ("Arrival",)),
        ("We came.", ("Arrival",)),
        ("Departure", ("Departure",)),
        ("We went.", ("Departure",)),
    ]


def test_a_chapter_without_a_heading_takes_its_title_from_the_table_of_contents() -> None:
    data = epub(
        {"one two.xhtml": page("<p>Snow.</p>"), "ice.xhtml": page("<h2>ICE</h2><p>Cold.</p>")},
        contents=point("one%20two.xhtml#start", "First snow") + point("ice.xhtml", "Ice"),
    )

    assert places(data) == [("Snow.", ("First snow",)), ("ICE", ("ICE",)), ("Cold.", ("ICE",))]


def test_the_table_of_contents_of_a_newer_book_gives_titles_and_is_no_chapter() -> None:
    nav = page(
        '<nav epub:type="toc" xmlns:epub="http://www.idpf.org/2007/ops"><a href="a.xhtml">Snow</a></nav>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="gone"/><itemref idref="a"/></spine>'
        "</package>"
    )
    data = archive(
        {
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": package,
            "OEBPS/nav.xhtml": nav,
            "OEBPS/a.xhtml": page("<p>It fell.</p>"),
        }
    )

    assert places(data) == [("It fell.", ("Snow",))]


def test_title_and_authors_of_the_book_are_read() -> None:
    metadata = "<dc:title>On Snow</dc:title><dc:creator>A. Frost</dc:creator><dc:creator>B. Hail</dc:creator>"
    data = epub({"a.xhtml": page("<p>It fell.</p>")}, metadata=metadata)

    assert places(data)[0] == ("On Snow, A. Frost, B. Hail", ("On Snow",))


def test_elements_that_are_closed_at_once_do_not_swallow_the_page() -> None:
    data = epub(
        {"a.xhtml": page('<p>One<a id="x"/></p><script src="s.js"/><div class="x"/><p>Two<br/>lines</p>')}
    )

    assert [text for text, _ in places(data)] == ["One", "Two\nlines"]


def test_a_book_whose_chapters_are_locked_is_refused_and_one_with_locked_fonts_is_not() -> None:
    lock = '<encryption><CipherReference URI="{}"/></encryption>'
    members = {"a.xhtml": page("<p>Text.</p>")}

    fonts = epub(members, **{"META-INF/encryption.xml": lock.format("OEBPS/fonts/f.ttf")})
    assert [text for text, _ in places(fonts)] == ["Text."]
    with pytest.raises(IngestError) as caught:
        load(epub(members, **{"META-INF/encryption.xml": lock.format("OEBPS/a.xhtml")}), "book.epub")
    assert caught.value.reason is IngestReason.ENCRYPTED


@pytest.mark.parametrize("container", ["", "<container/>", CONTAINER])
def test_a_book_that_lacks_its_list_of_files_is_damaged(container: str) -> None:
    with pytest.raises(IngestError) as caught:
        load(archive({"mimetype": "application/epub+zip", "META-INF/container.xml": container}), "book.epub")

    assert caught.value.reason is IngestReason.CORRUPT
