"""How often the cache rules say what providers recorded.

    python bench/billing.py

For every conversation of the corpus with recorded cached tokens: prompt sizes and times are the
provider's own, and a prompt that grew is taken to begin with all of the one before. A turn agrees
where the tokens read are the recorded ones within a step and 2 % of the prompt. Not judged are
first requests, whose cache others have filled, and prompts that did not grow, of which nobody
knows what they had in common. A provider is calibrated at 95 % of at least 100 turns, in at least ten sessions.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.corpus import CORPUS, conversations

from trimtab import TrimtabError
from trimtab.billing import Cache, Sent, rules_for, rules_named
from trimtab.sessions import read_session
from trimtab.sessions.usage import recorded

READS = ("cache_read_input_tokens", "prompt_cache_hit_tokens", "cachedContentTokenCount")
DETAILS = ("prompt_tokens_details", "input_tokens_details")
RULES = {
    "deepseek": "deepseek",
    "openai": "openai",
    "google": "gemini",
    "anthropic": "anthropic-5m",
}


class Turn(NamedTuple):
    time: float | None
    prompt: int
    read: int
    output: int


def read_of(usage: dict[str, Any]) -> int:
    for name in READS:
        if usage.get(name):
            return usage[name]
    for name in DETAILS:
        if (usage.get(name) or {}).get("cached_tokens"):
            return usage[name]["cached_tokens"]
    return 0


def from_rows() -> Iterator[tuple[str, str, list[Turn]]]:
    """The conversations of the usage file: a group, the rules, and the turns."""
    found: dict[tuple[str, str], list[tuple[int, Turn]]] = defaultdict(list)
    for row in conversations("usage"):
        turn = Turn(
            None, row["prompt_tokens"], read_of(row["usage"]), row["completion_tokens"] or 0
        )
        found[row["id"], str(row.get("provider"))].append((row["turn"], turn))
    for (_, provider), turns in found.items():
        maker = next((name for name in RULES if name in provider), None)
        rules = "bedrock" if "bedrock" in provider else RULES.get(maker or "")
        if rules and len(turns) > 1 and any(turn.read for _, turn in turns):
            yield provider, rules, [turn for _, turn in sorted(turns)]


def from_sessions() -> Iterator[tuple[str, str, list[Turn]]]:
    """The transcripts of agents."""
    for kind, provider in (("claude-code", "anthropic"), ("codex", "openai")):
        for path in sorted((CORPUS / kind).glob("*.jsonl")):
            if path.name == "index.jsonl":
                continue
            try:
                session = read_session(path)
                rows = recorded(session)
            except TrimtabError:
                continue
            lasting = sum(row.lasting for row in rows) * 2 > sum(row.written for row in rows) > 0
            named = rules_for(session.model).name if kind == "codex" else RULES[provider]
            rules = "anthropic-1h" if lasting else named
            if any(row.read for row in rows):
                yield (
                    kind,
                    rules,
                    [Turn(row.time, row.prompt, row.read, row.output) for row in rows],
                )


def main() -> None:
    agree: dict[tuple[str, str], int] = defaultdict(int)
    turns: dict[tuple[str, str], int] = defaultdict(int)
    sessions: dict[tuple[str, str], int] = defaultdict(int)
    said: dict[tuple[str, str], int] = defaultdict(int)
    told: dict[tuple[str, str], int] = defaultdict(int)
    for group, name, rows in [*from_rows(), *from_sessions()]:
        key, rules = (name, group), rules_named(name)
        cache, before = Cache(rules), 0
        sessions[key] += 1
        for at, turn in enumerate(rows):
            same = min(before, turn.prompt)
            read = cache.request(Sent(turn.prompt, same, turn.time, (), turn.output)).read
            if at and turn.prompt >= before:
                turns[key] += 1
                said[key] += read
                told[key] += turn.read
                agree[key] += abs(read - turn.read) <= max(rules.step, 0.02 * turn.prompt)
            before = turn.prompt
    print(
        f"{'rules':<14} {'recorded by':<28} {'sessions':>8} {'turns':>6} {'agree':>7}  read: said / recorded"
    )
    for key in sorted(turns):
        share = agree[key] / turns[key]
        good = share >= 0.95 and turns[key] >= 100 and sessions[key] >= 10
        print(
            f"{key[0]:<14} {key[1]:<28} {sessions[key]:>8} {turns[key]:>6} {share:>7.1%}"
            f"  {said[key]:,} / {told[key]:,}  {'calibrated' if good else ''}"
        )


if __name__ == "__main__":
    main()
