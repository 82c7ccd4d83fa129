"""What clearing in batches saves where old results are worth nothing, against never clearing.

    python bench/batched.py

200 requests of 1,000 tokens, 80 % of them tool results, the newest 10 results kept, nothing else
cut: the bill as a share of the bill without clearing. Beside it the best of all fixed batches, by
the same rules, and what the square-root law says of the batch.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from trimtab import ClearResults, Policy, per_message
from trimtab.billing import Cache, CacheRules, Prices, Sent
from trimtab.replay import Story
from trimtab.replay.walking import requests, walk
from trimtab.setup import resolve
from trimtab.steady import Steady
from trimtab.transcript import Transcript

REQUESTS, GROWTH, SHARE, KEEP = 200, 1_000, 0.8, 10
RULES = {"Anthropic": ("0.1", "1.25"), "w = 1, r = 0.1": ("0.1", "1"), "r = 0.25": ("0.25", "1"), "r = 0.4": ("0.4", "1")}
RESULT, CALL, GONE = int(GROWTH * SHARE), GROWTH - int(GROWTH * SHARE), 1


def session() -> list[dict]:
    messages = [{"role": "user", "content": "go"}]
    for n in range(REQUESTS):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": "seen " * RESULT})
    return messages


def size(message: dict) -> int:
    if message["role"] == "tool":
        return RESULT if message["content"].startswith("seen") else GONE
    return CALL


def money(sent: list[Sent], rules: CacheRules) -> float:
    cache, prices = Cache(rules), Prices.of(rules)
    return float(sum(prices.cost(cache.request(one)) for one in sent))


def fixed(batch: int, rules: CacheRules) -> float:
    """Clearing whenever so many results are old, as lists of tokens word for word."""
    sent, cleared, before = [], 0, 0
    for n in range(REQUESTS + 1):
        old, same = max(n - KEEP, 0), before
        if old - cleared >= batch:
            same, cleared = min(before, CALL + cleared * (CALL + GONE) + CALL), old
        tokens = CALL + cleared * (CALL + GONE) + (n - cleared) * GROWTH
        sent.append(Sent(tokens, same, None, (same, tokens) if 0 < same < tokens else (tokens,)))
        before = tokens
    return money(sent, rules)


def main() -> None:
    story, counter = Story("agent", session()), per_message(size)
    for name, (read, write) in RULES.items():
        rules = CacheRules(name, Fraction(read), Fraction(write), "marks", "bench")
        bills = {}
        for kind, clear in (("raw", None), ("batched", ClearResults(keep=KEEP, batch=True, smallest=0))):
            policy = Policy(depth=Steady(read, write, 2), clear_results=clear)
            beside = {"system": None, "tools": None, "response_format": None, "tool_choice": None}
            setup = resolve(
                story.messages, 10**7, model=None, format=None, thinking=False, reserve=0,
                counter=counter, policy=policy, **beside,
            )
            made = Transcript(setup)
            made.extend(story.messages, None)
            walked = walk(story, setup, None, requests(made))
            marked = [
                step.sent._replace(marks=tuple(sorted({step.sent.same or step.sent.tokens, step.sent.tokens})))
                for step in walked.steps
            ]
            bills[kind] = money(marked, rules), len(walked.notes)
        raw = bills["raw"][0]
        best = min(range(1, 80), key=lambda batch: fixed(batch, rules))
        law = sqrt(2 * (float(write) - float(read)) * KEEP / (float(read) * SHARE))
        print(
            f"{name:<16} every turn {fixed(1, rules) / raw:.2f}, best fixed batch {fixed(best, rules) / raw:.2f} "
            f"({best}; law {law:.0f}), the account {bills['batched'][0] / raw:.2f} ({bills['batched'][1]} clears)"
        )


if __name__ == "__main__":
    main()
