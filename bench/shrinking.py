"""What each pass saves on real conversations, at three budgets.

    python bench/shrinking.py [--format NAME ...] [--step N] [--depth D]

Every recorded conversation above a budget is fitted without passes, with each of them alone
and with all together. *Shrunk*: conversations of which a message in the result was made
shorter. *Freed*: tokens that those messages cost less. *Kept more*: messages that survive and
were dropped without the pass, in all, and on average and in the middle over the conversations
shrunk; *worth*: what those cost as they were recorded, less what went that had been kept.
*Rescued*: conversations that do not fit at all without the pass. An excerpt is capped at a
sixteenth of the budget. Recorded conversations hold a picture or two at most, so a scripted
session of 200 screenshots follows, in a table of its own. What ``verify`` objects to, or keeps fewer messages than without the
pass where no cut goes deeper than it must, is a finding; exits 1 on any. Needs the corpus beside
the repository (see ``tests/support/corpus.py``).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1] / "tests")]

from rich.console import Console
from rich.table import Table
from screenshots import session
from support.corpus import CORPUS
from support.subjects import SUBJECTS

from trimtab import ClearResults, DoesNotFit, Fitted, InvalidHistory, Policy, fit_request, repair, verify

FORMATS = ("openai-chat", "anthropic", "openai-responses", "gemini")
BUDGETS = (2_000, 8_000, 32_000)
UNBOUNDED = 10**9
SCREENSHOTS = 200


def policies(budget: int, depth: float | None) -> dict[str, Policy]:
    """Without passes, each alone, and all together."""
    passes: dict[str, dict[str, Any]] = {
        "excerpt": {"max_result_tokens": budget // 16},
        "clear_results": {"clear_results": ClearResults()},
        "media": {"media": 1},
        "repeats": {"repeats": True},
        "reasoning": {"reasoning": "drop_earlier"},
    }
    every = {key: value for options in passes.values() for key, value in options.items()}
    chosen = {"none": {}, **passes, "all": every}
    return {name: Policy(depth=depth, **options) for name, options in chosen.items()}


@dataclass
class Tally:
    """What one pass did at one budget."""

    shrunk: int = 0
    freed: int = 0
    more: list[int] = field(default_factory=list)  # messages kept, beyond those without it
    worth: int = 0
    rescued: int = 0
    refused: int = 0

    def add(self, bare: Fitted | None, fitted: Fitted | None) -> None:
        """Compare a result with that without the pass; None is one that does not fit."""
        if fitted is None:
            self.refused += 1
            return
        self.rescued += bare is None
        rows = [row for row in fitted.decisions if row.action == "changed"]
        if not rows:
            return
        self.shrunk += 1
        self.freed += sum(row.before - row.after for row in rows)
        if bare is not None:
            self.more.append(len(bare.dropped) - len(fitted.dropped))
            self.worth += recorded(fitted) - recorded(bare)


def recorded(fitted: Fitted) -> int:
    """Tokens of the kept messages, as they were recorded."""
    return sum(row.before for row in fitted.decisions if row.action != "dropped")


def requests(format: str, step: int) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Id, request body and tokens of every conversation that is above some budget, mended."""
    subject = SUBJECTS[format]
    for row in subject.recorded(step):
        try:
            body = subject.body(row, repair(row.messages, format=format).messages)
        except InvalidHistory:
            continue
        total = fit_request(body, UNBOUNDED, format=format).used
        if total > min(BUDGETS):
            yield row.id, body, total


class Shrunk:
    """The tallies of all budgets and passes, and the findings."""

    def __init__(self, depth: float | None) -> None:
        self.depth = depth
        self.tallies = {(budget, name): Tally() for budget in BUDGETS for name in policies(budget, depth)}
        self.above = dict.fromkeys(BUDGETS, 0)
        self.wrong: list[str] = []

    def conversation(self, format: str, id: str, body: dict[str, Any], total: int) -> None:
        """Fit one conversation at every budget below it, in every way."""
        for budget in (budget for budget in BUDGETS if budget < total):
            self.above[budget] += 1
            bare: Fitted | None = None
            for name, policy in policies(budget, self.depth).items():
                fitted = fit_or_not(body, budget, format=format, policy=policy)
                bare = fitted if name == "none" else bare
                self.tallies[budget, name].add(bare, fitted)
                self.wrong += (f"{format} {id} at {budget}, {name}: {text}" for text in self._objections(bare, fitted))

    def _objections(self, bare: Fitted | None, fitted: Fitted | None) -> Iterator[str]:
        if fitted is not None:
            yield from map(str, verify(fitted))
        if bare is None or self.depth is not None:
            return
        if fitted is None:
            yield "it fits without the pass"
        elif len(fitted.dropped) > len(bare.dropped):
            yield f"{len(fitted.dropped)} dropped, {len(bare.dropped)} without the pass"

    def table(self, *names: str) -> Table:
        """A row for each budget and pass, of these passes if some are named."""
        table = Table("budget", "above")
        table.add_column("pass", no_wrap=True)
        for name in ("shrunk", "freed", "kept more", "mean", "median", "worth", "rescued", "do not fit"):
            table.add_column(name, justify="right")
        for (budget, name), tally in self.tallies.items():
            if names and name not in names:
                continue
            more = tally.more or [0]
            first = name == "none"
            cells = (tally.shrunk, tally.freed, sum(more), f"{mean(more):.1f}", f"{median(more):g}", tally.worth, tally.rescued)
            shown = [""] * 7 if first else [cell if isinstance(cell, str) else f"{cell:,}" for cell in cells]
            if first and table.row_count:
                table.add_section()
            title = (f"{budget:,}", str(self.above[budget])) if first else ("", "")
            table.add_row(*title, name, *shown, str(tally.refused))
        return table


def fit_or_not(body: dict[str, Any], budget: int, **options: Any) -> Fitted | None:
    """The result, None where it does not fit."""
    try:
        return fit_request(body, budget, **options)
    except DoesNotFit:
        return None


def main() -> int:
    """Print the table and the findings, return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--format", action="append", choices=FORMATS, help="only these")
    parser.add_argument("--step", type=int, default=1, help="every N-th conversation only")
    parser.add_argument("--depth", type=float, help="how far a cut goes; no deeper than it must")
    given = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    shrunk = Shrunk(given.depth)
    for format in given.format or FORMATS:
        for row in requests(format, given.step):
            shrunk.conversation(format, *row)
    console = Console(width=118)
    console.print(shrunk.table())
    scripted = Shrunk(given.depth)
    scripted.conversation("openai-chat", "screenshots", {"messages": session(SCREENSHOTS)}, UNBOUNDED)
    console.print(f"a scripted session of {SCREENSHOTS} screenshots:", scripted.table("none", "media"))
    wrong = shrunk.wrong + scripted.wrong
    print(f"{len(wrong)} findings", *wrong[:40], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
