"""The fold, the backward walk and law 5 word for word give the same cut in every state."""

import sys
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from states import State, random_state
from trimtab.core.depth import Ledger, LowWater, Prices
from trimtab.core.lead import Leads
from trimtab.core.plan import plan_at
from trimtab.core.walk import walk
from trimtab.core.fold import Fold
from trimtab.core.unit import HUMAN, LED, PINNED
from twin import best, exchanges, kept, pinned, total


class Folding:
    """A state, its fold, and the walk over the same units."""

    def __init__(self, state: State, **slack):
        self.state = state
        self.leads = Leads(**state.rules)
        self.fold = Fold(state.budget, self.leads, **slack)

    def step(self, rng: Random):
        opens, cost, flags = self.state.arrive(rng)
        (self.fold.push if opens else self.fold.grow)(cost, flags)

    def walked(self):
        costs = self.state.costs
        return walk(
            self.leads,
            lambda unit, limit: costs[unit] if costs[unit] <= limit else None,
            self.state.budget,
        )

    def folded(self):
        return (self.fold.mark, self.fold.total) if self.fold.fits else None


def check_states(rng: Random, states: int):
    """Compare fold, walk and twin after every arrival of so many states."""
    left = states
    while left > 0:
        folding = Folding(random_state(rng))
        for _ in range(rng.randint(1, 12)):
            folding.step(rng)
            left -= 1
            state = folding.state
            expected = best(state.costs, state.flags, state.budget, **state.rules)
            assert folding.walked() == folding.folded() == (expected and expected[:2]), state
            if expected:
                plan = plan_at(expected[0], folding.leads, expected[1])
                assert set(plan.kept()) == expected[2], state
                assert plan.kept() == sorted(plan.kept())


@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_states(seed):
    check_states(Random(seed), 1_000)


def test_a_hundred_thousand_states():
    check_states(Random(99), 100_000)


@settings(max_examples=100)
@given(st.integers(0, 2**32))
def test_larger_budgets_keep_a_superset(seed):
    rng = Random(seed)
    state = random_state(rng)
    for _ in range(rng.randint(1, 12)):
        state.arrive(rng)
    before = None
    for budget in range(sum(state.costs) + 1):
        found = best(state.costs, state.flags, budget, **state.rules)
        if before is not None:
            assert found is not None
            assert found[2] >= before
        before = found[2] if found else None


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_with_slack_a_mark_moves_only_on_overflow_and_then_far_enough(seed):
    rng = Random(seed)
    folding = Folding(random_state(rng), rule=LowWater(1, 2))
    for _ in range(rng.randint(1, 14)):
        mark = folding.fold.mark
        folding.step(rng)
        state = folding.state
        here = kept(state.flags, mark, **state.rules)
        size = total(state.costs, state.flags, here, mark)
        overflows = size > state.budget
        if folding.fold.mark != mark:
            assert overflows
            assert folding.fold.mark > mark
        if not overflows:
            assert folding.fold.fits
            assert folding.fold.total == size
        newest = len(state.costs) - 1
        if folding.fold.mark != mark and folding.fold.mark < newest:
            run = {u for u in range(folding.fold.mark, newest + 1)}
            units = kept(state.flags, folding.fold.mark, **state.rules)
            free = sum(state.costs[u] for u in run if u not in folding.leads.pinned)
            anchors = total(state.costs, state.flags, units, folding.fold.mark) - free
            assert 2 * free <= state.budget - anchors


@settings(max_examples=200)
@given(st.integers(0, 2**32), st.integers(0, 4))
def test_an_insert_is_counted_once_something_is_gone(seed, insert):
    rng = Random(seed)
    folding = Folding(random_state(rng), insert=insert)
    for _ in range(rng.randint(1, 12)):
        folding.step(rng)
        state, fold = folding.state, folding.fold
        if not fold.fits:
            continue
        units = kept(state.flags, fold.mark, **state.rules)
        extra = fold.total - total(state.costs, state.flags, units, fold.mark)
        assert extra == (insert if len(units) < len(state.costs) or extra else 0)
        assert fold.total <= state.budget


def test_walk_asks_no_further_than_the_first_unit_that_does_not_fit():
    leads = Leads()
    for _ in range(1000):
        leads.push(0)
    asked = []

    def cost(unit, limit):
        asked.append(unit)
        return 10 if limit >= 10 else None

    assert walk(leads, cost, 55) == (995, 50)
    assert asked == [999, 998, 997, 996, 995, 994]


