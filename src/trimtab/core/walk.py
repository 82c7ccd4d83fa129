"""The backward walk: the longest run that fits, reading only the costs it must."""

from __future__ import annotations

from collections.abc import Callable

from .lead import NO_LEAD, Lead, Leads, units_of

CostWithin = Callable[[int, int], "int | None"]
"""``cost(unit, limit)``: the cost of a unit if it is at most ``limit``, else None."""


def walk(leads: Leads, cost: CostWithin, budget: int) -> tuple[int, int] | None:
    """Return the mark of the longest run that fits, and the tokens kept, or None.

    Equal to a `Fold` without slack folded over the same units. ``budget`` is what
    units may cost in all. A unit's cost is asked for when its run could fit, and of the
    first unit that does not fit only whether it exceeds what is left. None means that
    not even the newest unit fits with the pinned units and its lead. What is kept before
    the last unit of a run that stands for all before it costs nothing.
    O(kept + pinned) calls of ``cost``.
    """
    newest = len(leads.of) - 1
    kept: set[int] = set()
    floors = [0, *leads.standing]
    pinned, floor = sorted(leads.pinned), floors.pop()
    left = _take([unit for unit in pinned if unit >= floor], kept, cost, budget)
    mark = newest + 1
    lead: Lead | None = NO_LEAD
    while mark > 0 and left is not None:
        wanted = [mark - 1]
        if mark == floor:
            floor, lead = floors.pop(), None
            wanted += [unit for unit in pinned if floor <= unit < mark]
        if leads.of[mark - 1] is not lead:
            lead = leads.of[mark - 1]
            wanted += [unit for unit in units_of(lead) if unit >= floor]
        rest = _take(wanted, kept, cost, left)
        if rest is None:
            break
        left = rest
        mark -= 1
    if left is None or left < 0 or 0 <= newest < mark:
        return None
    return mark, budget - left


def _take(units: list[int], kept: set[int], cost: CostWithin, left: int) -> int | None:
    """What is left of ``left`` after paying for ``units``, each once; None if it is exceeded."""
    for unit in units:
        if unit in kept:
            continue
        price = cost(unit, left)
        if price is None:
            return None
        kept.add(unit)
        left -= price
    return left
