"""A replay as one page: tables and charts, no script, nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence

from ..pages import render
from .charts import HUES, charts
from .reporting import Report
from .summing import summed
from .table import COLUMNS, about, cells, words


def page(reports: Sequence[Report]) -> str:
    """The page of one or several reports; their sum comes first."""
    together = summed(reports)
    shown = [*([together] if together else []), *reports]
    return render(
        "trimtab.replay",
        "replay.html",
        title=shown[0].name,
        columns=COLUMNS,
        hues=HUES,
        reports=[
            {
                "name": report.name,
                "about": about(report),
                "words": list(words(report)),
                "rows": [
                    {
                        "chosen": row.policy == report.choice,
                        "cells": [
                            cell.strip()
                            for cell in cells(row, report.unit, chosen=row.policy == report.choice)
                        ],
                    }
                    for row in report.rows
                ],
                "charts": charts(report),
                "first": at == 0,
            }
            for at, report in enumerate(shown)
        ],
    )
