"""Stores that are shared: one after the other, by threads, by forked children."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from trimtab.stores import sqlite as sqlite_store

TESTS = str(Path(__file__).parents[1])


def test_records_outlive_the_store(shared_place):
    with shared_place.store() as store:
        record = store.put("key", "value")
    with shared_place.store() as store:
        assert store.get("key") == record


def test_threads_share_a_store(place):
    with place.store() as store, ThreadPoolExecutor(8) as pool:
        gate = threading.Barrier(8)

        def race(who):
            gate.wait()
            claimed = [store.claim(f"claim {n}", f"{who}", 60) for n in range(10)]
            return claimed, [store.put(f"key {n}", f"{who}") for n in range(10)]

        raced = list(pool.map(race, range(8)))
        for n in range(10):
            assert sum(claimed[n] for claimed, _ in raced) == 1
            assert len({records[n] for _, records in raced}) == 1


# What must not be the parent's; Redis' client sees to that itself.
INNER = {"memory": "_lock", "sqlite": "_connection", "postgres": "_pool"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_parent_and_forked_child_go_on(place):
    with place.store() as store:
        store.put("before", "parent")
        held = getattr(store, "_lock", None)
        inner = INNER.get(place.kind, "_client")
        parents = getattr(store, inner)
        if held is not None:
            held.acquire()  # as another thread may
        child = os.fork()
        if child == 0:
            code = 1
            try:
                threading.Timer(20, os._exit, (2,)).start()
                assert store.get("before").value == "parent"
                store.put("child", "child")
                assert inner == "_client" or getattr(store, inner) is not parents
                assert store.get("child").value == "child"
                store.close()
                code = 0
            finally:
                os._exit(code)
        if held is not None:
            held.release()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert store.get("before").value == "parent"
        assert store.put("after", "parent").value == "parent"
        if place.kind != "memory":
            assert store.get("child").value == "child"


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda store: store.claim("key", "late", 60), False),
        (lambda store: store.put("key", "late").value, "early"),
    ],
    ids=["claim", "put"],
)
@pytest.mark.parametrize("early", ["claim", "put"])
def test_another_writes_between_looking_and_writing(tmp_path, monkeypatch, ask, expected, early):
    path = tmp_path / "file.db"
    wait = sqlite_store._writing
    with sqlite_store.SQLiteStore(path) as store, sqlite_store.SQLiteStore(path) as other:
        store.get("opens it"), other.get("opens it")

        def writing(connection):
            monkeypatch.setattr(sqlite_store, "_writing", wait)
            other.claim("key", "early", 60)
            if early == "put":
                other.put("key", "early")
            return wait(connection)

        monkeypatch.setattr(sqlite_store, "_writing", writing)
        if early == "claim" and expected == "early":
            expected = "late"  # a claim does not keep another from putting
        assert ask(store) == expected


LEFT_OPEN = """
import os, sys
from stores.kinds import Place
store = Place(*sys.argv[1:]).store()
store.put("key", "parent")
{fork}
print(store.put("other", "parent").value, store.get("key").value)
"""
FORKED = """
child = os.fork()
if child == 0:
    assert store.get("key").value == "parent"
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize("fork", ["", FORKED], ids=["alone", "forked"])
def test_processes_end_well_that_close_nothing(place, fork):
    code = LEFT_OPEN.format(fork=fork)
    paths = os.pathsep.join(filter(None, [TESTS, os.environ.get("PYTHONPATH")]))
    said = subprocess.run(
        [sys.executable, "-c", code, place.kind, place.address, place.namespace],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (said.stdout, said.stderr, said.returncode) == ("parent parent\n", "", 0)
