"""One history at many budgets, each fitted by the real planner: what the page's slider shows."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import groupby, pairwise
from math import isqrt
from typing import TYPE_CHECKING, Any, Final

from ..errors import DoesNotFit
from .parts import state

if TYPE_CHECKING:
    from .. import Fitted

Fitting = Callable[[int], "Fitted"]
MOST: Final = 48  # positions of the slider


def positions(fit_at: Fitting, chosen: Fitted) -> list[tuple[int, Fitted | DoesNotFit]]:
    """Fits at budgets from just below the least that anything fits into to one that all fits into.

    ``fit_at`` fits the same history into a budget. The chosen one is among them; where a budget
    is too small, the error stands there. Gaps are halved in ratio, the widest first, while what
    lies within may differ from both ends; so under the longest run a history of few units has
    every outcome, and none twice. At most ``MOST`` places, and twice as many fits.
    """
    tried = _ends(fit_at, chosen)
    shown = set(tried)
    gaps = [_gap(low, high) for low, high in pairwise(sorted(tried))]
    heapify(gaps)
    while gaps and len(shown) < MOST and len(tried) < 2 * MOST:
        _, low, high = heappop(gaps)
        middle = _within(tried[low], low, tried[high], high)
        if middle is None:
            continue
        tried[middle] = _at(fit_at, middle)
        if not _same(tried[low], tried[middle]):
            shown.add(middle)
            heappush(gaps, _gap(low, middle))
        heappush(gaps, _gap(middle, high))
    return [(budget, tried[budget]) for budget in sorted(shown)]


def _ends(fit_at: Fitting, chosen: Fitted) -> dict[int, Fitted | DoesNotFit]:
    least = _at(fit_at, 0)
    low = least.needs.total if isinstance(least, DoesNotFit) else max(least.used, 1)
    high = max(sum(row.before for row in chosen.decisions) + chosen.fixed, low + 1)
    found = {budget: _at(fit_at, budget) for budget in (max(low - 1, 0), low, high)}
    return {**found, chosen.budget: chosen}


def _gap(low: int, high: int) -> tuple[float, int, int]:
    return -high / max(low, 1), low, high


def _within(
    under: Fitted | DoesNotFit, low: int, over: Fitted | DoesNotFit, high: int
) -> int | None:
    """A budget between two at which another outcome may be, None where there is none.

    From what a fit uses up to its budget the longest run is the same, so it lies below that.
    """
    if isinstance(over, DoesNotFit) or _same(under, over):
        return None
    top = (min(over.used, high) if over.transcript.fold is None else high) - 1
    return max(low + 1, isqrt(low * top)) if top > low else None


def _same(one: Fitted | DoesNotFit, other: Fitted | DoesNotFit) -> bool:
    if isinstance(one, DoesNotFit) or isinstance(other, DoesNotFit):
        return type(one) is type(other)
    return one.used == other.used and one.decisions == other.decisions


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
        "said": found.explain().split("\n"),
    }
