"""What every fitted history must be, judged from the outside."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from support.oracles import objections
from support.own_rules import head_objections
from support.shapes import History, Message

from trimtab import DoesNotFit, Fitted, Policy, check, fit, per_message, verify


def cost(message: Message) -> int:
    """A cheap counter of whole messages: every field counts."""
    return 1 + len(json.dumps(message, ensure_ascii=False)) // 8


@dataclass(frozen=True)
class Options:
    """What a fit is asked for, beside the history and the budget."""

    policy: Policy = field(default_factory=Policy)
    pin: tuple[int, ...] = ()
    fixed: int = 0  # spread over system, tools and reserve


def try_fit(format: str, history: History, budget: int, options: Options) -> Fitted | None:
    """Fit and judge the result; None where it does not fit. The input must stay as it was."""
    before = copy.deepcopy(history)
    third = options.fixed // 3
    try:
        fitted = fit(
            history,
            budget,
            format=format,
            counter=per_message(cost),
            policy=options.policy,
            pin=options.pin,
            system=third,
            tools=third,
            reserve=options.fixed - 2 * third,
        )
    except DoesNotFit as error:
        assert error.needs.total > budget, "it said it does not fit, but it would"
        return None
    finally:
        assert history == before, "the input was changed"
    judge(format, history, fitted, options)
    assert options.fixed + sum(map(cost, fitted.messages)) <= budget
    return fitted


def judge(format: str, history: History, fitted: Fitted, options: Options) -> None:
    """Accepted by every oracle, whole, in order, the same objects, within the budget."""
    assert objections(format, fitted.messages) == []
    assert check(fitted.messages, format=format) == []
    assert verify(fitted) == []
    assert fitted.used <= fitted.budget
    assert len(fitted.decisions) == len(history)
    if fitted.dropped:
        assert head_objections(format, fitted.messages, history) == []
    kept = _judge_identity(history, fitted)
    assert kept == [d.index for d in fitted.decisions if d.action in ("kept", "changed")]
    assert not history or kept[-1] == len(history) - 1, "the newest message is gone"
    assert set(options.pin) <= set(kept), "a pin is gone"
    keep_first = range(min(options.policy.keep_first, len(history)))
    assert set(keep_first) <= set(kept), "keep_first is gone"


def _judge_identity(history: History, fitted: Fitted) -> list[int]:
    """The input index of every output message that is not an insertion, ascending."""
    inserted = {row.position for row in fitted.inserted}
    output = [m for i, m in enumerate(fitted.messages) if i not in inserted]
    decided = [d for d in fitted.decisions if d.action in ("kept", "changed")]
    assert len(output) == len(decided)
    for message, decision in zip(output, decided, strict=True):
        original = history[decision.index]
        if decision.action == "kept":
            assert message is original, f"message {decision.index} is a copy"
        else:
            assert _differing_fields(original, message) == {"content"}
    return [d.index for d in decided]


def _differing_fields(one: Message, two: Message) -> set[Any]:
    return {key for key in one.keys() | two.keys() if one.get(key) != two.get(key)}
