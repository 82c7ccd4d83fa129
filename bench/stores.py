"""Puts and gets per second of each store, one process, one call at a time.

    python tools/services.py run python bench/stores.py [seconds]

Without the servers only the embedded stores are measured. Values are text of 4,000
characters, about a long summary. Each figure is the median of five runs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from trimtab.stores import MemoryStore, PostgresStore, RedisStore, SQLiteStore

RUNS = 5
VALUE = "The user wants the budget held; décision: keep the newest turns. " * 62


def stores(folder):
    yield "memory", MemoryStore()
    yield "sqlite", SQLiteStore(Path(folder) / "store.db")
    if url := os.environ.get("TRIMTAB_POSTGRES"):
        yield "postgres", PostgresStore(url)
    if url := os.environ.get("TRIMTAB_REDIS"):
        yield "redis", RedisStore(url)


def rate(seconds, call):
    """Calls per second, the median of the runs, each call with a number of its own."""
    number, rates = 0, []
    for _ in range(RUNS):
        done, start = 0, perf_counter()
        while (spent := perf_counter() - start) < seconds / RUNS:
            call(number)
            number, done = number + 1, done + 1
        rates.append(done / spent)
    return median(rates), number


def turn(store, number):
    """What one summary costs: look, claim, put, release."""
    key = f"turn {number}"
    store.get(key)
    store.claim(key, "bench", 60)
    store.put(key, VALUE)
    store.release(key, "bench")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, store in stores(folder):
            with store:
                store.get("opens it")
                put, count = rate(seconds, lambda n: store.put(f"key {n}", VALUE))
                get, _ = rate(seconds, lambda n: store.get(f"key {n % count}"))
                again, _ = rate(seconds, lambda n: store.put(f"key {n % count}", VALUE))
                turns, _ = rate(seconds, lambda n: turn(store, n))
                rows[name] = put, get, again, turns
    print(f"{'store':10}{'put/s':>16}{'get/s':>16}{'second put/s':>16}{'summary/s':>16}")
    for name, figures in rows.items():
        cells = [f"{f:,.0f} ({f / own:.2f}x)" for f, own in zip(figures, rows["sqlite"])]
        print(f"{name:10}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
