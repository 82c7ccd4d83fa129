"""The pure parts alone: the fold, one push, the walk, and the floor of Python beside them.

Best CPU time of many runs, since every disturbance only adds. The floor is the least that
any pure-Python fold can do: append the count, add it, compare, move the start.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

from history import fresh
from measure import cpu

from trimtab import Window, fit, trim_history
from trimtab.core.depth import LowWater, Prices, Renewal
from trimtab.core.fold import Fold
from trimtab.core.lead import Leads
from trimtab.core.unit import HUMAN, LED

UNITS = 100_000
BUDGET = 8_000
RUNS = 25

rng = Random(1)
costs = [rng.randint(5, 400) for _ in range(UNITS)]
flags = [HUMAN | LED if at % 12 == 0 else 0 for at in range(UNITS)]


def floor(_: object) -> None:
    """The least a fold must do."""
    kept: list[int] = []
    total = start = 0
    for cost in costs:
        kept.append(cost)
        total += cost
        while total > BUDGET:
            total -= kept[start]
            start += 1


def window(_: object) -> None:
    """`Window` over bare counts."""
    push = Window(BUDGET).push
    for cost in costs:
        push(cost)


def fold(_: object) -> None:
    """The fold over units, a human one in twelve, with openers."""
    push = Fold(BUDGET, Leads(human_head=True)).push
    for cost, flag in zip(costs, flags, strict=True):
        push(cost, flag)


def steady(_: object) -> None:
    """The same with slack."""
    push = Fold(BUDGET, Leads(human_head=True), rule=LowWater(3, 5)).push
    for cost, flag in zip(costs, flags, strict=True):
        push(cost, flag)


def renewal(_: object) -> None:
    """The same, cut by exact renewal."""
    push = Fold(BUDGET, Leads(human_head=True), rule=Renewal(Prices(2, 25, 20))).push
    for cost, flag in zip(costs, flags, strict=True):
        push(cost, flag)


def main() -> None:
    """Print a line for each."""
    calls = {"floor": floor, "Window": window, "fold": fold, "slack": steady, "renewal": renewal}
    for name, call in calls.items():
        best = cpu(call, runs=RUNS).best
        print(f"{name:8} {best * 1e3:6.1f} ms for {UNITS:,} units, {best / UNITS * 1e6:.2f} us each")
    best = cpu(lambda _: trim_history(costs, 10**7), runs=RUNS).best
    kept = len(trim_history(costs, 10**7))
    print(f"trim_history keeping {kept:,}: {best / kept * 1e6:.3f} us each")
    for size in (500, 1_000, 2_000, 4_000):
        messages = fresh(size)
        kept = len(fit(messages, BUDGET).messages)
        best = cpu(lambda _, m=messages: fit(m, BUDGET), runs=RUNS).best
        each = best / size * 1e6
        print(f"warm fit of {size:,} messages, {kept} kept: {best * 1e3:.2f} ms, {each:.2f} us a message")


if __name__ == "__main__":
    main()
