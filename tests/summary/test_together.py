"""Many callers at once cause one call and send the same bytes, also where one of them dies."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from summary.marked import Notes, by_conversation, by_fit, history, policy, written
from summary.worker import TURNS
from trimtab import afit

WORKER = Path(__file__).with_name("worker.py")
KINDS = ["memory", "sqlite", "postgres", "redis"]


class Slow(Notes):
    """Answers when all that should wait for it do."""

    def __init__(self, waiting, others):
        super().__init__()
        self.waiting, self.others = waiting, others

    def __call__(self, ask):
        for _ in range(self.others):
            assert self.waiting.acquire(timeout=30)
        return super().__call__(ask)


class Counting:
    """A store that counts whom it keeps waiting."""

    def __init__(self, store, waiting):
        self.store, self.waiting, self.told = store, waiting, set()

    def __getattr__(self, name):
        return getattr(self.store, name)

    def claim(self, key, holder, seconds):
        granted = self.store.claim(key, holder, seconds)
        caller = threading.get_ident()
        if not granted and caller not in self.told:
            self.told.add(caller)
            self.waiting.release()
        return granted


@pytest.mark.parametrize("make", [by_fit, by_conversation])
@pytest.mark.parametrize("kind", KINDS)
def test_twenty_threads_and_one_call(place_of, kind, make):
    """Each with settings of its own, as in as many processes."""
    given, results, waiting = history(TURNS), [], threading.Semaphore(0)
    with place_of(kind).store() as store:
        notes, counting = Slow(waiting, 19), Counting(store, waiting)

        def worker():
            results.append(make(policy(notes, counting))(given))

        threads = [threading.Thread(target=worker) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert notes.calls == 1
    assert len(results) == 20
    assert len({written([one.messages, one.to_dict()]) for one in results}) == 1
    assert results[0].summary == "summary s1"


def test_twenty_threads_that_share_the_settings():
    given, results, begun = history(TURNS), [], threading.Barrier(20, timeout=30)
    notes = Notes()
    chosen = policy(notes)

    def worker():
        begun.wait()
        results.append(by_fit(chosen)(given))

    threads = [threading.Thread(target=worker) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert notes.calls == 1
    assert len({written([one.messages, one.to_dict()]) for one in results}) == 1


def test_twenty_tasks_and_one_call():
    given, notes = history(TURNS), Notes()
    chosen, going = policy(notes), 0

    async def slow(ask):
        nonlocal going
        going += 1
        assert going == 1
        for _ in range(50):
            await asyncio.sleep(0)
        going -= 1
        return notes(ask)

    slow.name = "slow"
    chosen = policy(slow)

    async def main():
        options = {"format": "openai-chat", "policy": chosen, "counter": lambda t: len(t.split())}
        return await asyncio.gather(*(afit(given, 320, **options) for _ in range(20)))

    results = asyncio.run(main())
    assert notes.calls == 1
    assert len({written([one.messages, one.to_dict()]) for one in results}) == 1


class Worker:
    def __init__(self, place, task="fit", lease=60.0):
        paths = [str(WORKER.parents[1]), os.environ.get("PYTHONPATH", "")]
        names = {"ADDRESS": place.address, "NAMESPACE": place.namespace}
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), task, place.kind, str(lease)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **names, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )

    def says(self):
        return self.process.stdout.readline().split()

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self):
        said = [line.split() for line in self.process.stdout]
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        return said


def start(*workers):
    for worker in workers:
        assert worker.says() == ["ready"]
    for worker in workers:
        worker.go()


def test_eight_processes_and_one_call(shared_place):
    workers = [Worker(shared_place) for _ in range(8)]
    start(*workers)
    said = [line for worker in workers for line in worker.end()]
    assert said.count(["asked"]) == 1
    sent = [line for line in said if line[0] == "sent"]
    assert len(sent) == 8
    assert len(set(map(tuple, sent))) == 1


def test_a_killed_holder_keeps_nobody_longer_than_its_lease(shared_place):
    """Those who wait go on after it; one of them makes the summary, the others use it."""
    dying = Worker(shared_place, "hang", lease=2.0)
    start(dying)
    assert dying.says() == ["asked"]
    workers = [Worker(shared_place, lease=60.0) for _ in range(3)]
    start(*workers)
    dying.process.kill()
    dying.end()
    said = [line for worker in workers for line in worker.end()]
    assert said.count(["asked"]) == 1
    sent = [line for line in said if line[0] == "sent"]
    assert len(sent) == 3
    assert len(set(map(tuple, sent))) == 1


def test_who_waits_longer_than_the_lease_falls_back(place_of):
    """A holder elsewhere that has a longer lease than ours: the older summary, and a warning."""
    given, notes = history(TURNS), Notes()
    with place_of("sqlite").store() as store:

        class Held:
            def __getattr__(self, name):
                return getattr(store, name)

            def claim(self, key, holder, seconds):
                return False

        one = by_fit(policy(notes, Held(), lease=0.05))(given)
        assert notes.calls == 0
        assert any("did not finish" in text for text in one.warnings)
        assert one.used <= one.budget
        two = by_fit(policy(notes, store))(given)
        assert written(two.messages) == written(one.messages)
        assert notes.calls == 0
