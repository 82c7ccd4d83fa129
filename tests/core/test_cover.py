"""Every unit goes with one cut, as a slow twin that looks at whole sets says."""

from hypothesis import given
from hypothesis import strategies as st

from trimtab.core.cover import Cover, Cut

MARKS = st.lists(
    st.tuples(st.integers(1, 4), st.sets(st.integers(0, 12), max_size=4)), max_size=6
)


def covered(steps):
    """The cuts by whole sets: what is before the mark, not kept, and in no cut before."""
    cuts, gone, mark = [], set(), 0
    for number, (step, anchors) in enumerate(steps, 1):
        mark += step
        units = sorted(set(range(mark)) - anchors - gone)
        gone.update(units)
        if units:
            cuts.append(Cut(mark, 10 * number, number, tuple(units), 7))
    return cuts


def followed(steps):
    cover, mark = Cover(), 0
    for number, (step, anchors) in enumerate(steps, 1):
        mark += step
        cover.cut(mark, 10 * number, number, anchors, 7)
    return cover, mark


@given(MARKS)
def test_every_unit_goes_with_the_first_cut_that_does_not_keep_it(steps):
    assert followed(steps)[0].cuts == covered(steps)


@given(MARKS, MARKS)
def test_going_back_and_on_is_as_if_nothing_had_been_between(steps, others):
    cover, _ = followed([*steps, *others])
    back = cover.before(sum(step for step, _ in steps), len(steps))
    assert back.cuts == followed(steps)[0].cuts
    again, mark = back, sum(step for step, _ in steps)
    for number, (step, anchors) in enumerate(others, len(steps) + 1):
        mark += step
        again.cut(mark, 10 * number, number, anchors, 7)
    assert again.cuts == cover.cuts


@given(MARKS, st.integers(1, 4), st.sets(st.integers(0, 12), max_size=4))
def test_what_a_cut_would_take_is_what_it_takes(steps, step, anchors):
    cover, mark = followed(steps)
    taken = cover.taken(mark + step, anchors)
    cover.cut(mark + step, 0, len(steps) + 1, anchors, 7)
    assert (cover.cuts[-1].units if taken else ()) == taken
