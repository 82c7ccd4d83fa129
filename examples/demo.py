"""Fit the recorded conversations into a budget and show what was kept.

``--corpus`` fits the real conversations of ../shared/corpus as well, where they are.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from trimtab import DoesNotFit, Fitted, InvalidHistory, fit, fit_request, verify
from trimtab.show.strip import strip

HERE = Path(__file__).parent
CORPUS = HERE.parent.parent / "shared" / "corpus"
BUDGETS = {"openai-chat.json": 16_000, "anthropic.json": 32_000}

console = Console(highlight=False)


def main() -> int:
    """Fit, verify and draw every example; the exit code counts broken laws."""
    broken = sum(show(name, budget) for name, budget in BUDGETS.items())
    if "--corpus" in sys.argv:
        broken += corpus(8_000)
    return min(broken, 1)


def show(name: str, budget: int) -> int:
    """One recorded request, fitted and drawn."""
    request = json.loads((HERE / name).read_text(encoding="utf-8"))
    started = time.perf_counter()
    fitted = fit_request(request, budget)
    took = 1000 * (time.perf_counter() - started)
    console.print(f"\nexamples/{name} into {budget:,} tokens", style="bold")
    console.print(f"{fitted.explain()}\nFitted in {took:,.0f} ms, the tokenizer's start included.\n")
    console.print(strip(fitted))
    return judge(fitted)


def judge(fitted: Fitted) -> int:
    """Check the result against the laws and say so."""
    violations = verify(fitted)
    for violation in violations:
        console.print(f"broken: law {violation.law}: {violation.message}", markup=False)
    if not violations:
        console.print("verified: within budget, valid, in order, nothing changed, all accounted for")
    return len(violations)


def corpus(budget: int) -> int:
    """Real conversations: one line for each that has to be cut, and the sums."""
    if not CORPUS.is_dir():
        console.print("\nno corpus at ../shared/corpus, left out")
        return 0
    console.print(f"\nReal conversations into {budget:,} tokens", style="bold")
    fitting = whole = 0
    broken = 0
    for format, conversation in conversations():
        try:
            fitted = fit(conversation["messages"], budget, format=format)
        except (DoesNotFit, InvalidHistory) as error:
            console.print(f"{conversation['id']}: {error}", markup=False, soft_wrap=True)
            continue
        fitting += 1
        whole += not fitted.dropped
        broken += len(verify(fitted))
        if fitted.dropped:
            kept, all_ = len(fitted.messages), len(fitted.source)
            line = f"{conversation['id']}: kept {kept} of {all_}, {fitted.used:,} tokens"
            console.print(line, markup=False, soft_wrap=True)
    console.print(f"{fitting} fitted, {whole} of them whole; {broken} violations")
    return broken


def conversations() -> Iterator[tuple[str, dict[str, Any]]]:
    """The corpus conversations of both formats."""
    for format in ("openai-chat", "anthropic"):
        with gzip.open(CORPUS / f"{format}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                yield format, json.loads(line)


if __name__ == "__main__":
    sys.exit(main())
