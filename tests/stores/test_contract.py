"""What every store promises, one promise at a time."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from trimtab.errors import InvalidOptions, StoreError
from trimtab.stores import Record, Store

AWKWARD = ["", "\0", "a\0b", "\ud83d", "\U0001f6a2", "é", "e\u0301", "'; DROP TABLE x; --", "%s %(a)s"]
MB = 1_000_000


@pytest.fixture
def store(place):
    with place.store() as store:
        yield store


def test_the_first_value_stays(store):
    first = store.put("key", "first")
    assert first == Record("key", "first", first.created)
    assert store.put("key", "second") == first
    assert store.get("key") == first


def test_any_text_comes_back(store):
    for at, text in enumerate(AWKWARD):
        assert store.put(f"value {at}", text).value == text
        assert store.get(f"value {at}").value == text
        if text:
            assert store.claim(text, text, 60)
            assert store.put(text, "by key").key == text
            assert store.get(text).value == "by key"
            assert store.release(text, text)
    assert len(store.scan(limit=100)) == 2 * len(AWKWARD) - 1


def test_a_value_of_5_mb(store):
    text = "déjà vu \0 " * (5 * MB // 12)
    assert store.put("big", text).value == text
    assert store.put("big", "small").value == text
    assert store.get("big").value == text
    assert store.scan()[0].value == text


def test_a_key_is_not_a_pattern(store):
    store.put("a:b", "1")
    for key in ("a*", "a?b", "a:", "A:b", "a:b "):
        assert store.get(key) is None


def test_a_claim_is_for_one_until_it_is_released(store):
    assert store.claim("key", "one", 60)
    assert store.claim("key", "one", 60)
    assert not store.claim("key", "two", 60)
    assert not store.release("key", "two")
    assert store.claim("other", "two", 60)
    assert store.release("key", "one")
    assert not store.release("key", "one")
    assert store.claim("key", "two", 60)


def test_there_is_nothing_to_claim_where_there_is_a_record(store):
    assert store.claim("key", "one", 60)
    store.put("key", "value")
    assert not store.claim("key", "one", 60)
    assert store.release("key", "one")
    assert not store.claim("key", "two", 60)


def until(true):
    """Wait for what the real clock brings."""
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_by_the_real_clock_a_claim_ends_and_a_record_goes(place):
    with place.store(ttl=0.2, max_records=100) as store:
        assert store.claim("key", "died", 0.05)
        until(lambda: store.claim("key", "next", 60))
        before = time.time()
        record = store.put("key", "value")
        assert abs(record.created - before) < 60
        assert record.expires == pytest.approx(record.created + 0.2)
        until(lambda: store.get("key") is None)
        assert store.scan() == []
        assert store.put("key", "again").value == "again"
        until(lambda: store.get("key") is None)
        assert store.prune() == 1


def test_limits_hold_after_enough_puts(place):
    clock = iter(range(1000, 100_000))
    with place.store(max_records=10, clock=lambda: next(clock)) as store:
        for number in range(640):
            store.put(f"{number:03}", "value")
        assert [record.key for record in store.scan()] == [f"{n:03}" for n in range(630, 640)]


def test_bytes_are_those_of_keys_and_values(place):
    clock = iter(range(1000, 100_000))
    with place.store(clock=lambda: next(clock)) as store:
        for key in ("a", "b", "c"):
            store.put(key, "é" * 4 + "\0")  # 1 and 9 bytes
        assert store.prune(max_bytes=29) == 1
        assert store.prune(max_bytes=20) == 0
        assert [record.key for record in store.scan()] == ["b", "c"]
        assert store.prune(max_bytes=0) == 2


def test_many_records_are_pruned_and_scanned(place):
    now = [1000.0]
    with place.store(clock=lambda: now[0]) as store:
        for number in range(1234):
            now[0] += 1
            store.put(f"{number}", "value")
        assert len(store.scan(limit=2000)) == 1234
        assert [r.key for r in store.scan(older_than=1200)] == [f"{n}" for n in range(33)]
        assert store.prune(max_age=10) == 1223
        assert [r.key for r in store.scan()] == [f"{n}" for n in range(1223, 1234)]


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.get(""),
        lambda s: s.get(b"key"),
        lambda s: s.get("k" * 1001),
        lambda s: s.put("key", None),
        lambda s: s.put("key", b"value"),
        lambda s: s.claim("key", "", 1),
        lambda s: s.claim("key", "h" * 1001, 1),
        lambda s: s.claim("key", "holder", 0),
        lambda s: s.claim("key", "holder", -1),
        lambda s: s.claim("key", "holder", float("nan")),
        lambda s: s.claim("key", "holder", float("inf")),
        lambda s: s.claim("key", "holder", True),
        lambda s: s.scan(older_than=-1),
        lambda s: s.scan(limit=-1),
        lambda s: s.scan(limit=1.5),
        lambda s: s.prune(max_age=-1),
        lambda s: s.prune(max_records=True),
        lambda s: s.prune(max_bytes="1"),
    ],
)
def test_arguments_that_make_no_sense(store, call):
    with pytest.raises(InvalidOptions):
        call(store)


@pytest.mark.parametrize("option", ["ttl", "max_records", "max_bytes"])
def test_options_that_make_no_sense(place, option):
    with pytest.raises(InvalidOptions):
        place.store(**{option: -1})


def test_numbers_beyond_any_store(store):
    store.put("key", "value")
    assert store.prune(max_records=10**30, max_bytes=10**30, max_age=1e300) == 0
    assert len(store.scan(limit=10**30)) == 1
    assert store.scan(older_than=1e300) == []
    assert store.claim("other", "holder", 1e12)


def test_after_close_nothing_works_but_close(place):
    with place.store() as store:
        store.put("key", "value")
    store.close()
    for call in (lambda: store.get("key"), store.scan, store.prune):
        with pytest.raises(StoreError, match="closed"):
            call()


def test_nothing_is_imported_before_it_is_needed():
    drivers = "{'psycopg', 'psycopg_pool', 'redis', 'sqlite3'}"
    code = f"import sys, trimtab.stores; print({drivers} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout.strip() == "set()", said.stderr


def test_each_is_a_store():
    def take(store: Store) -> None: ...

    from trimtab.stores import MemoryStore

    names = {name for name in vars(Store) if not name.startswith("_")}
    assert names == {"get", "put", "claim", "release", "scan", "prune", "close"}
    take(MemoryStore())
