"""A store that fails never fails a fit: memory stands in for it, and the result says so."""

from __future__ import annotations

from itertools import combinations

import pytest
from summary.marked import (
    BUDGET,
    FORMAT,
    WAYS,
    Notes,
    by_fit,
    dropped,
    grows,
    history,
    is_whole,
    policy,
    prefixes,
    words,
    written,
)
from trimtab import Policy, StoreError, Summary, SummaryError, fit
from trimtab.stores import MemoryStore, SQLiteStore

METHODS = ("get", "put", "claim", "release", "scan")
SOME = [*((one,) for one in METHODS), *combinations(METHODS[:4], 2), METHODS]


class Broken:
    """A store of which some methods fail, while they are to."""

    def __init__(self, store, methods, error=StoreError):
        self.store, self.methods, self.error = store, set(methods), error
        self.failures = 0

    def __getattr__(self, name):
        if name in self.methods:
            return self._fails
        return getattr(self.store, name)

    def _fails(self, *_, **__):
        self.failures += 1
        raise self.error("the disk is gone")


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("methods", SOME, ids="+".join)
def test_no_fit_fails(way, methods):
    notes, broken = Notes(), Broken(MemoryStore(), methods)
    chosen = policy(notes, broken)
    fitted, other = WAYS[way](chosen), by_fit(chosen)
    last, cuts, warned = None, 0, 0
    for given in prefixes(history(24)):
        failures = broken.failures
        one = fitted(given)
        assert bool(one.warnings) == (broken.failures > failures)
        assert all("the disk is gone" in text for text in one.warnings)
        warned += bool(one.warnings)
        is_whole(one, given, notes)
        assert dropped(one) == []
        assert written(other(given).messages) == written(one.messages)
        cuts += last is not None and not grows(last, one)
        last = one
    assert cuts >= 4
    assert notes.calls == cuts
    assert max(notes.told.values()) == 1
    assert bool(warned) == (methods != ("scan",))


def test_it_breaks_and_works_again():
    """What went out meanwhile stays for this process; a later one makes what it cannot find."""
    notes, store, messages = Notes(), MemoryStore(), history(40)
    broken = Broken(store, ())
    fitted = by_fit(policy(notes, broken))
    last, cuts, sent = None, 0, []
    for given in prefixes(messages):
        broken.methods = set(METHODS) if cuts == 2 else set()
        one = fitted(given)
        cuts += last is not None and not grows(last, one)
        is_whole(one, given, notes)
        assert dropped(one) == []
        sent.append((given, one))
        last = one
    assert cuts >= 5
    for given, one in sent:
        assert written(fitted(given).messages) == written(one.messages)
    calls = notes.calls
    given, one = sent[-1]  # its summary reached the store
    assert written(by_fit(policy(notes, store))(given).messages) == written(one.messages)
    assert notes.calls == calls


@pytest.mark.parametrize("error", [OSError, ValueError, RuntimeError, KeyError])
def test_a_store_of_ones_own_may_raise_anything(error):
    """Nothing of such an error's text is shown."""
    notes = Notes()
    one = by_fit(policy(notes, Broken(MemoryStore(), METHODS, error)))(history(24))
    assert one.summary == "summary s1"
    (said,) = one.warnings
    assert error.__name__ in said
    assert "disk" not in said


def test_both_fail():
    """Neither store nor provider: the older texts that this process knows, then dropping."""
    notes, messages = Notes(), history(30)
    broken = Broken(MemoryStore(), ())
    down = False

    def summariser(ask):
        if down:
            raise OSError
        return notes(ask)

    fitted = by_fit(policy(summariser, broken))
    last, cuts, warned = None, 0, 0
    for given in prefixes(messages):
        if cuts == 2:
            down, broken.methods = True, set(METHODS)
        one = fitted(given)
        is_whole(one, given, notes)
        if down:
            assert one.summary == "summary s2"
            warned += bool(one.warnings)
        cuts += last is not None and not grows(last, one)
        last = one
    assert cuts >= 4
    assert warned >= 10
    assert written(fitted(messages).messages) == written(fitted(messages).messages)


def test_a_file_that_is_no_database(tmp_path):
    path, notes, given = tmp_path / "s.db", Notes(), history(24)
    path.write_bytes(b"no database at all" * 100)
    with SQLiteStore(path) as store:
        fitted = by_fit(policy(notes, store))
        one, two = fitted(given), fitted(given)
    assert written(one.messages) == written(two.messages)
    assert one.warnings
    is_whole(one, given, notes)
    assert notes.calls == 1
    assert path.read_bytes() == b"no database at all" * 100


def test_no_place_for_the_default_store(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRIMTAB_STORE", str(tmp_path / "file" / "s.db"))
    notes, given = Notes(), history(24)
    chosen = Policy(depth=0.5, summary=Summary(notes, max_summary_tokens=30))
    one, two = (fit(given, BUDGET, format=FORMAT, counter=words, policy=chosen) for _ in range(2))
    assert written(one.messages) == written(two.messages)
    assert one.warnings
    assert notes.calls == 1


def test_a_closed_store(tmp_path):
    store, notes, given = SQLiteStore(tmp_path / "s.db"), Notes(), history(24)
    fitted = by_fit(policy(notes, store))
    one = fitted(given)
    store.close()
    two = fitted(given)
    assert written(one.messages) == written(two.messages)
    assert one.warnings == two.warnings == []  # all that it needs it has read
    three = by_fit(policy(notes, store))(given)
    assert three.warnings
    is_whole(three, given, notes)
    assert dropped(three) == []


def test_strict_is_about_summaries_not_about_stores():
    notes, given = Notes(), history(24)
    one = by_fit(policy(notes, Broken(MemoryStore(), METHODS), strict=True))(given)
    assert one.warnings
    assert one.summary == "summary s1"

    def down(ask):
        raise OSError

    with pytest.raises(SummaryError):
        by_fit(policy(down, Broken(MemoryStore(), METHODS), strict=True))(given)


def test_the_background_goes_on_without_a_store():
    notes, messages = Notes(), history(24)

    async def summariser(ask):
        return notes(ask)

    summariser.name = "notes"
    chosen = policy(summariser, Broken(MemoryStore(), METHODS), ahead=0.8)
    fitted = WAYS["Conversation.afit"](chosen)
    for given in prefixes(messages):
        one = fitted(given)
        is_whole(one, given, notes)
        assert dropped(one) == []


def test_a_summary_that_is_gone_from_the_store():
    """Pruned between two turns: another process says so, this one has it still."""
    notes, store, given = Notes(), MemoryStore(), history(24)
    fitted = by_fit(policy(notes, store))
    one = fitted(given)
    rows = {record.key: record.value for record in store.scan()}
    emptied = MemoryStore()
    for key, value in rows.items():
        if not key.startswith("summary:"):
            emptied.put(key, value)
    two = by_fit(policy(notes, emptied))(given)
    assert two.used <= two.budget
    assert any("no longer in the store" in text for text in two.warnings)
    is_whole(two, given, notes)
    assert written(fitted(given).messages) == written(one.messages)
