"""Counting from several threads at once: right counts, and the engines let go of the GIL."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread

import pytest
from support.engines import Fed, engine_named, every_engine
from support.texts import random_texts, reference

from trimtab.tokens.encodings import EncodingCounter
from trimtab.tokens.memo import Memo

NAMES = ("o200k_base", "cl100k_base")
WORKERS = 4


def together(work: Callable[[int], object]) -> list[object]:
    """What each of the workers returns; they begin at the same moment."""
    start = Barrier(WORKERS)

    def begun(worker: int) -> object:
        start.wait()
        return work(worker)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(begun, range(WORKERS)))


@pytest.mark.parametrize("name", NAMES)
@every_engine
@pytest.mark.parametrize("limit_bytes", [64 << 20, 20_000], ids=["roomy", "narrow"])
def test_counts_are_right_in_every_thread(name: str, engine: str, limit_bytes: int) -> None:
    """One counter, the same texts in other orders, one by one and in batches."""
    texts = [*random_texts(61, 300), *("long " * n for n in (900, 20_000)), "ſ", "\ud800" * 3]
    wanted = [len(reference(name).encode_ordinary(text)) for text in texts]
    shared = engine_named(engine, name)
    counter = EncodingCounter(name, shared, Memo(limit_bytes), Memo(limit_bytes))

    def work(worker: int) -> bool:
        order = list(range(len(texts)))[:: (1, -1)[worker % 2]]
        if worker < 2:
            found = [counter.count(texts[i]) for i in order]
        else:
            found = counter.count_many(texts[i] for i in order)
        within = [counter.within(texts[i], wanted[i]) for i in order]
        return found == within == [wanted[i] for i in order]

    assert together(work) == [True] * WORKERS
    assert counter._memo.bytes <= limit_bytes


@every_engine
def test_a_text_is_tokenised_at_most_once_a_thread(engine: str) -> None:
    """Threads that meet at a new text may each tokenise it, but none does so twice."""
    fed = Fed(engine_named(engine, "cl100k_base"))
    counter = EncodingCounter("cl100k_base", fed, Memo(), Memo())
    texts = [f"text {i}" for i in range(300)]
    together(lambda _: counter.count_many(texts) and [counter.count(text) for text in texts])
    assert len(fed.texts) <= WORKERS * len(texts)
    assert set(fed.texts) == set(texts)
    assert counter._memo.entries == len(texts)


@every_engine
@pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
def test_the_gil_is_released(engine: str, many: bool) -> None:
    """While one thread tokenises a long text, another one gets to run."""
    tokeniser = engine_named(engine, "cl100k_base")
    tokeniser.count("load the vocabulary")
    texts = ["and so on " * (600_000 if engine == "toktok" else 30_000)] * 20
    before, done, ran = sys.getswitchinterval(), Event(), 0

    def tokenise() -> None:
        tokeniser.count_many(texts) if many else [tokeniser.count(text) for text in texts]
        done.set()

    thread = Thread(target=tokenise)
    sys.setswitchinterval(1000)  # from now on a thread runs until it lets go by itself
    try:
        thread.start()
        while not done.is_set():
            ran += 1
            time.sleep(0.001)
    finally:
        sys.setswitchinterval(before)
    thread.join()
    assert ran > 10  # with the GIL held, once or twice
