"""What summaries cost over one session of 2,000 messages, against langmem and LangChain's middleware.

All get the same LangChain messages, the same exact counter, the same budget for the whole
request, and the same offline summariser, which answers with a text of always the same size and
notes what it was shown. A request is made for every reply in the script.

*Calls* and *shown* (tokens in all, prompts included) at a quarter, half and the end of the
session: twice as long should be twice as much. *Longest*: the largest single call. *A message*:
how often the summariser was shown what is no longer in the last request. *Unseen*: messages that
are neither in the last request nor were ever shown to it. *Held*: tokens of a request on
average. *Over*: requests above the budget, and by how much at worst. *No newest*: requests
without the newest message. *Broken*: requests that break the
rules of the format (a result without its call...). *Changed*: requests that do not begin with all
of the one before, so that a provider's cache of the prefix breaks.
"""

from __future__ import annotations

import sys
import time
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from history import fresh
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from rich.console import Console
from rich.table import Table
from summarised import BUDGET, LARGEST, Listener, Way, cost, learn
from summary_peers import PEERS

from trimtab import Conversation, Policy, Summary, check, count
from trimtab.stores import MemoryStore
from trimtab.summary import Ask
from trimtab.summary.prompt import render

SESSION = 2_000


class Trimtab:
    """A conversation whose policy summarises what it drops."""

    name = "trimtab, depth 0.5"

    def __init__(self, listener: Listener) -> None:
        def summarise(ask: Ask) -> str:
            prompt = render(ask)  # as the summarisers by model send it
            return listener.answer([prompt.system, prompt.user])

        summary = Summary(summarise, max_summary_tokens=LARGEST, store=MemoryStore())
        self._talk = Conversation(BUDGET, format="langchain", policy=Policy(depth=0.5, summary=summary))

    def request(self, new: list[BaseMessage]) -> list[BaseMessage]:
        self._talk.extend(new)
        return self._talk.fit().messages


class Request(NamedTuple):
    """What one request was like."""

    tokens: int
    newest: bool
    sound: bool
    extends: bool


class Session:
    """One way through the script."""

    def __init__(self, make: Any, script: list[BaseMessage]) -> None:
        self.listener = Listener()
        self.script = script
        self.way: Way = make(self.listener)
        self.requests: list[Request] = []
        self.last: list[BaseMessage] = []
        self.marks: list[tuple[int, int]] = []  # calls and tokens shown, along the way
        self.seconds = 0.0
        self._play()

    def _play(self) -> None:
        new: list[BaseMessage] = []
        stops = [len(self.script) * share // 4 for share in (1, 2)]
        for at, message in enumerate(self.script):
            if isinstance(message, AIMessage) and new:
                self._ask(new)
                new = []
            new.append(message)
            if at in stops:
                self.marks.append(self._so_far())
        if not isinstance(new[-1], AIMessage):
            self._ask(new)
        self.marks.append(self._so_far())

    def _ask(self, new: list[BaseMessage]) -> None:
        started = time.process_time()
        request = self.way.request(new)
        self.seconds += time.process_time() - started
        before, texts = [m.content for m in self.last], [m.content for m in request]
        tokens = count(request, format="langchain").total
        newest = any(m.content == new[-1].content for m in request[-3:])
        sound = not check(request, format="langchain")
        self.requests.append(Request(tokens, newest, sound, texts[: len(before)] == before))
        self.last = request

    def _so_far(self) -> tuple[int, int]:
        return len(self.listener.calls), sum(self.listener.calls)

    def cells(self) -> list[str]:
        """The row of the table."""
        calls, shown = zip(*self.marks, strict=True)
        held = [request.tokens for request in self.requests]
        over = [tokens - BUDGET for tokens in held if tokens > BUDGET]
        times = self._times()
        return [
            " / ".join(map(str, calls)),
            " / ".join(f"{tokens // 1000:,}k" for tokens in shown),
            f"{max(self.listener.calls, default=0):,}",
            f"{mean(times):.2f}x",
            f"{times.count(0):,}",
            f"{mean(held):,.0f}",
            f"{len(over)} by {max(over):,}" if over else "0",
            str(sum(not request.newest for request in self.requests)),
            str(sum(not request.sound for request in self.requests)),
            str(sum(not request.extends for request in self.requests)),
            f"{self.seconds:.1f}",
        ]

    def _times(self) -> list[int]:
        """How often each message that went was shown, by the line that no other holds."""
        left = {message.content for message in self.last}
        gone = [m.content for m in self.script if m.type != "system" and m.content and m.content not in left]
        shown = "\n".join(self.listener.heard)
        return [shown.count(text.rpartition("\n")[2]) for text in gone] or [0]


def script() -> list[BaseMessage]:
    """The recorded agent again and again, as LangChain's messages with ids."""
    messages = convert_to_messages(fresh(SESSION))
    for number, message in enumerate(messages):
        message.id = f"m{number}"
    learn(messages)
    return messages


def main() -> None:
    """Print the table."""
    messages = script()
    asked = sum(kind for kind, _ in groupby(messages, lambda m: isinstance(m, AIMessage)))
    table = Table("", "calls", "shown", "longest", "a message", "unseen", "held", "over", "no newest", "broken", "changed", "CPU s")
    for make in (Trimtab, *PEERS):
        print(make.name, file=sys.stderr, flush=True)
        table.add_row(make.name, *Session(make, messages).cells())
    console = Console(width=150)
    console.print(
        f"{len(messages):,} messages, {cost(messages):,} tokens, {asked:,} requests; budget {BUDGET:,} tokens, "
        f"summaries of {count(Listener().answer(['-'])).total} tokens"
    )
    console.print(table)


if __name__ == "__main__":
    main()
