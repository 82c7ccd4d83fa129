"""The dynamic program against trying every sequence of starts."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from trimtab.core.depth import Prices, Renewal
from trimtab.core.fold import Fold
from trimtab.core.lead import Leads
from trimtab.core.optimum import Course, course, course_of, optimum, spent
from trimtab.core.unit import STANDS
from random import Random
from states import random_state
from twin import kept as kept_units

ANTHROPIC = Prices(2, 25, 20)
prices = st.sampled_from([ANTHROPIC, Prices(1, 10, 10), Prices(2, 25, 0), Prices(1, 1, 1), Prices(3, 10, 1)])


@st.composite
def sessions(draw, most=6):
    costs = draw(st.lists(st.integers(0, 9), min_size=1, max_size=most))
    asks = sorted(draw(st.sets(st.integers(0, len(costs) - 1), min_size=1)))
    # what stays beside the run never grows faster than the run shrinks
    beside, left = [], 0
    for unit in range(len(costs)):
        beside.append(draw(st.integers(0, min(left, 4))))
        left = beside[-1] + costs[unit]
    return Course(costs, draw(st.integers(0, 25)), asks, beside)


def kept(session, newest, mark):
    return sum(session.costs[mark : newest + 1]) + session.beside[mark]


def brute(session, price, floor):
    """Every sequence of starts that never goes back and keeps the rules; the cost word for word."""
    best = None
    allowed = []
    for newest in session.asks:
        fits = [m for m in range(newest + 1) if kept(session, newest, m) <= session.room] or [newest]
        deep = [m for m in fits if sum(session.costs[m : newest + 1]) >= floor]
        allowed.append(deep or fits[:1])
    for marks in product(*allowed):
        if any(b < a for a, b in zip(marks, marks[1:])):
            continue
        cost, before, seen = 0, 0, -1
        for newest, mark in zip(session.asks, marks, strict=True):
            stays = kept(session, newest, mark)
            new = sum(session.costs[seen + 1 : newest + 1])
            longest = min(
                [m for m in range(newest + 1) if kept(session, newest, m) <= session.room] or [newest]
            )
            cached = stays - new if mark == before else 0
            cost += price.read * cached + price.write * (stays - cached)
            cost += price.value * (kept(session, newest, longest) - stays)
            before, seen = mark, newest
        best = cost if best is None else min(best, cost)
    return best


@settings(max_examples=1_000, deadline=None)
@given(sessions(), prices, st.sampled_from([0, 0, 3, 8]))
def test_the_optimum_is_the_least_of_all(session, price, floor):
    best = optimum(session, price, floor)
    assert best.cost == brute(session, price, floor)
    assert best.cost == spent(session, price, best.marks)
    assert best.marks == sorted(best.marks)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=120), st.integers(20, 300), prices)
def test_no_rule_is_cheaper(costs, room, price):
    if price.value <= price.read:
        price = ANTHROPIC
    for rule in (None, Renewal(price)):
        fold, marks = Fold(room, Leads(), rule=rule), []
        for cost in costs:
            fold.push(cost)
            marks.append(fold.mark)
        assert optimum(course(costs, room), price).cost <= spent(course(costs, room), price, marks)


def test_all_that_fits_stays():
    assert optimum(course([5] * 20, 100), ANTHROPIC) == (
        sum(2 * 5 * n + 25 * 5 for n in range(20)),
        [0] * 20,
    )


@pytest.mark.parametrize("size", [400, 1_600])
def test_the_work_is_requests_times_what_fits(size):
    """Lines of the core: the same number for each request and unit that fits."""
    lines = 0

    def trace(frame, event, arg):
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        optimum(course([10] * size, 500), ANTHROPIC)
    finally:
        sys.settrace(before)
    assert lines < 12 * size * 50


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_a_history_with_anchors_costs_what_its_results_cost(seed):
    """The session of a fold, its head apart, counts what stays at every request as the twin does."""
    rng = Random(seed)
    state = random_state(rng)
    state.alternates = False
    leads, marks, asks, stays = Leads(**state.rules), [], [], []
    fold = Fold(state.budget, leads)
    for _ in range(rng.randint(1, 14)):
        opens, cost, flags = state.arrive(rng)
        state.flags[-1] &= ~STANDS
        flags &= ~STANDS
        (fold.push if opens else fold.grow)(cost, flags)
        if rng.random() < 0.6 and (not asks or asks[-1] < len(state.costs) - 1):
            asks.append(len(state.costs) - 1)
            marks.append(fold.mark)
    seen = course_of(state.costs, leads, state.budget, asks)
    assert seen.front == next((u for u in range(len(state.costs)) if u not in leads.pinned), len(state.costs))
    assert seen.room == state.budget - sum(state.costs[: seen.front])
    assert [ask + seen.front for ask in seen.asks] == [ask for ask in asks if ask >= seen.front]
    assert len(seen.behind(marks)) == len(seen.asks)
    for mark in range(seen.front, len(state.costs)):
        units = kept_units(state.flags, mark, **state.rules)
        behind = sum(state.costs[unit] for unit in units if unit >= seen.front)
        at = mark - seen.front
        assert sum(seen.costs[at:]) + seen.beside[at] == behind
