"""Drawings for the page of a report: bars with their intervals, and curves, as SVG without any script."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

COLOURS: Final = ("#3b6ea8", "#c8763a", "#4f8f5b", "#8a5aa3")

_LABEL: Final = 300
_LONGEST: Final = 46
"""Characters of a label that have room beside a bar."""
_WIDTH: Final = 360
_ROW: Final = 26
_SIDE: Final = 320
_EDGE: Final = 44


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One figure between 0 and 1."""

    label: str
    value: float
    interval: tuple[float, float] | None = None
    group: int = 0
    """Which colour it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Points between 0 and 1 in both directions."""

    label: str
    points: Sequence[tuple[float, float]]


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Draw bars one below the other, each with its interval and its number."""
    height = _ROW * len(rows) + 28
    drawn = "".join(_bar(place, row) for place, row in enumerate(rows))
    ticks = "".join(_tick(share, height - 22) for share in (0, 0.25, 0.5, 0.75, 1))
    return _svg(title, _LABEL + _WIDTH + 150, height, ticks + drawn)


def lines(
    title: str, drawn: Sequence[Line], *, across: str, up: str, point: tuple[float, float] | None
) -> str:
    """Draw curves in a square; *point* is marked, *across* and *up* name the directions."""
    body = [
        f'<rect x="{_EDGE}" y="10" width="{_SIDE}" height="{_SIDE}" class="frame"/>',
        f'<path d="M {_x(0)} {_y(0)} L {_x(1)} {_y(1)}" class="chance"/>',
    ]
    for number, line in enumerate(drawn):
        colour = COLOURS[number % len(COLOURS)]
        path = " L ".join(f"{_x(across_):.1f} {_y(up_):.1f}" for across_, up_ in line.points)
        body.append(f'<path d="M {path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body.append(_text(_EDGE + _SIDE + 16, 30 + 20 * number, line.label, fill=colour))
    if point is not None:
        body.append(f'<circle cx="{_x(point[0]):.1f}" cy="{_y(point[1]):.1f}" r="5" class="point"/>')
        body.append(_text(_EDGE + _SIDE + 16, 30 + 20 * len(drawn), "● as shipped"))
    for share in (0, 0.5, 1):
        body.append(_text(_x(share), _SIDE + 26, f"{share:.0%}", anchor="middle"))
        body.append(_text(_EDGE - 6, _y(share) + 4, f"{share:.0%}", anchor="end"))
    body.append(_text(_x(0.5), _SIDE + 44, across, anchor="middle"))
    caption = f"{title} ({up} by {across})"
    return (
        _svg(caption, _EDGE + _SIDE + 260, _SIDE + 54, "".join(body))
        + f'<p class="axis">Upwards: {escape(up)}.</p>'
    )


def _bar(place: int, row: Bar) -> str:
    top, colour = place * _ROW, COLOURS[row.group % len(COLOURS)]
    end = _LABEL + _WIDTH * _within(row.value)
    parts = [
        _text(_LABEL - 8, top + 17, _shortened(row.label), anchor="end"),
        f'<rect x="{_LABEL}" y="{top + 5}" width="{end - _LABEL:.1f}" height="{_ROW - 9}" fill="{colour}"/>',
    ]
    number = f"{row.value:.3f}"
    if row.interval is not None:
        low, high = (_LABEL + _WIDTH * _within(bound) for bound in row.interval)
        middle = top + _ROW / 2
        parts.append(f'<path d="M {low:.1f} {middle} H {high:.1f}" class="interval"/>')
        number += f" [{row.interval[0]:.3f}, {row.interval[1]:.3f}]"
    parts.append(_text(_LABEL + _WIDTH + 8, top + 17, number))
    return "".join(parts)


def _tick(share: float, height: int) -> str:
    x = _LABEL + _WIDTH * share
    return f'<path d="M {x} 0 V {height}" class="tick"/>' + _text(
        x, height + 16, f"{share:g}", anchor="middle"
    )


def _svg(title: str, width: float, height: float, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", fill: str = "currentColor") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'


def _shortened(label: str) -> str:
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))


def _x(share: float) -> float:
    return _EDGE + _SIDE * share


def _y(share: float) -> float:
    return 10 + _SIDE * (1 - share)
