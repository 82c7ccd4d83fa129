"""`pack` skips what does not fit and goes on with older items."""

from hypothesis import given
from hypothesis import strategies as st
from trimtab.core.pack import pack


@given(st.lists(st.integers(0, 9)), st.integers(0, 30))
def test_newest_first_with_skipping(costs, budget):
    expected, left = [], budget
    for at in reversed(range(len(costs))):
        if costs[at] <= left:
            left -= costs[at]
            expected.insert(0, at)
    assert pack(costs, budget) == expected
