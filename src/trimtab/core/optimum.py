"""The offline optimum: what the cheapest cuts of a whole session would have cost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import sub
from typing import Final, NamedTuple

from .depth import Prices
from .lead import Leads
from .plan import plan_at

_NEVER: Final = 1 << 100  # no session costs as much


class Course(NamedTuple):
    """A session as cuts see it, in tokens.

    ``costs`` are the units behind the head, ``room`` what may stay of them. ``asks`` are the units
    after which a request was made, by index, growing. ``beside[m]`` is what stays beside a run
    that starts at unit m (the opener, pins); with the run it must never grow as m does. ``front``
    is how many units the head has.
    """

    costs: Sequence[int]
    room: int
    asks: Sequence[int]
    beside: Sequence[int]
    front: int = 0

    def behind(self, marks: Sequence[int]) -> list[int]:
        """The starts of a fold at all its requests, as those of this session."""
        older = len(marks) - len(self.asks)
        return [max(mark - self.front, 0) for mark in marks[older:]]


class Best(NamedTuple):
    """The least cost of a session, and the start of the run at each of its requests."""

    cost: int
    marks: list[int]


class _Asked(NamedTuple):
    """A request: the end of all sums, what is new, the most that may stay; the starts allowed."""

    end: int
    new: int
    most: int
    low: int
    high: int


def course_of(costs: Sequence[int], leads: Leads, high: int, asks: Iterable[int]) -> Course:
    """A history of units, of which ``high`` tokens may stay, as cuts see it: behind its head.

    Requests that were made before the head was whole are left out. O(units and anchors).
    """
    units, pinned = len(costs), leads.pinned
    front = next((unit for unit in range(units) if unit not in pinned), units)
    beside = [
        sum(costs[unit] for unit in plan_at(mark, leads, 0).anchors if unit >= front)
        for mark in range(front, units)
    ]
    behind = [ask - front for ask in asks if ask >= front]
    return Course(costs[front:], high - sum(costs[:front]), behind, beside, front)


def course(costs: Sequence[int], room: int) -> Course:
    """A session with one request a unit and nothing beside the run."""
    return Course(costs, room, range(len(costs)), [0] * len(costs))


def optimum(session: Course, prices: Prices, floor: int = 0) -> Best:
    """The starts that cost least in all, knowing the whole session.

    A request that goes on from the one before reads what was there and writes what is new; one
    after a cut writes all that stays. To that comes, for every token that could have stayed and
    does not, its value. The start moves only forward, what stays is at most the room wherever
    that is possible, and of the newest units ``floor`` tokens stay wherever these fit. The result
    is in the parts of the prices; what the head costs is the same for all and left out.

    A dynamic program over requests and starts; equal to trying everything (``tests/core``).
    O(requests x units that fit) time and memory.
    """
    read, write, value = prices
    sums, costs, first = _sums(session), [0], 0
    steps: list[tuple[int, list[int]]] = []
    for asked in _requests(session, sums, floor):
        missed = value * (asked.most - asked.end)
        stay = read * (asked.end - asked.new) + write * asked.new + missed
        cut, least, start = write * asked.end + missed, _NEVER, first
        made: list[int] = []
        came: list[int] = []
        costs += [_NEVER] * (asked.high + 1 - first - len(costs))
        for mark, (here, off) in enumerate(
            zip(costs, sums[first : asked.high + 1], strict=True), first
        ):
            on = here + stay + (value - read) * off
            anew = least + cut + (value - write) * off
            made.append(min(on, anew))
            came.append(mark if on <= anew else start)
            if here < least:
                least, start = here, mark
        skip = asked.low - first
        costs, first = made[skip:], asked.low
        steps.append((first, came[skip:]))
    return _read_back(costs, first, steps)


def spent(session: Course, prices: Prices, marks: Sequence[int]) -> int:
    """What a session cost with the run starting at these units, one for each request.

    Counted as `optimum` counts. O(requests log units).
    """
    read, write, value = prices
    sums, cost, before = _sums(session), 0, 0
    for asked, mark in zip(_requests(session, sums, 0), marks, strict=True):
        kept = asked.end - sums[mark]
        read_now = kept - asked.new if mark == before else 0
        cost += read * read_now + write * (kept - read_now) + value * (asked.most - kept)
        before = mark
    return cost


def _sums(session: Course) -> list[int]:
    """What does not stay where the run starts at each unit."""
    return list(accumulate(map(sub, accumulate(session.costs, initial=0), session.beside), max))


def _requests(session: Course, sums: Sequence[int], floor: int) -> Iterator[_Asked]:
    totals = list(accumulate(session.costs, initial=0))
    before = 0
    for newest in session.asks:
        end = totals[newest + 1]
        low = min(bisect_left(sums, end - session.room, 0, newest + 1), newest)
        high = newest
        if floor:
            high = max(bisect_right(totals, end - floor, 0, newest + 1) - 1, low)
        yield _Asked(end, end - before, end - sums[low], low, high)
        before = end


def _read_back(costs: list[int], first: int, steps: list[tuple[int, list[int]]]) -> Best:
    """The cheapest end, and the starts that led to it."""
    cost = min(costs)
    mark, marks = first + costs.index(cost), list[int]()
    for low, came in reversed(steps):
        marks.append(mark)
        mark = came[mark - low]
    marks.reverse()
    return Best(cost, marks)
