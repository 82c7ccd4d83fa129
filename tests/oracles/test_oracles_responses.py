"""OpenAI Responses against validators of others: generated histories and real ones."""

from __future__ import annotations

import copy
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpus import conversations, requires_corpus
from support.generate_responses import DAMAGE, build, damaged_responses, sound_responses
from support.responses_oracle import objections

from trimtab import DoesNotFit, check, fit, per_message, repair, verify
from trimtab.soundness import SOUNDNESS

NAME = "openai-responses"
generated = settings(max_examples=150, deadline=None, derandomize=True)
COUNTER = per_message(lambda item: 1 + len(str(item)) // 8)


def test_every_kind_of_damage_breaks_something() -> None:
    """The generator is worth something: each kind but the harmless ones draws objections."""
    script = [(kind, 7) for kind in ("say", "parallel", "late", "approval", "reply")]
    for kind in sorted(set(DAMAGE) - {"late_result", "drop_reasoning", "cut_tail"}):
        broken = []
        for seed in range(12):
            history = copy.deepcopy(build(script))
            DAMAGE[kind](history, Random(seed))
            broken.append(bool(objections(history)))
        assert any(broken), kind


@generated
@given(sound_responses())
def test_sound_histories_have_no_fault(history):
    assert check(history, format=NAME) == []
    assert objections(history) == []
    assert list(SOUNDNESS[NAME](history)) == []


@generated
@given(damaged_responses())
def test_check_agrees_on_damage(damaged):
    _, _, broken = damaged
    faults = check(broken, format=NAME)
    assert bool(faults) == bool(objections(broken))
    assert bool(faults) == bool(list(SOUNDNESS[NAME](broken)))


@generated
@given(damaged_responses(), st.integers(0, 600))
def test_what_is_repaired_is_accepted_whole_and_cut(damaged, budget):
    _, _, broken = damaged
    mended = repair(broken, format=NAME).messages
    assert objections(mended) == []
    if mended == broken:
        assert all(a is b for a, b in zip(mended, broken, strict=True))
    try:
        fitted = fit(broken, budget, format=NAME, counter=COUNTER, on_invalid="repair")
    except DoesNotFit as error:
        assert error.needs.total > budget
        return
    assert objections(fitted.messages) == []
    assert verify(fitted) == []


@generated
@given(sound_responses(), st.integers(0, 900))
def test_a_cut_keeps_the_rules(history, budget):
    before = copy.deepcopy(history)
    try:
        fitted = fit(history, budget, format=NAME, counter=COUNTER)
    except DoesNotFit:
        return
    assert history == before
    assert objections(fitted.messages) == []
    assert verify(fitted) == []
    assert fitted.messages[-1] is history[-1]


@requires_corpus
@pytest.mark.parametrize(
    "step", [pytest.param(6, id="quick"), pytest.param(1, id="slow", marks=pytest.mark.slow)]
)
def test_real_conversations_are_sound_and_stay_so(step: int) -> None:
    """All of them at seven budgets: ``bench/sweep.py``."""
    rows = [row for at, row in enumerate(conversations(NAME)) if at % step == 0]
    for row in rows:
        messages = row["messages"]
        assert check(messages, format=NAME) == []
        assert objections(messages) == []
        for budget in (500, 8_000):
            try:
                fitted = fit(messages, budget, format=NAME)
            except DoesNotFit:
                continue
            assert objections(fitted.messages) == [], row["id"]
            assert verify(fitted) == [], row["id"]
