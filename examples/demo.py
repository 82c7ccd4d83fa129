"""Fit the recorded conversations into a budget and show what was kept.

``--corpus`` fits the real conversations of ../shared/corpus as well, where they are.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from trimtab import ClearResults, DoesNotFit, Fitted, InvalidHistory, Policy, Summary
from trimtab import fit, fit_request, verify
from trimtab.replay import Report, Story, replay
from trimtab.replay.page import page as replay_page
from trimtab.replay.table import heading, table, words
from trimtab.show.page import page as show_page
from trimtab.show.strip import strip
from trimtab.stores import MemoryStore
from trimtab.summary import ExtractiveSummariser

HERE = Path(__file__).parent
BUILD = HERE.parent / "build" / "demo"
CORPUS = HERE.parent.parent / "shared" / "corpus"
BUDGETS = {"openai-chat.json": 16_000, "anthropic.json": 32_000}

console = Console(highlight=False)


def main() -> int:
    """Fit, verify and draw every example; the exit code counts broken laws."""
    broken = sum(show(name, budget) for name, budget in BUDGETS.items())
    if "--corpus" in sys.argv:
        broken += corpus(8_000)
    replayed("anthropic.json")
    return min(broken, 1)


def replayed(name: str) -> None:
    """What every policy would have cost on a recorded session, and two pages to look at."""
    report = reported(name)
    console.print(f"\nexamples/{name}, replayed under every policy", style="bold")
    console.print(heading(report), table(report), *map(Text, words(report)), sep="\n")
    for path in pages(name):
        console.print(f"A page to look at: {path.relative_to(HERE.parent)}")


def reported(name: str) -> Report:
    """The replay of a recorded session."""
    body = json.loads((HERE / name).read_text(encoding="utf-8"))
    story = Story(
        f"examples/{name}",
        body["messages"],
        model=body["model"],
        system=body.get("system"),
        tools=body.get("tools"),
    )
    return replay(story, BUDGETS[name])


def pages(name: str) -> list[Path]:
    """Write both pages of a recorded session."""
    BUILD.mkdir(parents=True, exist_ok=True)
    body = json.loads((HERE / name).read_text(encoding="utf-8"))
    made = {
        BUILD / "replay.html": replay_page([reported(name)]),
        BUILD / "show.html": show_page(*picture(body, name)),
    }
    for path, page in made.items():
        path.write_text(page, encoding="utf-8")
    return list(made)


def picture(body: dict[str, Any], name: str) -> tuple[Fitted, Callable[[int], Fitted], str]:
    """A fit for agents, how to fit into another budget, and a title."""

    def at(budget: int) -> Fitted:
        return fit_request(body, budget, policy=Policy.agent())

    return at(BUDGETS[name]), at, f"examples/{name}"


def show(name: str, budget: int) -> int:
    """One recorded request, fitted and drawn."""
    request = json.loads((HERE / name).read_text(encoding="utf-8"))
    started = time.perf_counter()
    fitted = fit_request(request, budget)
    took = 1000 * (time.perf_counter() - started)
    console.print(f"\nexamples/{name} into {budget:,} tokens", style="bold")
    console.print(f"{fitted.explain()}\nFitted in {took:,.0f} ms, the tokenizer's start included.\n")
    console.print(strip(fitted))
    return judge(fitted) + shrunk(request, budget, fitted)


def shrunk(request: dict[str, Any], budget: int, plain: Fitted) -> int:
    """The same once more, but shrinking before dropping, and summing up in place of dropping."""
    passes = Policy(max_result_tokens=1_000, clear_results=ClearResults(), media=1, repeats=True)
    summary = Summary(ExtractiveSummariser(), store=MemoryStore())
    shorter = fit_request(request, budget, policy=passes)
    summed = fit_request(request, budget, policy=replace(passes, summary=summary))
    console.print(
        f"With long results excerpted and old ones cleared, {left(shorter)} messages stay, not {left(plain)}."
    )
    tokens = sum(row.tokens for row in summed.inserted)
    console.print(
        f"With a summary too, {left(summed)} stay, and extracts of {tokens} tokens stand for {len(summed.dropped)}."
        if summed.summary
        else "Nothing is left that a summary would have to stand for."
    )
    return objections(shorter) + objections(summed)


def left(fitted: Fitted) -> int:
    """How many messages of the input are in the result."""
    return len(fitted.source) - len(fitted.dropped)


def judge(fitted: Fitted) -> int:
    """Check the result against the laws and say so."""
    broken = objections(fitted)
    if not broken:
        console.print("verified: within budget, valid, in order, nothing changed, all accounted for")
    return broken


def objections(fitted: Fitted) -> int:
    """Print which laws a result breaks; how many."""
    violations = verify(fitted)
    for violation in violations:
        console.print(f"broken: law {violation.law}: {violation.message}", markup=False)
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
