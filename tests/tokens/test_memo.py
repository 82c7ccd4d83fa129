"""The memo: bounded in bytes, recent entries stay, shared by threads."""

from __future__ import annotations

import sys
from enum import Enum
from threading import Thread

import pytest
from hypothesis import strategies as st
from support.forall import forall, sizes

from trimtab.errors import InvalidOptions
from trimtab.tokens.memo import (
    ENTRY_BYTES,
    LONG_TEXT,
    Memo,
    MemoisedCounter,
    entry_size,
    text_key,
)


class Length(MemoisedCounter):
    """Counts characters and notes what it measured."""

    def __init__(self, memo: Memo[int] | None = None) -> None:
        super().__init__(memo or Memo())
        self.measured: list[str] = []

    def _measure(self, text: str) -> int:
        self.measured.append(text)
        return len(text)


puts = st.tuples(st.just("put"), st.integers(0, 9), st.integers(0, 30))
gets = st.tuples(st.just("get"), st.integers(0, 9), st.just(0))


@sizes(500, 5_000)
def test_it_is_a_bounded_map(examples: int) -> None:
    """Against a plain dict: never another value, never more bytes than allowed."""

    def holds(steps: list[tuple[str, int, int]]) -> None:
        memo, last = Memo[object](40), dict[int, object]()
        for action, key, size in steps:
            if action == "put":
                value = object()
                memo.put(key, value, size)
                if size <= 20:
                    last[key] = value
                    assert memo.get(key) is value
            else:
                assert memo.get(key) in (None, last.get(key))
            assert 0 <= memo.bytes <= 40
            assert memo.bytes == sum(
                size for part in (memo.young, memo._old) for _, size in part.values()
            )

    forall(st.lists(st.one_of(puts, gets), max_size=60), examples, holds)


def test_what_is_used_stays() -> None:
    """A hundred times the limit passes through; what is asked for again is still there."""
    memo = Memo[int](1000)
    memo.put("used", 7, 10)
    for i in range(10_000):
        memo.put(i, i, 10)
        if i % 20 == 0:
            assert memo.get("used") == 7
    assert memo.get(0) is None
    assert memo.get(9_999) == 9_999


def test_what_is_not_used_goes() -> None:
    memo = Memo[int](1000)
    for i in range(150):
        memo.put(i, i, 10)
    assert memo.get(0) is None
    assert memo.bytes <= 1000


def test_an_entry_above_half_the_limit_is_not_kept() -> None:
    memo = Memo[int](100)
    memo.put("small", 1, 50)
    memo.put("large", 2, 51)
    assert (memo.get("small"), memo.get("large"), memo.bytes) == (1, None, 50)


def test_a_put_replaces() -> None:
    memo = Memo[int](100)
    memo.put("key", 1, 30)
    memo.put("key", 2, 10)
    assert (memo.get("key"), memo.bytes) == (2, 10)


def test_hits_and_misses() -> None:
    memo = Memo[int](100)
    memo.put("key", 0, 10)
    assert [memo.get("key"), memo.get("other"), memo.get("key")] == [0, None, 0]
    assert (memo.hits, memo.misses) == (2, 1)


def test_each_text_is_measured_once() -> None:
    counter = Length()
    words = [f"word {i % 50}" for i in range(1000)]
    assert counter.count_many(words) == [len(word) for word in words]
    assert len(counter.measured) == 50
    assert (counter._memo.hits, counter._memo.misses) == (950, 50)


