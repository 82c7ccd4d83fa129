"""What stays of a growing history and what it costs: the sums under a fold."""

from __future__ import annotations

from collections.abc import Sequence

from .lead import Lead, Leads, leads, units_of
from .unit import LED, PINNED, STANDS, SYSTEM

Rows = Sequence[tuple[int, int]]


class Sums:
    """Costs of units as they arrive, and of what stays from a mark on.

    The run from ``mark`` on stays, with the pinned units and the lead of the run; ``total`` is
    what all of them cost. ``insert`` is the cost of a text that stands in for what is gone,
    counted from the first unit that goes on. Once the run starts at a unit that stands for all
    before it, what is kept before that costs nothing.

    ``head`` is the cost of the pinned units at the very front, which no cut ever moves;
    ``grown`` what came behind them in all, ``requests`` how many units answer (one a request),
    and ``fresh`` what came since the newest of these opened. Amortised O(1) a unit; the memory
    is two numbers a unit.
    """

    __slots__ = (
        "_anchors",
        "_base",
        "_before",
        "_end",
        "_floor",
        "_front",
        "_insert",
        "_lead",
        "_leads",
        "_of",
        "_own",
        "_standing",
        "_told",
        "fresh",
        "grown",
        "head",
        "mark",
        "requests",
        "total",
    )

    def __init__(self, leads: Leads, insert: int) -> None:
        self._leads = leads
        self._insert = insert
        self._of = leads.of
        self._end = 0  # cost of all units that are not pinned
        self._before = [0]  # before[k]: cost of all units before k that are not pinned
        self._base = 0  # cost of all pinned units and, once something went, of the insert
        self._own = 0  # cost of the newest unit
        self._told = 0  # what of the insert is counted
        self._standing: list[tuple[int, int]] = []  # units to come, and the pins before each
        self._floor = 0  # what is kept before this unit costs nothing
        self._front = 0  # so many units at the front are pinned
        self._lead: Lead | None = None  # the lead that _anchors belongs to
        self._anchors = 0  # base and lead of the run
        self.head = self.grown = self.requests = self.fresh = 0
        self.mark = 0
        self.total = 0

    @property
    def anchored(self) -> int:
        """What stays beside the run: the pinned units, the insert and the lead."""
        return self._base + self._cost(self._of[self.mark])

    def total_at(self, mark: int) -> int:
        """What would be kept if the run started at ``mark``, at or before the mark of now.

        Once something went, the insert is counted whatever the mark. O(1).
        """
        return self._end - self._before[mark] + self._base + self._cost(self._of[mark])

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
        self.total = self._end - before[self.mark] + self.anchored

    def _open(self, cost: int, flags: int) -> None:
        """A unit opens."""
        self._end = end = self._end + cost
        self._before.append(end)
        self._own = cost
        self.total += cost
        self.grown += cost
        if not flags:
            self._of.append(self._leads.next)
        else:
            companion = self._leads.push(flags)
            if flags & PINNED or companion >= 0:
                self._pin(companion, len(self._before) - 2 if flags & PINNED else -1)
            if flags & STANDS:
                self._stand_for_all()
        if flags & (LED | SYSTEM):
            self.fresh += cost
        else:
            self.requests += 1
            self.fresh = cost

    def _add(self, cost: int, flags: int) -> None:
        """The newest unit costs more and gains flags that it had not before."""
        newest = len(self._before) - 2
        if newest in self._leads.pinned:
            self._cost_pin(newest, cost)
        else:
            self._before[-1] += cost
            self._end += cost
        self._own += cost
        self.total += cost
        self.fresh += cost
        self.grown += cost * (newest >= self._front)
        if flags:
            companion = self._leads.grow(flags)
            if flags & PINNED:
                self._pin(companion, newest)
            if flags & STANDS:
                self._stand_for_all()

    def _pin(self, companion: int, unit: int) -> None:
        before = self._before
        for pinned in (companion, unit):
            if pinned < 0:
                continue
            cost = before[pinned + 1] - before[pinned]
            if pinned == self._front and not self._floor:
                self._front += 1
                self.grown -= cost
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
            self.head = 0
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

    def _step(self, mark: int) -> tuple[int, int]:
        """Let the run start one unit later, at ``mark``. Returns the total and the anchors."""
        lead = self._lead
        if self._standing and self._standing[0][0] == mark:
            self._pass(mark)
            lead = None
        if self._insert and self._leaves_out(mark):
            self._tell()
            lead = None
        if self._of[mark] is not lead:
            lead = self._lead = self._of[mark]
            self._anchors = self._base + self._cost(lead)
        return self._end - self._before[mark] + self._anchors, self._anchors

    def _leaves_out(self, mark: int) -> bool:
        """Whether a unit would go that still stays where the run starts one unit earlier."""
        before, lead = self._of[mark - 1], self._of[mark]
        pinned, asked = self._leads.pinned, [mark - 1]
        if before is not lead:
            within = lead[0] <= before[0] and before[1] <= lead[1]
            asked += before[2:] if within else units_of(before)
        return any(unit >= 0 and unit not in pinned and not leads(lead, unit) for unit in asked)

    def _cost_pin(self, unit: int, cost: int) -> None:
        """A pinned unit costs so much more."""
        if unit >= self._floor:
            self._rebase(cost)
            self.head += cost * (unit < self._front)
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
