"""What of the dropped part of real conversations survives in extracts, against head and tail.

The first three fifths of each conversation of the corpus with at least 4,000 tokens there are
taken as dropped. Paths, addresses, numbers, identifiers and lines that tell of errors are
found by patterns of this file, not by those of the summariser; each that stands word for word
in the summary has survived. *Again*: those that the kept part uses once more.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "tests")]

from rich.console import Console
from rich.table import Table
from support.corpus import conversations

from trimtab import count
from trimtab.formats.registry import format_named
from trimtab.summary import Ask, ExtractiveSummariser, Said, summarise

FORMATS = ("openai-chat", "anthropic", "openai-responses")
SAMPLE = 20  # conversations of each format
SIZES = (300, 1_000)
DROPPED = 4_000
FACTS = {
    "paths": re.compile(r"(?<![\w/.:])(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w-]+\.[A-Za-z]\w{0,5}\b"),
    "addresses": re.compile(r"https?://[\w.-]+(?:/[\w./?=&%#-]*\w)?"),
    "numbers": re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w-])"),
    "identifiers": re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,})\b"),
    "error lines": re.compile(r"^.*?\b(\w*(?:Error|Exception): \S.{3,117})", re.MULTILINE),
}


def tokens(text: str) -> int:
    return count(text).total


def said_of(format: Any, message: Any) -> list[Said]:
    """The message in words: what it says, the calls it makes, the results it brings."""
    weight = format.weigh(message)
    facts = format.read(message)
    role = "result" if facts.role == "result" else "assistant" if facts.role == "assistant" else "human"
    said = [Said(role, text) for text in weight.texts]
    said += [Said("call", f"{call.name} {call.arguments}") for call in weight.calls]
    return said + [Said("result", text) for result in weight.results for text in result.texts]


def facts_in(text: str) -> dict[str, set[str]]:
    found = {}
    for kind, pattern in FACTS.items():
        found[kind] = {(m.group(1) if pattern.groups else m.group()).strip() for m in pattern.finditer(text)}
    found["numbers"] = {number for number in found["numbers"] if len(number) > 1}
    return found


def head_and_tail(text: str, size: int) -> str:
    low, high = 0, len(text) // 2
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(text[:middle] + "\n...\n" + text[-middle:]) <= size:
            low = middle
        else:
            high = middle - 1
    return text[:low] + "\n...\n" + text[len(text) - low :]


def samples() -> Any:
    for name in FORMATS:
        format = format_named(name)
        rows = [row for row in conversations(name) if row.get("approx_tokens", 0) > DROPPED]
        random.Random(5).shuffle(rows)
        taken = 0
        for row in rows:
            cut = len(row["messages"]) * 3 // 5
            said, kept = ([s for m in part for s in said_of(format, m)] for part in (row["messages"][:cut], row["messages"][cut:]))
            dropped = "\n".join(s.text for s in said)
            if taken == SAMPLE or len(dropped) < 2 * DROPPED or tokens(dropped) < DROPPED:
                continue
            taken += 1
            yield said, dropped, "\n".join(s.text for s in kept)


def main() -> None:
    summariser = ExtractiveSummariser()
    alive: Counter[Any] = Counter()
    total: Counter[Any] = Counter()
    seconds, size, runs = 0.0, 0, 0
    for said, dropped, kept in samples():
        facts = facts_in(dropped)
        again = {kind: {fact for fact in found if fact in kept} for kind, found in facts.items()}
        runs, size = runs + 1, size + len(dropped)
        for limit in SIZES:
            started = time.process_time()
            extracts = summarise(summariser, Ask(None, tuple(said), limit, count=tokens))
            seconds += time.process_time() - started
            assert tokens(extracts) <= limit
            for way, text in (("extracts", extracts), ("head and tail", head_and_tail(dropped, limit))):
                for which, found in (("all", facts), ("again", again)):
                    for kind, these in found.items():
                        total[way, limit, which, kind] += len(these)
                        alive[way, limit, which, kind] += sum(fact in text for fact in these)
    table = Table("tokens", "facts", "number", "extracts", "head and tail", title=f"{runs} conversations, {size:,} characters dropped, {seconds:.1f} s for {2 * runs} summaries")
    for limit in SIZES:
        for which in ("all", "again"):
            for kind in FACTS:
                n = total["extracts", limit, which, kind]
                shares = [f"{alive[way, limit, which, kind] / max(n, 1):.1%}" for way in ("extracts", "head and tail")]
                table.add_row(f"{limit:,}", f"{kind}, {which}", f"{n:,}", *shares)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
