"""`trim_history`: the table of the reference, and a slow twin."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trimtab import InvalidOptions, trim_history

TABLE = [
    ([8, 3, 4, 2], 10, [3, 4, 2]),
    ([5, 5, 5, 5], 12, [5, 5]),
    ([10, 1, 1, 1], 3, [1, 1, 1]),
    ([5, 100, 1], 10, [1]),
    ([1, 1, 20], 5, []),
    ([4, 6], 10, [4, 6]),
    ([0, 0], 0, [0, 0]),
    ([1, 0], 0, [0]),
    ([], 7, []),
    ([1, 2], -1, []),
    ([0], -1, []),
]


@pytest.mark.parametrize(("counts", "budget", "expected"), TABLE)
def test_table(counts, budget, expected):
    given_counts = list(counts)
    assert trim_history(counts, budget) == expected
    assert counts == given_counts


@given(st.lists(st.integers(0, 9)), st.integers(-3, 40))
def test_equals_the_longest_suffix_that_fits(counts, budget):
    suffixes = [counts[i:] for i in range(len(counts) + 1)]
    expected = next((s for s in suffixes if sum(s) <= budget), []) if budget >= 0 else []
    assert trim_history(counts, budget) == expected


def test_result_is_a_new_list():
    counts = [1, 2]
    assert trim_history(counts, 9) is not counts


class Read(list):
    """A list that remembers which items were read."""

    def __init__(self, items):
        super().__init__(items)
        self.seen = set()

    def __getitem__(self, at):
        if isinstance(at, int):
            self.seen.add(at)
        return super().__getitem__(at)


def test_reads_no_further_than_the_first_that_does_not_fit():
    counts = Read([1] * 1000 + [50] + [1] * 5)
    assert trim_history(counts, 10) == [1] * 5
    assert counts.seen == set(range(1000, 1006))


@pytest.mark.parametrize("budget", [1.5, "8", None, True, math.nan, math.inf])
def test_budget_that_is_no_whole_number(budget):
    with pytest.raises(InvalidOptions, match="budget"):
        trim_history([1], budget)


def test_negative_count_is_named():
    with pytest.raises(InvalidOptions, match="count 1 must not be negative: -2"):
        trim_history([1, -2, 3], 10)
