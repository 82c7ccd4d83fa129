"""The twelve laws over generated histories of every format, under every policy there is."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import strategies as st
from support.forall import forall
from support.generate import damaged_histories, sound_histories
from support.written import installed
from trimtab import (
    Conversation,
    DoesNotFit,
    InvalidHistory,
    Policy,
    check,
    fit,
    per_message,
    repair,
    verify,
)
from trimtab.formats.registry import FORMATS
from trimtab.steady import Steady

THOROUGH = ("openai-chat", "anthropic", "gemini")
# A history that must end with a reply has no prefixes that are whole.
CLOSED = ("fine-tuning", "sharegpt")
LATE = ("late",)  # an item's output that comes late: until then the history is broken
every_format = pytest.mark.parametrize("format", list(FORMATS))
every_open_format = pytest.mark.parametrize("format", [f for f in FORMATS if f not in CLOSED])
POLICIES = [
    Policy(),
    Policy(depth=0.5),
    Policy(keep_first=2),
    Policy(notice=True),
    Policy(max_result_tokens=5),
    Policy(depth=0.7, keep_first=1, max_result_tokens=8, notice="[cut]"),
    Policy(depth=Steady("0.1", "1.25")),
    Policy(depth=Steady("0.1", 1, 2), keep_first=1, notice=True),
    Policy(depth=Steady("0.25", 1, floor=60)),
]


def size(message):
    """A counter of whole messages that depends on all of their content."""
    return 1 + len(repr(message)) // 8


COUNTERS = {"tokens": None, "words": lambda text: len(text.split()), "message": per_message(size)}

policies = st.sampled_from(POLICIES)
counters = st.sampled_from(sorted(COUNTERS))
budgets = st.integers(0, 400)


def law(format, holds):
    """Let a law hold on drawn data, with the format's framework (or its twin) in place."""
    with installed(format):
        forall(st.data(), 60 if format in THOROUGH else 10, holds)


def same(left, right):
    """Whether two lists of messages are equal, object by object or by value where changed."""
    return len(left) == len(right) and all(
        a is b or a == b for a, b in zip(left, right, strict=True)
    )


@every_format
def test_laws_of_one_result(format):
    """1 budget, 2 validity, 3 identity, 4 order, 5 anchors, 6 no holes, 7 units, 10 ledger."""

    def holds(data):
        history = data.draw(sound_histories(format))
        policy, budget = data.draw(policies), data.draw(budgets)
        counter = COUNTERS[data.draw(counters)]
        before = repr(history)
        try:
            fitted = fit(history, budget, format=format, counter=counter, policy=policy)
        except DoesNotFit as error:
            assert error.needs.total > budget
            assert str(error.needs.total) in str(error)
            return
        finally:
            assert repr(history) == before
        assert verify(fitted) == []
        assert fitted.used <= budget
        assert check(fitted.messages, format=format) == []
        own = {id(message) for message in history}
        new = {row.position for row in fitted.inserted}
        for position, message in enumerate(fitted.messages):
            if policy.max_result_tokens is None and position not in new:
                assert id(message) in own
        assert json.loads(json.dumps(fitted.to_dict()))["used"] == fitted.used
        assert str(fitted.used) in fitted.explain()

    law(format, holds)


@every_format
def test_what_does_not_fit_says_what_would(format):

    def holds(data):
        history = data.draw(sound_histories(format))
        policy = data.draw(policies)
        with pytest.raises(DoesNotFit) as caught:
            fit(history, 0, format=format, policy=policy)
        needs = caught.value.needs.total
        assert fit(history, needs, format=format, policy=policy).used <= needs
        with pytest.raises(DoesNotFit):
            fit(history, needs - 1, format=format, policy=policy)

    law(format, holds)


@every_format
def test_law_3_all_that_fits_comes_back_as_it_was(format):

    def holds(data):
        history = data.draw(sound_histories(format))
        fitted = fit(history, 10**9, format=format, policy=Policy(depth=0.5, notice=True))
        assert fitted.messages is not history
        assert all(a is b for a, b in zip(fitted.messages, history, strict=True))
        assert fitted.dropped == []
        assert fitted.first_changed is None
        assert fitted.cut_at is None

    law(format, holds)


@every_format
def test_law_6_a_larger_budget_keeps_a_superset(format):

    def holds(data):
        history = data.draw(sound_histories(format))
        previous = None
        for budget in range(0, 400, 9):
            try:
                kept = set(range(len(history))) - set(fit(history, budget, format=format).dropped)
            except DoesNotFit:
                assert previous is None
                continue
            assert previous is None or kept >= previous
            previous = kept

    law(format, holds)


@every_open_format
def test_laws_8_and_9_every_prefix(format):
    """`Conversation` gives what `fit` gives, and moves only at cuts that it declares."""

    def holds(data):
        history = data.draw(sound_histories(format, 12, without=LATE))
        policy, budget = data.draw(policies), data.draw(st.integers(20, 300))
        conversation = Conversation(budget, format=format, policy=policy)
        results = []
        for n, message in enumerate(history, 1):
            conversation.append(message)
            fitted = _or_none(conversation.fit)
            again = _or_none(lambda n=n: fit(history[:n], budget, format=format, policy=policy))
            results.append(fitted)
            assert (fitted is None) == (again is None)
            if fitted is not None:
                assert same(fitted.messages, again.messages)
                assert fitted.to_dict() == again.to_dict()
                assert verify(fitted) == []
        for n, (before, after) in enumerate(pairwise(results), 1):
            if before is None or after is None:
                continue
            grew = same(before.messages, after.messages[:-1])
            assert grew or after.cut_at == n

    law(format, holds)


def _or_none(call):
    try:
        return call()
    except DoesNotFit:
        return None


@every_open_format
def test_law_9_what_fits_is_appended(format):
    """If the previous result and the new message fit together, that is the result."""

    def holds(data):
        history = data.draw(sound_histories(format, 12, without=LATE))
        budget = data.draw(st.integers(20, 300))
        policy = data.draw(st.sampled_from([Policy(), Policy(depth=0.5), Policy(keep_first=2)]))
        conversation = Conversation(budget, format=format, policy=policy)
        before = None
        for at, message in enumerate(history):
            conversation.append(message)
            after = _or_none(conversation.fit)
            price = conversation._transcript.cost(at)  # where it stands: results may be listed
            if before is not None and before.used + price <= budget:
                assert same(after.messages, [*before.messages, message])
            before = after

    law(format, holds)


@every_format
def test_law_12_broken_input_is_refused_or_mended_and_listed(format):

    def holds(data):
        _, _, broken = data.draw(damaged_histories(format))
        before = repr(broken)
        faults = check(broken, format=format)
        if not faults:
            assert repair(broken, format=format).repairs == []
            return
        with pytest.raises(InvalidHistory) as caught:
            fit(broken, 10**6, format=format)
        assert (caught.value.code, caught.value.index) == (faults[0].code, faults[0].index)
        try:
            fitted = fit(broken, 10**6, format=format, on_invalid="repair")
        except InvalidHistory as error:
            assert error.code in ("misplaced", "unknown_role")
            return
        finally:
            assert repr(broken) == before
        assert fitted.repairs
        assert verify(fitted) == []
        assert check(fitted.messages, format=format) == []
        assert {row.index for row in fitted.decisions} == set(range(len(broken)))
        own = {id(message) for message in broken}
        strangers = [m for m in fitted.messages if id(m) not in own]
        changed = [row for row in fitted.decisions if row.action == "changed"]
        assert len(strangers) == len(changed) + len(fitted.inserted)

    law(format, holds)
