"""A summary that is made in the background, before the cut comes that needs it."""

from __future__ import annotations

import asyncio
import threading

import pytest
from summary.marked import (
    BUDGET,
    FORMAT,
    Notes,
    dropped,
    grows,
    history,
    is_whole,
    policy,
    prefixes,
    settle,
    words,
    written,
)
from trimtab import Conversation, SummaryError, afit, fit
from trimtab.stores import MemoryStore

AHEAD = 0.8


class Gate(Notes):
    """Sums up when it may; knows how many are at it at once, and tells when it is done."""

    def __init__(self, open=True):
        super().__init__()
        self.may, self.asked, self.left = threading.Event(), threading.Event(), threading.Event()
        self.going = self.most = 0
        self.fails = False
        self.events = []
        if open:
            self.may.set()

    def __call__(self, ask):
        self.going += 1
        self.most = max(self.most, self.going)
        self.events.append("asked")
        self.asked.set()
        try:
            assert self.may.wait(30)
            if self.fails:
                raise OSError
            return super().__call__(ask)
        finally:
            self.events.append("answered")
            self.going -= 1


class Watched(MemoryStore):
    """A store that tells when a summary is put, and when somebody lets go."""

    def __init__(self):
        super().__init__()
        self.let_go = threading.Semaphore(0)

    def release(self, key, holder):
        released = super().release(key, holder)
        self.let_go.release()
        return released


def places(messages):
    """The first prefix above the threshold, and the first that is cut."""
    early = next(p for p in prefixes(messages) if whole(p) > AHEAD * BUDGET)
    late = next(p for p in prefixes(messages) if whole(p) > BUDGET)
    assert len(early) < len(late)
    return early, late


def whole(messages):
    return fit(messages, 10**6, format=FORMAT, counter=words).used


def stateless(chosen):
    return lambda given: fit(given, BUDGET, format=FORMAT, counter=words, policy=chosen)


def incremental(chosen):
    chat = Conversation(BUDGET, format=FORMAT, counter=words, policy=chosen)

    def fitted(given):
        chat.extend(given[len(chat.messages) :])
        return chat.fit()

    return fitted


MAKES = pytest.mark.parametrize("make", [stateless, incremental])


@MAKES
def test_it_is_made_at_the_threshold_and_used_at_the_cut(make):
    notes, store, messages = Gate(), Watched(), history(24)
    early, late = places(messages)
    fitted = make(policy(notes, store, ahead=AHEAD))
    for given in prefixes(messages):
        if len(given) >= len(early):
            break
        fitted(given)
        assert not notes.asked.is_set()
    one = fitted(early)
    assert one.dropped == []
    assert one.warnings == []
    assert one.summary is None
    assert store.let_go.acquire(timeout=30)  # the background is done
    assert notes.calls == 1
    two = fitted(late)
    assert notes.calls == 1
    assert two.summary == "summary s1"
    is_whole(two, late, notes)
    assert dropped(two) == []
    assert two.warnings == []
    told = {int(mark[1:]) for mark in notes.told}
    assert told == set(two.dropped)  # the cut fell where it was settled


@MAKES
def test_a_fit_at_the_threshold_does_not_wait(make):
    """It comes back while the summariser is still at it; the cut then waits for that one."""
    notes, store, messages = Gate(open=False), Watched(), history(24)
    early, late = places(messages)
    fitted = make(policy(notes, store, ahead=AHEAD))
    fitted(early)
    notes.events.append("fitted")
    assert notes.asked.wait(30)
    assert "answered" not in notes.events
    for given in prefixes(messages):  # again and again, and with more
        if len(early) <= len(given) < len(late):
            fitted(given)
            fitted(given)
    assert (notes.events.count("asked"), notes.calls) == (1, 0)
    opening = Opening(store, notes.may)
    one = make(policy(notes, opening, ahead=AHEAD))(late)
    assert notes.calls == 1
    assert notes.most == 1
    assert one.summary == "summary s1"
    assert one.warnings == []


class Opening:
    """A store at which a caller is kept waiting, which lets the other one go on."""

    def __init__(self, store, may):
        self.store, self.may = store, may

    def __getattr__(self, name):
        return getattr(self.store, name)

    def claim(self, key, holder, seconds):
        granted = self.store.claim(key, holder, seconds)
        if not granted:
            self.may.set()
        return granted


@MAKES
def test_what_fails_in_the_background_is_tried_again_at_the_cut(make):
    notes, store, messages = Gate(), Watched(), history(24)
    early, late = places(messages)
    fitted = make(policy(notes, store, ahead=AHEAD))
    notes.fails = True
    one = fitted(early)
    assert store.let_go.acquire(timeout=30)
    assert one.warnings == []
    assert notes.events == ["asked", "answered"]
    assert fitted(early).warnings == []
    assert notes.events == ["asked", "answered"]  # not again before the cut
    notes.fails = False
    two = fitted(late)
    assert two.summary == "summary s1"
    assert dropped(two) == []
    assert two.warnings == []
    assert notes.events == ["asked", "answered"] * 2


@MAKES
def test_a_strict_policy_says_at_the_cut_what_failed(make):
    notes, store, messages = Gate(), Watched(), history(24)
    early, late = places(messages)
    fitted = make(policy(notes, store, ahead=AHEAD, strict=True))
    notes.fails = True
    fitted(early)
    assert store.let_go.acquire(timeout=30)
    with pytest.raises(SummaryError):
        fitted(late)


