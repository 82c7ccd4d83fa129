"""How tokens become cells."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from trimtab.show.layout import Cell, Part, apportion, cells, column_of, ticks

WEIGHTS = st.lists(st.integers(0, 5000), max_size=60)


@given(st.integers(0, 200), WEIGHTS)
def test_shares_add_up_exactly(total: int, weights: list[int]) -> None:
    """Whole things, nothing lost, nothing invented."""
    shares = apportion(total, weights)
    assert len(shares) == len(weights)
    assert sum(shares) == (total if weights else 0)
    assert all(share >= 0 for share in shares)


@given(st.integers(0, 200), WEIGHTS.filter(any))
def test_every_positive_weight_shows_where_there_is_room(total: int, weights: list[int]) -> None:
    """One each at least; a weight of zero gets nothing."""
    shares = apportion(total, weights)
    positive = sum(weight > 0 for weight in weights)
    for share, weight in zip(shares, weights, strict=True):
        assert share == 0 if weight == 0 else share >= (total >= positive)


@given(st.integers(0, 200), WEIGHTS)
def test_a_larger_weight_never_gets_less(total: int, weights: list[int]) -> None:
    """Monotone, up to ties that are settled by position."""
    shares = apportion(total, weights)
    pairs = sorted(zip(weights, shares, strict=True))
    for (low, less), (high, more) in zip(pairs, pairs[1:], strict=False):
        assert less <= more + (low == high)


def test_shares_are_proportional_when_nothing_is_tiny() -> None:
    """The largest remainder, worked by hand."""
    assert apportion(10, [1, 1, 1]) == [4, 3, 3]
    assert apportion(100, [50, 30, 20]) == [50, 30, 20]
    assert apportion(7, [100, 60, 40]) == [4, 2, 1]  # 3.5, 2.1, 1.4
    assert apportion(4, [0, 0]) == [2, 2]
    assert apportion(10, [1, 1, 1000, 0]) == [1, 1, 8, 0]
    assert apportion(2, [5, 1, 9]) == [1, 0, 1]
    assert apportion(3, []) == []


ROLES = st.sampled_from(["system", "human", "assistant", "call", "result"])
STATES = st.sampled_from(["kept", "changed", "dropped"])


@st.composite
def histories(draw: st.DrawFn) -> list[Part]:
    """A history as the strip sees it."""
    rows = draw(st.lists(st.tuples(STATES, ROLES, st.integers(0, 900)), max_size=60))
    return [Part(i, state, role, tokens) for i, (state, role, tokens) in enumerate(rows)]


@given(histories(), st.integers(0, 130))
def test_the_strip_is_exactly_as_wide_as_asked(parts: list[Part], width: int) -> None:
    """For any history, zero tokens and tiny widths included."""
    assert len(cells(parts, width)) == (width if parts else 0)


@given(histories(), st.integers(1, 130))
def test_cells_run_from_oldest_to_newest_and_say_what_they_cover(
    parts: list[Part], width: int
) -> None:
    """Indices never go back; a cell names a state and role found at or after its first message."""
    laid = cells(parts, width)
    firsts = [cell.first for cell in laid]
    assert firsts == sorted(firsts)
    for cell in laid:
        later = parts[cell.first :]
        assert (cell.state, cell.role) in {(part.state, part.role) for part in later}


@given(histories(), st.integers(1, 130))
def test_no_run_of_one_state_vanishes_while_there_is_room(parts: list[Part], width: int) -> None:
    """The strip shows the same succession of states as the history."""
    costly = [part for part in parts if part.tokens]
    runs = [(state, list(run)) for state, run in groupby(parts, key=lambda p: p.state)]
    if not costly or len(runs) > width:
        return
    shown = [state for state, _ in groupby(cells(parts, width), key=lambda c: c.state)]
    expected = [state for state, run in runs if any(part.tokens for part in run)]
    assert shown == [state for state, _ in groupby(expected)]


def test_borders_of_runs_fall_on_cells() -> None:
    """100 dropped and 300 kept tokens in 8 cells are 2 and 6."""
    parts = [Part(0, "dropped", "human", 100), Part(1, "kept", "call", 100)]
    parts.append(Part(2, "kept", "result", 200))
    laid = cells(parts, 8)
    assert laid == [
        *[Cell("dropped", "human", 0)] * 2,
        *[Cell("kept", "call", 1)] * 2,
        *[Cell("kept", "result", 2)] * 4,
    ]
    assert column_of(laid, 1) == 2
    assert column_of(laid, 3) is None


def test_a_crowded_cell_is_named_after_its_largest_share() -> None:
    """Four messages in two cells: the heavier of each pair wins."""
    parts = [
        Part(0, "kept", "human", 10),
        Part(1, "kept", "call", 40),
        Part(2, "kept", "human", 30),
        Part(3, "kept", "result", 20),
    ]
    assert cells(parts, 2) == [Cell("kept", "call", 0), Cell("kept", "human", 2)]


def test_ticks_are_round_and_few() -> None:
    """Steps of 1, 2 or 5 times a power of ten."""
    assert list(ticks(5, 6)) == [0, 1, 2, 3, 4]
    assert list(ticks(182, 8)) == [0, 50, 100, 150]
    assert list(ticks(10_000, 10)) == list(range(0, 10_000, 1000))
    assert list(ticks(0, 6)) == []
    assert list(ticks(50, 0)) == [0]
