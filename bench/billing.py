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
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.corpus import CORPUS, conversations

from trimtab import TrimtabError
from trimtab.billing import rules_named
from trimtab.replay.reporting import Agreement, held_against, rules_of
from trimtab.replay.story import story_of
from trimtab.sessions import read_session
from trimtab.sessions.usage import Recorded

READS = ("cache_read_input_tokens", "prompt_cache_hit_tokens", "cachedContentTokenCount")
DETAILS = ("prompt_tokens_details", "input_tokens_details")
RULES = {
    "deepseek": "deepseek",
    "openai": "openai",
    "google": "gemini",
    "anthropic": "anthropic-5m",
}


def read_of(usage: dict[str, Any]) -> int:
    for name in READS:
        if usage.get(name):
            return usage[name]
    for name in DETAILS:
        if (usage.get(name) or {}).get("cached_tokens"):
            return usage[name]["cached_tokens"]
    return 0


def from_rows() -> Iterator[tuple[str, str, list[Recorded]]]:
    """The conversations of the usage file: a group, the rules, and the turns."""
    found: dict[tuple[str, str], list[tuple[int, Recorded]]] = defaultdict(list)
    for row in conversations("usage"):
        turn = Recorded(
            0, None, row["prompt_tokens"], read_of(row["usage"]), 0, row["completion_tokens"] or 0
        )
        found[row["id"], str(row.get("provider"))].append((row["turn"], turn))
    for (_, provider), turns in found.items():
        maker = next((name for name in RULES if name in provider), None)
        rules = "bedrock" if "bedrock" in provider else RULES.get(maker or "")
        if rules and len(turns) > 1 and any(turn.read for _, turn in turns):
            yield provider, rules, [turn for _, turn in sorted(turns)]


def from_sessions() -> Iterator[tuple[str, str, list[Recorded]]]:
    """The transcripts of agents."""
    for kind, provider in (("claude-code", "anthropic"), ("codex", "openai")):
        for path in sorted((CORPUS / kind).glob("*.jsonl")):
            if path.name == "index.jsonl":
                continue
            try:
                story = story_of(read_session(path), path.name)
            except TrimtabError:
                continue
            rules = rules_of(story).name
            if any(row.read for row in story.recorded):
                yield kind, RULES[provider] if rules == "none" else rules, list(story.recorded)


def main() -> None:
    found: dict[tuple[str, str], list[Agreement]] = defaultdict(list)
    for group, name, rows in [*from_rows(), *from_sessions()]:
        found[name, group].append(held_against(rows, rules_named(name)))
    print(
        f"{'rules':<14} {'recorded by':<28} {'sessions':>8} {'turns':>6} {'agree':>7}  read: said / recorded"
    )
    for (name, group), sessions in sorted(found.items()):
        turns, agree, said, told = map(sum, zip(*sessions, strict=True))
        share = agree / turns
        good = share >= 0.95 and turns >= 100 and len(sessions) >= 10
        print(
            f"{name:<14} {group:<28} {len(sessions):>8} {turns:>6} {share:>7.1%}"
            f"  {said:,} / {told:,}  {'calibrated' if good else ''}"
        )


if __name__ == "__main__":
    main()
