"""Fit every real conversation in every format at seven budgets, count what must never happen.

    python bench/sweep.py [--format NAME ...] [--cli] [--agent] [--jobs N] [--step N]

Prints one row per format and exits 1 on any finding: a result over budget; an objection of
an independent validator or of Trimtab's second opinion, or a violation found by ``verify``;
a cut that another than a person leads where the format wants one; the newest message gone;
other objects although all fits; a changed input; a refusal of what fits; a crash. Validators
and ``check`` must agree about the input; what is broken must be refused, and mended on demand.
Nothing is excused but what a provider took and a framework would mend, by name (`TAKEN`), and
a row there that is not needed is a finding. With ``--cli`` each conversation also goes through the ``trimtab fit``
command, which must agree; ``--agent`` takes a policy with every pass and a summary.
Needs the corpus beside the repository (see ``tests/support/corpus.py``); where ``make oracles``
has put big frameworks, their own mending is asked too.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.corpus import CORPUS
from support.heads import head_objections
from support.heavy_oracles import oracle
from support.judges import judge
from support.subjects import SUBJECTS, Recorded, Subject
from support.written import installed

from trimtab import ClearResults, DoesNotFit, Fitted, InvalidHistory, Policy, Summary
from trimtab import check, fit, fit_request, repair, verify
from trimtab.soundness import SOUNDNESS
from trimtab.stores import MemoryStore
from trimtab.summary import ExtractiveSummariser

BUDGETS = (0, 50, 500, 2_000, 8_000, 32_000, 128_000)
POLICIES = {
    False: Policy(),
    True: Policy(
        depth=0.6,
        keep_first=1,
        max_result_tokens=300,
        notice=True,
        reasoning="drop_earlier",
        clear_results=ClearResults(keep=2, inputs=True),
        media=1,
        repeats=True,
        handles=True,
        summary=Summary(ExtractiveSummariser(), max_summary_tokens=150, store=MemoryStore()),
    ),
}
COLUMNS = ("conversations", "broken", "unmendable", "fitted", "whole", "cut", "does not fit")
# Recorded requests that the provider took, and what a framework says of them nevertheless.
TAKEN = {
    # a tool search of the client's, answered as a function's call is
    "pydantic-ai/test_tool_availability_portability/"
    "test_tool_availability_portability_matrix[R5-T3-native-search]#0": "agents: drops",
}
UNREADABLE = ("malformed", "unknown_role")  # a validator cannot even be asked


@dataclass(frozen=True)
class Asked:
    """The options of a sweep."""

    cli: bool = False
    agent: bool = False
    step: int = 1


class Sweep:
    """The tally of one format, and a line for everything that went wrong."""

    def __init__(self, subject: Subject, asked: Asked) -> None:
        self.subject = subject
        self.asked = asked
        self.policy = POLICIES[asked.agent]
        self.judge = judge(subject.format)
        self.tally: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.taken: str | None = None  # what a framework says of a conversation that was taken
        self.needed = False

    def conversation(self, row: Recorded) -> None:
        """Fit one conversation at every budget."""
        self.tally["conversations"] += 1
        before = repr((row.messages, row.beside))
        self.taken, self.needed = TAKEN.get(row.id), False
        try:
            mended = self._input(row)
            verdicts: dict[tuple[int, ...], list[str]] = {}
            for budget in BUDGETS if mended is not None else ():
                for text in self._at(row, mended, budget, verdicts):
                    self._blame(row, f"at {budget}: {text}")
        except Exception:  # noqa: BLE001 - a crash is a finding, and the sweep goes on
            self._blame(row, traceback.format_exc(limit=-3))
        if repr((row.messages, row.beside)) != before:
            self._blame(row, "the input was changed")
        if self.taken and not self.needed and oracle(self.subject.format) is not None:
            self._blame(row, "nobody objects to it any more: TAKEN has a row too many")

    def _input(self, row: Recorded) -> list[Any] | None:
        """The conversation without its faults, or None where it cannot be mended."""
        name = self.subject.format
        faults = check(row.messages, format=name)
        readable = not any(fault.code in UNREADABLE for fault in faults)
        if readable and bool(faults) != bool(said := self._objections(row.messages)):
            self._blame(row, f"check says {faults[:2]}, the validators {said[:2]}")
        if not faults:
            return row.messages
        self.tally["broken"] += 1
        for on_invalid in ("raise", "repair"):
            try:
                fit(row.messages, 10**9, format=name, on_invalid=on_invalid)
            except InvalidHistory:
                continue
            if on_invalid == "raise":
                self._blame(row, "broken, and not refused")
        try:
            mended = repair(row.messages, format=name).messages
        except InvalidHistory as error:
            self.tally["unmendable"] += 1
            self.tally[error.code] += 1
            return None
        for text in self._objections(mended):
            self._blame(row, f"repaired: {text}")
        return mended

    def _objections(self, messages: list[Any]) -> list[str]:
        own = SOUNDNESS[self.subject.format](messages)
        said = self.judge(messages)
        if self.taken:
            left = [text for text in said if not text.startswith(self.taken)]
            self.needed, said = self.needed or left != said, left
        return said + [f"second opinion: {words} at {at}" for at, words in own]

    def _at(
        self,
        row: Recorded,
        mended: list[Any],
        budget: int,
        verdicts: dict[tuple[int, ...], list[str]],
    ) -> Iterator[str]:
        fitted: Fitted | None = None
        try:
            fitted = self._fit(row, mended, budget)
        except DoesNotFit as error:
            self.tally["does not fit"] += 1
            if error.needs.total <= budget:
                yield f"refused, yet needs {error.needs.total}"
        else:
            self.tally["fitted"] += 1
            self.tally["cut" if fitted.dropped else "whole"] += 1
            yield from self._judged(mended, fitted, verdicts)
        if mended is not row.messages and fitted is not None:
            at_once = self._fit(row, row.messages, budget, on_invalid="repair")
            yield from map(str, verify(at_once))
            if (at_once.messages, at_once.used) != (fitted.messages, fitted.used):
                yield "mended and fitted at once it is another result"
        if self.asked.cli and self.subject.data:
            yield from self._command(row, budget, fitted)

    def _fit(self, row: Recorded, messages: list[Any], budget: int, **more: Any) -> Fitted:
        """As a request body where the conversation was recorded as one."""
        more |= {"format": self.subject.format, "policy": self.policy}
        if self.subject.write is not None:
            return fit(messages, budget, **more)
        return fit_request(self.subject.body(row, messages), budget, **more)

    def _judged(
        self, mended: list[Any], fitted: Fitted, verdicts: dict[tuple[int, ...], list[str]]
    ) -> Iterator[str]:
        yield from map(str, verify(fitted))
        if fitted.used > fitted.budget:
            yield f"used {fitted.used}"
        if fitted.request is not None and fitted.request[self.subject.key] != fitted.messages:
            yield "the request holds other messages"
        touched = fitted.inserted or any(row.action == "changed" for row in fitted.decisions)
        key = tuple(map(id, fitted.messages))
        if touched or key not in verdicts:  # the same objects draw the same objections
            verdicts[key] = self._objections(fitted.messages)
        yield from verdicts.pop(key) if touched else verdicts[key]
        if fitted.dropped:
            yield from head_objections(self.subject.format, fitted.messages, mended)
        elif not touched and key != tuple(map(id, mended)):
            yield "all fits, and it is not the same objects"
        if mended and (not fitted.messages or not self._stands(fitted, mended[-1])):
            yield "the newest message is gone"

    def _stands(self, fitted: Fitted, newest: Any) -> bool:
        """Whether the newest message is the last one, unless the ledger says it was changed."""
        if fitted.decisions[-1].action == "changed":
            return True
        return fitted.messages[-1] is newest

    def _command(self, row: Recorded, budget: int, fitted: Fitted | None) -> Iterator[str]:
        from click.testing import CliRunner

        from trimtab.cli.app import cli

        request: Any = self.subject.body(row, row.messages)
        if self.subject.key != "messages":  # a body that the command does not read
            if row.beside:
                return
            request = row.messages
        asked = ["fit", "-", "--budget", str(budget), "--format", self.subject.format, "--repair"]
        result = CliRunner().invoke(cli, asked, input=json.dumps(request))
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code != (0 if fitted else 1):
            yield f"the command exits {result.exit_code}: {result.stderr[:200]}"
        elif fitted is not None:
            made = json.loads(result.stdout)
            made = made if isinstance(made, list) else made["messages"]
            if made != json.loads(json.dumps(fitted.messages)):
                yield "the command gives other messages"

    def _blame(self, row: Recorded, text: str) -> None:
        self.wrong.append(f"{self.subject.format} {row.id} {text}")


def sweep(
    format: str, asked: Asked, start: int, parts: int
) -> tuple[Counter[str], list[str], float]:
    """Sweep one of several parts of the conversations of a format."""
    begun = time.process_time()
    with installed(format):
        swept = Sweep(SUBJECTS[format], asked)
        rows = swept.subject.recorded(asked.step * parts, asked.step * start)
        for row in rows:
            swept.conversation(row)
    return swept.tally, swept.wrong, time.process_time() - begun


def main() -> int:
    """Sweep the formats, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--format", action="append", choices=sorted(SUBJECTS), help="only these")
    parser.add_argument("--cli", action="store_true", help="run the command as well")
    parser.add_argument("--agent", action="store_true", help="with every pass and a summary")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--step", type=int, default=1, help="every N-th conversation only")
    given = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    asked = Asked(given.cli, given.agent and not given.cli, given.step)
    formats = given.format or list(SUBJECTS)
    begun = time.perf_counter()
    wrong: list[str] = []
    print(f"{'format':<18}", *(f"{name:>13}" for name in (*COLUMNS, "findings", "CPU s")))
    with ProcessPoolExecutor(given.jobs) as pool:
        parts = range(given.jobs)
        tasks = {
            name: [pool.submit(sweep, name, asked, part, given.jobs) for part in parts]
            for name in formats
        }
        for name, found in tasks.items():
            wrong += print_row(name, [task.result() for task in found])
    print(f"{time.perf_counter() - begun:.0f} s, {len(wrong)} findings", *wrong[:40], sep="\n")
    return 1 if wrong else 0


def print_row(name: str, parts: list[tuple[Counter[str], list[str], float]]) -> list[str]:
    """Print the row of a format and return what went wrong; a star where a framework was asked."""
    tally = sum((tally for tally, _, _ in parts), Counter[str]())
    wrong = [text for _, texts, _ in parts for text in texts]
    star = "" if oracle(name) is None else " *"
    cells = [*(tally[column] for column in COLUMNS), len(wrong)]
    codes = [f" {code}: {tally[code]}" for code in sorted(set(tally) - set(COLUMNS))]
    seconds = sum(seconds for _, _, seconds in parts)
    row = [f"{name + star:<18}", *(f"{cell:>13}" for cell in cells), f"{seconds:>13.1f}", *codes]
    print(*row, flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
