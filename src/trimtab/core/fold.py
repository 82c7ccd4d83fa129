"""The fold: one mark over the units of a growing history, moved only forward."""

from __future__ import annotations

from .lead import Lead, Leads, leads, units_of
from .unit import PINNED, STANDS


class Fold:
    """Which units stay, after every unit that arrives.

    ``push(cost, flags)`` opens a unit (flags: `trimtab.core.unit`), ``grow`` adds to the
    newest one. The run from ``mark`` on stays, with the pinned units and the lead of the
    run; ``total`` is what all of them cost. When that passes ``high``, the mark moves
    forward to the first unit at which the total is at most ``low``, or the run at most
    ``share`` (a fraction) of the room that pins and lead leave; failing that to the newest
    unit, which may then be too much itself: ``fits`` says so. ``insert`` is the cost of a
    text that stands in for what is gone, counted from the first unit that goes on.

    Once the run starts at a unit that stands for all before it, what is kept before that
    costs nothing.

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
        "_floor",
        "_high",
        "_insert",
        "_lead",
        "_leads",
        "_low",
        "_of",
        "_own",
        "_share",
        "_spares",
        "_spares_loop",
        "_standing",
        "_told",
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
        self._own = 0  # cost of the newest unit
        self._told = 0  # what of the insert is counted
        self._standing: list[tuple[int, int]] = []  # units to come, and the pins before each
        self._floor = 0  # what is kept before this unit costs nothing
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
        self._own = cost
        self.total += cost
        if flags:
            companion = self._leads.push(flags)
            if flags & PINNED or companion >= 0:
                self._pin(len(self._before) - 2 if flags & PINNED else -1, companion)
            if flags & STANDS:
                self._stand_for_all()
        else:
            self._of.append(self._leads.next)
        if self.total > self._high:
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
        self._own += cost
        self.total += cost
        if flags:
            companion = self._leads.grow(flags)
            if flags & PINNED:
                self._pin(newest, companion)
            if flags & STANDS:
                self._stand_for_all()
        if self.total > self._high:
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
        self._pass(mark)
        if self._insert and any(map(self._leaves_out, range(1, mark + 1))):
            self._tell()
        self._count()

    def _pin(self, unit: int, companion: int) -> None:
        before = self._before
        for pinned in (unit, companion):
            if pinned < 0:
                continue
            cost = before[pinned + 1] - before[pinned]
            self._cost_pin(pinned, cost)
            for later in range(pinned + 1, len(before)):
                before[later] -= cost
        self._end = before[-1]

    def _stand_for_all(self) -> None:
        """The newest unit, which is pinned, stands for all before it."""
        newest = len(self._before) - 2
        self._standing.append((newest, self._base - self._own - self._told))
        if self.mark == newest:
            self._pass(newest)
            self._count()

    def _pass(self, mark: int) -> None:
        """The run starts at ``mark`` from now on: what stands before may cost nothing."""
        while self._standing and self._standing[0][0] <= mark:
            self._floor, free = self._standing.pop(0)
            self._standing = [(unit, pins - free) for unit, pins in self._standing]
            self._rebase(-free)

    def _tell(self) -> None:
        """Something goes: from now on the insert is counted."""
        self._told += self._insert
        self._rebase(self._insert)
        self._insert = 0

    def _count(self) -> None:
        """Count anew what the run and its anchors cost."""
        lead = self._lead = self._of[self.mark]
        self._anchors = self._base + self._cost(lead)
        self.total = self._end - self._before[self.mark] + self._anchors

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
            if self._standing and self._standing[0][0] == mark:
                self._pass(mark)
                lead = None
            if self._insert and self._leaves_out(mark):
                self._tell()
                lead = None
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
        """Whether a unit would go that still stays where the run starts one unit earlier."""
        before, lead = self._of[mark - 1], self._of[mark]
        pinned, asked = self._leads.pinned, [mark - 1]
        if before is not lead:
            within = lead[0] <= before[0] and before[1] <= lead[1]
            asked += before[2:] if within else units_of(before)
        return any(unit >= 0 and unit not in pinned and not leads(lead, unit) for unit in asked)

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
            if unit == len(before) - 2:
                self._own -= spare
            if unit in pinned:
                self._cost_pin(unit, -spare)
            else:
                gone += spare
            before[unit + 1] -= gone
        self._end = before[-1]
        self._lead = None
        self.total = self._end - before[self.mark] + self._anchored()
        return True

    def _cost_pin(self, unit: int, cost: int) -> None:
        """A pinned unit costs so much more."""
        if unit >= self._floor:
            self._rebase(cost)
            rows = self._standing
            self._standing = [(at, pins + cost if unit < at else pins) for at, pins in rows]

    def _rebase(self, cost: int) -> None:
        """More is kept whatever the mark is; what was worked out for the lead is void."""
        self._base += cost
        self._lead = None

    def _cost(self, lead: Lead) -> int:
        before = self._before
        first, stop, head, reason = lead
        floor = self._floor
        cost = before[max(stop, floor)] - before[max(first, floor)]
        if head >= floor and head >= 0:
            cost += before[head + 1] - before[head]
        if reason >= floor and reason >= 0:
            cost += before[reason + 1] - before[reason]
        return cost

    def _holds(self, total: int, anchors: int) -> bool:
        """Whether the run takes no more than its share of the room that the anchors leave."""
        part, parts = self._share or (1, 1)
        return (total - anchors) * parts <= part * (self._high - anchors)
