"""The fold: one mark over the units of a growing history, moved only forward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from .lead import Lead, Leads, leads, units_of
from .unit import PINNED, STANDS

Rows = Sequence[tuple[int, int]]
Free = Callable[[], "tuple[Rows, bool]"]


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

    ``free`` is asked at every overflow what units can do without: rows of (unit, tokens,
    less than nothing where it costs more then), and whether that is worth a cut of its own.
    They are freed of it for good; if it is worth it and enough, the mark stays. ``cuts``
    counts the cuts.

    ``ahead`` (a fraction) settles a cut before it comes: where the total first passes that much
    of ``high``, ``planned`` is where the mark would move if it had to, and when it has to it
    moves there, or on from there where that is not enough; -1 while nothing is planned.

    Without slack the mark is that of `trimtab.core.walk.walk`. Numbers are whole and not
    negative; they are not checked. Amortised O(1) a unit; the memory is two numbers a unit.
    """

    __slots__ = (
        "_ahead",
        "_anchors",
        "_base",
        "_before",
        "_early",
        "_end",
        "_floor",
        "_free",
        "_high",
        "_insert",
        "_lead",
        "_leads",
        "_low",
        "_of",
        "_own",
        "_share",
        "_standing",
        "_told",
        "cuts",
        "mark",
        "planned",
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
        free: Free | None = None,
        ahead: tuple[int, int] | None = None,
    ) -> None:
        self._high = high
        self._ahead = ahead or (1, 1)
        self._early = self._passed(high)
        self._low = high if low is None else low
        self._share = share
        self._leads = leads
        self._insert = insert
        self._free = free
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
        self.planned = -1
        self.total = 0

    @property
    def fits(self) -> bool:
        """Whether what stays is within ``high``."""
        return self.total <= self._high

    def push(self, cost: int, flags: int = 0) -> None:
        """A unit opens."""
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
        if self.total > self._early:
            self._cut()

    def grow(self, cost: int, flags: int = 0) -> None:
        """The newest unit costs more and gains flags that it had not before."""
        newest = len(self._before) - 2
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
        if self.total > self._early:
            self._cut()

    def lower(self, rows: Rows) -> None:
        """Units cost so much less from now on. O(units since the oldest of them)."""
        if not rows:
            return
        freed: dict[int, int] = {}
        for unit, tokens in rows:
            freed[unit] = freed.get(unit, 0) + tokens
        before, pinned, gone = self._before, self._leads.pinned, 0
        for unit in range(min(freed), len(before) - 1):
            tokens = freed.get(unit, 0)
            if unit == len(before) - 2:
                self._own -= tokens
            if unit in pinned:
                self._cost_pin(unit, -tokens)
            else:
                gone += tokens
            before[unit + 1] -= gone
        self._end = before[-1]
        self._lead = None
        self.total = self._end - before[self.mark] + self._anchored()

    def total_at(self, mark: int) -> int:
        """What would be kept if the run started at ``mark``, at or before the mark of now.

        Once something went, the insert is counted whatever the mark. O(1).
        """
        return self._end - self._before[mark] + self._base + self._cost(self._of[mark])

    def resize(self, high: int) -> None:
        """Allow another total from now on; without slack of its own ``low`` follows it.

        The mark moves on where what stays is too much now, and never back.
        """
        self._low = high if self._low == self._high else min(self._low, high)
        self._high, self._early = high, self._passed(high)
        if self.total > high:
            self._cut()

    def stand(self, mark: int, cuts: int, high: int, planned: int = -1) -> None:
        """Stand at a mark that was reached before by so many cuts, whatever would be chosen now.

        For a fold that has not cut yet. ``high`` holds from now on.
        """
        self.cuts = cuts
        self._low = high if self._low == self._high else min(self._low, high)
        self._high, self._early = high, self._passed(high)
        self.mark, self.planned = mark, planned
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
        """Free what can be; if need be move the mark to the first start that holds.

        Before the total is too much, only settle where it would move.
        """
        if self.total <= self._high:
            self._plan()
            return
        mark, newest = self.mark, len(self._of) - 1
        rows, pays = ((), False) if self._free is None else self._free()
        self.lower(rows)
        if not (pays and self._enough(self.total, self._anchored())) and mark < newest:
            fits = self._copy() if self.total <= self._high else None
            self._move(newest)
            if fits is not None and self.total > self._high:
                self._come_back(fits)
        self.planned = -1
        self.cuts += bool(rows) or self.mark > mark

    def _plan(self) -> None:
        if self.planned >= 0:
            return
        trial = self._copy()
        trial._move(len(self._of) - 1)
        if trial.mark > self.mark:
            self.planned = trial.mark

    def _copy(self) -> Fold:
        """A fold to try a cut with; it is of the same units."""
        trial = copy(self)
        trial._standing = list(self._standing)
        return trial

    def _come_back(self, other: Fold) -> None:
        """Be as a copy that was made before."""
        for name in Fold.__slots__:
            setattr(self, name, getattr(other, name))

    def _passed(self, high: int) -> int:
        """The total that may not be passed before a cut is settled."""
        part, parts = self._ahead
        return part * high // parts

    def _move(self, newest: int) -> None:
        before, of, end = self._before, self._of, self._end
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
            if of[mark] is not lead:
                lead = self._lead = of[mark]
                anchors = self._anchors = self._base + self._cost(lead)
            total = end - before[mark] + anchors
            if mark >= self.planned and (
                self._enough(total, anchors) if self.planned < 0 else total <= self._high
            ):
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
