"""``check`` and ``repair`` against the verdicts of independent validators."""

from __future__ import annotations

import copy
from random import Random

import pytest
from oracles.fitting import Options, cost, try_fit
from support.forall import forall, sizes
from support.generate import DAMAGE, build, damage, damaged_histories, sound, sound_histories
from support.oracles import FORMATS, objections
from support.own_rules import system_placement_objections
from support.shapes import History, calls, results

from trimtab import (
    InvalidHistory,
    MisplacedMessage,
    Repaired,
    check,
    fit,
    per_message,
    repair,
    verify,
)

both_formats = pytest.mark.parametrize("format", FORMATS)


def agree(format: str, history: History) -> bool:
    """Both call it broken or both call it sound; no difference is known that needs a table."""
    return bool(check(history, format=format)) == bool(objections(format, history))


def mended(format: str, broken: History) -> Repaired | None:
    """The repaired history, or None for the one fault that ``repair`` refuses to mend.

    System messages are never moved (law 4), so one where Anthropic forbids it stays a fault
    and is raised.
    """
    before = copy.deepcopy(broken)
    try:
        return repair(broken, format=format)
    except MisplacedMessage:
        assert format == "anthropic" and system_placement_objections(broken)
        return None
    finally:
        assert broken == before, "the input was changed"


@both_formats
@sizes(quick=300, slow=2500)
def test_check_agrees_with_the_oracles(format: str, examples: int) -> None:
    """Broken or sound: the same verdict on every damaged history."""

    def holds(drawn: tuple[str, History, History]) -> None:
        kind, _, broken = drawn
        before = copy.deepcopy(broken)
        faults = check(broken, format=format)
        assert agree(format, broken), (kind, faults, objections(format, broken))
        assert broken == before
        assert all(0 <= fault.index < len(broken) for fault in faults)

    forall(damaged_histories(format), examples, holds)


@both_formats
@pytest.mark.parametrize("kind", sorted(DAMAGE))
def test_check_agrees_on_every_kind(format: str, kind: str) -> None:
    """The same by seed, so that each kind of damage is met often."""
    for seed in range(25):
        broken = damage(sound(format, Random(seed)), Random(seed), kind)
        assert agree(format, broken), (seed, check(broken, format=format))


@both_formats
def test_a_call_without_an_id_is_a_fault(format: str) -> None:
    """Nothing can answer it, also not a result that names no id either."""
    history = build(format, [("say", 0), ("call", 1), ("reply", 2)])
    for ref in [*calls(history), *results(history)]:
        for key in {"id", "tool_call_id", "tool_use_id"} & ref.item.keys():
            del ref.item[key]
    assert objections(format, history) != []
    assert check(history, format=format) != []


@both_formats
@sizes(quick=100, slow=1000)
def test_sound_histories_have_no_faults_and_need_no_repair(format: str, examples: int) -> None:
    """Nothing is reported and nothing is touched: the same objects come back."""

    def holds(history: History) -> None:
        assert check(history, format=format) == []
        repaired = repair(history, format=format)
        assert repaired.repairs == []
        assert all(a is b for a, b in zip(repaired.messages, history, strict=True))

    forall(sound_histories(format), examples, holds)


@both_formats
@sizes(quick=300, slow=2500)
def test_repair_makes_broken_histories_acceptable(format: str, examples: int) -> None:
    """Repaired: accepted by all, once and for all, with every repair listed, input unchanged."""

    def holds(drawn: tuple[str, History, History]) -> None:
        _, _, broken = drawn
        if (repaired := mended(format, broken)) is None:
            return
        assert check(repaired.messages, format=format) == []
        assert objections(format, repaired.messages) == []
        again = repair(repaired.messages, format=format)
        assert again.repairs == [] and again.messages == repaired.messages
        assert bool(repaired.repairs) == bool(check(broken, format=format))

    forall(damaged_histories(format), examples, holds)


@both_formats
@sizes(quick=120, slow=1000)
def test_fit_refuses_or_repairs_broken_histories(format: str, examples: int) -> None:
    """By default a broken history is refused; on demand its repaired form is fitted."""

    def holds(drawn: tuple[str, History, History]) -> None:
        _, _, broken = drawn
        counter = per_message(cost)
        budget = sum(map(cost, broken)) + 1000
        if check(broken, format=format):
            with pytest.raises(InvalidHistory):
                fit(broken, budget, format=format, counter=counter)
        if (repaired := mended(format, broken)) is None:
            return
        fitted = fit(broken, budget, format=format, counter=counter, on_invalid="repair")
        assert fitted.messages == repaired.messages
        assert len(fitted.decisions) == len(broken), "one decision per message of the input"
        for part in range(5):
            budget = sum(map(cost, repaired.messages)) * part // 4
            try_fit(format, repaired.messages, budget, Options())

    forall(damaged_histories(format), examples, holds)


@both_formats
def test_a_repaired_fit_under_pressure(format: str) -> None:
    """``on_invalid="repair"`` where not all fits: the same as fitting the repaired history."""
    fitted = 0
    for seed in range(3 * len(DAMAGE)):
        kind = sorted(DAMAGE)[seed % len(DAMAGE)]
        broken = damage(sound(format, Random(seed)), Random(seed), kind)
        repaired = mended(format, broken)
        if repaired is None:
            continue
        counter = per_message(cost)
        budget = sum(map(cost, repaired.messages)) * 2 // 3
        plain = try_fit(format, repaired.messages, budget, Options())
        if plain is not None:
            both = fit(broken, budget, format=format, counter=counter, on_invalid="repair")
            assert both.messages == plain.messages and both.used == plain.used
            assert verify(both) == []
            fitted += 1
    assert fitted > 10
