"""The same operations, at the same times, on every store and on a model: all agree."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from stores.kinds import EMBEDDED, KINDS
from stores.model import Model
from trimtab.stores import backend

EXAMPLES = int(os.environ.get("TRIMTAB_STORE_EXAMPLES", "50"))
HANDLES = 2  # stores made of one place, as two processes would
PRUNE_EVERY = 3

KEYS = st.sampled_from(["a", "b", "B", "é", "\U0001f6a2", "\0", "\ud800", "k" * 1000])
TEXTS = st.text(st.characters(), max_size=40)
HOLDERS = st.sampled_from(["one", "two", "\0\udfff"])
SPANS = st.one_of(st.sampled_from([0.5, 1.0, 10.0]), st.floats(0.001, 20))
STEPS = st.one_of(st.sampled_from([0.5, 1.0, 10.0]), st.floats(0, 20))
COUNTS = st.integers(0, 6)
BYTES = st.integers(0, 200)
WHO = st.integers(0, HANDLES - 1)


class Agreement(RuleBasedStateMachine):
    def __init__(self, places):
        super().__init__()
        self.places = [place.emptied() for place in places]
        self.now = 1_700_000_000.0
        self.stores = {}

    @initialize(
        ttl=st.none() | SPANS, records=st.none() | COUNTS, size=st.none() | BYTES
    )
    def make(self, ttl, records, size):
        options = {"ttl": ttl, "max_records": records, "max_bytes": size}
        self.limited = any(option is not None for option in options.values())
        self.model = Model(*options.values())
        self.puts = [0] * HANDLES
        for place in self.places:
            made = [place.store(**options, clock=lambda: self.now) for _ in range(HANDLES)]
            # A second store in memory would be another store.
            self.stores[place.kind] = made[:1] * HANDLES if place.kind == "memory" else made

    def all_say(self, expected, who, ask):
        said = {kind: ask(stores[who]) for kind, stores in self.stores.items()}
        assert said == dict.fromkeys(said, expected)

    @rule(who=WHO, key=KEYS)
    def get(self, who, key):
        self.all_say(self.model.get(self.now, key), who, lambda s: s.get(key))

    @rule(who=WHO, key=KEYS, value=TEXTS)
    def put(self, who, key, value):
        if "memory" in self.stores:  # one store, which counts the puts of both
            self.stores["memory"][who].puts = self.puts[who]
        self.all_say(self.model.put(self.now, key, value), who, lambda s: s.put(key, value))
        self.puts[who] += 1
        if self.limited and self.puts[who] % PRUNE_EVERY == 0:
            self.model.prune(self.now)

    @rule(who=WHO, pairs=st.lists(st.tuples(KEYS, TEXTS, STEPS), max_size=6))
    def fill(self, who, pairs):
        for key, value, seconds in pairs:
            self.put(who, key, value)
            self.wait(seconds)

    @rule(who=WHO, key=KEYS, holder=HOLDERS, seconds=SPANS)
    def claim(self, who, key, holder, seconds):
        expected = self.model.claim(self.now, key, holder, seconds)
        self.all_say(expected, who, lambda s: s.claim(key, holder, seconds))

    @rule(who=WHO, key=KEYS, holder=HOLDERS)
    def release(self, who, key, holder):
        expected = self.model.release(self.now, key, holder)
        self.all_say(expected, who, lambda s: s.release(key, holder))

    @rule(seconds=STEPS)
    def wait(self, seconds):
        self.now += seconds

    @rule(who=WHO, older_than=st.just(0) | SPANS, limit=COUNTS)
    def scan(self, who, older_than, limit):
        expected = self.model.scan(self.now, older_than, limit)
        self.all_say(expected, who, lambda s: s.scan(older_than=older_than, limit=limit))

    @rule(
        who=WHO, age=st.none() | SPANS, records=st.none() | COUNTS, size=st.none() | BYTES
    )
    def prune(self, who, age, records, size):
        limits = {"max_age": age, "max_records": records, "max_bytes": size}
        self.all_say(self.model.prune(self.now, **limits), who, lambda s: s.prune(**limits))

    def teardown(self):
        if self.stores:
            self.all_say(self.model.scan(self.now, 0, 100), 0, lambda s: s.scan())
        for stores in self.stores.values():
            for store in stores:
                store.close()


@pytest.mark.parametrize("kinds", [EMBEDDED, KINDS], ids="+".join)
def test_all_stores_do_the_same(kinds, place_of, monkeypatch):
    monkeypatch.setattr(backend, "PRUNE_EVERY", PRUNE_EVERY)
    places = [place_of(kind) for kind in kinds]
    run_state_machine_as_test(
        lambda: Agreement(places),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
