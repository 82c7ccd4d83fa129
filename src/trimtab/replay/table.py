"""A report in the terminal: the table of policies, and what to make of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rich import box
from rich.table import Table
from rich.text import Text

from ..core.note import COLD, DUE
from ..safe import safe
from .judging import Dear, Row
from .reporting import Report

_CENTS = Fraction(1, 10)  # dollars from which cents will do
COLUMNS = ("policy", "bill", "cached", "kept", "least", "cuts", "over", "of optimum")


def table(report: Report) -> Table:
    """One row a policy; the one to take is marked. No text of a message is in it."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in COLUMNS:
        made.add_column(name, justify="left" if name == "policy" else "right", no_wrap=True)
    for row in report.rows:
        chosen = row.policy == report.choice
        made.add_row(*cells(row, report.unit, chosen=chosen), style="bold" if chosen else "")
    return made


def cells(row: Row, unit: str, *, chosen: bool) -> list[str]:
    """What the table shows of a policy."""
    return [
        ("> " if chosen else "  ") + safe(row.policy),
        money(row.money, unit),
        f"{float(row.cached):.1%}",
        f"{round(row.kept):,}",
        f"{row.least:,}",
        f"{row.cuts:,}",
        f"{row.over:,}",
        "" if row.ratio is None else f"{float(row.ratio):.3f}",
    ]


def money(amount: Fraction, unit: str) -> str:
    """An amount of dollars, or of input tokens."""
    if unit != "USD":
        return f"{round(amount):,}"
    return f"${float(amount):,.2f}" if abs(amount) >= _CENTS else f"${float(amount):,.4f}"


def heading(report: Report) -> Text:
    """What was replayed, in one line."""
    return Text.assemble((safe(report.name), "bold"), f": {about(report)}")


def about(report: Report) -> str:
    """How much was replayed, and for what."""
    size = f"{_many(report.requests, 'request')}, {report.tokens:,} tokens"
    where = f"budget {report.budget:,}, cache {report.rules.name}"
    model = f", {safe(report.model)}" if report.model else ""
    return f"{size}; {where}{model}"


def words(report: Report) -> Iterator[str]:
    """What to make of the table, line by line."""
    if report.choice is None:
        yield "None of these policies stays within the budget."
    else:
        yield f"Take {report.choice}: the cheapest, with what it lets go at the price of input."
    yield f"None is cheaper and keeps more than: {', '.join(map(safe, report.front))}."
    yield from map(_dearest, _told(report), [report.unit] * len(report.rows))
    if report.agreement is not None and report.agreement.turns:
        turns, agree = report.agreement[:2]
        yield (
            f"The rules read what was recorded on {agree:,} of {_many(turns, 'turn')} of it "
            f"({agree / turns:.1%})."
        )
    if report.answers is not None:
        yield f"The answers cost {money(report.answers, report.unit)} beside, whatever is cut."
    for remark in report.remarks:
        yield f"Note: {safe(remark)}."


def _told(report: Report) -> Sequence[Row]:
    """The policies whose dearest cut is told: the dearest of all and the one to take."""
    cut = [row for row in report.rows if row.dearest is not None]
    worst = max(cut, key=lambda row: row.money, default=None)
    return [row for row in cut if row is worst or row.policy == report.choice]


def _dearest(row: Row, unit: str) -> str:
    cut = row.dearest
    assert cut is not None, "only policies with cuts are told of"
    return (
        f"The dearest cut of {safe(row.policy)}: before request {cut.request + 1}, "
        f"{_why(cut)}; {cut.before:,} tokens became {cut.after:,}, for {money(cut.extra, unit)}."
    )


def _why(cut: Dear) -> str:
    return {
        DUE: "due, since to wait risked more",
        COLD: "with a cold cache",
    }.get(cut.cause, f"since message {cut.message} made it too much")


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
