"""An independent check of a result against the laws; shares no code with the planner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .fitted import Fitted
from .soundness import SOUNDNESS
from .soundness.fields import field


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken law: its number in the design, the message index where there is one, words."""

    law: int
    index: int | None
    message: str


def verify(fitted: Fitted) -> list[Violation]:
    """Check a result against its input and options; empty when all laws hold.

    Checks what can be seen from outside: the budget by a fresh count, validity by rules
    of its own, identity, order, anchors, holes, whole units, and the balance of the
    ledger. The input must not have been changed since the fit. Counts everything that
    was dropped. O(messages).
    """
    return [
        *_budget(fitted),
        *_validity(fitted),
        *_identity(fitted),
        *_anchors(fitted),
        *_holes(fitted),
        *_ledger(fitted),
    ]


def _budget(fitted: Fitted) -> Iterator[Violation]:
    counted = fitted.fixed + sum(map(fitted.setup.meter.message, fitted.messages))
    if counted > fitted.budget:
        yield Violation(1, None, f"{counted} tokens for a budget of {fitted.budget}")
    if counted != fitted.used:
        yield Violation(1, None, f"used says {fitted.used}, a fresh count {counted}")


def _validity(fitted: Fitted) -> Iterator[Violation]:
    check = SOUNDNESS.get(fitted.format)
    if check is None:
        return
    for index, words in check(fitted.messages):
        yield Violation(2, index, words)
    if fitted.format != "anthropic" or not fitted.messages:
        return
    led = [m for m in fitted.source if field(m, "role") != "system"]
    kept = [m for m in fitted.messages if field(m, "role") != "system"]
    if led and _is_human(led[0]) and kept and not _is_human(kept[0]):
        yield Violation(2, 0, "the input begins with a human message, the result does not")


def _is_human(message: Any) -> bool:
    content = field(message, "content")
    if field(message, "role") != "user":
        return False
    return isinstance(content, str) or not content or field(content[0], "type") != "tool_result"


def _identity(fitted: Fitted) -> Iterator[Violation]:
    places = {id(message): at for at, message in enumerate(fitted.source)}
    new = {row.position for row in fitted.inserted}
    changed = [row.index for row in fitted.decisions if row.action == "changed"]
    last = -1
    for position, message in enumerate(fitted.messages):
        at = places.get(id(message))
        if at is None:
            if position in new:
                continue
            if not changed or not _only_content_differs(fitted.source[changed[0]], message):
                yield Violation(3, position, "neither the caller's object nor a listed change")
                continue
            at = changed.pop(0)
        if at < last and not fitted.repairs and len(places) == len(fitted.source):
            yield Violation(4, position, f"message {at} stands behind message {last}")
        last = at


def _only_content_differs(before: Any, after: Any) -> bool:
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return type(before) is type(after)
    parts = {"content", "tool_calls", "function_call"}
    same: bool = {k: v for k, v in before.items() if k not in parts} == {
        k: v for k, v in after.items() if k not in parts
    }
    return same


def _anchors(fitted: Fitted) -> Iterator[Violation]:
    gone = set(fitted.dropped)
    if fitted.repairs:
        return
    for at, message in enumerate(fitted.source):
        if at in gone and field(message, "role") in ("system", "developer"):
            yield Violation(5, at, "a system message was dropped")
        if at in gone and at < fitted.setup.policy.keep_first:
            yield Violation(5, at, "a message of keep_first was dropped")
    if fitted.source and len(fitted.source) - 1 in gone:
        yield Violation(5, len(fitted.source) - 1, "the newest message was dropped")
    human = [at for at, message in enumerate(fitted.source) if _holds_human_text(message)]
    if human and human[-1] in gone:
        yield Violation(5, human[-1], "the newest human text was dropped")


def _holds_human_text(message: Any) -> bool:
    content = field(message, "content")
    if field(message, "role") != "user":
        return False
    return not isinstance(content, (list, tuple)) or any(
        field(block, "type") != "tool_result" for block in content
    )


def _holes(fitted: Fitted) -> Iterator[Violation]:
    free = ("run", "newest")
    run = [row for row in fitted.decisions if row.reasons and row.reasons[-1] in free]
    if not run or fitted.repairs:
        return
    expected = range(run[0].index, len(fitted.source))
    have = {row.index for row in fitted.decisions if row.action != "dropped"}
    for at in expected:
        if at not in have:
            yield Violation(6, at, "a hole in the run")
    units: dict[int, set[bool]] = {}
    for row in fitted.decisions:
        units.setdefault(row.unit, set()).add(row.action == "dropped")
    for unit, fates in units.items():
        if len(fates) > 1 and unit >= 0:
            yield Violation(7, None, f"unit {unit} is kept in part")


def _ledger(fitted: Fitted) -> Iterator[Violation]:
    if [row.index for row in fitted.decisions] != list(range(len(fitted.source))):
        yield Violation(10, None, "not one decision for every message")
    after = sum(row.after for row in fitted.decisions)
    new = sum(row.tokens for row in fitted.inserted)
    if fitted.fixed + after + new != fitted.used:
        yield Violation(10, None, f"{fitted.fixed} + {after} + {new} is not {fitted.used}")
