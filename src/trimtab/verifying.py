"""An independent check of a result against the laws; shares no code with the planner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .fitted import Fitted
from .formats.base import MODEL
from .soundness import OPINIONS
from .soundness.opinion import Opinion


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
    change nor listed as new; it stands where an equal message is missing, or at -1. They are
    looked for from the newest on, since an object that stands in a history twice is more
    likely kept where it stands last.
    """
    source = fitted.source
    found: dict[int, list[int]] = defaultdict(list)
    for at, message in enumerate(source):
        found[id(message)].append(at)
    free = [row.index for row in fitted.decisions if row.action == "changed"]
    new = {row.position for row in fitted.inserted}
    joined = {row.index for row in fitted.repairs if row.action == "joined"}
    places: list[int] = []
    strangers: list[int] = []
    behind = len(source)
    for position, message in reversed(list(enumerate(fitted.messages))):
        own = found.get(id(message), [])
        at = next((at for at in reversed(own) if at < behind), None)
        if at is None and own:
            at = own[-1]
        if at is not None:
            own.remove(at)
        elif position in new:
            at = -1
        else:
            parts = _opinion(fitted).parts
            twins = (i for i in reversed(free) if _only_differ(source[i], message, parts))
            at = next(twins, next((i for i in reversed(free) if i in joined), -1))
            if at >= 0:
                free.remove(at)
            else:
                strangers.append(position)
        places.append(at)
        behind = at if at >= 0 else behind
    places.reverse()
    strangers.reverse()
    missing = sorted(set(range(len(source))) - set(places))
    for position in strangers:
        equal = (at for at in missing if source[at] == fitted.messages[position])
        if (at := next(equal, -1)) >= 0:
            places[position] = at
            missing.remove(at)
    return places, strangers


def _budget(fitted: Fitted) -> Iterator[Violation]:
    counted = fitted.fixed + sum(_prices(fitted)) - _left_out(fitted)
    if counted > fitted.budget:
        yield Violation(1, None, f"{counted} tokens for a budget of {fitted.budget}")
    if counted != fitted.used:
        yield Violation(1, None, f"used says {fitted.used}, a fresh count {counted}")


def _prices(fitted: Fitted) -> Iterator[int]:
    meter, read, several = fitted.setup.meter, fitted.setup.format.read, False
    for message in fitted.messages:
        facts = read(message)
        if facts.role == MODEL:
            several = len(facts.calls) > 1
        yield meter.message(message, several and bool(facts.answers))


def _left_out(fitted: Fitted) -> int:
    """Tokens of what is kept before the last unit of the run that stands for all before it."""
    rows, shape = [row for row in fitted.decisions if row.unit >= 0], fitted.setup.format
    run = {r.unit for r in rows if r.reasons[-1:] in (("run",), ("newest",))}
    stands = {r.unit for r in rows if shape.read(fitted.source[r.index]).stands}
    floor = max((unit for unit in stands if unit <= min(run, default=-1)), default=0)
    early = {r.index for r in rows if r.unit < floor}
    notices = _insertions(fitted)
    left_out, free = 0, False  # what a repair made is free where what it stands behind is
    for position, (at, price) in enumerate(zip(_places(fitted)[0], _prices(fitted), strict=True)):
        free = at in early if at >= 0 else free and position not in notices
        left_out += price if free else 0
    return left_out


def _insertions(fitted: Fitted) -> set[int]:
    """Where what stands in for dropped messages stands."""
    return {row.position for row in fitted.inserted if row.kind != "repair"}


