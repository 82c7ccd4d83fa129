"""The fold: one mark over the units of a growing history, moved only forward."""

from __future__ import annotations

from .lead import Lead, Leads, units_of
from .unit import PINNED


class Fold:
    """Which units stay, after every unit that arrives.

    ``push(cost, flags)`` opens a unit (flags: `trimtab.core.unit`), ``grow`` adds to the
    newest one. The run from ``mark`` on stays, with the pinned units and the lead of the
    run; ``total`` is what all of them cost. When that passes ``high``, the mark moves
    forward to the first unit at which the total is at most ``low``, or the run at most
    ``share`` (a fraction) of the room that pins and lead leave; failing that to the newest
    unit, which may then be too much itself: ``fits`` says so. ``insert`` is the cost of a
    text that stands in for what is gone, counted from the first unit that goes on.

    A unit may have a ``spare`` cost, which it is freed of at the first cut after it came
    (less than nothing where it costs more then); with ``spares_loop`` not before human text
    comes after it. If that is enough, the mark stays. ``cuts`` counts the cuts.

    Without slack the mark is that of `trimtab.core.walk.walk`. Numbers are whole and not
    negative; they are not checked. Amortised O(1) a unit; the memory is two numbers a unit.
    """

    __slots__ = (
        "_anchors",
        "_base",
        "_before",
        "_end",
        "_high",
        "_insert",
        "_lead",
        "_leads",
        "_low",
        "_of",
        "_share",
        "_spares",
        "_spares_loop",
        "cuts",
        "mark",
        "total",
    )

    def __init__(
        self,
        high: int,
        leads: Leads,
        *,
        low: int | None = None,
        share: tuple[int, int] | None = None,
        insert: int = 0,
        spares_loop: bool = False,
    ) -> None:
        self._high = high
        self._low = high if low is None else low
        self._share = share
        self._leads = leads
        self._insert = insert
        self._spares: list[tuple[int, int]] = []  # what the next cut frees: unit, cost
        self._spares_loop = spares_loop
        self._of = leads.of
        self._end = 0  # cost of all units that are not pinned
        self._before = [0]  # before[k]: cost of all units before k that are not pinned
        self._base = 0  # cost of all pinned units and, once something went, of the insert
        self._lead: Lead | None = None  # the lead that _anchors belongs to
        self._anchors = 0  # base and lead of the run
        self.cuts = 0
        self.mark = 0
        self.total = 0

    @property
    def fits(self) -> bool:
        """Whether what stays is within ``high``."""
        return self.total <= self._high

    def push(self, cost: int, flags: int = 0, spare: int = 0) -> None:
        """A unit opens."""
        if spare:
            self._spares.append((len(self._before) - 1, spare))
        self._end = end = self._end + cost
        self._before.append(end)
        if flags:
            companion = self._leads.push(flags)
            if flags & PINNED or companion >= 0:
                self._pin(len(self._before) - 2 if flags & PINNED else -1, companion)
        else:
            self._of.append(self._leads.next)
        self.total = total = self.total + cost
        if total > self._high:
            self._cut()

    def grow(self, cost: int, flags: int = 0, spare: int = 0) -> None:
        """The newest unit costs more and gains flags that it had not before."""
        newest = len(self._before) - 2
        if spare:
            self._spares.append((newest, spare))
        if newest in self._leads.pinned:
            self._rebase(cost)
        else:
            self._before[-1] += cost
            self._end += cost
        if flags:
            companion = self._leads.grow(flags)
            if flags & PINNED:
                self._pin(newest, companion)
        self.total = total = self.total + cost
        if total > self._high:
            self._cut()

    def resize(self, high: int) -> None:
        """Allow another total from now on; without slack of its own ``low`` follows it.

        The mark moves on where what stays is too much now, and never back.
        """
        self._low = high if self._low == self._high else min(self._low, high)
        self._high = high
        if self.total > high:
            self._cut()

    def stand(self, mark: int, high: int) -> None:
        """Stand at a mark that was reached before, whatever would be chosen now.

        For a fold that has not cut yet. ``high`` holds from now on.
        """
        self._low = high if self._low == self._high else min(self._low, high)
        self._high = high
        self.mark = mark
        if mark == 0:
            return
        if self._insert and self._leaves_out(mark):
            self._rebase(self._insert)
            self._insert = 0
        lead = self._lead = self._of[mark]
        self._anchors = self._base + self._cost(lead)
        self.total = self._end - self._before[mark] + self._anchors

    def _pin(self, unit: int, companion: int) -> None:
        before = self._before
        for pinned in (unit, companion):
            if pinned < 0:
                continue
            cost = before[pinned + 1] - before[pinned]
            self._rebase(cost)
            for later in range(pinned + 1, len(before)):
                before[later] -= cost
        self._end = before[-1]

    def _cut(self) -> None:
        """Free what can be; if need be move the mark to the first start that holds."""
        freed = bool(self._spares) and self._free()
        mark, newest = self.mark, len(self._of) - 1
        if not (freed and self._enough(self.total, self._anchored())) and mark < newest:
            self._move(newest)
        self.cuts += freed or self.mark > mark

    def _move(self, newest: int) -> None:
        before, leads, end = self._before, self._of, self._end
        mark, lead, anchors = self.mark, self._lead, self._anchors
        total = self.total
        while mark < newest:
            mark += 1
            if self._insert and self._leaves_out(mark):
                self._rebase(self._insert)
                self._insert, lead = 0, None
            if leads[mark] is not lead:
                lead = self._lead = leads[mark]
                anchors = self._anchors = self._base + self._cost(lead)
            total = end - before[mark] + anchors
            if self._enough(total, anchors):
                break
        self.mark = mark
        self.total = total

    def _enough(self, total: int, anchors: int) -> bool:
        return total <= self._low and (self._share is None or self._holds(total, anchors))

    def _leaves_out(self, mark: int) -> bool:
        """Whether some unit before a mark would go."""
        stay = {unit for unit in self._leads.pinned if unit < mark}
        return len(stay.union(units_of(self._of[mark]))) < mark

    def _anchored(self) -> int:
        """Base and lead of the run from the mark."""
        lead = self._of[self.mark]
        return self._base + self._cost(lead)

    def _free(self) -> bool:
        """Free the units that came since the last cut of what they can spare."""
        stop = self._leads.next[1] if self._spares_loop else len(self._of)
        freed: dict[int, int] = {}
        for unit, spare in self._spares:
            if unit < stop:
                freed[unit] = freed.get(unit, 0) + spare
        if not freed:
            return False
        self._spares = [row for row in self._spares if row[0] >= stop]
        before, pinned, gone = self._before, self._leads.pinned, 0
        for unit in range(min(freed), len(before) - 1):
            spare = freed.get(unit, 0)
            if unit in pinned:
                self._base -= spare
            else:
                gone += spare
            before[unit + 1] -= gone
        self._end = before[-1]
        self._lead = None
        self.total = self._end - before[self.mark] + self._anchored()
        return True

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