def test_walk_of_nothing():
    assert walk(Leads(), lambda unit, limit: 1, 0) == (0, 0)
    assert walk(Leads(), lambda unit, limit: 1, -1) is None


def grown(state: State, arrivals: list, high: int, **slack) -> Fold:
    """A fold over some arrivals."""
    fold = Fold(high, Leads(**state.rules), **slack)
    for opens, cost, flags in arrivals:
        (fold.push if opens else fold.grow)(cost, flags)
    return fold


SLACKS = [{}, {"insert": 3}, {"rule": LowWater(3, 5)}, {"rule": LowWater(1, 2), "insert": 2}]


@pytest.mark.parametrize("slack", [*SLACKS, {"rule": Ledger(Prices(1, 4, 0), 4)}])
def test_a_fold_that_stands_where_another_does_goes_on_as_that_one(slack):
    rng = Random(11)
    for _ in range(400):
        state = random_state(rng)
        arrivals = [state.arrive(rng) for _ in range(rng.randint(1, 12))]
        fold = grown(state, arrivals, state.budget, **slack)
        other = grown(state, arrivals, 1 << 60, **slack)
        other.stand(fold.stood, state.budget)
        if fold.mark == 0 and not fold.fits:
            continue  # one unit that is too much: its fold has cut, though nothing could go
        assert (other.mark, other.total, other.fits) == (fold.mark, fold.total, fold.fits), state
        for _ in range(4):
            opens, cost, flags = state.arrive(rng)
            for each in (fold, other):
                (each.push if opens else each.grow)(cost, flags)
            assert (other.mark, other.total) == (fold.mark, fold.total), state


class Slow:
    """The fold with spares, word for word: every total a sum over the units that stay."""

    def __init__(self, state: State, share, insert: int, least: int):
        self.state, self.share, self.insert, self.least = state, share, insert, least
        self.freed: dict[int, int] = {}
        self.due: dict[int, int] = {}
        self.inserted = False
        self.mark = self.cuts = 0

    def cost(self, unit):
        return self.state.costs[unit] - self.freed.get(unit, 0)

    def total(self, mark):
        flags = self.state.flags
        units = kept(flags, mark, **self.state.rules)
        inserted = self.inserted or (mark and len(units) < len(flags))
        costs = [self.cost(u) for u in range(len(flags))]
        return total(costs, flags, units, mark) + self.insert * bool(inserted)

    def enough(self, mark):
        state, size = self.state, self.total(mark)
        if size > state.budget or self.share is None:
            return size <= state.budget
        flags = state.flags
        always = exchanges(flags) if state.alternates else pinned(flags, state.human_head)
        run = sum(self.cost(u) for u in range(mark, len(flags)) if u not in always)
        part, parts = self.share
        return run * parts <= part * (state.budget - (size - run))

    def arrived(self):
        newest = len(self.state.costs) - 1
        if self.total(self.mark) <= self.state.budget:
            return
        due, self.due = self.due, {}
        for unit, gone in due.items():
            self.freed[unit] = self.freed.get(unit, 0) + gone
        pays = bool(due) and sum(due.values()) >= self.least
        before = self.mark
        if not (pays and self.enough(self.mark)) and self.mark < newest:
            later = range(self.mark + 1, newest)
            fits, inserted = self.total(before) <= self.state.budget, self.inserted
            self.mark = next((m for m in later if self.enough(m)), newest)
            left = kept(self.state.flags, self.mark, **self.state.rules)
            self.inserted = self.inserted or len(left) <= newest
            if fits and self.total(self.mark) > self.state.budget:
                self.mark, self.inserted = before, inserted
        self.cuts += bool(due) or self.mark > before


