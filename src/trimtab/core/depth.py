"""How deep a cut goes: a fixed share, exact renewal, or down to a floor.

Sources and derivations: ``docs/cuts.md``. All in whole numbers; a rule knows nothing but
what the fold has seen, so that it is a function of the prefix.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import NamedTuple, Protocol


class Seen(NamedTuple):
    """What a rule may know of a history when it is cut, in tokens.

    ``high`` is what may stay in all, ``head`` what no cut ever moves of it, ``grown`` what came
    behind the head so far in so many ``units``, and ``requests`` the answers among these;
    ``fresh`` is what came since the newest answer began.
    """

    high: int
    head: int
    grown: int
    units: int
    requests: int
    fresh: int


class Aim(NamedTuple):
    """Where to stop when the start of the run moves on, unit by unit.

    ``enough(total, anchors)``: whether what stays is little enough. ``nearer(total, next)``:
    whether the start before the first such one, at which ``total`` stays, is better than that
    one; None where it never is.
    """

    enough: Callable[[int, int], bool]
    nearer: Callable[[int, int], bool] | None = None


class Depth(Protocol):
    """A rule for the depth of a cut.

    ``settled``: it depends on nothing that was seen but ``high``.
    """

    @property
    def settled(self) -> bool: ...

    def aim(self, seen: Seen) -> Aim:
        """Where a cut made now should end."""
        ...


class LowWater(NamedTuple):
    """Keep of the room that the anchors leave at most ``part / parts``."""

    part: int
    parts: int
    settled = True

    def aim(self, seen: Seen) -> Aim:
        part, parts, high = self.part, self.parts, seen.high

        def enough(total: int, anchors: int) -> bool:
            return total <= high and (total - anchors) * parts <= part * (high - anchors)

        return Aim(enough)


class AtMost(NamedTuple):
    """Keep at most ``low`` tokens in all, None as many as may stay."""

    low: int | None = None
    settled = True

    def aim(self, seen: Seen) -> Aim:
        low = seen.high if self.low is None else min(self.low, seen.high)
        return Aim(lambda total, _: total <= low)


class Prices(NamedTuple):
    """What a token costs, over one denominator: written, read, and kept in no request.

    ``value`` is what it is worth, a request, to keep a token.
    """

    read: int
    write: int
    value: int

    def due(self, account: int, excess: int, kept: int, fresh: int) -> bool:
        """Whether to write ``kept`` tokens anew risks less than to read ``excess`` more once more.

        ``account`` is what was read so before, ``fresh`` how many of those kept must be written
        in any case. A cut now is bad if the session ends then: it has cost ``paid``, where
        ``lost`` would have been all. To wait is bad if the session goes on: a cut at its usual
        price comes on top of what is best. The lesser of the two ratios is taken.
        """
        fee = max(self.write - self.read, 0)
        usual, price = fee * kept, fee * max(kept - fresh, 0)
        lost, paid = self.read * (account + excess), self.read * account + price
        best = min(paid, usual)
        return excess > 0 and self.read > 0 and paid * best <= (best + usual) * lost


class Renewal(NamedTuple):
    """Exact renewal: the cut whose cycle, until the next one, costs least a request.

    With U the room behind the head, H what stays there, g the mean cost of a unit so far and c
    what has come since the newest answer began, a cut after which H stay costs

        -(v - r)(U + H)/2 + (w - r)·g·(H - c)/(U - H + g)

    a request until the room is full again. It is convex in H, and falls until

        (U - H + g)² = 2(w - r)·g·(U + g - c)/(v - r),

    or to c, of which nothing is written twice; so the best of all starts is one of the two next
    to that. ``docs/cuts.md`` derives it. The value of a token must be above the price to read it.
    """

    prices: Prices
    settled = False

    def aim(self, seen: Seen) -> Aim:
        fee, worth = self.prices.write - self.prices.read, self.prices.value - self.prices.read
        room, grown, units = seen.high - seen.head, seen.grown, max(seen.units, 1)
        fresh = min(seen.fresh, max(room, 0))
        square = max(2 * fee * grown * (units * (room - fresh) + grown), 0)
        # the least s with worth·s² >= square, s being units·(U - H) + grown
        least = isqrt(max(-(-square // worth) - 1, 0)) + (square > 0)
        best = max(room - -(-(least - grown) // units), fresh)
        low = seen.head + min(room, best)

        def nearer(total: int, then: int) -> bool:
            return self.compare(seen, total, then) <= 0

        return Aim(lambda total, _: total <= low, nearer)

    def compare(self, seen: Seen, one: int, other: int) -> int:
        """Which of two totals to keep costs less a request: below 0 the first, 0 neither."""
        cost, over = self._rate(seen, one)
        more, under = self._rate(seen, other)
        return cost * under - more * over

    def dearer(self, seen: Seen, one: int, other: int) -> Fraction:
        """How much dearer a request the first of two totals is, in the parts of the prices."""
        cost, over = self._rate(seen, one)
        less, under = self._rate(seen, other)
        return (Fraction(cost, over) - Fraction(less, under)) / 2

    def _rate(self, seen: Seen, total: int) -> tuple[int, int]:
        """Twice the cost of a cycle a request, as a fraction with a positive denominator."""
        fee, worth = self.prices.write - self.prices.read, self.prices.value - self.prices.read
        room, kept, units = seen.high - seen.head, total - seen.head, max(seen.units, 1)
        span = max(units * (room - kept) + seen.grown, 1)
        again = max(kept - seen.fresh, 0)
        return 2 * fee * seen.grown * again - worth * (room + kept) * span, span


class Ledger(NamedTuple):
    """Keep ``floor`` tokens of the newest, and cut down to them when that has paid for itself.

    What a request reads beyond the floor is put down; when it has come to what it costs to
    write the floor again, the cut is due: at most twice what is best for small messages (it is
    the problem of acknowledging messages, Dooly, Goldman and Scott, J. ACM 48, 2001), and sooner
    where much of the floor is new (`Prices.due`). ``value`` is not asked.
    """

    prices: Prices
    floor: int
    settled = True

    def aim(self, seen: Seen) -> Aim:
        floor, high = self.floor, seen.high

        def enough(total: int, anchors: int) -> bool:
            return total <= high and total - anchors < floor

        return Aim(enough, lambda _, __: True)
