"""Strict alternation against validators of others and templates that raise."""

from __future__ import annotations

import copy
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpus import conversations, requires_corpus
from support.strict_histories import DAMAGE, EXCHANGES, SHAPES, build, damaged_strict, sound_strict
from support.strict_oracles import PAIRS, objections, rendered

from trimtab import Conversation, DoesNotFit, Policy, check, fit, per_message, repair, verify
from trimtab.soundness import SOUNDNESS

FORMATS = sorted(SHAPES)
OPEN = [name for name in FORMATS if not SHAPES[name].closed]
COUNTER = per_message(lambda message: 1 + len(str(message)) // 8)
POLICIES = [
    Policy(),
    Policy(depth=0.5),
    Policy(keep_first=3),
    Policy(notice="[cut]"),
    Policy(depth=0.7, keep_first=1, notice="[cut]"),
]
generated = settings(max_examples=100, deadline=None, derandomize=True)
policies = st.sampled_from(POLICIES)
budgets = st.integers(0, 700)


@pytest.mark.parametrize("format", FORMATS)
def test_damage_is_worth_something(format):
    """Each kind, where it applies, draws objections on some histories."""
    harmless = {"cut_tail", "cut_head"} if format in OPEN else {"cut_head"}
    if format == "bedrock-converse":
        harmless |= {"system_between"}
    else:
        harmless |= {"split_results", "blank_text", "drop_a_block"}
    harmless |= {"wrong_id"} if format == "sharegpt" else set()
    for kind in sorted(set(DAMAGE) - harmless):
        broken = []
        for seed in range(12):
            history = build(format, [(one, seed) for one in EXCHANGES])
            DAMAGE[kind](SHAPES[format], history, Random(seed))
            broken.append(bool(objections(format, history)))
        assert any(broken), kind


@pytest.mark.parametrize("format", FORMATS)
@generated
@given(st.data())
def test_sound_histories_have_no_fault(format, data):
    history = data.draw(sound_strict(format))
    assert check(history, format=format) == []
    assert objections(format, history) == []
    assert list(SOUNDNESS[format](history)) == []


@pytest.mark.parametrize("format", FORMATS)
@generated
@given(st.data())
def test_check_agrees_on_damage(format, data):
    _, _, broken = data.draw(damaged_strict(format))
    faults = check(broken, format=format)
    assert bool(faults) == bool(objections(format, broken)), (faults, objections(format, broken))
    assert bool(faults) == bool(list(SOUNDNESS[format](broken)))


@pytest.mark.parametrize("format", FORMATS)
@generated
@given(st.data())
def test_what_is_repaired_is_accepted_whole_and_cut(format, data):
    _, _, broken = data.draw(damaged_strict(format))
    before = copy.deepcopy(broken)
    mended = repair(broken, format=format).messages
    assert objections(format, mended) == []
    if mended == broken:
        assert all(a is b for a, b in zip(mended, broken, strict=True))
    budget, policy = data.draw(budgets), data.draw(policies)
    try:
        fitted = fit(
            broken, budget, format=format, counter=COUNTER, policy=policy, on_invalid="repair"
        )
    except DoesNotFit as error:
        assert error.needs.total > budget
        return
    finally:
        assert broken == before
    assert objections(format, fitted.messages) == []
    assert verify(fitted) == []
    assert fitted.used <= budget


@pytest.mark.parametrize("format", FORMATS)
@generated
@given(st.data())
def test_a_cut_keeps_the_rules_and_begins_with_a_person(format, data):
    history = data.draw(sound_strict(format, 8))
    budget, policy = data.draw(budgets), data.draw(policies)
    pins = data.draw(st.sets(st.integers(0, len(history) - 1), max_size=3))
    try:
        fitted = fit(history, budget, format=format, counter=COUNTER, policy=policy, pin=pins)
    except DoesNotFit as error:
        assert error.needs.total > budget
        needed = error.needs.total
        assert (
            fit(history, needed, format=format, counter=COUNTER, policy=policy, pin=pins).used
            <= needed
        )
        return
    assert verify(fitted) == []
    assert objections(format, fitted.messages) == []
    assert list(SOUNDNESS[format](fitted.messages)) == []
    assert fitted.messages[-1] is history[-1]
    talk = [m for m in fitted.messages if (m.get("role") or m.get("from")) != "system"]
    assert (talk[0].get("role") or talk[0].get("from")) in ("user", "human")


@pytest.mark.parametrize("format", OPEN)
@generated
@given(st.data())
def test_message_by_message_gives_the_same(format, data):
    history = data.draw(sound_strict(format))
    policy, budget = data.draw(policies), data.draw(st.integers(60, 500))
    conversation = Conversation(budget, format=format, policy=policy, counter=COUNTER)
    for n, message in enumerate(history, 1):
        conversation.append(message)
        results = []
        for ask in (
            conversation.fit,
            lambda n=n: fit(history[:n], budget, format=format, policy=policy, counter=COUNTER),
        ):
            try:
                results.append(ask().to_dict())
            except DoesNotFit:
                results.append(None)
        assert results[0] == results[1]


@generated
@given(sound_strict("strict-chat", 8), budgets)
def test_without_tools_every_template_renders_a_cut(history, budget):
    history = [m for m in history if m["role"] != "tool" and not m.get("tool_calls")]
    try:
        fitted = fit(history, budget, format="mistral", counter=COUNTER)
    except DoesNotFit:
        return
    assert rendered(PAIRS, fitted.messages) == []


@requires_corpus
@pytest.mark.parametrize(
    "step", [pytest.param(9, id="quick"), pytest.param(1, id="slow", marks=pytest.mark.slow)]
)
def test_recorded_conversations(step):
    """Mended, whole and cut; all of them at seven budgets: ``bench/sweep.py``."""
    rows = [row for row in conversations("plain") if row["messages"][0].get("from")]
    chats = [row for at, row in enumerate(conversations("openai-chat")) if at % step == 0]
    for format, found in (("sharegpt", rows), ("mistral", chats)):
        for row in found:
            messages = repair(row["messages"], format=format).messages
            for budget in (300, 4_000):
                try:
                    fitted = fit(messages, budget, format=format)
                except DoesNotFit:
                    continue
                assert verify(fitted) == [], row["id"]
                assert check(fitted.messages, format=format) == [], row["id"]
