"""The incremental twin of `trim_history`, with hysteresis if wanted."""

from __future__ import annotations

from ..errors import InvalidOptions
from .depth import AtMost
from .fold import Fold
from .lead import Leads
from .whole import whole


class Window:
    """Keep the newest run of a growing list of counts within a budget.

    ``push(count)`` adds a count and returns the index of the first kept item. With
    ``low=None`` the kept run is always what `trim_history` gives for all counts
    pushed so far. With ``low`` below the budget, a push that overflows cuts deeper,
    to the oldest start at which the rest is at most ``low``, or keeps the newest item
    alone if it fits; the start then stays for many pushes. When not even the newest
    item fits, nothing is kept: ``start`` is the number of items and ``total`` is 0.

    ``start`` is the index of the first kept item, ``total`` the tokens kept. A push
    is amortised O(1); the memory is two numbers an item.

    Raises `InvalidOptions` for a count or budget that is negative or no whole number,
    or ``low > budget``.

    >>> window = Window(10)
    >>> [window.push(count) for count in (8, 3, 4, 2)]
    [0, 1, 1, 1]
    >>> window.total
    9
    """

    __slots__ = ("_fold", "_high", "_leads")

    def __init__(self, budget: int, *, low: int | None = None) -> None:
        high = whole(budget, "budget")
        water = high if low is None else whole(low, "low")
        if water > high:
            raise InvalidOptions(f"low {low} is above the budget {budget}")
        self._high = high
        self._leads = Leads()
        self._fold = Fold(high, self._leads, rule=AtMost(water))

    @property
    def start(self) -> int:
        """Index of the first kept item."""
        fold = self._fold
        return fold.mark if fold.fits else len(self._leads.of)

    @property
    def total(self) -> int:
        """Tokens kept; 0 when nothing fits."""
        fold = self._fold
        return fold.total if fold.fits else 0

    def push(self, count: int) -> int:
        """Add an item and return the index of the first kept one."""
        if type(count) is not int or count < 0:
            count = whole(count, f"count {len(self._leads.of)}")
        fold = self._fold
        fold.push(count)
        return fold.mark if fold.total <= self._high else len(self._leads.of)
