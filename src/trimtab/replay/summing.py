"""Several reports as one: what every policy would have cost on all conversations together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from .judging import Row, front
from .reporting import Report


def summed(reports: Sequence[Report]) -> Report | None:
    """One report of all, None where they cannot be added.

    Money is added, averages are weighed by requests, and the ratio to the optimum is the mean of
    the ratios. Reports in other units, or for other caches, budgets or policies, cannot be added.
    """
    kinds = {(r.unit, r.rules.name, r.budget, tuple(_names(r))) for r in reports}
    if len(reports) < 2 or len(kinds) > 1:
        return None
    first = reports[0]
    rows = [_row(name, reports, at) for at, name in enumerate(_names(first))]
    fit = [row for row in rows if row.over == 0]
    remarks = dict.fromkeys(remark for report in reports for remark in report.remarks)
    return replace(
        first,
        name=f"{len(reports)} conversations together",
        model=None,
        requests=sum(report.requests for report in reports),
        tokens=sum(report.tokens for report in reports),
        rows=rows,
        front=front(rows),
        choice=min(fit, key=lambda row: row.worth).policy if fit else None,
        agreement=None,
        answers=None,
        remarks=list(remarks),
    )


def _names(report: Report) -> list[str]:
    return [row.policy for row in report.rows]


def _row(name: str, reports: Sequence[Report], at: int) -> Row:
    rows = [report.rows[at] for report in reports]
    weights = [report.requests for report in reports]
    total = sum(weights)
    ratios = [row.ratio for row in rows if row.ratio is not None]
    money = sum((row.money for row in rows), Fraction(0))
    cached = sum(
        (row.cached * weight for row, weight in zip(rows, weights, strict=True)), Fraction(0)
    )
    kept = sum((row.kept * weight for row, weight in zip(rows, weights, strict=True)), Fraction(0))
    return Row(
        policy=name,
        money=money,
        cached=cached / total,
        kept=kept / total,
        least=min(row.least for row in rows),
        cuts=sum(row.cuts for row in rows),
        over=sum(row.over for row in rows),
        worth=sum((row.worth for row in rows), Fraction(0)),
        ratio=sum(ratios, Fraction(0)) / len(ratios) if ratios else None,
        dearest=None,  # its request and message are those of one conversation
        costs=(),
    )
