"""How long a replay takes: 2,000 requests under eight policies, and the optimum alone.

    python bench/replay.py

CPU seconds of one process, tokens counted anew (the memo of counts is emptied first). The session
is made up: tool calls and results of 50 to 2,500 words, a person now and then.
"""

from __future__ import annotations

import time
from random import Random

from measure import cpu

from trimtab.billing import Prices, rules_named
from trimtab.policy import Policy
from trimtab.replay import Story, replay
from trimtab.replay import judging
from trimtab.replay.walking import requests, walk
from trimtab.setup import resolve
from trimtab.transcript import Transcript

REQUESTS, BUDGET = 2_000, 100_000
WORDS = "the of and lantern harbour notes tide chart plan depth keel sail wind north rope".split()


def session() -> Story:
    rng, messages = Random(7), []
    for at in range(REQUESTS):
        if at % 25 == 0:
            messages.append({"role": "user", "content": f"Task {at}: " + " ".join(rng.choices(WORDS, k=30))})
        text = " ".join(rng.choices(WORDS, k=int(rng.lognormvariate(5.3, 0.8))))
        call = {"id": f"c{at}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": f"Step {at}.", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": f"{at} {text}"})
    return Story("made up", messages, model="gpt-4o", times=[30.0 * n for n in range(len(messages))])


def main() -> None:
    story, rules = session(), rules_named("anthropic-5m")
    started = time.process_time()
    report = replay(story, BUDGET, rules=rules)
    first = time.process_time() - started
    print(f"{report.requests} requests, {report.tokens:,} tokens, {len(report.rows)} policies")
    for row in report.rows:
        ratio = "" if row.ratio is None else f"{float(row.ratio):.3f} of the optimum"
        print(f"  {row.policy:<8} {row.cuts:>5} cuts  {ratio}")
    print(f"replay, counting included: {first:.2f} s")
    again = cpu(lambda _: replay(story, BUDGET, rules=rules), runs=3)
    print(f"replay, counted before: {again.best:.2f} s")
    beside = {"system": None, "tools": None, "response_format": None, "tool_choice": None}
    setup = resolve(
        story.messages, BUDGET, model="gpt-4o", format=None, thinking=False, reserve=0,
        counter=None, policy=Policy(), **beside,
    )
    counted = Transcript(setup)
    counted.extend(story.messages, None)
    asks = requests(counted)
    longest = walk(story, setup, None, asks)
    prices = Prices.of(rules)
    best = cpu(lambda _: judging.yardstick(longest, asks, setup.room, prices), runs=3)
    print(f"optimum of {len(asks)} requests: {best.best:.2f} s")


if __name__ == "__main__":
    main()
