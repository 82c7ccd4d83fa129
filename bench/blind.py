"""What a rule could reach that knows every message to come, but not when the session ends.

    python bench/blind.py [HOW_MANY]

For the real cases in which the ledger is farthest from the optimum (as `bench/regret.py` has them):
its ratio at the end, its worst ratio over all ends that the session could have had, and the least
such worst ratio of any sequence of cuts, by bisection over a dynamic program that drops what is
over the ratio at any end. Where that is above 1.20, no rule can promise 1.20.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from regret import FLOORS, PRICES, SHARES, course, run
from regret_sessions import real_sessions

from trimtab.core.depth import Ledger, Prices
from trimtab.core.optimum import Course, optimum, spent

STEPS = 12  # of bisection: a ratio to 0.0003
NEVER = 1 << 60


class Case(NamedTuple):
    """A session with a floor: its heads' cost up to each request, and the ledger's starts."""

    ratio: float
    name: str
    seen: Course
    prices: Prices
    floor: int
    heads: Sequence[int]
    marks: Sequence[int]


def cases() -> list[Case]:
    """All real cases, the worst first."""
    found = []
    for number, session in enumerate(real_sessions()):
        for share in SHARES:
            room = session.behind * share // 100
            made = session.capped(room // 2)
            high = made.head + room
            plain = run(made, high, None)
            if not plain.fits or plain.cuts == 0 or plain.fold._leads.standing:
                continue
            seen = course(made, high, plain.fold)
            for name, price in PRICES.items():
                for part in FLOORS:
                    floor = room * part // 100
                    if floor + max(seen.costs) + max(seen.beside) <= room:
                        what = f"session {number}, room {share} %, floor {part} %, {name}"
                        marks = run(made, high, Ledger(price, floor)).marks
                        head = session.fixed + made.head
                        found.append(_case(what, head, seen, price, floor, marks))
    return sorted(found, key=lambda case: -case.ratio)


def _case(name: str, head: int, seen: Course, price: Prices, floor: int, marks: list[int]) -> Case:
    prices = price._replace(value=0)
    heads = [head * (price.write + price.read * at) for at in range(len(seen.asks))]
    marks = seen.behind(marks)
    best = optimum(seen, prices, floor).cost + heads[-1]
    ratio = (spent(seen, prices, marks) + heads[-1]) / best
    return Case(ratio, name, seen, prices, floor, heads, marks)


def least(case: Case, most: Sequence[float] | None = None) -> list[int] | None:
    """The least bill at each end; None where none stays within ``most`` at every end."""
    read, write, _ = case.prices
    ends = list(accumulate(case.seen.costs, initial=0))
    paid: dict[int, int] = {0: 0}  # by start
    found: list[int] = []
    before = 0
    for at, newest in enumerate(case.seen.asks):
        end = ends[newest + 1]
        kept = {m: end - ends[m] + case.seen.beside[m] for m in range(newest + 1)}
        low = next((m for m in kept if kept[m] <= case.seen.room), newest)
        high = max((m for m in kept if end - ends[m] >= case.floor), default=0)
        now, anew = {}, NEVER
        for mark in range(newest + 1):
            if low <= mark <= max(high, low):
                new = end - before
                stays = paid.get(mark, NEVER) + read * (kept[mark] - new) + write * new
                now[mark] = min(stays, anew + write * kept[mark])
            anew = min(anew, paid.get(mark, NEVER))
        limit = NEVER if most is None else most[at] - case.heads[at]
        now = {mark: cost for mark, cost in now.items() if cost < NEVER and cost <= limit}
        if not now:
            return None
        found.append(min(now.values()))
        paid, before = now, end
    return found


def blind(case: Case) -> tuple[float, float]:
    """The worst ratio over all ends of the ledger, and the least that any cuts have."""
    best = least(case)
    assert best is not None, "some cuts are always allowed"
    assert best[-1] == optimum(case.seen, case.prices, case.floor).cost
    bills = [one + head for one, head in zip(best, case.heads, strict=True)]
    own = max((_until(case, at) + case.heads[at]) / bills[at] for at in range(len(bills)))
    low, high = 1.0, own
    for _ in range(STEPS):
        ratio = (low + high) / 2
        if least(case, [ratio * bill for bill in bills]) is None:
            low = ratio
        else:
            high = ratio
    return own, high


def _until(case: Case, at: int) -> int:
    """What the ledger spent up to a request."""
    shorter = case.seen._replace(asks=case.seen.asks[: at + 1])
    return spent(shorter, case.prices, case.marks[: at + 1])


def main() -> int:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("   ledger at the end, at its worst end, least of any rule")
    for case in cases()[:many]:
        own, other = blind(case)
        ends = f"{len(case.seen.asks)} ends"
        print(f"  {case.ratio:8.3f} {own:8.3f} {other:8.3f}  {case.name}, {ends}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
