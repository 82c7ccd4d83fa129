"""The laws over generated histories where cuts are settled, and summaries made, ahead."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import strategies as st
from summary.marked import settle
from support.forall import forall, sizes
from support.generate import sound_histories
from support.judges import judge
from support.policies import CLOSED, SIZE, policies
from support.written import installed
from trimtab import Conversation, DoesNotFit, Summary, fit, verify
from trimtab.formats.registry import FORMATS
from trimtab.stores import MemoryStore

ANSWERS = st.lists(st.sampled_from(["short", "short", "short", "long", "fails", "blank", "all"]), max_size=6)


class Scripted:
    """Answers as a script says, by what it is told, so that it does not matter who asks first."""

    name = "scripted"

    def __init__(self, answers):
        self.answers = answers

    def __call__(self, ask):
        told = len(ask.said) + sum(len(one.text) for one in ask.said)
        kind = self.answers[told % len(self.answers)] if self.answers else "short"
        if kind == "fails":
            raise TimeoutError
        if kind == "blank":
            return " \n"
        if kind == "all":
            return " ".join([ask.previous or "", *(one.text for one in ask.said)])
        return f"s{told}" + (" and so on" * 400 if kind == "long" else "")


@sizes(60, 300)
@pytest.mark.parametrize("format", [name for name in FORMATS if name not in CLOSED])
def test_at_every_prefix(format, examples):
    seen = Counter()
    with installed(format):
        forall(st.data(), examples, lambda data: every_prefix(format, data, seen))
    assert seen["summaries"] > 0


def every_prefix(format, data, seen):
    history = data.draw(sound_histories(format))
    size = sum(1 + len(str(message)) // 8 for message in history)
    budget = data.draw(st.integers(size // 3, max(size, 31)))
    chosen = data.draw(policies)
    share = chosen.share() or (0, 1)
    above = [None, *(one for one in (0.3, 0.5, 0.7, 0.9) if one * share[1] > share[0])]
    summary = Summary(
        Scripted(data.draw(ANSWERS)),
        max_summary_tokens=data.draw(st.sampled_from([5, 15])),
        store=MemoryStore(),
        ahead=data.draw(st.sampled_from(above)),
    )
    policy = replace(chosen, summary=summary)
    options = {"format": format, "counter": SIZE, "policy": policy}
    chat, last, fitted_to = Conversation(budget, **options), None, 0
    for size in range(1, len(history) + 1):
        chat.append(history[size - 1])
        if chat._transcript.faults:
            continue
        try:
            fitted = fit(history[:size], budget, **options)
        except DoesNotFit:
            last = None
            continue
        settle()
        twin = chat.fit()
        settle()
        seen["summaries"] += fitted.summary is not None
        assert repr(twin.messages) == repr(fitted.messages)
        assert (twin.dropped, twin.cut_at) == (fitted.dropped, fitted.cut_at)
        assert twin.used == fitted.used <= budget
        assert verify(fitted) == verify(twin) == []
        assert judge(format)(fitted.messages) == []
        if last is not None and (fitted.cut_at is None or fitted.cut_at < fitted_to):
            assert list(map(repr, fitted.messages[: len(last)])) == list(map(repr, last))
        if any(row.action == "dropped" for row in fitted.decisions):
            assert fitted.warnings
            assert twin.warnings
        last, fitted_to = fitted.messages, size
