"""One of many processes that fit the same history: python worker.py TASK KIND LEASE."""

from __future__ import annotations

import hashlib
import os
import sys
import time

from stores.kinds import Place
from summary.marked import by_fit, history, policy, written

TURNS = 24


class Slow:
    """Says when it is asked, and takes its time; the answer is made of what it was told."""

    name = "slow"

    def __init__(self, hangs=False):
        self.hangs = hangs

    def __call__(self, ask):
        text = "\n".join([ask.previous or "", *(one.text for one in ask.said)])
        print("asked", flush=True)
        if self.hangs:
            sys.stdin.read()
        time.sleep(0.3)
        return f"digest {digest(text)}"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def main():
    task, kind, lease = sys.argv[1:]
    place = Place(kind, os.environ["ADDRESS"], os.environ["NAMESPACE"])
    with place.store(timeout=30) as store:
        fitted = by_fit(policy(Slow(task == "hang"), store, lease=float(lease)))
        print("ready", flush=True)
        sys.stdin.readline()
        one = fitted(history(TURNS))
        print("sent", digest(written([one.messages, one.warnings, one.to_dict()])), flush=True)


if __name__ == "__main__":
    main()
