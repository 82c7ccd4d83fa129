"""`Window`: the incremental twin of `trim_history`, and hysteresis."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trimtab import InvalidOptions, Window, trim_history
from trimtab.core.fold import Fold
from trimtab.core.lead import Leads
from trimtab.core.unit import HUMAN, LED

COUNTS = st.lists(st.integers(0, 9) | st.sampled_from([0, 50]), max_size=40)


@given(COUNTS, st.integers(0, 40))
def test_without_slack_equals_trim_history_after_every_push(counts, budget):
    window = Window(budget)
    for n, count in enumerate(counts, 1):
        start = window.push(count)
        kept = trim_history(counts[:n], budget)
        assert counts[start:n] == kept
        assert (window.start, window.total) == (start, sum(kept))
        assert (start < n) == bool(kept)


def hysteresis(counts, high, low):
    """The slow twin: on overflow the oldest later start at or under low, else the newest."""
    start = 0
    for n in range(1, len(counts) + 1):
        if sum(counts[start:n]) <= high:
            continue
        later = [s for s in range(start + 1, n) if sum(counts[s:n]) <= low]
        start = later[0] if later else n - 1
    return start


@given(COUNTS, st.integers(1, 40), st.data())
def test_with_slack_equals_its_slow_twin(counts, high, data):
    low = data.draw(st.integers(0, high - 1))
    window = Window(high, low=low)
    for n, count in enumerate(counts, 1):
        window.push(count)
        start = hysteresis(counts[:n], high, low)
        total = sum(counts[start:n])
        assert window.start == (start if total <= high else n)
        assert window.total == (total if total <= high else 0)


def test_overflow_cuts_to_low_and_then_rests():
    window = Window(10, low=4)
    starts = [window.push(2) for _ in range(12)]
    assert starts == [0, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8]


def test_newest_alone_is_kept_above_low():
    window = Window(10, low=4)
    window.push(3)
    assert window.push(9) == 1
    assert window.total == 9


@pytest.mark.parametrize("low", [11, -1, 1.0, "1"])
def test_bad_low(low):
    with pytest.raises(InvalidOptions, match="low"):
        Window(10, low=low)


@pytest.mark.parametrize("budget", [-1, None, 2.0, True])
def test_bad_budget(budget):
    with pytest.raises(InvalidOptions, match="budget"):
        Window(budget)


def test_negative_count_is_named_and_changes_nothing():
    window = Window(10)
    window.push(4)
    with pytest.raises(InvalidOptions, match="count 1 must not be negative: -1"):
        window.push(-1)
    assert (window.start, window.total, window.push(5)) == (0, 4, 0)


def lines_run(counts):
    """How many lines of the core a fold over ``counts`` runs."""
    fold = Fold(1000, Leads())
    lines = 0

    def trace(frame, event, arg):
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for at, count in enumerate(counts):
            fold.push(count, HUMAN | LED if at % 9 == 0 else 0)
    finally:
        sys.settrace(before)
    return lines


def test_a_push_is_amortised_constant():
    small, large = lines_run([7] * 2_000), lines_run([7] * 8_000)
    assert large < 4.3 * small
