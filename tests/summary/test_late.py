"""Law 9 where a provider fails: what went out stays until the next cut, for all workers."""

from __future__ import annotations

import asyncio
import threading

import pytest
from summary.marked import (
    MARK,
    WAYS,
    Notes,
    by_fit,
    dropped,
    grows,
    history,
    is_whole,
    policy,
    prefixes,
    written,
)
from trimtab.stores import MemoryStore


class Failing:
    name = Notes.name

    def __init__(self, kind=OSError):
        self.calls, self.kind = 0, kind

    def __call__(self, ask):
        self.calls += 1
        raise self.kind


def at_cuts(messages, number):
    """The prefixes up to the cut of that number, and those from there to the next."""
    before, after, last, cuts = [], [], None, 0
    fitted = by_fit(policy(Notes()))
    for given in prefixes(messages):
        one = fitted(given)
        cuts += last is not None and not grows(last, one)
        if cuts > number:
            return before, after, given
        (before if cuts < number else after).append(given)
        last = one
    raise AssertionError


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("late", list(WAYS))
def test_a_late_summary_waits_for_the_next_cut(way, late):
    """Another worker, which knows nothing of the cut that failed, could make the summary now."""
    store, notes = MemoryStore(), Notes()
    before, after, following = at_cuts(history(30), 2)
    works = by_fit(policy(notes, store))
    for given in before:
        works(given)
    sent = by_fit(policy(Failing(), store))(after[0])
    assert sent.warnings
    calls = notes.calls
    other = WAYS[late](policy(notes, store))
    put_by_hand(store, after[0], notes)
    for worker in (other, WAYS[way](policy(notes, store))):
        last, late_used = sent, False
        for given in after:
            one = worker(given)
            is_whole(one, given, notes)
            if not grows(last, one):  # no more room for what stayed as it was: a cut, and said
                assert one.cut_at >= len(last.source)
                late_used = True
            assert one.summary == (f"summary s{calls + 1}" if late_used else sent.summary)
            last = one
    assert notes.calls == calls + 1  # by hand
    new = other(following)
    assert not grows(last, new)
    assert dropped(new) == []
    assert notes.calls == calls + 2
    assert new.summary == f"summary s{notes.calls}"
    assert max(notes.told.values()) == 1  # the late summary was built on
    assert written(by_fit(policy(notes, store))(following).messages) == written(new.messages)


def put_by_hand(store, given, notes):
    """Put the summary of a cut under its key, as a worker does whose provider was slow."""
    aside = Recording()
    by_fit(policy(Answering(notes, given, store), aside))(given)
    (key,) = [key for key in aside.made if key.startswith("summary:")]
    assert store.put(key, aside.made[key]).value == aside.made[key]


class Recording(MemoryStore):
    """Knows what was put."""

    def __init__(self):
        super().__init__()
        self.made = {}

    def put(self, key, value):
        self.made[key] = value
        return super().put(key, value)


class Answering:
    """As the notes, but built on the summaries of a store."""

    name = Notes.name

    def __init__(self, notes, given, store):
        self.notes, self.store = notes, store

    def __call__(self, ask):
        held = [one.value for one in self.store.scan() if one.key.startswith("summary:")]
        known = {mark for value in held for mark in self.notes.behind(value)}
        texts = [one.text for one in ask.said]
        new = [text for text in texts if not known & set(MARK.findall(text))]
        return self.notes.note("\n".join([*held[-1:], *new]))


def test_one_fails_and_one_succeeds_at_once():
    """The lease is over, so both are asked; whoever settles first settles for both."""
    for first in ("fails", "works"):
        store, notes = MemoryStore(), Notes()
        before, after, _ = at_cuts(history(30), 2)
        for given in before:
            by_fit(policy(notes, store))(given)
        inside, settled = threading.Barrier(2, timeout=20), threading.Event()

        class Slow:
            name = Notes.name

            def __init__(self, kind):
                self.kind = kind

            def __call__(self, ask):
                inside.wait()
                if self.kind != first:
                    assert settled.wait(20)
                if self.kind == "fails":
                    raise OSError
                return notes(ask)

        results = {}

        def worker(kind):
            chosen = policy(Slow(kind), Unheld(store), lease=60)
            results[kind] = by_fit(chosen)(after[0])
            settled.set()

        threads = [threading.Thread(target=worker, args=(kind,)) for kind in ("fails", "works")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert written(results["fails"].messages) == written(results["works"].messages)
        for one in results.values():
            is_whole(one, after[0], notes)
        assert bool(results["works"].warnings) is (first == "fails")
        third = by_fit(policy(Failing(), store))(after[0])
        assert written(third.messages) == written(results["works"].messages)


class Unheld:
    """A store whose claims are granted to everybody, as when their time was over."""

    def __init__(self, store):
        self.store = store

    def __getattr__(self, name):
        return getattr(self.store, name)

    def claim(self, key, holder, seconds):
        return True


def test_those_who_wait_do_not_ask_again_what_failed():
    """Twenty workers, one store, a provider that is down: one call, and the same bytes."""
    store = MemoryStore()
    _, after, _ = at_cuts(history(30), 1)
    waiting = threading.Semaphore(0)
    asked = []

    class Down:
        name = "down"

        def __call__(self, ask):
            asked.append(ask)
            for _ in range(19):
                assert waiting.acquire(timeout=20)
            raise OSError

    class Seen(Unheld):
        def claim(self, key, holder, seconds):
            granted = self.store.claim(key, holder, seconds)
            if not granted and threading.get_ident() not in waits:
                waits.add(threading.get_ident())
                waiting.release()
            return granted

    waits, results = set(), []

    def worker():
        results.append(by_fit(policy(Down(), Seen(store)))(after[0]))

    threads = [threading.Thread(target=worker) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    assert len({written(one.messages) for one in results}) == 1
    assert all(one.warnings for one in results)


@pytest.mark.parametrize("kind", [TimeoutError, asyncio.CancelledError, ValueError])
@pytest.mark.parametrize("way", list(WAYS))
def test_a_provider_that_never_works(way, kind):
    """Plain dropping, said at every fit; the prefix grows between cuts."""
    store, failing, last, cuts = MemoryStore(), Failing(kind), None, 0
    fitted = WAYS[way](policy(failing, store))
    for given in prefixes(history(20)):
        one = fitted(given)
        is_whole(one, given, Notes())
        assert one.summary is None
        assert bool(one.dropped) == bool(one.warnings)
        cuts += last is not None and not grows(last, one)
        last = one
    assert cuts >= 3
    assert failing.calls >= 3
