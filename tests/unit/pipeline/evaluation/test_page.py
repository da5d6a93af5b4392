from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from pipeline.evaluation.page import render
from pipeline.evaluation.plots import Bar, Line, bars, lines
from tests.fakes.reports import COMPARED, REPORT

VOID = {"meta", "rect", "path", "circle"}


class Tags(HTMLParser):
    """Collects the tags of a page; each that is opened must be closed, and none may fetch or run anything."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.widths: list[float] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert not {name for name in given if name in ("src", "href") or name.startswith("on")}
        self.seen.append(tag)
        if tag == "rect":
            self.widths.append(float(given["width"] or 0))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_whatever_a_dataset_holds_stays_text_and_nothing_is_fetched() -> None:
    page = render(REPORT)
    tags = Tags(page)

    assert "script" not in tags.seen
    assert tags.open == []
    assert "http" not in page
    assert page.count("&lt;script&gt;") >= 10


def test_each_part_has_a_title_drawings_and_all_figures() -> None:
    page = render(REPORT)

    assert page.count("<h2>") == 10
    assert page.count("<svg") == 9
    assert "0.500 [0.400, 0.600]" in page


def test_a_report_of_one_part_is_a_page_as_well() -> None:
    page = render({"dataset": "files", "questions": 0, "arms": {}, "loaders": REPORT["loaders"]})

    assert page.count("<h2>") == 1


def test_a_difference_is_coloured_only_where_it_is_certain() -> None:
    def shown(**more: Any) -> str:
        parts = {"arms.hybrid": {"recall@5": COMPARED | more}}
        report = {"dataset": "d", "questions": 1, "arms": {}, "comparison": {"parts": parts, "scores": {}}}
        return render(report)

    assert 'class="better"' in shown()
    assert 'class="worse"' in shown(difference_ci=[-0.4, -0.1], wins=1, losses=3)
    assert 'class=""' in shown(difference_ci=[-0.1, 0.4])


def test_drawings_keep_within_their_frame() -> None:
    drawn = bars("<b>", [Bar(label="a & b", value=1.7, interval=(-1.0, 2.0)), Bar(label="c", value=0.5)])
    curve = lines(
        "t", [Line(label="x", points=[(0.0, 0.0), (1.0, 1.0)])], across="a", up="u", point=(0.5, 0.5)
    )

    assert Tags(drawn).widths == [360, 180]
    assert "M 44.0 330.0 L 364.0 10.0" in curve
