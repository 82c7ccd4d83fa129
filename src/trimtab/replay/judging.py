"""What a policy comes to: its bill, what it kept, its cuts, and how near to the optimum it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..billing import Bill, CacheRules, Prices, bill
from ..core.depth import Prices as Parts
from ..core.optimum import Course, optimum
from ..core.plan import plan_at
from .walking import Walk


@dataclass(frozen=True, slots=True)
class Dear:
    """The cut that cost most: before which request, by which message, why, and its numbers."""

    request: int
    message: int
    cause: str
    before: int
    after: int
    extra: Fraction


@dataclass(frozen=True, slots=True)
class Row:
    """One policy on one conversation.

    ``money`` is the bill of the prompts in the prices' unit, ``cached`` the share that was read
    from the cache; ``kept`` and ``least`` are tokens of messages that requests held, on average
    and at least; ``over`` counts the requests that did not fit. ``worth`` is the bill in input
    tokens with the value of what could have been kept and was not; ``ratio`` compares with the
    cheapest cuts there could have been, None where these cost nothing.
    """

    policy: str
    money: Fraction
    cached: Fraction
    kept: Fraction
    least: int
    cuts: int
    over: int
    worth: Fraction
    ratio: Fraction | None
    dearest: Dear | None
    costs: tuple[Fraction, ...]


def judged(
    name: str,
    walk: Walk,
    longest: Walk,
    *,
    rules: CacheRules,
    prices: Prices,
    best: int,
) -> Row:
    """The row of a policy; ``longest`` is the walk that keeps all that fits."""
    made = bill([step.sent for step in walk.steps], rules, prices)
    kept = [step.kept for step in walk.steps]
    most = [step.kept for step in longest.steps]
    missed = sum(max(m - k, 0) for m, k in zip(most, kept, strict=True))
    return Row(
        name,
        made.money,
        made.cached,
        Fraction(sum(kept), max(len(kept), 1)),
        min(kept, default=0),
        sum(step.cut is not None for step in walk.steps),
        sum(not step.fits for step in walk.steps),
        made.money / prices.input + missed,
        Fraction(_spent(walk, most, parts_of(prices)), best) if best else None,
        _dearest(walk, made, prices),
        tuple(cost for _, cost in made.rows),
    )


def parts_of(prices: Prices) -> Parts:
    """Prices in whole numbers, a token that is kept worth its price as plain input."""
    read, write = prices.read / prices.input, prices.write / prices.input
    parts = read.denominator * write.denominator
    return Parts(int(read * parts), int(max(write, read) * parts), parts)


def _spent(walk: Walk, most: Sequence[int], parts: Parts) -> int:
    """Counted as the optimum counts: a request after a cut writes all that stays."""
    cost = before = 0
    for step, could in zip(walk.steps, most, strict=True):
        read = before if step.cut is None else 0
        cost += parts.read * read + parts.write * (step.kept - read)
        cost += parts.value * max(could - step.kept, 0)
        before = step.kept
    return cost


def least_of(longest: Walk, asks: Sequence[int], room: int, prices: Prices) -> int:
    """What the cheapest cuts of a conversation would have cost behind the head, in parts.

    0 where that is not known: behind a unit that stands for all before it, these cost nothing,
    which the optimum does not model.
    """
    transcript = longest.transcript
    if transcript.leads.standing:
        return 0
    pinned = transcript.leads.pinned
    units = len(transcript.starts)
    front = next((unit for unit in range(units) if unit not in pinned), units)
    costs = [sum(map(transcript.cost, transcript.span(unit))) for unit in range(units)]
    beside = [
        sum(costs[u] for u in plan_at(mark, transcript.leads, 0).anchors if u >= front)
        for mark in range(front, units)
    ]
    newest = [transcript.unit_of(at - 1) - front for at in asks]
    course = Course(costs[front:], room - sum(costs[:front]), [n for n in newest if n >= 0], beside)
    return optimum(course, parts_of(prices)).cost if course.costs and course.asks else 0


def _dearest(walk: Walk, made: Bill, prices: Prices) -> Dear | None:
    """The cut after which most was billed beyond reading what was there before."""
    found: Dear | None = None
    before = 0
    for at, (step, (charge, _)) in enumerate(zip(walk.steps, made.rows, strict=True)):
        if step.cut is not None and at:
            here = prices.at(step.sent.tokens)
            again = max(min(before, step.sent.tokens) - charge.read, 0)
            extra = again * ((here.write if charge.written else here.input) - here.read)
            if found is None or extra > found.extra:
                message, note = walk.notes[step.cut]
                found = Dear(at, message, note.cause, note.before, note.after, extra)
        before = step.sent.tokens
    return found


def front(rows: Sequence[Row]) -> list[str]:
    """The policies than which none is cheaper and keeps more."""
    return [
        row.policy
        for row in rows
        if not any(
            other.money <= row.money
            and other.kept >= row.kept
            and (other.money, other.kept) != (row.money, row.kept)
            for other in rows
        )
    ]
