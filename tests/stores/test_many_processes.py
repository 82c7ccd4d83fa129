"""Processes that race, that start together, and that are killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from stores.worker import KEYS

RACERS = 8
WORKER = Path(__file__).with_name("worker.py")


class Worker:
    def __init__(self, task, place):
        paths = [str(WORKER.parents[1]), os.environ.get("PYTHONPATH", "")]
        names = {"ADDRESS": place.address, "NAMESPACE": place.namespace}
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), task, place.kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **names, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )

    def lines(self):
        for line in self.process.stdout:
            yield line.split()

    def ready(self):
        assert next(self.lines()) == ["ready"]

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self):
        said = list(self.lines())
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        return said


def raced(task, place, processes=RACERS):
    workers = [Worker(task, place) for _ in range(processes)]
    for worker in workers:
        worker.ready()
    for worker in workers:
        worker.go()
    said = [worker.end() for worker in workers]
    assert [lines[-1] for lines in said] == [["done"]] * processes
    return [line for lines in said for line in lines]


@pytest.mark.parametrize("dead", [False, True], ids=["new", "claimed by the dead"])
def test_a_value_is_made_once_and_all_get_it(shared_place, dead):
    """Where nothing is there, the workers race for the migrations too."""
    if dead:
        with shared_place.store() as store:
            assert all(store.claim(f"key {n}", "dead", 1.5) for n in range(0, KEYS, 2))
    said = raced("race", shared_place)
    made = Counter(line[2] for line in said if line[0] == "made")
    got = {tuple(line[1:]) for line in said if line[0] == "got"}
    assert made == {str(number): 1 for number in range(KEYS)}
    assert len(got) == KEYS
    assert len([line for line in said if line[0] == "got"]) == RACERS * KEYS


def test_one_put_wins(shared_place):
    said = raced("put", shared_place)
    assert len({tuple(line) for line in said if line[0] == "got"}) == KEYS


def test_one_claim_wins(shared_place):
    claimed = Counter(line[1] for line in raced("claim", shared_place) if line[0] == "claimed")
    assert claimed == {str(number): 1 for number in range(KEYS)}


def test_the_claim_of_a_killed_process_ends(shared_place):
    worker = Worker("hold", shared_place)
    worker.ready()
    worker.go()
    assert next(worker.lines()) == ["claimed"]
    worker.process.kill()
    worker.end()
    with shared_place.store() as store:
        assert not store.claim("key", "next", 60)
    with shared_place.store(clock=lambda: time.time() + 601) as later:
        assert later.claim("key", "next", 60)
        assert not later.claim("key", "another", 60)


def killed_amid_writes(place, kill, after=400):
    """What was acknowledged by a process before the writing ended."""
    worker = Worker("write", place)
    worker.ready()
    worker.go()
    acknowledged = []
    for line in worker.lines():
        acknowledged += line
        if len(acknowledged) == after:
            kill(worker)
    worker.end()
    assert after <= len(acknowledged) < 1000
    return [int(number) for number in acknowledged]


def all_are_there(place, numbers):
    with place.store() as store:
        for number in numbers:
            assert store.get(f"key {number}").value == f"value {number} " * 20
        assert store.put("still", "works").value == "works"


@pytest.mark.parametrize("after", [1, 400, 700])
def test_a_killed_process_loses_nothing_acknowledged(shared_place, after):
    numbers = killed_amid_writes(shared_place, lambda worker: worker.process.kill(), after)
    all_are_there(shared_place, numbers)


@pytest.mark.parametrize("kind", ["postgres", "redis"])
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_killed_server_loses_nothing_acknowledged(kind, place_of, request):
    """Redis too, for the test's server writes each command to disk."""
    place, server = place_of(kind), request.getfixturevalue(f"{kind}_server")
    try:
        numbers = killed_amid_writes(place, lambda worker: server.kill())
    finally:
        server.start()
    all_are_there(place, numbers)
