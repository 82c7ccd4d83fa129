"""The account below the strip: where the tokens of a fitted conversation went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ..safe import safe
from .layout import apportion

if TYPE_CHECKING:
    from .. import Fitted

BESIDE = 76  # columns from which the facts stand beside the table
BAR = 24  # cells of the budget bar

ACTIONS = ("kept", "changed", "summarised", "dropped")
WAYS = {  # how a message is changed, by the code in its decision
    "excerpt": "excerpted",
    "compacted": "compacted",
    "cleared": "cleared",
    "repeated": "repeated",
    "media_removed": "without media",
    "reasoning_removed": "without reasoning",
}


def account(fitted: Fitted) -> RenderableType:
    """Messages and tokens by state, the budget, and the facts of the cut.

    The last column adds up to ``fitted.used``. Reads the whole ledger. O(n).
    """
    return _Account(by_state(fitted), _facts(fitted))


def first_kept(fitted: Fitted) -> int | None:
    """The index at which the kept run begins, or None if nothing was dropped."""
    gone = [
        decision.index
        for decision in fitted.decisions
        if decision.action in ("dropped", "summarised") and decision.unit >= 0  # -1: by repair
    ]
    return gone[-1] + 1 if gone else None


def by_state(fitted: Fitted) -> Table:
    """The table: one row a state that occurs, and the total."""
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in ("messages", "before", "after"):
        table.add_column(name, justify="right", no_wrap=True)
    before_all = 0
    for action in ACTIONS:
        same = [d for d in fitted.decisions if d.action == action]
        before, after = sum(d.before for d in same), sum(d.after for d in same)
        before_all += before
        if same:
            table.add_row(action, f"{len(same):,}", f"{before:,}", f"{after:,}")
    if fitted.inserted:
        tokens = sum(i.tokens for i in fitted.inserted)
        table.add_row("inserted", f"{len(fitted.inserted):,}", "", f"{tokens:,}")
    if fitted.fixed:
        table.add_row("fixed", "", f"{fitted.fixed:,}", f"{fitted.fixed:,}")
    total = f"{before_all + fitted.fixed:,}"
    table.add_row("total", f"{len(fitted.decisions):,}", total, f"{fitted.used:,}", style="bold")
    return table


class _Account:
    def __init__(self, table: Table, facts: list[RenderableType]) -> None:
        self.table = table
        self.facts = Group(*facts)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < BESIDE:
            yield from (self.table, Text(), self.facts)
            return
        grid = Table.grid(padding=(0, 4, 0, 0))
        grid.add_column(min_width=Measurement.get(console, options, self.table).maximum)
        grid.add_column()
        grid.add_row(self.table, self.facts)
        yield grid


def _facts(fitted: Fitted) -> list[RenderableType]:
    lines = [Text(line) for line in _lines(fitted)]
    warnings = [Text.assemble(("! ", "bold yellow"), safe(w, 500)) for w in fitted.warnings]
    return [_Budget(fitted.used, fitted.budget), *lines, *warnings]


def _lines(fitted: Fitted) -> Iterable[str]:
    kind = "exact" if fitted.exact else "estimated"
    yield f"{safe(fitted.counter, 40)}, {kind}"
    if ways := changes(fitted):
        yield ", ".join(f"{number:,} {way}" for way, number in ways.items())
    if summary := sum(i.tokens for i in fitted.inserted if i.kind == "summary"):
        yield f"a summary of {summary:,} tokens"
    start = first_kept(fitted)
    if start is not None:
        yield f"the kept run begins at message {start:,}"
    if fitted.cut_at is not None:
        yield f"the cut last moved at message {fitted.cut_at:,}"
    elif start is None:
        yield "no cut, everything fits"


def changes(fitted: Fitted) -> dict[str, int]:
    """How many messages were changed in each way; one that was changed in two counts twice."""
    changed = (d.reasons for d in fitted.decisions if d.action == "changed")
    found = Counter(WAYS[code] for codes in changed for code in codes if code in WAYS)
    return {way: found[way] for way in WAYS.values() if found[way]}


class _Budget:
    """``used 7,912 of 8,000`` and a bar of it."""

    def __init__(self, used: int, budget: int) -> None:
        self.used = used
        self.budget = budget

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = Text(f"used {self.used:,} of {self.budget:,}")
        if self.budget > 0:
            full, empty = ("#", ".") if options.ascii_only else ("━", "─")
            room = max(self.budget - self.used, 0)
            filled, rest = apportion(min(BAR, options.max_width), (self.used, room))
            text.append(f", {100 * self.used // self.budget} %\n")
            text.append(full * filled, "green")
            text.append(empty * rest, "dim")
        yield text
