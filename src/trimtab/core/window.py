"""The fold: one mark over the units of a growing history, moved only forward."""

from __future__ import annotations

from ..errors import InvalidOptions
from .lead import Lead, Leads
from .unit import PINNED
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
    is amortised O(1); the memory is one number an item.

    Raises `InvalidOptions` for a negative count or budget, or ``low > budget``.

    >>> window = Window(10)
    >>> [window.push(count) for count in (8, 3, 4, 2)]
    [0, 1, 1, 1]
    >>> window.total
    9

    The library itself folds units instead of bare counts: ``flags`` say what a unit
    is (see `trimtab.core.unit`), `grow` adds to the newest unit, ``leads`` supplies the
    units that must lead a run, ``share`` is the low water as a fraction of the room
    that anchors leave, and ``insert`` is the cost of a text that stands in for what is
    gone. Then pinned units and the lead of the run are kept and counted too.
    """

    __slots__ = (
        "_anchors",
        "_base",
        "_before",
        "_high",
        "_insert",
        "_lead",
        "_leads",
        "_low",
        "_share",
        "_total",
        "mark",
    )

    def __init__(
        self,
        budget: int,
        *,
        low: int | None = None,
        share: tuple[int, int] | None = None,
        leads: Leads | None = None,
        insert: int = 0,
    ) -> None:
        self._high = whole(budget, "budget")
        self._low = self._high if low is None else whole(low, "low")
        if self._low > self._high:
            raise InvalidOptions(f"low {low} is above the budget {budget}")
        self._share = share
        self._leads = Leads() if leads is None else leads
        self._insert = insert
        self._before = [0]  # before[k]: cost of all units before k that are not pinned
        self._base = 0  # cost of all pinned units and, once something went, of the insert
        self._total = 0
        self._lead: Lead | None = None  # the lead that _anchors belongs to
        self._anchors = 0  # base and lead of the run
        self.mark = 0  #: the run starts here; unlike ``start`` it never passes the newest unit

    @property
    def fits(self) -> bool:
        """Whether what is kept is within the budget."""
        return self._total <= self._high

    @property
    def start(self) -> int:
        """Index of the first kept item of the run."""
        return self.mark if self._total <= self._high else len(self._leads.of)

    @property
    def total(self) -> int:
        """Tokens kept; 0 when nothing fits."""
        return self._total if self._total <= self._high else 0

    def push(self, count: int, flags: int = 0) -> int:
        """Add an item and return the index of the first kept one."""
        if type(count) is not int or count < 0:
            count = whole(count, f"count {len(self._leads.of)}")
        before = self._before
        before.append(before[-1] + count)
        if flags:
            companion = self._leads.push(flags)
            if flags & PINNED:
                self._pin(len(before) - 2, companion)
        else:
            leads = self._leads
            leads.of.append(leads.next)
        self._total = total = self._total + count
        return self.mark if total <= self._high else self._cut()

    def grow(self, count: int, flags: int = 0) -> int:
        """Add to the cost and flags of the newest unit; returns as `push` does.

        ``flags`` are those that the unit has from now on and had not before.
        """
        newest = len(self._before) - 2
        if newest in self._leads.pinned:
            self._rebase(count)
        else:
            self._before[-1] += count
        if flags:
            companion = self._leads.grow(flags)
            if flags & PINNED:
                self._pin(newest, companion)
        self._total = total = self._total + count
        return self.mark if total <= self._high else self._cut()

    def _pin(self, unit: int, companion: int) -> None:
        before = self._before
        for pinned in (unit, companion):
            if pinned < 0:
                continue
            cost = before[pinned + 1] - before[pinned]
            self._rebase(cost)
            for later in range(pinned + 1, len(before)):
                before[later] -= cost

    def _cut(self) -> int:
        """Move the mark to the first start that holds, at most to the newest unit."""
        if self._insert:
            self._rebase(self._insert)
            self._total += self._insert
            self._insert = 0
        before, leads = self._before, self._leads.of
        mark, newest = self.mark, len(leads) - 1
        lead, anchors = self._lead, self._anchors
        end, low, total = before[-1], self._low, self._total
        while mark < newest:
            mark += 1
            if leads[mark] is not lead:
                lead = self._lead = leads[mark]
                anchors = self._anchors = self._base + self._cost(lead)
            total = end - before[mark] + anchors
            if total <= low and (self._share is None or self._holds(total, anchors)):
                break
        self.mark = mark
        self._total = total
        return mark if total <= self._high else newest + 1

    def _rebase(self, cost: int) -> None:
        """More is kept whatever the mark is; what was worked out for the lead is void."""
        self._base += cost
        self._lead = None

    def _cost(self, lead: Lead) -> int:
        before = self._before
        first, stop, head, reason = lead
        cost = before[stop] - before[first]
        if head >= 0:
            cost += before[head + 1] - before[head]
        if reason >= 0:
            cost += before[reason + 1] - before[reason]
        return cost

    def _holds(self, total: int, anchors: int) -> bool:
        """Whether the run takes no more than its share of the room that the anchors leave."""
        part, parts = self._share or (1, 1)
        return (total - anchors) * parts <= part * (self._high - anchors)
