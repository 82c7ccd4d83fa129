"""Law 9 on every conversation of the corpus, at every prefix, under every steady policy.

    python bench/stability.py [--budget N]

After each message the history is fitted. The result must be the one before with the new message
behind it, or a cut that says so (`cut_at`): the same objects, or equal ones where a message is
changed. Prints conversations, requests, cuts per 100 requests and how often that failed; exits 1
if it ever did. A request is a result that a reply follows, or the last.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from regret_sessions import _conversations

from trimtab import ClearResults, Conversation, DoesNotFit, Policy, TrimtabError, repair
from trimtab.formats.base import MODEL
from trimtab.steady import Steady

STEADY = Steady("0.1", "1.25")
POLICIES = {
    "steady": Policy.steady(),
    "steady, openai": Policy.steady("openai"),
    "floor of 2,000": Policy.steady(floor=2_000),
    "agent": Policy.agent(),
    "agent, floor of 2,000": Policy.agent(floor=2_000),
    "batched": Policy.steady(clear_results=ClearResults(keep=3, batch=True)),
    "depth 0.6": Policy(depth=0.6),
}


def same(left: list[Any], right: list[Any]) -> bool:
    return len(left) == len(right) and all(a is b or a == b for a, b in zip(left, right))


def tried(messages: list[Any], format: Any, budget: int, name: str) -> Counter[str]:
    """One conversation under one policy."""
    found: Counter[str] = Counter()
    conversation, before = Conversation(budget, format=format, policy=POLICIES[name]), None
    for at, message in enumerate(messages):
        conversation.append(message)
        try:
            after = conversation.fit()
        except DoesNotFit:
            found["does not fit"] += 1
            before = None
            continue
        read = after.setup.format.read
        reply = at + 1 == len(messages) or read(messages[at + 1]).role == MODEL
        found["requests"] += reply and read(message).role != MODEL
        if before is not None:
            grew = same(before.messages, after.messages[:-1])
            found["steps"] += 1
            found["cuts"] += after.plan.cuts != before.plan.cuts
            found["broken"] += not grew and after.cut_at != at
        before = after
    return found


def job(row: tuple[list[Any], Any, int]) -> dict[str, Counter[str]]:
    messages, format, budget = row
    try:
        sound = repair(messages, format=format).messages
        return {name: tried(sound, format, budget, name) for name in POLICIES}
    except TrimtabError:
        return {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=int, default=8_000)
    budget = parser.parse_args().budget
    rows = ((m, f, budget) for m, f, _, _ in _conversations() if len(m) > 2)
    totals = {name: Counter() for name in POLICIES}
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(job, rows, chunksize=8):
            for name, counts in found.items():
                totals[name] += counts
                totals[name]["conversations"] += 1
    print(f"budget {budget:,}: {'policy':<24}{'sessions':>9}{'requests':>9}{'steps':>8}{'cuts':>7}{'cuts/100':>10}{'broken':>8}")
    for name, counts in totals.items():
        per = 100 * counts["cuts"] / max(counts["requests"], 1)
        print(
            f"{'':15}{name:<24}{counts['conversations']:>9}{counts['requests']:>9}"
            f"{counts['steps']:>8}{counts['cuts']:>7}{per:>10.1f}{counts['broken']:>8}"
        )
    return 1 if any(counts["broken"] for counts in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