def test_long_texts_are_remembered_but_not_held() -> None:
    counter = Length()
    long = "long " * (LONG_TEXT // 5 + 1)
    assert counter.count(long) == counter.count("long " * (LONG_TEXT // 5 + 1)) == len(long)
    assert counter.measured == [long]
    counter.measured.clear()
    assert [type(key) for key in counter._memo.young] == [bytes]
    assert counter._memo.bytes < 300
    assert sys.getrefcount(long) == 2


@pytest.mark.parametrize("size", [LONG_TEXT, LONG_TEXT + 1])
def test_texts_that_differ_in_one_place_have_their_own_keys(size: int) -> None:
    text = "a" * size
    others = ["b" + text[1:], text[:-1] + "b", text[:-1], text + "a", text[:-1] + "\ud800"]
    keys = {text_key(other) for other in [text, *others]}
    assert len(keys) == 6


def test_a_text_is_not_taken_for_a_digest() -> None:
    """The digest of a long text is no key that a short text could have."""
    counter, long = Length(), "x" * (LONG_TEXT + 1)
    counter.count(long)
    (digest,) = counter._memo.young
    assert isinstance(digest, bytes)
    assert counter.count(digest.decode("latin-1")) == 16
    with pytest.raises(InvalidOptions, match="not bytes"):
        text_key(digest)


def test_a_subclass_of_str_is_its_text() -> None:
    class Role(str, Enum):
        USER = "user"

    counter = Length()
    assert counter.count(Role.USER) == counter.count("user") == 4
    assert counter.measured == ["user"]
    assert [type(key) for key in counter._memo.young] == [str]


def test_the_size_of_an_entry_is_that_of_its_key() -> None:
    assert entry_size("x" * 1000) == sys.getsizeof("x" * 1000) + ENTRY_BYTES
    assert entry_size("中" * 1000) > 2000


def test_threads_may_share_it() -> None:
    """Four threads, a memo that turns over all the time: right answers, bound kept."""
    counter, wrong = Length(Memo(20_000)), []

    def work(seed: int) -> None:
        for i in range(4000):
            text = "x" * ((i * 7 + seed) % 100)
            if counter.count(text) != len(text):
                wrong.append(text)

    threads = [Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memo = counter._memo
    assert wrong == []
    assert memo.bytes <= 20_000
    assert memo.bytes == sum(s for part in (memo.young, memo._old) for _, s in part.values())


def test_many_at_once_are_measured_in_one_go() -> None:
    batches: list[list[str]] = []

    class Batched(Length):
        def _measure_many(self, texts: list[str]) -> list[int]:
            batches.append(texts)
            return super()._measure_many(texts)

    counter = Batched()
    counter.count("known")
    assert counter.count_many(["known", "one", "three", "one"]) == [5, 3, 5, 3]
    assert counter.count_many(["one", "known"]) == [3, 5]
    assert batches == [["one", "three"]]
    assert (counter._memo.hits, counter._memo.misses) == (4, 3)
    assert counter._memo.bytes == sum(map(entry_size, ["known", "one", "three"]))


def test_many_at_once_in_a_memo_that_is_too_small() -> None:
    """What does not stay is measured again, and the answers are right."""
    counter = Length(Memo(3 * entry_size("word 00")))
    words = [f"word {i % 20:02}" for i in range(60)]
    assert counter.count_many(words) == [7] * 60
    assert len(counter.measured) == 20
    assert counter._memo.bytes <= 3 * entry_size("word 00")


def test_a_limit_can_be_lowered_and_raised() -> None:
    memo = Memo[int](1000)
    for i in range(90):
        memo.put(i, i, 10)
    memo.limit_bytes = 200
    assert (memo.limit_bytes, memo.bytes, memo.entries) == (200, 0, 0)
    memo.put("kept", 1, 100)
    memo.put("too large", 2, 101)
    assert (memo.get("kept"), memo.get("too large"), memo.entries) == (1, None, 1)
    memo.limit_bytes = 300
    memo.put("large", 2, 150)
    assert (memo.get("kept"), memo.get("large")) == (1, 2)


class Drawer:
    """A shelf in memory that notes what it is asked for."""

    def __init__(self, **known: int) -> None:
        self.known: dict[object, int] = dict(known)
        self.asked: list[list[object]] = []

    def get_many(self, keys: list[object]) -> dict[object, int]:
        self.asked.append(list(keys))
        return {key: self.known[key] for key in keys if key in self.known}

    def put_many(self, values: dict[object, int]) -> None:
        self.known |= values


def test_what_is_missing_is_looked_for_on_the_shelf() -> None:
    counter, drawer = Length(), Drawer(far=30, away=40)
    counter._memo.shelf = drawer
    assert counter.count_many(["far", "near", "far"]) == [30, 4, 30]
    assert counter.count("far") == 30
    assert counter.count("away") == counter.count("away") == 40
    assert counter.measured == ["near"]
    assert drawer.asked == [["far", "near"], ["away"]]
    assert drawer.known == {"far": 30, "near": 4, "away": 40}
    memo = counter._memo
    assert (memo.hits, memo.misses, memo.recalled, memo.entries) == (3, 3, 2, 3)
