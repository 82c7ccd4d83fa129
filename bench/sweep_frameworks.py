"""Fit every real conversation as the objects of each framework, at many budgets.

    python bench/sweep_frameworks.py [--step N]

The conversations of ``openai-chat`` become messages of LangChain, pydantic-ai, LlamaIndex,
the AI SDK and MCP (light twins of their classes), those of ``openai-responses`` run items of
the Agents SDK. Prints one row per format and exits 1 if any result draws an objection of an
independent validator that its input did not draw, or breaks a promise.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support import agents_items, langchain_messages, llama_index_messages
from support import mcp_messages, pydantic_ai_messages, vercel_messages
from support.corpus import CORPUS, conversations
from support.oracles import objections
from support.responses_oracle import objections as responses_objections

from trimtab import DoesNotFit, check, fit, repair, verify
from trimtab.soundness import SOUNDNESS

BUDGETS = (0, 50, 500, 2_000, 8_000, 32_000, 128_000)
CHAT_LIKE = (langchain_messages, pydantic_ai_messages, llama_index_messages, vercel_messages)
Said = Callable[[list[Any]], list[str]]


def sweep(name: str, messages: list[Any], said: Said, tally: Counter[str]) -> list[str]:
    """Fit one conversation at every budget; a line for everything that went wrong."""
    wrong: list[str] = []
    before = _kinds(said(messages))
    mended = repair(messages, format=name).messages
    tally["conversations"] += 1
    tally["repaired"] += mended != messages
    for budget in BUDGETS:
        try:
            fitted = fit(messages, budget, format=name, on_invalid="repair")
        except DoesNotFit as error:
            tally["does not fit"] += 1
            if error.needs.total <= budget:
                wrong.append(f"at {budget}: refused, yet needs {error.needs.total}")
            continue
        tally["fitted"] += 1
        tally["whole"] += not fitted.dropped
        found = [o for o in said(fitted.messages) if not _kinds([o]) & before]
        found += [str(v) for v in verify(fitted)]
        found += [words for _, words in SOUNDNESS[name](fitted.messages)]
        if fitted.used > budget:
            found.append(f"used {fitted.used}")
        if not fitted.dropped and not fitted.repairs:
            if any(a is not b for a, b in zip(fitted.messages, messages, strict=True)):
                found.append("not the same objects")
        wrong += [f"at {budget}: {text}" for text in found]
    return wrong


def _kinds(said: list[str]) -> set[str]:
    return {" ".join(text.split()[:2]) for text in said}


def runs(step: int) -> Any:
    """(format, id, messages, oracle) of every conversation that is swept."""
    for at, row in enumerate(conversations("openai-chat")):
        if at % step:
            continue
        for module in CHAT_LIKE:
            with module.installed("twin") as package:
                made = module.from_chat(row["messages"], package)
                yield module.NAME, row["id"], made, _chat(module)
        made = vercel_messages.from_chat(row["messages"])
        if not check(made, format="vercel-ai"):
            yield "vercel-ui", row["id"], vercel_messages.as_ui(made), _nobody
        yield "mcp", row["id"], mcp_messages.from_chat(row["messages"]), _nobody
    for at, row in enumerate(conversations("openai-responses")):
        if at % step == 0:
            made = agents_items.from_items(row["messages"], "twin")
            yield "openai-agents", row["id"], made, _items


def _chat(module: Any) -> Said:
    return lambda messages: objections("openai-chat", module.to_chat(messages))


def _nobody(messages: list[Any]) -> list[str]:
    """No validator of others reads these; the second opinion does."""
    return []


def _items(messages: list[Any]) -> list[str]:
    return responses_objections(agents_items.to_items(messages))


def main() -> int:
    """Sweep, print the table, return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--step", type=int, default=1, help="every N-th conversation only")
    asked = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    tallies: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    for name, id, messages, said in runs(asked.step):
        found = sweep(name, messages, said, tallies.setdefault(name, Counter()))
        wrong += [f"{name} {id} {text}" for text in found]
    for name, tally in tallies.items():
        print(f"{name:<16}", *(f"{key} {count:>6}" for key, count in tally.items()))
    print(f"\n{len(wrong)} findings", *wrong[:40], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
