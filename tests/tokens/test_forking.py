"""A child that is forked while threads count can count too."""

from __future__ import annotations

import os
import threading

import pytest
from trimtab.tokens.encodings import encoding
from trimtab.tokens.memo import Memo

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def in_child(work) -> bool:
    """Run ``work`` in a forked child; False if it raised or was stuck."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            timer = threading.Timer(20, os._exit, (2,))
            timer.daemon = True
            timer.start()
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_lock_that_is_held_while_forking_is_free_in_the_child():
    memo = Memo()
    with memo._lock:
        assert in_child(lambda: memo.put("key", 1, 10))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_counting_goes_on_in_a_child_while_threads_count():
    counter = encoding("o200k_base")
    counter.count("load")
    stop = threading.Event()

    def busy(name):
        number = 0
        while not stop.is_set():
            number += 1
            counter.count(f"thread {name} text {number}")

    threads = [threading.Thread(target=busy, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    try:
        for n in range(10):
            assert in_child(lambda n=n: counter.count(f"child {n} " * 9))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
