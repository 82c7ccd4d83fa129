"""The corpus as sessions of unit costs, by the library's own grouping and counting.

What was counted is kept in the folder for temporary files, under a digest of this file and of
the corpus's sizes, so that a second run counts nothing.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.corpus import CORPUS, conversations, gemini_cli

from trimtab import InvalidHistory, Policy, TrimtabError, repair
from trimtab.core.unit import LED, PINNED, SYSTEM
from trimtab.sessions import read_session
from trimtab.setup import resolve
from trimtab.transcript import Transcript
from trimtab.units import OPENS

FILES = ("openai-chat", "anthropic", "openai-responses", "gemini", "plain")
SYSTEMS = ("system", "instructions", "systemInstruction")
LEAST = 20  # requests
NOTHING = {"model": None, "system": None, "tools": None, "reserve": 0, "counter": None}
NOTHING |= {"response_format": None, "tool_choice": None, "thinking": False}


class Arrival(NamedTuple):
    """What a message was to the fold: it opens a unit or not, its tokens, its flags."""

    opens: bool
    cost: int
    flags: int


class Session(NamedTuple):
    """The arrivals of one conversation, and the tokens of its system text and tools."""

    arrivals: list[Arrival]
    fixed: int = 0

    @property
    def requests(self) -> int:
        return sum(a.opens and not a.flags & (LED | SYSTEM) for a in self.arrivals)

    @property
    def head(self) -> int:
        """Tokens of the pinned units at the front."""
        size = 0
        for opens, cost, flags in self.arrivals:
            if opens and not flags & PINNED:
                break
            size += cost
        return size

    @property
    def behind(self) -> int:
        return sum(a.cost for a in self.arrivals) - self.head

    def capped(self, most: int) -> Session:
        """The same with no unit behind the head above so many tokens."""
        made: list[Arrival] = []
        own = 0
        for opens, cost, flags in self.arrivals:
            own = 0 if opens else own
            cost = cost if flags & PINNED else min(cost, most - own)
            own += cost
            made.append(Arrival(opens, cost, flags))
        return self._replace(arrivals=made)


def real_sessions() -> Iterator[Session]:
    """Every conversation of the corpus with enough requests."""
    sizes = [(p.name, p.stat().st_size) for p in sorted(CORPUS.rglob("*")) if p.is_file()]
    key = hashlib.sha256(Path(__file__).read_bytes() + repr(sizes).encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"trimtab-regret-{key}.json"
    if not path.exists():
        path.write_text(json.dumps([s for s in _counted() if s.requests >= LEAST]))
    for rows, fixed in json.loads(path.read_text()):
        yield Session([Arrival(*row) for row in rows], fixed)


def _counted() -> Iterator[Session]:
    seen: set[str] = set()
    for messages, format, system, tools in _conversations():
        session = _arrivals(messages, format, system, tools)
        if session is not None and (mark := repr(session.arrivals)) not in seen:
            seen.add(mark)
            yield session


def _conversations() -> Iterator[tuple[list[Any], str | None, Any, Any]]:
    for name in FILES:
        for row in conversations(name):
            system = next((row[key] for key in SYSTEMS if row.get(key)), None)
            yield row["messages"], None if name == "plain" else name, system, row.get("tools")
    for row in gemini_cli():
        yield row["messages"], "gemini", None, None
    for kind in ("claude-code", "codex"):
        for path in sorted((CORPUS / kind).glob("*.jsonl")):
            if path.name != "index.jsonl":
                try:
                    read = read_session(path.read_bytes().splitlines(keepends=True))
                except TrimtabError:
                    continue
                yield read.messages, read.format, read.system, None


def _arrivals(messages: list[Any], format: Any, system: Any, tools: Any) -> Session | None:
    try:
        sound = repair(messages, format=format).messages
        beside = {**NOTHING, "system": system, "tools": tools}
        setup = resolve(sound, 1 << 40, format=format, policy=Policy(), **beside)
    except (InvalidHistory, TrimtabError):
        return None
    made: list[Arrival] = []
    transcript = Transcript(setup, incremental=True)
    step, grouper = transcript._grouper.step, transcript._grouper

    def noted(index: int, facts: Any, pinned: bool) -> int:
        flags = step(index, facts, pinned)
        made.append(Arrival(bool(flags & OPENS), 0, flags & ~OPENS))
        return flags

    grouper.step = noted
    transcript.extend(sound, None)
    costs = [a._replace(cost=transcript.cost(at)) for at, a in enumerate(made)]
    return Session(costs, setup.fixed.total)
