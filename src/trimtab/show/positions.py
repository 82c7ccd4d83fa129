"""One history at many budgets, each fitted by the real planner: what the page's slider shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from ..errors import DoesNotFit
from .parts import state

if TYPE_CHECKING:
    from .. import Fitted

Fitting = Callable[[int], "Fitted"]
MOST: Final = 48  # positions of the slider


def positions(fit_at: Fitting, chosen: Fitted) -> list[tuple[int, Fitted | DoesNotFit]]:
    """Fits at budgets from the least that anything fits into to one that all fits into.

    ``fit_at`` fits the same history into a budget. The chosen one is among them; where a budget
    is too small, the error stands there.
    """
    budgets = sorted({*_budgets(fit_at, chosen), chosen.budget})
    return [(budget, _at(fit_at, budget)) for budget in budgets]


def _budgets(fit_at: Fitting, chosen: Fitted) -> Iterator[int]:
    """Budgets in equal ratios, with one below and one above where anything changes."""
    least = _at(fit_at, 0)
    low = least.needs.total if isinstance(least, DoesNotFit) else max(least.used, 1)
    high = max(sum(row.before for row in chosen.decisions) + chosen.fixed, low + 1)
    yield from (max(low - 1, 0), high)
    for step in range(MOST - 2):
        yield round(low * (high / low) ** (step / (MOST - 3))) if low else step


def _at(fit_at: Fitting, budget: int) -> Fitted | DoesNotFit:
    try:
        return fit_at(budget)
    except DoesNotFit as error:
        return error


def position(budget: int, found: Fitted | DoesNotFit, codes: dict[tuple[str, ...], int]) -> Any:
    """A fit as data: for every message a code of what became of it, in runs.

    ``codes`` numbers the pairs of a state and reasons, and grows. What is changed has its tokens
    beside it.
    """
    if isinstance(found, DoesNotFit):
        return {"budget": budget, "error": f"needs at least {found.needs.total:,} tokens"}
    keys = [(state(row), *row.reasons) for row in found.decisions]
    numbers = [codes.setdefault(key, len(codes)) for key in keys]
    return {
        "budget": budget,
        "used": found.used,
        "runs": [[code, len(list(same))] for code, same in groupby(numbers)],
        "after": {r.index: r.after for r in found.decisions if r.after not in (0, r.before)},
        "inserted": sum(row.tokens for row in found.inserted),
        "cut": found.cut_at,
        "said": found.explain().split("\n"),
    }
