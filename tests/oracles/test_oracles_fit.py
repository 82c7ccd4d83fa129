"""Sound in, sound out: fitted histories as the independent validators see them."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from oracles.fitting import Options, cost, judge, try_fit
from support.forall import forall, sizes
from support.generate import sound, sound_histories
from support.oracles import FORMATS, objections
from support.shapes import History

from trimtab import Conversation, DoesNotFit, Policy, fit, per_message

both_formats = pytest.mark.parametrize("format", FORMATS)

policies = st.one_of(
    st.just(Policy()),
    st.sampled_from([0.2, 0.5, 0.8]).map(lambda depth: Policy(depth=depth)),
    st.integers(0, 4).map(lambda n: Policy(keep_first=n)),
    st.sampled_from([True, "Something was left out."]).map(lambda text: Policy(notice=text)),
    st.integers(20, 60).map(lambda n: Policy(max_result_tokens=n)),
    st.builds(
        Policy,
        depth=st.sampled_from([None, 0.5]),
        keep_first=st.integers(0, 2),
        max_result_tokens=st.sampled_from([None, 40]),
        notice=st.booleans(),
    ),
)


def budgets(history: History, fixed: int = 0) -> list[int]:
    """Nine budgets from nothing to enough."""
    total = fixed + sum(map(cost, history))
    return sorted({total * part // 8 for part in range(9)} | {total})


@both_formats
@sizes(quick=150, slow=1500)
def test_fit_at_many_budgets(format: str, examples: int) -> None:
    """Any budget: a result that all accept, or ``DoesNotFit``; more budget keeps a superset."""

    def holds(history: History) -> None:
        dropped: set[int] | None = None
        for budget in budgets(history):
            fitted = try_fit(format, history, budget, Options())
            assert fitted is not None or dropped is None, "it fitted a smaller budget"
            if fitted is not None:
                assert dropped is None or set(fitted.dropped) <= dropped
                dropped = set(fitted.dropped)
        assert dropped == set(), "everything fits, yet something was dropped"

    forall(sound_histories(format), examples, holds)


@both_formats
@sizes(quick=200, slow=2500)
def test_fit_under_any_policy(format: str, examples: int) -> None:
    """The same with pins, fixed cost, slack, notice and capped results."""

    def holds(drawn: tuple[History, Policy, int, list[int], int]) -> None:
        history, policy, part, pins, fixed = drawn
        pin = tuple(sorted({p % len(history) for p in pins}))
        budget = budgets(history, fixed)[min(part, len(budgets(history, fixed)) - 1)]
        try_fit(format, history, budget, Options(policy, pin, fixed))

    drawn = st.tuples(
        sound_histories(format, 10),
        policies,
        st.integers(0, 8),
        st.lists(st.integers(0, 30), max_size=2),
        st.sampled_from([0, 9, 30]),
    )
    forall(drawn, examples, holds)


@both_formats
@sizes(quick=100, slow=1000)
def test_the_needs_of_does_not_fit_are_the_smallest_budget(format: str, examples: int) -> None:
    """What ``DoesNotFit`` says would fit does fit, and one token less does not."""

    def holds(history: History) -> None:
        counter = per_message(cost)
        with pytest.raises(DoesNotFit) as caught:
            fit(history, 0, format=format, counter=counter)
        need = caught.value.needs.total
        assert fit(history, need, format=format, counter=counter).used <= need
        with pytest.raises(DoesNotFit):
            fit(history, need - 1, format=format, counter=counter)

    forall(sound_histories(format), examples, holds)


@both_formats
@sizes(quick=60, slow=1000)
def test_a_growing_conversation(format: str, examples: int) -> None:
    """After every single message, what ``Conversation`` would send is sound and within budget."""

    def holds(drawn: tuple[History, Any, int]) -> None:
        history, depth, part = drawn
        budget = max(1, sum(map(cost, history)) * part // 8)
        policy = Policy(depth=depth)
        talk = Conversation(budget, format=format, counter=per_message(cost), policy=policy)
        for end, message in enumerate(history, start=1):
            talk.append(message)
            try:
                fitted = talk.fit()
            except DoesNotFit:
                continue
            judge(format, history[:end], fitted, Options(policy))

    depths = st.sampled_from([None, 0.3, 0.7])
    forall(st.tuples(sound_histories(format), depths, st.integers(1, 7)), examples, holds)


@both_formats
@pytest.mark.parametrize(
    "seeds",
    [range(25), pytest.param(range(25, 400), marks=pytest.mark.slow)],
    ids=["quick", "slow"],
)
def test_fit_with_real_counting(format: str, seeds: range) -> None:
    """The default counter and framing: same promises, odd content included."""
    for seed in seeds:
        history = sound(format, Random(seed), units=12)
        before = copy.deepcopy(history)
        whole = fit(history, 10**7, format=format)
        assert all(a is b for a, b in zip(whole.messages, history, strict=True))
        for part in range(5):
            budget = whole.used * part // 4
            try:
                fitted = fit(history, budget, format=format, system="Be brief.")
            except DoesNotFit:
                continue
            finally:
                assert history == before
            judge(format, history, fitted, Options())
            assert fitted.used <= budget
        assert objections(format, whole.messages) == []
