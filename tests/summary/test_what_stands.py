"""What is said to stand in a result does, where the summary of a cut could not be made."""

from __future__ import annotations

from random import Random

from trimtab import ClearResults, Conversation, DoesNotFit, Policy, Summary, fit, per_message, verify
from trimtab.stores import MemoryStore
from trimtab.summary.frame import framed, unframed

WORDS = per_message(lambda message: 1 + len(str(message.get("content")).split()))


def down(ask):
    raise OSError


def tool_turns(rng, turns):
    """Turns with one call each; their results are what can be cleared."""
    made = []
    for turn in range(turns):
        made.append({"role": "user", "content": f"q{turn} " + "why " * rng.randint(0, 6)})
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "row " * rng.randint(2, 30)
        made.append({"role": "tool", "tool_call_id": f"c{turn}", "content": text})
        made.append({"role": "assistant", "content": f"a{turn} " + "so " * rng.randint(0, 9)})
    return made


def test_in_any_history_with_and_without_a_summary_in_it():
    """The account and both ways of fitting agree, and no summary stands there twice."""
    seen = set()
    for seed in range(600):
        rng = Random(seed)
        given = tool_turns(rng, rng.randint(2, 5))
        old = rng.random() < 0.5
        if old:
            given.insert(0, {"role": "user", "content": framed("what was before")})
        summary = Summary(down, max_summary_tokens=10, store=MemoryStore())
        clearing = ClearResults(keep=rng.choice([0, 1]), smallest=2)
        chosen = Policy(depth=rng.choice([0.5, 0.8, 0.9]), clear_results=clearing, summary=summary)
        whole = sum(1 + len(str(one.get("content")).split()) for one in given)
        budget = whole * rng.choice([6, 7, 8, 9]) // 10
        options = {"format": "openai-chat", "counter": WORDS, "policy": chosen}
        chat = Conversation(budget, **options)
        chat.extend(given)
        try:
            one, other = fit(given, budget, **options), chat.fit()
        except DoesNotFit:
            continue
        assert verify(one) == verify(other) == []
        assert (one.used, one.summary, one.messages) == (other.used, other.summary, other.messages)
        frames = [m for m in one.messages if m["role"] == "user" and unframed(m["content"])]
        assert len(frames) == old
        assert (one.summary is None) == (not one.inserted)
        seen.add((old, bool(one.inserted), bool(one.dropped)))
    assert seen >= {(False, False, False), (False, False, True), (True, True, True)}