def _validity(fitted: Fitted) -> Iterator[Violation]:
    opinion = OPINIONS.get(fitted.format)
    yield from _unread(fitted)
    if opinion is None:
        return
    # Where the provider holds earlier items, outputs may answer calls in those.
    held = [{"type": "item_reference"}] if fitted.setup.format.held else []
    for index, words in opinion.objections([*held, *fitted.messages]):
        yield Violation(2, index - len(held), words)
    if opinion.leads is None:
        return
    # A repair may have dropped the first message.
    history = fitted.transcript.messages[: fitted.size] if fitted.repairs else fitted.source
    led = [m for m in history if not opinion.stays(m)]
    kept = [m for m in fitted.messages if not opinion.stays(m)]
    if led and opinion.leads(led[0]) and kept and not opinion.leads(kept[0]):
        yield Violation(2, 0, "the input begins with a human message, the result does not")


def _unread(fitted: Fitted) -> Iterator[Violation]:
    """A summary must not stand where the provider leaves all out."""
    summaries = [row.position for row in fitted.inserted if row.kind == "summary"]
    if not summaries or fitted.cut_at is None:
        return
    read, places = fitted.setup.format.read, _places(fitted)[0]
    for position, at in enumerate(places):
        if 0 <= at <= fitted.cut_at and read(fitted.messages[position]).stands:
            for unread in summaries:
                if unread < position:
                    yield Violation(2, unread, "a summary stands where nobody reads it")


def _identity(fitted: Fitted, places: list[int], strangers: list[int]) -> Iterator[Violation]:
    for position in strangers:
        yield Violation(3, position, "neither the caller's object nor a listed change")
    last = -1
    for position, at in enumerate(places):
        if 0 <= at < last and not fitted.repairs:
            yield Violation(4, position, f"message {at} stands behind message {last}")
        last = max(last, at)


def _opinion(fitted: Fitted) -> Opinion:
    known = OPINIONS.get(fitted.format)
    if known is not None:
        return known
    # A format of the caller's own has no second opinion; that much of it must be believed.
    field = getattr(fitted.setup.format, "field", "content")
    return Opinion(lambda _: iter(()), parts=frozenset({field}))


def _only_differ(before: Any, after: Any, parts: frozenset[str]) -> bool:
    """Whether two messages are alike but for some fields."""
    fields = _fields(before), _fields(after)
    if None in fields:
        return type(before) is type(after)
    left, right = ({k: v for k, v in (f or {}).items() if k not in parts} for f in fields)
    return left == right


def _fields(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else getattr(value, "__dict__", None)


def _anchors(fitted: Fitted, kept: set[int]) -> Iterator[Violation]:
    if fitted.repairs:
        return
    source, first = fitted.source, fitted.setup.policy.keep_first
    pins, opinion = fitted.transcript.pins, _opinion(fitted)
    recaps = fitted.transcript.recaps
    for at, message in enumerate(source):
        if at in recaps:
            first += 1  # no anchor: it stands for others
            continue
        if at in kept:
            continue
        if opinion.stays(message):
            yield Violation(5, at, "a system message was dropped")
        if at < first or pins[at]:
            yield Violation(5, at, "a message that is pinned was dropped")
        if at == len(source) - 1:
            yield Violation(5, at, "the newest message was dropped")
    human = [at for at, m in enumerate(source) if opinion.asks(m) and at not in recaps]
    if human and human[-1] not in kept:
        yield Violation(5, human[-1], "the newest human text was dropped")


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
        if (row.action not in ("dropped", "summarised")) != (row.index in kept):
            yield Violation(10, row.index, f"it is said to be {row.action}, and is not")
    summaries = [row.position for row in fitted.inserted if row.kind == "summary"]
    if bool(summaries) != (fitted.summary is not None):
        yield Violation(10, None, "a summary that is not in the result, or not in the account")
    if not summaries and any(row.action == "summarised" for row in rows):
        yield Violation(10, None, "messages are said to be summarised, and no summary stands")
    after = sum(row.after for row in rows)
    new = sum(row.tokens for row in fitted.inserted)
    if fitted.fixed + after + new != fitted.used:
        yield Violation(10, None, f"{fitted.fixed} + {after} + {new} is not {fitted.used}")
