"""Fit every real conversation at many budgets and count what must never happen.

    python bench/sweep.py [--cli] [--jobs N] [--step N]

Prints one row per format and budget; exits 1 if any result breaks a promise (over budget,
an objection of an independent validator that the input did not draw, a changed input, a
violation found by ``verify``) or anything but Trimtab's own errors is raised. With ``--cli``
each conversation also goes through the ``trimtab fit`` command, which must agree.
Needs the corpus beside the repository (see ``tests/support/corpus.py``).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.corpus import CORPUS, conversations
from support.oracles import objections
from support.own_rules import head_objections
from support.responses_oracle import objections as responses_objections

from trimtab import DoesNotFit, Fitted, InvalidHistory, fit, repair, verify

FORMATS = ("openai-chat", "anthropic", "openai-responses")
ORACLES = {"openai-responses": responses_objections}
SYSTEM = ("system", "instructions")
BUDGETS = (0, 50, 500, 2_000, 8_000, 32_000, 128_000)
COLUMNS = ("fitted", "whole", "does not fit", "invalid", "repaired", "crashed", "violations")
Tally = Counter[tuple[str, int, str]]


class Sweep:
    """The tally of one format, and a line for everything that went wrong."""

    def __init__(self, format: str, cli: bool) -> None:
        self.format = format
        self.cli = cli
        self.tally: Tally = Counter()
        self.wrong: list[str] = []

    def conversation(self, row: dict[str, Any]) -> None:
        """Fit one conversation at every budget."""
        before = json.dumps(row)
        kinds = _kinds(self._objections(row["messages"]))
        for budget in BUDGETS:
            try:
                self._at(row, budget, kinds)
            except Exception:  # noqa: BLE001 - a crash is a finding, and the sweep goes on
                self._blame(row, budget, "crashed", traceback.format_exc(limit=-3))
        if json.dumps(row) != before:
            self._blame(row, BUDGETS[-1], "violations", "the input was changed")

    def _at(self, row: dict[str, Any], budget: int, kinds: set[str]) -> None:
        options = {"tools": row["tools"]} if row.get("tools") else {}
        options |= {"system": row[key] for key in SYSTEM if row.get(key)}
        ask = partial(fit, row["messages"], budget, format=self.format, **options)
        fitted: Fitted | None = None
        try:
            try:
                fitted = ask()
            except InvalidHistory:
                self._add(budget, "invalid")
                fitted = ask(on_invalid="repair")
                self._add(budget, "repaired")
        except DoesNotFit as error:
            self._add(budget, "does not fit")
            if error.needs.total <= budget:
                self._blame(row, budget, "violations", f"refused, yet needs {error.needs.total}")
        else:
            self._judge(row, budget, fitted, kinds)
        if self.cli and self.format not in ORACLES:  # whose bodies the command does not read yet
            self._command(row, budget, fitted)

    def _objections(self, messages: list[dict[str, Any]]) -> list[str]:
        oracle = ORACLES.get(self.format)
        return objections(self.format, messages) if oracle is None else oracle(messages)

    def _judge(self, row: dict[str, Any], budget: int, fitted: Fitted, kinds: set[str]) -> None:
        self._add(budget, "fitted")
        self._add(budget, "whole", not fitted.dropped)
        said = [str(violation) for violation in verify(fitted)]
        # Repair must have mended whatever it was; only a rule that Trimtab does not share remains.
        excused = kinds & {"turnsafe: empty_content"} if fitted.repairs else kinds
        said += [o for o in self._objections(fitted.messages) if not _kinds([o]) & excused]
        if fitted.dropped:
            said += head_objections(self.format, fitted.messages, row["messages"])
        if fitted.used > budget:
            said.append(f"used {fitted.used}")
        newest = repair(row["messages"], format=self.format).messages[-1]
        if not fitted.messages or fitted.messages[-1] != newest:
            said.append("the newest message is gone")
        for text in said:
            self._blame(row, budget, "violations", text)

    def _command(self, row: dict[str, Any], budget: int, fitted: Fitted | None) -> None:
        from click.testing import CliRunner

        from trimtab.cli.app import cli

        request = {key: row[key] for key in ("system", "tools", "messages") if row.get(key)}
        asked = ["fit", "-", "--budget", str(budget), "--format", self.format, "--repair"]
        result = CliRunner().invoke(cli, asked, input=json.dumps(request))
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code != (0 if fitted else 1):
            text = f"the command exits {result.exit_code}: {result.stderr[:200]}"
            self._blame(row, budget, "violations", text)
        elif fitted and json.loads(result.stdout)["messages"] != fitted.messages:
            self._blame(row, budget, "violations", "the command gives other messages")

    def _add(self, budget: int, column: str, count: int = 1) -> None:
        self.tally[self.format, budget, column] += count

    def _blame(self, row: dict[str, Any], budget: int, column: str, text: str) -> None:
        self._add(budget, column)
        self.wrong.append(f"{self.format} {row['id']} at {budget}: {text}")


def _kinds(said: list[str]) -> set[str]:
    """Objections without their places: ``turnsafe: empty_content`` and the like."""
    return {" ".join(text.split()[:2]) for text in said}


def sweep(format: str, cli: bool, step: int) -> tuple[Tally, list[str], float]:
    """Sweep every ``step``-th conversation of one format."""
    start = time.perf_counter()
    swept = Sweep(format, cli)
    for index, row in enumerate(conversations(format)):
        if index % step == 0:
            swept.conversation(row)
    return swept.tally, swept.wrong, time.perf_counter() - start


def main() -> int:
    """Sweep all formats, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cli", action="store_true", help="run the command as well")
    parser.add_argument("--jobs", type=int, default=2, help="processes (one a format)")
    parser.add_argument("--step", type=int, default=1, help="every N-th conversation only")
    asked = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    run = partial(sweep, cli=asked.cli, step=asked.step)
    with ProcessPoolExecutor(asked.jobs) as pool:
        parts = list(pool.map(run, FORMATS))
    print_table(sum((tally for tally, _, _ in parts), Counter()))
    for format, (_, _, seconds) in zip(FORMATS, parts, strict=True):
        print(f"{format}: {seconds:.1f} s")
    wrong = [text for _, texts, _ in parts for text in texts]
    print(f"\n{len(wrong)} findings", *wrong[:40], sep="\n")
    return 1 if wrong else 0


def print_table(tally: Tally) -> None:
    """One row per format and budget."""
    print(f"{'format':<12}{'budget':>8}", *(f"{name:>13}" for name in COLUMNS))
    for format in FORMATS:
        for budget in BUDGETS:
            cells = (f"{tally[format, budget, name]:>13}" for name in COLUMNS)
            print(f"{format:<12}{budget:>8}", *cells)


if __name__ == "__main__":
    sys.exit(main())
