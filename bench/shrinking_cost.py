"""What passes cost: `fit` with all of them, in times a plain `fit` of the same run.

First where nothing must be done, since all fits: the aim is under twice a plain fit and the
same a message at every length. Then where passes act, at a budget of 8,000 tokens: each time
the history doubles, the cost should too. *Warm*: texts were counted before; *cold*: nothing
was. CPU time, best of runs in turn, so that a busy moment meets all of them. The plain fit at
an overflow tokenises only what it keeps, while passes act at cuts that lie in the past: there
the peer is a plain fit with ``depth``, whose cuts do so too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from history import fresh
from measure import cpu
from rich.console import Console
from rich.table import Table

from trimtab import ClearResults, Conversation, Policy, fit

SIZES = (500, 1_000, 2_000, 4_000)
UNBOUNDED, TIGHT = 10**9, 8_000
WARM, COLD = 9, 3
EVERY: dict[str, Any] = {
    "max_result_tokens": 4_000,  # above every result of these histories
    "clear_results": ClearResults(),
    "media": 1,
    "repeats": True,
    "reasoning": "drop_earlier",
    "notice": True,
}

console = Console(width=118)


def together(calls: dict[str, Callable[[Any], Any]], prepare: Callable[[], Any], runs: int) -> dict[str, float]:
    """Best seconds of each call, the calls in turn."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(runs):
        for name, call in calls.items():
            best[name] = min(best[name], cpu(call, prepare, runs=1).best)
    return best


def fitting(budget: int, policy: Policy) -> Callable[[Any], Any]:
    """One fit."""
    return lambda messages: fit(messages, budget, policy=policy)


def growing(budget: int, policy: Policy) -> Callable[[Any], Any]:
    """A conversation that is fitted after every message."""

    def session(messages: Any) -> None:
        conversation = Conversation(budget, policy=policy)
        for message in messages:
            conversation.append(message)
            conversation.fit()

    return session


def rows(title: str, peer: str, calls: dict[str, Callable[[Any], Any]], cold_too: bool = True) -> None:
    """Print a table: microseconds a message, and the ratio to the peer."""
    others = [name for name in calls if name != peer]
    kinds = ("warm", "cold") if cold_too else ("warm",)
    table = Table("messages", title=title, title_justify="left")
    for kind in kinds:
        table.add_column(f"{peer}, {kind}", justify="right")
        for name in others:
            table.add_column(f"{name}, {kind}", justify="right")
    for size in SIZES:
        same = fresh(size)
        for call in calls.values():
            call(same)
        cells: list[str] = []
        for kind in kinds:
            prepare = (lambda s=same: s) if kind == "warm" else (lambda n=size: fresh(n))
            best = together(calls, prepare, WARM if kind == "warm" else COLD)
            cells.append(f"{best[peer] / size * 1e6:.1f} us")
            cells += [f"{best[name] / size * 1e6:.1f} us, {best[name] / best[peer]:.2f}x" for name in others]
        table.add_row(f"{size:,}", *cells)
    console.print(table)


def main() -> None:
    """Print the three tables."""
    plain, deep = Policy(), Policy(depth=0.5)
    every, both = Policy(**EVERY), Policy(depth=0.5, **EVERY)
    calls = {"plain": fitting(UNBOUNDED, plain), "all passes": fitting(UNBOUNDED, every), "and depth": fitting(UNBOUNDED, both)}
    rows("One fit, all fits: a message costs", "plain", calls)
    calls = {"depth": fitting(TIGHT, deep), "all passes": fitting(TIGHT, every), "and depth": fitting(TIGHT, both)}
    rows(f"One fit into {TIGHT:,} tokens: a message costs", "depth", calls)
    calls = {"depth": growing(TIGHT, deep), "and all passes": growing(TIGHT, both)}
    rows(f"Fitted after every message into {TIGHT:,} tokens: a message costs", "depth", calls, cold_too=False)


if __name__ == "__main__":
    main()
