"""Resident memory: each encoding with each engine, and a memo that is full.

Each figure is from a process of its own (Linux).
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys

FULL = """
from trimtab.tokens.memo import LIMIT_BYTES, Memo, MemoisedCounter, entry_size
class Length(MemoisedCounter):
    def _measure(self, text): return 1000 + int(text[:9])
memo = Memo()
counter = Length(memo)
count = counter.count
before, size, most = rss(), int(sys.argv[2]), (0, 0)
for i in range(int(2.6 * LIMIT_BYTES / entry_size("x" * size))):
    count(f"{i:09}" + "x" * (size - 9))
    if i % 50 == 0:
        most = max(most, (memo.bytes, memo.entries))
print(f"{most[1]:,} entries, {most[0] / 1e6:.0f} MB at most by its own count,"
      f" {peak() - before:.0f} MB more resident at most")
"""
LOADED = """
before = rss()
from trimtab.tokens.encodings import encoding
counter = encoding(sys.argv[2])
imported = rss()
counter.count("text")
loaded = rss()
for i in range(300):
    counter.count(os.urandom(50_000).hex())
print(f"import {imported - before:.0f} MB, vocabulary {loaded - imported:.0f} MB,"
      f" after 30 MB of text {rss() - loaded:.0f} MB more")
"""


def rss() -> float:
    """MB resident now."""
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak() -> float:
    """MB resident at most so far."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024 / 1e6


def row(script: str, argument: str, engine: str = "tiktoken") -> str:
    """What the script prints in a process of its own."""
    command = [sys.executable, __file__, script, argument]
    return subprocess.run(
        command, env={**os.environ, "TRIMTAB_ENGINE": engine}, check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        exec(FULL if sys.argv[1] == "full" else LOADED)
    else:
        for encoding in ("o200k_base", "cl100k_base"):
            for engine in ("tiktoken", "toktok"):
                print(f"{encoding}, {engine}: {row('loaded', encoding, engine)}")
        for size in (20, 100, 1_000, 20_000):
            print(f"memo of texts of {size:,} characters: {row('full', str(size))}")
