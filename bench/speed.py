"""Counting, in one run: every engine and peer over the same texts, threads, and one fit.

MB are 10^6 bytes of UTF-8. CPU time, best of the runs, as every disturbance only adds;
wall time for the threads. Cold is an empty memo. The floor of a fit is the tokenising of
the texts it keeps, once, with the same engine, and a bare loop over the list.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
sys.path.insert(0, str(Path(__file__).parent))

from history import fresh, history
from measure import cpu
from rich.console import Console
from rich.table import Table
from texts import message_texts, strings

from trimtab import fit
from trimtab.tokens.encodings import EncodingCounter
from trimtab.tokens.engines import Engine, Tiktoken
from trimtab.tokens.fast import Toktok, installed
from trimtab.tokens.memo import Memo
from trimtab.tokens.vocabulary import O200K, load

console = Console(width=118)
ENCODING = "o200k_base"
ROUNDS = 5
PLAIN = load(O200K)


def engines() -> list[Engine]:
    """Those that are installed, with their vocabularies loaded."""
    exact = Tiktoken(O200K)
    exact.count("load")
    if not installed():
        return [exact]
    quick = Toktok(ENCODING, exact.count)
    quick.count("load")
    return [exact, quick]


def empty(engine: Engine) -> EncodingCounter:
    """A counter that remembers nothing."""
    return EncodingCounter(ENCODING, engine, Memo(), Memo())


def each(count: Callable[[str], Any]) -> Callable[[list[str]], Any]:
    """Count one text after the other."""
    return lambda texts: [count(text) for text in texts]


def counting(megabytes: float) -> None:
    """MB/s of every way to count the same texts."""
    texts, source = message_texts(megabytes)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    tokens = sum(empty(engines()[0]).count_many(texts))
    table = Table("counter", "MB/s", "M tokens/s", "times tiktoken alone", "its total is off by")
    base = 0.0
    for name, count, prepare, total in ways(texts):
        best = cpu(count, prepare, runs=3).best
        base = base or best
        off = "nothing" if total == tokens else f"{total / tokens - 1:+.2%}"
        rate = f"{size / best:,.1f}", f"{tokens / best / 1e6:,.1f}", f"{base / best:,.1f}x"
        table.add_row(name, *rate, off)
    console.print(f"{len(texts):,} distinct texts of {source}, {size:.1f} MB, {tokens:,} tokens ({ENCODING})")
    console.print(table)


def ways(texts: list[str]) -> list[tuple[str, Any, Any, int]]:
    """Name, what is timed, what is prepared for it, and the tokens that it finds in all."""
    as_they_are = lambda: texts  # noqa: E731
    alone = each(lambda text: len(PLAIN.encode_ordinary(text)))
    made: list[tuple[str, Any, Any, int]] = [("tiktoken alone", alone, as_they_are, sum(alone(texts)))]
    if installed():
        import toktok

        one = each(lambda text: toktok.truncate(text, 2**40, ENCODING)[1])
        batch = lambda texts: toktok.batch_count(texts, ENCODING, 1)  # noqa: E731
        made.append(("toktok alone, one by one", one, as_they_are, sum(one(texts))))
        made.append(("toktok alone, a batch", batch, as_they_are, sum(batch(texts))))
    for engine in engines():
        warm = empty(engine)
        total = sum(warm.count_many(texts))
        cold = lambda engine=engine: empty(engine)  # noqa: E731
        made += [
            (f"trimtab, {engine.name}, count, cold", lambda c: each(c.count)(texts), cold, total),
            (f"trimtab, {engine.name}, count_many, cold", lambda c: c.count_many(texts), cold, total),
            (f"trimtab, {engine.name}, count, warm", each(warm.count), as_they_are, total),
            (f"trimtab, {engine.name}, count_many, warm", warm.count_many, as_they_are, total),
        ]
    return made + peers(texts)


def peers(texts: list[str]) -> list[tuple[str, Any, Any, int]]:
    """The token counters of langchain-core and litellm, where they are installed."""
    try:
        import litellm
        from langchain_core.messages import HumanMessage
        from langchain_core.messages.utils import count_tokens_approximately
    except ImportError:
        return []
    lite = each(lambda text: litellm.token_counter(model="gpt-4o", text=text))
    messages = [HumanMessage(text) for text in texts]
    roughly = each(lambda message: count_tokens_approximately([message]))
    return [
        ("litellm token_counter", lite, lambda: texts, sum(lite(texts))),
        ("langchain-core count_tokens_approximately", roughly, lambda: messages, sum(roughly(messages))),
    ]


def threads(megabytes: float) -> None:
    """Wall time of workers that share the texts: threads with one cold counter, and processes.

    What as many processes reach is what the machine had to give at that moment.
    """
    texts, _ = message_texts(megabytes)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    table = Table("engine, cold", "1 thread", "2", "4", "2 : 1", "4 : 1", "2 processes : 1", "4 processes : 1")
    for engine in engines():
        for how in ("count", "count_many"):
            best = dict.fromkeys([(pool, workers) for pool in (thread_pool, forked_pool) for workers in (1, 2, 4)], 9e9)
            for _ in range(ROUNDS):  # in turn, so that a busy moment meets all of them
                for pool, workers in best:
                    best[pool, workers] = min(best[pool, workers], shared(pool, engine, texts, workers, how))
            rates = [f"{size / best[thread_pool, workers]:,.0f} MB/s" for workers in (1, 2, 4)]
            gains = [f"{best[pool, 1] / best[pool, n]:.2f}x" for pool in (thread_pool, forked_pool) for n in (2, 4)]
            table.add_row(f"{engine.name}, {how}", *rates, *gains)
    console.print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: {size:.0f} MB shared by workers")
    console.print(table)


def thread_pool(workers: int) -> Executor:
    """Threads of this process."""
    return ThreadPoolExecutor(workers)


def forked_pool(workers: int) -> Executor:
    """Processes, which have the vocabulary and the texts already."""
    return ProcessPoolExecutor(workers, get_context("fork"))


def shared(make: Callable[[int], Executor], engine: Engine, texts: list[str], workers: int, how: str) -> float:
    """Seconds until every text is counted."""
    global work
    counter = empty(engine)
    count = counter.count_many if how == "count_many" else each(counter.count)
    work = lambda worker: sum(count(texts[worker::workers]))  # noqa: E731
    with make(workers) as pool:
        list(pool.map(time.sleep, [0.02] * workers))  # all of them have begun
        started = time.perf_counter()
        list(pool.map(worked, range(workers)))
        return time.perf_counter() - started


def worked(worker: int) -> int:
    """The share of one worker; by its name a process finds what it inherited."""
    return work(worker)


def fits() -> None:
    """One fit against its floor."""
    table = Table("engine", "messages", "budget", "kept", "floor", "cold", "cold : floor", "warm", "warm a message")
    for engine in engines():
        for size, budget in ((500, 8_000), (500, 64_000), (2_000, 8_000), (2_000, 64_000), (4_000, 128_000)):
            messages = history(size)
            kept = fit(messages, budget).messages
            texts = list(strings(kept))
            floor = cpu(lambda _, t=texts, m=messages: bare(engine, t, m), runs=9).best
            cold = cpu(lambda c, m=messages: fit(m, budget, counter=c), lambda: empty(engine), runs=9).best
            same = empty(engine)
            fit(messages, budget, counter=same)
            warm = cpu(lambda _, m=messages: fit(m, budget, counter=same), runs=15).best
            table.add_row(
                engine.name, f"{size:,}", f"{budget:,}", f"{len(kept)}", f"{floor * 1e3:.2f} ms",
                f"{cold * 1e3:.2f} ms", f"{cold / floor:.2f}x", f"{warm * 1e3:.2f} ms",
                f"{warm / size * 1e6:.2f} us",
            )  # fmt: skip
    console.print(table)


def bare(engine: Engine, texts: list[str], messages: list[Any]) -> None:
    """The least a fit must do."""
    for text in texts:
        engine.count(text)
    for _ in messages:
        pass


if __name__ == "__main__":
    if "--threads" in sys.argv:
        threads(16)
        sys.exit()
    counting(float(sys.argv[1]) if len(sys.argv) > 1 else 8)
    threads(16)
    fits()
