"""The work of a session: every message is told, digested and weighed once. No clock."""

from __future__ import annotations

from collections import Counter

import pytest
from summary.marked import BUDGET, FORMAT, Notes, history, policy, settle, words
from trimtab import Conversation, fit, telling
from trimtab.formats.registry import format_named
from trimtab.stores import MemoryStore

CHAT = type(format_named(FORMAT))


class Counted(MemoryStore):
    """A store that counts what it is asked."""

    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def get(self, key):
        self.calls["get"] += 1
        return super().get(key)

    def put(self, key, value):
        self.calls["put"] += 1
        return super().put(key, value)

    def claim(self, key, holder, seconds):
        self.calls["claim"] += 1
        return super().claim(key, holder, seconds)


class Sums(Notes):
    """Counts the words that it reads."""

    def __init__(self, calls):
        super().__init__()
        self.tally = calls

    def __call__(self, ask):
        self.tally["summaries"] += 1
        self.tally["messages told"] += len(ask.said)
        self.tally["words told"] += sum(len(one.text.split()) for one in ask.said)
        self.tally["words of older notes"] += len((ask.previous or "").split())
        return super().__call__(ask)


@pytest.fixture
def calls(monkeypatch):
    found = Counter()

    def counted(owner, name):
        original = getattr(owner, name)

        def count(*arguments):
            found[name] += 1
            return original(*arguments)

        monkeypatch.setattr(owner, name, count)

    counted(CHAT, "weigh")
    counted(CHAT, "read")
    counted(telling, "_feed")
    return found


def session(messages, calls, **settings):
    """A Conversation that is fitted at every message."""
    calls.clear()
    sums = Sums(calls)
    chosen = policy(sums, Counted(calls), **settings)
    chat = Conversation(BUDGET, format=FORMAT, counter=tallied(calls), policy=chosen)
    for message in messages:
        chat.append(message)
        if message["role"] in ("user", "tool"):
            calls["fits"] += 1
            fitted = chat.fit()
            settle()
    return sums, fitted, Counter(calls)


def tallied(calls):
    def counter(text):
        calls["words counted"] += words(text)
        return words(text)

    return counter


def test_over_two_thousand_messages(calls):
    messages = history(500)
    assert len(messages) == 2_001
    sums, fitted, found = session(messages, calls)
    cuts = found["summaries"]
    assert cuts > 100
    assert set(sums.told.values()) == {1}
    gone = [row.index for row in fitted.decisions if row.action == "summarised"]
    assert {int(mark[1:]) for mark in sums.behind(fitted.summary)} == set(gone)
    assert found["messages told"] == len(gone)
    assert found["_feed"] == len(gone)
    assert found["words of older notes"] == 2 * (cuts - 1)
    assert found["put"] == 2 * cuts
    assert found["claim"] == cuts
    assert found["get"] <= 5 * cuts


GROWING = (
    "weigh",
    "read",
    "_feed",
    "get",
    "put",
    "claim",
    "summaries",
    "messages told",
    "words told",
    "words counted",
)


@pytest.mark.parametrize("ahead", [None, 0.8])
def test_twice_the_messages_twice_the_work(calls, ahead):
    """From 500 messages on, double the messages at most double what is asked of anybody."""
    counts = [session(history(turns), calls)[2] for turns in (125, 250, 500)]
    for name in GROWING:
        small, middle, large = (count[name] for count in counts)
        assert small > 0, name
        assert middle - small <= 1.1 * small + 20, name
        assert large - middle <= 1.1 * (middle - small) * 2 + 20, name


def test_a_server_that_remembers_nothing(calls):
    """`fit` on the whole history at every turn: digests are made again, nobody is asked again."""
    messages = history(100)
    sums = Sums(calls)
    store = Counted(calls)
    for size in range(1, len(messages) + 1):
        if messages[size - 1]["role"] in ("user", "tool"):
            chosen = policy(sums, store)  # as in a new process
            before = calls["get"]
            fit(messages[:size], BUDGET, format=FORMAT, counter=words, policy=chosen)
            assert calls["get"] - before <= 6
    assert set(sums.told.values()) == {1}


def test_one_fit_is_linear_in_the_history(calls):
    counts = []
    for turns in (125, 250, 500):
        calls.clear()
        fit(history(turns), BUDGET, format=FORMAT, counter=tallied(calls),
            policy=policy(Sums(calls), Counted(calls)))
        counts.append(Counter(calls))
    for name in ("weigh", "read", "_feed", "words counted", "words told"):
        small, middle, large = (count[name] for count in counts)
        assert 0 < middle <= 2.1 * small, name
        assert large <= 2.1 * middle, name
    assert [count["summaries"] for count in counts] == [1, 1, 1]
    # the keys of all cuts are looked for once, since none of them is there
    assert counts[2]["get"] <= 2.1 * counts[1]["get"]


def test_a_provider_that_is_down_is_asked_once_a_cut(calls):
    """What waits is told again at the next cut; no fit in between asks anybody."""

    class Down(Sums):
        def __call__(self, ask):
            super().__call__(ask)
            raise OSError

    sums = Down(calls)
    chosen = policy(sums, Counted(calls))
    chat, cuts = Conversation(BUDGET, format=FORMAT, counter=words, policy=chosen), set()
    for message in history(60):
        chat.append(message)
        if message["role"] in ("user", "tool"):
            for _ in range(3):
                fitted = chat.fit()
            cuts.add(fitted.cut_at)
    assert calls["summaries"] <= len(cuts - {None})
