"""One of many processes: python worker.py TASK KIND, the rest by the environment."""

from __future__ import annotations

import os
import sys
import time

from stores.kinds import Place

KEYS = 25


def say(*words):
    print(*words, flush=True)


def write(store):
    """Puts, each acknowledged on its own line."""
    for number in range(1000):
        store.put(f"key {number}", f"value {number} " * 20)
        say(number)


def race(store):
    """Make each value once, as a driver of summaries does."""
    me = f"{os.getpid()}"
    for number in range(KEYS):
        key = f"key {number}"
        while (record := store.get(key)) is None:
            if store.claim(key, me, 60):
                say("made", key)
                time.sleep(0.005)
                store.put(key, me)
                store.release(key, me)
            else:
                time.sleep(0.001)
        say("got", key, record.value)


def put(store):
    for number in range(KEYS):
        say("got", number, store.put(f"key {number}", f"{os.getpid()}").value)


def claim(store):
    for number in range(KEYS):
        if store.claim(f"key {number}", f"{os.getpid()}", 60):
            say("claimed", number)


def hold(store):
    """Claim and never come to an end."""
    assert store.claim("key", f"{os.getpid()}", 600)
    say("claimed")
    sys.stdin.read()


if __name__ == "__main__":
    task, kind = sys.argv[1:]
    place = Place(kind, os.environ["ADDRESS"], os.environ["NAMESPACE"])
    with place.store(timeout=30) as store:
        say("ready")
        sys.stdin.readline()
        globals()[task](store)
        say("done")
