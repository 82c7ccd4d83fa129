"""Break sound histories of every format and hold ``check`` and ``repair`` to others' verdicts.

    python bench/damage.py [--number N] [--format NAME ...] [--jobs N]

N histories per format, each broken in one way of that format's ten or more: what independent
validators call broken or sound, and where ``check`` or the second opinion differ. Each
difference must be of a class that ``DIFFERENCES`` justifies; what they hold is counted apart.
Then the history is repaired and fitted to a budget: validators, second opinion and ``verify``
must accept that, unless a typed error that ``REFUSED`` lists says it cannot be mended.
Exits 1 on anything else. Needs no corpus.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.generate import damage_of, kinds_of_damage
from support.heavy_oracles import oracle
from support.judges import judge
from support.written import installed

from trimtab import DoesNotFit, InvalidHistory, check, fit, per_message, repair, verify
from trimtab.formats.registry import FORMATS
from trimtab.soundness import SOUNDNESS

SIZE = per_message(lambda message: 1 + len(str(message)) // 8)
COLUMNS = ("broken", "sound", "check differs", "opinion differs", "fitted", "cut", "does not fit")


@dataclass(frozen=True)
class Said:
    """What the three say of a history: fault codes, objections of validators and of our own."""

    codes: frozenset[str]
    validators: tuple[str, ...]
    opinion: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """A class of differences that is known, and why it is none of our faults."""

    formats: tuple[str, ...]
    is_one: Callable[[Said], bool]
    why: str


def _called_twice(said: Said) -> bool:
    twice = {"duplicate_call", "duplicate_result"}
    return "duplicate_call" in said.codes <= twice and not (said.validators or said.opinion)


def _taken_without_id(said: Said) -> bool:
    return said.codes == {"duplicate_result"} and bool(said.validators) and not said.opinion


DIFFERENCES: dict[str, Difference] = {
    "an id twice": Difference(
        ("gemini",),
        _called_twice,
        "Two calls of one turn with the same id, and as many responses with it, or still to "
        "come: their number is right, which is all that the API asks. `check` is strict, since "
        "which answers which cannot be told.",
    ),
    "an id that is taken": Difference(
        ("gemini",),
        _taken_without_id,
        "A response without an id went to the first call of its name, and then one came with that "
        "call's id, while other calls still wait at the very end. The second opinion counts.",
    ),
}
REFUSED: dict[str, tuple[str, ...]] = {
    "anthropic": ("a system message must",),
    "mcp": ("a tool_result in an assistant message",),
}
"""Faults that no repair mends, by format: see ``docs/faults.md``."""


class Harness:
    """The tally of one format, and a line for everything unexplained."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.judge = judge(format)
        self.tally: Counter[str] = Counter()
        self.breaks: Counter[str] = Counter()
        self.wrong: list[str] = []

    def history(self, seed: int) -> None:
        """Break one history, compare, repair, fit."""
        rng = Random(f"{self.format} {seed}")
        kind, broken = damage_of(self.format, rng)
        before = repr(broken)
        try:
            for text in (*self._compared(kind, broken), *self._repaired(broken, rng)):
                self.wrong.append(f"{self.format} {seed} {kind}: {text}")
        except Exception:  # noqa: BLE001 - a crash is a finding, and the run goes on
            text = traceback.format_exc(limit=-3)
            self.wrong.append(f"{self.format} {seed} {kind}: {text}")
        if repr(broken) != before:
            self.wrong.append(f"{self.format} {seed} {kind}: the input was changed")

    def _compared(self, kind: str, broken: list[Any]) -> list[str]:
        faults = check(broken, format=self.format)
        said = Said(
            frozenset(fault.code for fault in faults),
            tuple(self.judge(broken)),
            tuple(words for _, words in SOUNDNESS[self.format](broken)),
        )
        self.tally["broken" if said.validators else "sound"] += 1
        self.breaks[kind] += bool(said.validators)
        verdicts = [bool(said.codes), bool(said.validators), bool(said.opinion)]
        self.tally["check differs"] += verdicts[0] != verdicts[1]
        self.tally["opinion differs"] += verdicts[0] != verdicts[2]
        if len(set(verdicts)) == 1:
            return []
        for name, known in DIFFERENCES.items():
            if self.format in known.formats and known.is_one(said):
                self.tally[f"known: {name}"] += 1
                return []
        return [
            f"check says {sorted(said.codes)}, validators {said.validators[:2]}, "
            f"second opinion {said.opinion[:2]}"
        ]

    def _repaired(self, broken: list[Any], rng: Random) -> list[str]:
        try:
            mended = repair(broken, format=self.format).messages
        except InvalidHistory as error:
            self.tally[f"refused: {error.code}"] += 1
            known = any(words in str(error) for words in REFUSED.get(self.format, ()))
            return [] if known else [f"not mended: {error}"]
        said = self._objections(mended)
        if not mended:
            return said
        budget = rng.randint(0, 3 * sum(1 + len(str(message)) // 8 for message in mended) // 2)
        ask = partial(fit, budget=budget, format=self.format, counter=SIZE)
        try:
            fitted = ask(broken, on_invalid="repair")
        except DoesNotFit as error:
            self.tally["does not fit"] += 1
            return said + ["refused what fits"] * (error.needs.total <= budget)
        self.tally["fitted"] += 1
        self.tally["cut"] += bool(fitted.dropped)
        said += [str(violation) for violation in verify(fitted)]
        return said + [f"fitted to {budget}: {o}" for o in self._objections(fitted.messages)]

    def _objections(self, messages: list[Any]) -> list[str]:
        own = [f"second opinion: {words}" for _, words in SOUNDNESS[self.format](messages)]
        return [f"repaired: {text}" for text in self.judge(messages) + own]


def run(format: str, seeds: range) -> tuple[Counter[str], Counter[str], list[str], float]:
    """The histories of some seeds."""
    begun = time.perf_counter()
    with installed(format):
        harness = Harness(format)
        for seed in seeds:
            harness.history(seed)
    return harness.tally, harness.breaks, harness.wrong, time.perf_counter() - begun


def main() -> int:
    """Run all formats, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--number", type=int, default=3_000, help="histories per format")
    parser.add_argument("--format", action="append", choices=sorted(FORMATS), help="only these")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    asked = parser.parse_args()
    formats = asked.format or list(FORMATS)
    begun = time.perf_counter()
    wrong: list[str] = []
    print(f"{'format':<18}{'kinds':>6}", *(f"{name:>15}" for name in (*COLUMNS, "unexplained")))
    with ProcessPoolExecutor(asked.jobs) as pool:
        parts = [range(at, asked.number, asked.jobs) for at in range(asked.jobs)]
        tasks = {name: [pool.submit(run, name, part) for part in parts] for name in formats}
        for name, found in tasks.items():
            wrong += _row(name, [task.result() for task in found])
    print(f"{time.perf_counter() - begun:.0f} s, {len(wrong)} unexplained", *wrong[:40], sep="\n")
    return 1 if wrong else 0


def _idle(name: str, tally: Counter[str]) -> list[str]:
    """The excuses of a format that nothing needed."""
    known = [why for why, known in DIFFERENCES.items() if name in known.formats]
    idle = [why for why in known if not tally[f"known: {why}"]]
    refused = any(key.startswith("refused: ") for key in tally)
    return idle if refused else [*idle, *REFUSED.get(name, ())]


def _row(name: str, found: list[tuple[Counter[str], Counter[str], list[str], float]]) -> list[str]:
    """Print the row of a format; a star where a framework's own mending was asked."""
    tally = sum((part[0] for part in found), Counter[str]())
    breaks = sum((part[1] for part in found), Counter[str]())
    wrong = [text for part in found for text in part[2]]
    star = "" if oracle(name) is None else " *"
    cells = [*(tally[column] for column in COLUMNS), len(wrong)]
    more = [f" {key}: {tally[key]}" for key in sorted(set(tally) - set(COLUMNS))]
    kinds = len([kind for kind, count in breaks.items() if count])
    row = [f"{name + star:<18}{kinds:>6}", *(f"{cell:>15}" for cell in cells), *more]
    print(*row, flush=True)
    if kinds < 10 and tally["broken"] + tally["sound"] > 500:
        wrong.append(f"{name}: only {kinds} of {len(kinds_of_damage(name))} kinds break anything")
    if tally["broken"] + tally["sound"] >= 3_000:
        wrong += [f"{name}: never needed: {excuse}" for excuse in _idle(name, tally)]
    return wrong


if __name__ == "__main__":
    sys.exit(main())
