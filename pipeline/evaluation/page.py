"""A report as one page of HTML that a browser shows without any network: drawings, and all figures."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pipeline.evaluation.plots import Bar, Line, bars, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: .2em .8em; text-align: left }
td { border-top: 1px solid #ddd; font-variant-numeric: tabular-nums } svg { max-width: 100%; height: auto }
svg text { font: 12px system-ui, sans-serif } .tick { stroke: #ddd } .frame { fill: none; stroke: #bbb }
.chance { stroke: #bbb; stroke-dasharray: 4 4 } .interval { stroke: #222; stroke-width: 1.5 }
.point { fill: #222 } .axis { color: #666; margin: 0 } .better { color: #23702f } .worse { color: #a02a2a }
"""

_SHOWN: Final = (
    "recall@1",
    "recall@5",
    "recall@10",
    "ndcg@10",
    "span_recall@5",
    "span_recall@1000t",
    "text_recall@5",
    "place_recall@5",
)

_TITLES: Final = {
    "arms": "Search, by arm",
    "slices": "Search, by kind of question",
    "abstention": "Questions without an answer",
    "follow_up": "Follow-ups",
    "topic_change": "Changes of topic",
    "leaning": "Questions that need their conversation",
    "answers": "Answers",
    "citation": "Does a reference support a claim",
    "injection": "Orders in texts",
    "loaders": "Files",
    "comparison": "Compared with the run that was kept",
}


def render(report: Mapping[str, Any]) -> str:
    """Return the page of a report; whatever comes from a dataset is escaped."""
    name = escape(str(report["dataset"]))
    sections = "".join(
        f"<section><h2>{title}</h2>{_drawn(part, report[part])}{_section(part, report[part])}</section>"
        for part, title in _TITLES.items()
        if report.get(part)
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{name}</h1><p>{report['questions']} questions with "
        f"something to be found. In brackets and as lines on the bars: 95 % intervals.</p>"
        f"{sections}</body></html>\n"
    )


def _drawn(part: str, figures: Mapping[str, Any]) -> str:
    match part:
        case "arms" | "follow_up" | "topic_change":
            return _arms(_TITLES[part], figures)
        case "slices":
            return bars(_TITLES[part], [_bar(name, "ndcg@10", each) for name, each in figures.items()])
        case "abstention":
            return _abstention(figures)
        case "citation":
            return _citation(figures)
        case "injection":
            return _kinds(figures)
        case "answers" | "leaning" | "loaders":
            return bars(
                _TITLES[part], [_bar(name, name, figures) for name in figures if f"{name}_ci" in figures]
            )
        case _:
            return ""


def _section(part: str, figures: Mapping[str, Any]) -> str:
    return _comparison(figures) if part == "comparison" else _table(figures)


def _arms(title: str, figures: Mapping[str, Any]) -> str:
    """Draw the measures of several ways to search, the ways beside each other."""
    ways = [
        (name, each) for name, each in figures.items() if isinstance(each, Mapping) and "ndcg@10_ci" in each
    ]
    rows = [
        _bar(f"{measure}, {name}", measure, each, number)
        for measure in _SHOWN
        for number, (name, each) in enumerate(ways)
        if measure in each
    ]
    return bars(title, rows)


def _abstention(figures: Mapping[str, Any]) -> str:
    scores = figures["scores"]
    drawn = [
        Line(label=f"{name}, AUC {each['auc']:.3f}", points=each["curve"]) for name, each in scores.items()
    ]
    return lines(
        _TITLES["abstention"],
        drawn,
        across="answerable questions refused",
        up="unanswerable questions refused",
        point=(figures["refused_answerable"], figures["refused_unanswerable"]),
    )


def _citation(figures: Mapping[str, Any]) -> str:
    rows = [
        _bar(f"{source}, {name}", "balanced_accuracy", each, number)
        for number, (name, sources) in enumerate(figures["checkers"].items())
        for source, each in sources.items()
    ]
    return bars("Balanced accuracy by source", sorted(rows, key=lambda row: row.label))


def _kinds(figures: Mapping[str, Any]) -> str:
    rows = [
        _bar(f"{kind}, {measure.replace('_', ' ')}", measure, each, number)
        for kind, each in figures["kinds"].items()
        for number, measure in enumerate(("detected", "false_alarms"))
        if measure in each
    ]
    return bars("Noticed, and false alarms", rows)


def _bar(label: str, measure: str, figures: Mapping[str, Any], group: int = 0) -> Bar:
    interval = figures.get(f"{measure}_ci")
    return Bar(
        label=label,
        value=figures[measure],
        interval=(interval[0], interval[1]) if interval else None,
        group=group,
    )


def _table(figures: Mapping[str, Any]) -> str:
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{shown}</td></tr>" for name, shown in _rows(figures))
    return f"<details><summary>All figures</summary><table>{rows}</table></details>"


def _rows(figures: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the number of each figure, however deep it lies; curves are drawn, not listed."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _rows(value, f"{path}{name} › ")
        elif name.endswith("_ci") or name == "curve":
            continue
        else:
            yield f"{path}{name}", escape(_number(value)) + _interval(figures.get(f"{name}_ci"))


def _comparison(figures: Mapping[str, Any]) -> str:
    rows = [
        (f"{part}: {measure}", each, each["wins"] - each["losses"])
        for part, measures in figures["parts"].items()
        for measure, each in measures.items()
    ]
    rows += [(f"{part}: AUC", each, each["difference"]) for part, each in figures["scores"].items()]
    drawn = "".join(_compared(name, each, gain) for name, each, gain in rows)
    heads = "".join(f"<th>{head}</th>" for head in ("", "before", "after", "difference", "wins", "losses"))
    return f"<table><tr>{heads}</tr>{drawn}</table>"


def _compared(name: str, each: Mapping[str, Any], gain: float) -> str:
    """Write one line; it is coloured only where the interval of the difference leaves out 0."""
    low, high = each["difference_ci"]
    certain = low > 0 or high < 0
    colour = ("better" if gain > 0 else "worse") if certain else ""
    cells = (
        f"{each['before']:.3f}",
        f"{each['after']:.3f}",
        f"{each['difference']:+.3f}{_interval((low, high))}",
    )
    counts = (str(each.get("wins", "")), str(each.get("losses", "")))
    shown = "".join(f"<td>{cell}</td>" for cell in (*cells, *counts))
    return f'<tr class="{colour}"><td>{escape(name)}</td>{shown}</tr>'


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _interval(bounds: Any) -> str:
    return f" [{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else ""
