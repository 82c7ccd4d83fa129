"""The charts of a replay as numbers: where each line, point and word stands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import floor, log10
from typing import Any, Final, NamedTuple

from .reporting import Report
from .table import money

WIDTH, HEIGHT = 860, 380
LEFT, RIGHT, TOP, BOTTOM = 80, 730, 30, 320
APART: Final = 14  # between two labels
MOST: Final = 300  # points of a line

HUES: Final = (
    # Okabe and Ito's colours, which differ for every kind of colour vision, on light and dark
    {"light": "#1b1b1b", "dark": "#ececec"},
    {"light": "#8a5d00", "dark": "#e69f00"},
    {"light": "#0072b2", "dark": "#56b4e9"},
    {"light": "#00735a", "dark": "#35c79f"},
    {"light": "#a3461f", "dark": "#ff8d5c"},
    {"light": "#9c3d78", "dark": "#e39ac4"},
    {"light": "#5a5a00", "dark": "#f0e442"},
    {"light": "#5b4bb5", "dark": "#b3a8ff"},
)
DASHES: Final = ("", "8 4", "2 3", "10 3 2 3", "5 5", "12 4", "1 4", "6 2 2 2 2 2")


class Scale(NamedTuple):
    """Where a number stands between two places of the picture."""

    first: float
    last: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        span = (self.last - self.first) or 1
        part = (value - self.first) / span
        return round(self.start + part * (self.stop - self.start), 1)


def charts(report: Report) -> list[dict[str, Any]]:
    """The front of cost against retention, and the bill as it grew where each request is known."""
    found = [_front(report)]
    if all(row.costs for row in report.rows):
        found.append(_bills(report))
    return found


def _front(report: Report) -> dict[str, Any]:
    across = [float(row.kept) for row in report.rows]
    up = [float(row.money) for row in report.rows]
    x, y = _scale(across, LEFT, RIGHT), _scale(up, BOTTOM, TOP)
    dots: list[dict[str, Any]] = [
        {
            "x": x(kept),
            "y": y(cost),
            "r": 6,
            "hue": at % len(HUES),
            "ring": row.policy in report.front,
            "title": f"{row.policy}: {money(row.money, report.unit)}, {round(kept):,} tokens kept",
        }
        for at, (row, kept, cost) in enumerate(zip(report.rows, across, up, strict=True))
    ]
    labels = _spread([(dot["x"] + 12, dot["y"] + 4) for dot in dots])
    names = [row.policy + (" (take)" if row.policy == report.choice else "") for row in report.rows]
    about = "; ".join(dot["title"] for dot in dots)
    return _chart(
        "Cost against what is kept",
        f"Bill by tokens kept. {about}",
        "Lower is cheaper, further right keeps more. Ringed: none is cheaper and keeps more.",
        across=_ticks(x, "tokens"),
        up=_ticks(y, report.unit),
        names=("tokens of messages kept, on average", "bill"),
        dots=dots,
        labels=[
            {"x": place[0], "y": place[1], "text": name}
            for place, name in zip(labels, names, strict=True)
        ],
    )


def _bills(report: Report) -> dict[str, Any]:
    curves = [list(accumulate(map(float, row.costs))) for row in report.rows]
    size = len(curves[0])
    x = Scale(1, max(size, 2), LEFT, RIGHT)
    y = _scale([0.0, *(curve[-1] for curve in curves)], BOTTOM, TOP)
    places = sorted({round(at * (size - 1) / MOST) for at in range(MOST + 1)})
    drawn = [
        {
            "points": " ".join(f"{x(at + 1)},{y(curve[at])}" for at in places),
            "hue": number % len(HUES),
            "dash": DASHES[number % len(DASHES)],
            "name": report.rows[number].policy,
        }
        for number, curve in enumerate(curves)
    ]
    ends = _spread([(RIGHT + 8.0, y(curve[-1]) + 4) for curve in curves])
    totals = ", ".join(f"{row.policy} {money(row.money, report.unit)}" for row in report.rows)
    return _chart(
        "The bill as it grew",
        f"Bill by request. In the end: {totals}",
        "A step is a cut: what stays is written to the cache again.",
        across=_ticks(x, "tokens"),
        up=_ticks(y, report.unit),
        names=("request", "bill so far"),
        curves=drawn,
        labels=[
            {"x": place[0], "y": place[1], "text": row.policy}
            for place, row in zip(ends, report.rows, strict=True)
        ],
    )


def _chart(
    title: str,
    about: str,
    note: str,
    *,
    names: tuple[str, str],
    curves: Sequence[dict[str, Any]] = (),
    dots: Sequence[dict[str, Any]] = (),
    **parts: Any,
) -> dict[str, Any]:
    size = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT}
    return {
        **size,
        "top": TOP,
        "bottom": BOTTOM,
        "title": title,
        "about": about,
        "note": note,
        "x_name": names[0],
        "y_name": names[1],
        "curves": curves,
        "dots": dots,
        **parts,
    }


def _scale(values: Sequence[float], start: float, stop: float) -> Scale:
    """A scale that holds all values, with some air."""
    least, most = min(values), max(values)
    air = (most - least) * 0.08 or most * 0.1 or 1
    return Scale(max(least - air, 0), most + air, start, stop)


def _ticks(scale: Scale, unit: str) -> list[dict[str, Any]]:
    """Some five round numbers."""
    span = scale.last - scale.first
    step = 10 ** floor(log10(span / 4)) if span > 0 else 1
    step = next(step * by for by in (1, 2, 5, 10) if span / (step * by) <= 6)
    first = -(-scale.first // step) * step
    found = [first + at * step for at in range(int((scale.last - first) / step) + 1)]
    return [{"at": scale(value), "label": _label(value, step, unit)} for value in found]


def _label(value: float, step: float, unit: str) -> str:
    if unit == "USD":
        return f"${value:,.{max(0, -floor(log10(step)))}f}"
    return f"{value:,.{max(0, -floor(log10(step)))}f}"


def _spread(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Labels that do not lie on each other: those too close are moved down."""
    moved: dict[int, tuple[float, float]] = {}
    for at in sorted(range(len(places)), key=lambda at: places[at][1]):
        x, y = places[at]
        near = [other[1] for other in moved.values() if abs(other[0] - x) < 90]
        if near and y - max(near) < APART:
            y = max(near) + APART
        moved[at] = (x, round(y, 1))
    return [moved[at] for at in range(len(places))]
