"""A history whose messages hold marks, and what became of every one of them."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter

from trimtab import Conversation, Policy, Summary, afit, fit, verify
from trimtab.stores import MemoryStore

FORMAT = "openai-chat"
BUDGET = 320
MARK = re.compile(r"\bm\d+\b")
NAME = re.compile(r"\bsummary s\d+\b")


def words(text):
    return len(text.split())


def history(turns):
    """Questions, calls with their results, answers; each message says its number."""
    made = [{"role": "system", "content": "be of use"}]
    for turn in range(turns):
        made.append({"role": "user", "content": said(len(made))})
        call = {"name": "look", "arguments": json.dumps({"q": said(len(made))})}
        asked = {"id": f"c{turn}", "type": "function", "function": call}
        made.append({"role": "assistant", "content": None, "tool_calls": [asked]})
        made.append({"role": "tool", "tool_call_id": f"c{turn}", "content": said(len(made))})
        made.append({"role": "assistant", "content": said(len(made))})
    return made


def said(number):
    return f"m{number} " + "and so it goes on " * 3


class Notes:
    """Sums up as ``summary s1``, ``summary s2``...; knows what each of them was told."""

    name = "notes"

    def __init__(self):
        self.calls = 0
        self.told: Counter[str] = Counter()
        self.holds: dict[str, set[str]] = {}

    def __call__(self, ask):
        return self.note("\n".join([ask.previous or "", *(one.text for one in ask.said)]))

    def note(self, text):
        self.calls += 1
        marks = set(MARK.findall(text))
        self.told.update(marks)
        name = f"summary s{self.calls}"
        older = (self.holds.get(one, set()) for one in NAME.findall(text))
        self.holds[name] = marks.union(*older)
        return name

    def behind(self, summary):
        """The marks of all that a summary was made of, or still holds as it was."""
        found = set(MARK.findall(summary or ""))
        return found.union(*(self.holds[name] for name in NAME.findall(summary or "")))


def policy(summariser, store=None, **settings):
    store = MemoryStore() if store is None else store
    settings = {"max_summary_tokens": 30, **settings}
    return Policy(depth=0.5, summary=Summary(summariser, store=store, **settings))


def by_fit(chosen, budget=BUDGET):
    return lambda messages: fit(messages, budget, format=FORMAT, counter=words, policy=chosen)


def by_afit(chosen, budget=BUDGET):
    async def fitted(messages):
        return await afit(messages, budget, format=FORMAT, counter=words, policy=chosen)

    return lambda messages: asyncio.run(fitted(messages))


def _grown(chat, messages):
    chat.extend(messages[len(chat.messages) :])


def by_conversation(chosen, budget=BUDGET):
    chat = Conversation(budget, format=FORMAT, counter=words, policy=chosen)

    def fitted(messages):
        _grown(chat, messages)
        return chat.fit()

    return fitted


def by_conversation_awaited(chosen, budget=BUDGET):
    chat = Conversation(budget, format=FORMAT, counter=words, policy=chosen)

    def fitted(messages):
        _grown(chat, messages)
        return asyncio.run(chat.afit())

    return fitted


WAYS = {
    "fit": by_fit,
    "afit": by_afit,
    "Conversation.fit": by_conversation,
    "Conversation.afit": by_conversation_awaited,
}


def prefixes(messages):
    """Every prefix that is a request: it ends where the model is to speak."""
    for size in range(1, len(messages) + 1):
        if messages[size - 1]["role"] in ("user", "tool"):
            yield messages[:size]


def grows(before, after):
    """Whether a result is the one before and more behind it, byte by byte."""
    return written(after.messages[: len(before.messages)]) == written(before.messages)


def written(messages):
    return json.dumps(messages, sort_keys=True)


def is_whole(fitted, given, notes):
    """Within budget, sound, and every message kept, told, or said to be dropped."""
    from support.judges import judge  # slow to import for a process that only fits

    assert fitted.used <= fitted.budget
    assert verify(fitted) == []
    assert judge(FORMAT)(fitted.messages) == []
    behind = notes.behind(fitted.summary)
    for row, message in zip(fitted.decisions, given, strict=True):
        if row.action == "kept":
            assert any(message is one for one in fitted.messages)
        elif row.action == "summarised":
            assert f"m{row.index}" in behind
        else:
            assert row.action == "dropped"
            assert fitted.warnings
    assert [row.index for row in fitted.decisions if row.action not in ("kept",)] == fitted.dropped


def dropped(fitted):
    """The messages that are neither kept nor in the summary."""
    return [row.index for row in fitted.decisions if row.action == "dropped"]


def settle():
    """Wait for what goes on in the background."""
    for thread in threading.enumerate():
        if thread.name == "trimtab-summary":
            thread.join(30)