@MAKES
def test_a_history_that_jumps_past_both(make):
    """Nothing was settled before: one call, at the cut, and nobody beside it."""
    notes, store, messages = Gate(), Watched(), history(24)
    early, _ = places(messages)
    before = next(p for p in reversed(list(prefixes(messages))) if len(p) < len(early) - 3)
    given = [*before, {"role": "assistant", "content": "m0"}]
    given.append({"role": "user", "content": "m0 " + "and on " * 90})
    fitted = make(policy(notes, store, ahead=AHEAD))
    fitted(before)
    assert not notes.asked.is_set()
    one = fitted(given)
    assert one.cut_at == len(given) - 1
    assert one.summary == "summary s1"
    assert notes.calls == 1
    assert notes.most == 1
    assert dropped(one) == []


@MAKES
@pytest.mark.parametrize("ahead", [0.55, 0.6, 0.7, 0.8, 0.95])
def test_over_a_session_each_message_is_told_once(make, ahead):
    """And every worker that shares the store, in the background or not, sends the same."""
    notes, store, messages = Gate(), Watched(), history(60)
    fitted, other = (make(policy(notes, store, ahead=ahead)) for _ in range(2))
    last, cuts = None, 0
    for given in prefixes(messages):
        one = fitted(given)
        settle()
        assert written(other(given).messages) == written(one.messages)
        settle()
        is_whole(one, given, notes)
        assert dropped(one) == []
        if last is not None and not grows(last, one):
            cuts += 1
            assert one.cut_at >= len(last.source)
        last = one
    assert cuts >= 4
    assert cuts <= notes.calls <= cuts + 1  # one may be ahead
    assert notes.most == 1
    assert max(notes.told.values()) == 1


def test_the_cut_of_a_fit_is_that_of_any_other_way():
    """Where a cut was settled is a function of the prefix: a worker that begins there agrees."""
    messages, chosen = history(40), policy(Notes(), ahead=0.7)
    chat = incremental(chosen)
    for given in prefixes(messages):
        one, two = chat(given), stateless(policy(Notes(), ahead=0.7))(given)
        settle()
        assert (one.dropped, one.cut_at) == (two.dropped, two.cut_at)


class Task:
    """An asynchronous summariser that waits until it may."""

    name = "task"

    def __init__(self, notes):
        self.notes, self.may, self.asked = notes, asyncio.Event(), asyncio.Event()
        self.going = self.most = 0

    async def __call__(self, ask):
        self.going += 1
        self.most = max(self.most, self.going)
        self.asked.set()
        try:
            await self.may.wait()
            return self.notes(ask)
        finally:
            self.going -= 1


@pytest.mark.parametrize("fails", [False, True])
def test_awaited_it_is_a_task(fails):
    messages = history(24)
    early, late = places(messages)

    async def main():
        notes = Gate()
        task = Task(notes)
        options = {"format": FORMAT, "counter": words}
        chosen = policy(task, ahead=AHEAD)
        one = await afit(early, BUDGET, policy=chosen, **options)
        assert one.dropped == []
        assert notes.calls == 0
        await task.asked.wait()  # the fit was over before
        again = await afit(early, BUDGET, policy=chosen, **options)
        assert written(again.messages) == written(one.messages)
        notes.fails = fails
        if fails:  # it fails while nobody waits; the cut makes it then
            task.may.set()
            while task.going:
                await asyncio.sleep(0)
            for _ in range(200):
                await asyncio.sleep(0.001)
                if not others():
                    break
            assert not others()
            notes.fails = False
            two = await afit(late, BUDGET, policy=chosen, **options)
        else:
            waiting = asyncio.create_task(afit(late, BUDGET, policy=chosen, **options))
            for _ in range(20):
                await asyncio.sleep(0.001)
            assert not waiting.done()
            task.may.set()
            two = await waiting
        assert task.most == 1
        assert notes.calls == 1
        assert two.summary == "summary s1"
        assert two.warnings == []
        is_whole(two, late, notes)
        assert dropped(two) == []

    asyncio.run(main())


def others():
    return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def test_a_loop_that_ends_lets_go_of_what_was_in_the_background():
    """The next caller need not wait for its lease."""
    messages, store = history(24), MemoryStore()
    early, late = places(messages)
    notes = Notes()

    async def main():
        task = Task(notes)
        chosen = policy(task, store, ahead=AHEAD)
        await afit(early, BUDGET, format=FORMAT, counter=words, policy=chosen)
        await task.asked.wait()

    asyncio.run(main())

    async def works(ask):
        return notes(ask)

    works.name = "task"

    async def after():
        chosen = policy(works, store, ahead=AHEAD)
        return await afit(late, BUDGET, format=FORMAT, counter=words, policy=chosen)

    one = asyncio.run(after())
    assert one.summary == "summary s1"
    assert notes.calls == 1
    assert one.warnings == []


def test_nothing_but_the_settled_cut_is_told_ahead():
    notes, store, messages = Gate(), Watched(), history(24)
    early, _ = places(messages)
    stateless(policy(notes, store, ahead=AHEAD))(early)
    assert store.let_go.acquire(timeout=30)
    told = {int(mark[1:]) for mark in notes.told}
    assert 1 in told
    assert max(told) < len(early) - 1
