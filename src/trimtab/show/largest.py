"""The table of the largest parts: what they are, what became of them, what they could give."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table

from .parts import gain, state

if TYPE_CHECKING:
    from .. import Fitted


class Large(NamedTuple):
    """One of the largest messages; ``gain`` is what it would give if it were cleared."""

    message: int
    role: str
    state: str
    reasons: tuple[str, ...]
    before: int
    after: int
    gain: int


def largest(fitted: Fitted, most: int = 10) -> list[Large]:
    """The messages that cost most before the fit, the larger ones first. O(n log most)."""
    rows = nlargest(most, fitted.decisions, key=lambda row: (row.before, -row.index))
    return [
        Large(
            row.index, row.role, state(row), row.reasons, row.before, row.after, gain(fitted, row)
        )
        for row in rows
    ]


def table(rows: list[Large]) -> Table:
    """The rows for the terminal."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("message", "role", "what became of it", "before", "after", "would give"):
        number = name in ("message", "before", "after", "would give")
        made.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        fate = f"{row.state} ({', '.join(row.reasons)})"
        shown = f"{row.gain:,}" if row.gain > 0 else ""
        made.add_row(f"{row.message:,}", row.role, fate, f"{row.before:,}", f"{row.after:,}", shown)
    return made
