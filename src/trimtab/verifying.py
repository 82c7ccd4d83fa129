"""An independent check of a result against the laws; shares no code with the planner."""

from __future__ import annotations

from collections import defaultdict, deque
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
    ledger. What was kept is read from the messages themselves. The input must not have
    been changed since the fit. Counts everything that was dropped. O(messages).
    """
    places, strangers = _places(fitted)
    kept = {at for at in places if at >= 0}
    return [
        *_budget(fitted),
        *_validity(fitted),
        *_identity(fitted, places, strangers),
        *_anchors(fitted, kept),
        *_holes(fitted, kept),
        *_ledger(fitted, kept),
    ]


def _places(fitted: Fitted) -> tuple[list[int], list[int]]:
    """Where each message of the result stands in the input, and the positions of strangers.

    A new message stands at -1. A stranger is neither the caller's object nor a listed
    change nor listed as new; it stands where an equal message is missing, or at -1.
    """
    source = fitted.source
    found: dict[int, deque[int]] = defaultdict(deque)
    for at, message in enumerate(source):
        found[id(message)].append(at)
    free = [row.index for row in fitted.decisions if row.action == "changed"]
    new = {row.position for row in fitted.inserted}
    places: list[int] = []
    strangers: list[int] = []
    last = -1
    for position, message in enumerate(fitted.messages):
        own = found.get(id(message), deque())
        ahead = next((at for at in own if at > last), None)
        if ahead is None and own:
            ahead = own[0]
        if ahead is not None:
            own.remove(ahead)
        elif position in new:
            ahead = -1
        else:
            twins = (at for at in free if _only_content_differs(source[at], message))
            ahead = next(twins, -1)
            if ahead >= 0:
                free.remove(ahead)
            else:
                strangers.append(position)
        places.append(ahead)
        last = max(last, ahead)
    missing = sorted(set(range(len(source))) - set(places))
    for position in strangers:
        equal = (at for at in missing if source[at] == fitted.messages[position])
        if (at := next(equal, -1)) >= 0:
            places[position] = at
            missing.remove(at)
    return places, strangers


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


def _identity(fitted: Fitted, places: list[int], strangers: list[int]) -> Iterator[Violation]:
    for position in strangers:
        yield Violation(3, position, "neither the caller's object nor a listed change")
    last = -1
    for position, at in enumerate(places):
        if 0 <= at < last and not fitted.repairs:
            yield Violation(4, position, f"message {at} stands behind message {last}")
        last = max(last, at)


def _only_content_differs(before: Any, after: Any) -> bool:
    fields = _fields(before), _fields(after)
    if None in fields:
        return type(before) is type(after)
    parts = {"content", "tool_calls", "function_call"}
    left, right = ({k: v for k, v in (f or {}).items() if k not in parts} for f in fields)
    return left == right


def _fields(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else getattr(value, "__dict__", None)


def _anchors(fitted: Fitted, kept: set[int]) -> Iterator[Violation]:
    if fitted.repairs:
        return
    source, first = fitted.source, fitted.setup.policy.keep_first
    pins = fitted.transcript.pins
    for at, message in enumerate(source):
        if at in kept:
            continue
        if field(message, "role") in ("system", "developer"):
            yield Violation(5, at, "a system message was dropped")
        if at < first or pins[at]:
            yield Violation(5, at, "a message that is pinned was dropped")
        if at == len(source) - 1:
            yield Violation(5, at, "the newest message was dropped")
    human = [at for at, message in enumerate(source) if _holds_human_text(message)]
    if human and human[-1] not in kept:
        yield Violation(5, human[-1], "the newest human text was dropped")


def _holds_human_text(message: Any) -> bool:
    content = field(message, "content")
    if field(message, "role") != "user":
        return False
    return not isinstance(content, (list, tuple)) or any(
        field(block, "type") != "tool_result" for block in content
    )


def _holes(fitted: Fitted, kept: set[int]) -> Iterator[Violation]:
    if fitted.repairs:
        return
    run = [row.index for row in fitted.decisions if row.reasons[-1:] in (("run",), ("newest",))]
    for at in range(min(run, default=len(fitted.source)), len(fitted.source)):
        if at not in kept:
            yield Violation(6, at, "a hole in the run")
    units: dict[int, set[bool]] = {}
    for row in fitted.decisions:
        units.setdefault(row.unit, set()).add(row.index in kept)
    for unit, fates in units.items():
        if len(fates) > 1 and unit >= 0:
            yield Violation(7, None, f"unit {unit} is kept in part")


def _ledger(fitted: Fitted, kept: set[int]) -> Iterator[Violation]:
    rows = fitted.decisions
    if [row.index for row in rows] != list(range(len(fitted.source))):
        yield Violation(10, None, "not one decision for every message")
    for row in rows:
        if (row.action != "dropped") != (row.index in kept):
            yield Violation(10, row.index, f"it is said to be {row.action}, and is not")
    after = sum(row.after for row in rows)
    new = sum(row.tokens for row in fitted.inserted)
    if fitted.fixed + after + new != fitted.used:
        yield Violation(10, None, f"{fitted.fixed} + {after} + {new} is not {fitted.used}")
