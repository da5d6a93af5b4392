"""A report of an evaluation, printed for people: a table for each part."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


WIDTH: Final = 220
"""Columns where there is no terminal: a table that is cut says nothing."""

NAMED: Final = 20
"""Questions that are named below the tables."""


def print_report(report: Mapping[str, Any]) -> None:
    """Print the tables of a report; figures that make a curve are left to the page."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for title, rows in _tables(report):
        console.print(_table(f"{report['dataset']}: {title}", rows))
    _print_names(console, "Not among the first five", report.get("missed", ()))
    _print_names(console, "Named by questions and not there", report.get("unknown_documents", ()))
    for name, fault in report.get("loaders", {}).get("wrong", {}).items():
        console.print(f"{name}: {fault}", markup=False)
    _print_comparison(console, report.get("comparison"))


def _print_names(console: Any, title: str, names: Sequence[str]) -> None:
    """Print the first of *names*; all of them are in the JSON."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    if names:
        console.print(f"{title}: {', '.join(names[:NAMED])}{more}", markup=False)


def _tables(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield a title and the lines of each table, a line being a name and figures."""
    if report["arms"]:
        yield f"search, {report['questions']} questions", report["arms"]
    for part, tables in _TABLES.items():
        if report.get(part):
            yield from tables(report[part])


def _slices(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "search by kind of question", part


def _abstention(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the decision with every score, at the point where it refuses a tenth wrongly; then the kinds."""
    scores = {name: each | each["at_10"] for name, each in part["scores"].items()}
    yield "questions without an answer", {"as shipped": part, **scores}
    yield "refused, by type", part["by_type"]


def _follow_up(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "follow-ups", {"all": part, **_nested(part)}


def _topic_change(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "changes of topic", {"all": part, **_nested(part)}


def _leaning(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "questions that need their conversation", {"all": part}


def _answers(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield f"answers by {part['reader']}", {"all": part}


def _citation(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for checker, sources in part["checkers"].items():
        yield f"citations, checked by {checker}", sources


def _injection(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "orders in texts", {"all": part, **part["where"], **part["kinds"]}
    if "obeyed" in part:
        yield f"orders obeyed by {part['obeyed']['reader']}", _nested(part["obeyed"])


def _loaders(part: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "files", {"all": part}


_TABLES: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[tuple[str, Mapping[str, Any]]]]]] = {
    "slices": _slices,
    "abstention": _abstention,
    "follow_up": _follow_up,
    "topic_change": _topic_change,
    "leaning": _leaning,
    "answers": _answers,
    "citation": _citation,
    "injection": _injection,
    "loaders": _loaders,
}


def _nested(part: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in part.items() if isinstance(each, Mapping)}


def _table(title: str, rows: Mapping[str, Any]) -> Any:
    from rich.table import Table
    from rich.text import Text

    measures = list(dict.fromkeys(key for row in rows.values() for key in row if _is_figure(row, key)))
    table = Table("", *measures, title=Text(title))
    for name, row in rows.items():
        table.add_row(Text(name), *(Text(_cell(row, measure)) for measure in measures))
    return table


def _is_figure(row: Mapping[str, Any], key: str) -> bool:
    return isinstance(row[key], int | float) and not key.endswith("_ci")


def _cell(row: Mapping[str, Any], measure: str) -> str:
    value, interval = row.get(measure), row.get(f"{measure}_ci")
    if value is None:
        return "–"
    if isinstance(value, int):
        return str(value)
    return f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else f"{value:.3f}"


def _print_comparison(console: Any, comparison: Mapping[str, Any] | None) -> None:
    """Print where the run differs from the one that was kept."""
    if comparison is None:
        return
    rows = {
        f"{part}: {measure}": each
        for part, measures in comparison["parts"].items()
        for measure, each in measures.items()
    }
    rows |= {f"{part}: AUC": each for part, each in comparison["scores"].items()}
    console.print(_table("compared with the run that was kept", rows))