@settings(max_examples=600, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([None, (3, 5), (1, 2)]),
    st.sampled_from([0, 2]),
    st.sampled_from([-5, 1, 4]),
)
def test_a_cut_first_frees_what_units_can_do_without(seed, share, insert, least):
    rng = Random(seed)
    state = random_state(rng)
    slow = Slow(state, share, insert, least)
    due: list[tuple[int, int]] = []

    def free():
        rows = list(due)
        due.clear()
        return rows, bool(rows) and sum(tokens for _, tokens in rows) >= least

    fold = Fold(state.budget, Leads(**state.rules), rule=share and LowWater(*share), insert=insert, free=free)
    for _ in range(rng.randint(1, 14)):
        opens, cost, flags = state.arrive(rng)
        for unit in rng.choices(range(len(state.costs)), k=rng.choice((0, 0, 1, 2))):
            left = state.costs[unit] - slow.freed.get(unit, 0) - slow.due.get(unit, 0)
            tokens = rng.choice((-1, rng.randint(0, max(left, 0))))
            if tokens:
                due.append((unit, tokens))
                slow.due[unit] = slow.due.get(unit, 0) + tokens
        (fold.push if opens else fold.grow)(cost, flags)
        slow.arrived()
        assert (fold.mark, fold.total, fold.cuts) == (slow.mark, slow.total(slow.mark), slow.cuts), state


def test_freeing_writes_no_more_than_what_is_kept():
    class Counting(list):
        writes = 0

        def __setitem__(self, at, value):
            Counting.writes += 1
            super().__setitem__(at, value)

    fresh: list[tuple[int, int]] = []

    def free():
        rows = list(fresh)
        fresh.clear()
        return rows, True

    fold = Fold(100, Leads(), rule=LowWater(1, 2), free=free)
    fold._before = Counting(fold._before)
    for unit in range(20_000):
        fresh.append((unit, 1))
        fold.push(3)
    assert fold.cuts > 100
    assert Counting.writes <= 2 * 20_000


def test_less_room_moves_the_mark_on_and_more_never_back():
    rng = Random(12)
    moved = 0
    for _ in range(400):
        state = random_state(rng)
        arrivals = [state.arrive(rng) for _ in range(rng.randint(1, 12))]
        fold = grown(state, arrivals, state.budget)
        mark = fold.mark
        fold.resize(state.budget + 5)
        assert fold.mark == mark
        smaller = rng.randint(0, state.budget)
        fold.resize(smaller)
        fresh = grown(state, arrivals, smaller)
        if fold.total <= smaller:
            # the first start from the old mark on that holds: never before the fresh one
            assert fold.mark == max(mark, fresh.mark)
        else:
            assert not fold.fits and fold.mark == len(state.costs) - 1
        moved += fold.mark > mark
    assert moved > 50


def test_looking_for_what_goes_is_linear_where_nothing_does():
    """All units stay as pins, or as one long question, while a text waits to stand for what goes."""

    for flags in (PINNED, HUMAN | LED):
        leads, asked = Leads(), []

        class Pins(set):
            def __contains__(self, unit):
                asked.append(unit)
                return super().__contains__(unit)

        leads.pinned = Pins()
        fold = Fold(50, leads, rule=LowWater(1, 2), insert=3)
        for _ in range(4_000):
            fold.push(1, flags)
        assert len(asked) < 40_000


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_a_cut_that_was_settled_ahead_is_made_as_it_was_settled(seed):
    rng = Random(seed)
    folding = Folding(random_state(rng), rule=LowWater(1, 2), ahead=(3, 4))
    fold, state = folding.fold, folding.state
    for _ in range(rng.randint(1, 16)):
        mark, planned = fold.mark, fold.planned
        folding.step(rng)
        if fold.mark == mark:
            assert planned in (-1, fold.planned)
            if planned < 0 <= fold.planned:
                assert 4 * fold.total > 3 * state.budget >= 0
                assert fold.planned == forced(fold, folding.leads)
        elif planned >= 0:
            units = kept(state.flags, planned, **state.rules)
            assert fold.mark >= planned
            assert fold.planned == -1
            fits = total(state.costs, state.flags, units, planned) <= state.budget
            assert (fold.mark == planned) == fits or fold.mark == len(state.costs) - 1


def forced(fold, leads):
    """Where the mark would move if the very next unit, which costs nothing, were too much."""
    other = deepcopy(fold)
    other.planned, other._early = -1, -1
    other._move(len(leads.of) - 1, other._rule.aim(other.seen))
    return other.mark


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_what_an_earlier_start_would_cost(seed):
    rng = Random(seed)
    folding = Folding(random_state(rng))
    for _ in range(rng.randint(1, 12)):
        folding.step(rng)
        state, fold = folding.state, folding.fold
        floor = max(folding.leads.standing, default=0)
        for mark in range(min(floor, fold.mark), fold.mark + 1):
            units = kept(state.flags, mark, **state.rules)
            if floor <= mark:
                assert fold.total_at(mark) == total(state.costs, state.flags, units, mark)
