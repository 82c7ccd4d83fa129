"""What a policy comes to: its bill, what it kept, its cuts, and how near to the optimum it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ..billing import Bill, CacheRules, Prices, bill
from ..core.depth import Prices as Parts
from ..core.optimum import Course, course_of, optimum, spent
from .walking import Walk


@dataclass(frozen=True, slots=True)
class Dear:
    """What was cut before one request and cost most: by which message, why, and its numbers.

    Of several cuts it is the first that says why; ``after`` is what the last of them left.
    """

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


class Yardstick(NamedTuple):
    """The least that any cuts of a conversation would have cost behind the head, in parts."""

    course: Course
    parts: Parts
    least: int

    def ratio(self, marks: Sequence[int]) -> Fraction:
        """What cuts to these starts cost, one for each request, as a multiple of the least."""
        return Fraction(spent(self.course, self.parts, self.course.behind(marks)), self.least)


class Terms(NamedTuple):
    """What every policy is judged by; ``best`` is None where no optimum is known."""

    rules: CacheRules
    prices: Prices
    model: str | None
    best: Yardstick | None


def judged(
    name: str,
    walk: Walk,
    longest: Walk,
    terms: Terms,
) -> Row:
    """The row of a policy; ``longest`` is the walk that keeps all that fits."""
    prices, best = terms.prices, terms.best
    made = bill([step.sent for step in walk.steps], terms.rules, prices, terms.model)
    kept = [step.kept for step in walk.steps]
    most = [step.kept for step in longest.steps]
    missed = sum(max(m - k, 0) for m, k in zip(most, kept, strict=True))
    return Row(
        name,
        made.money,
        made.cached,
        Fraction(sum(kept), max(len(kept), 1)),
        min(kept, default=0),
        sum(bool(step.cuts) for step in walk.steps),
        sum(not step.fits for step in walk.steps),
        made.money / prices.input + missed,
        None if best is None else best.ratio([step.mark for step in walk.steps]),
        _dearest(walk, made, prices),
        tuple(cost for _, cost in made.rows),
    )


def parts_of(prices: Prices) -> Parts:
    """Prices in whole numbers, a token that is kept worth its price as plain input."""
    read, write = prices.read / prices.input, prices.write / prices.input
    parts = read.denominator * write.denominator
    return Parts(int(read * parts), int(max(write, read) * parts), parts)


def yardstick(longest: Walk, asks: Sequence[int], room: int, prices: Prices) -> Yardstick | None:
    """The yardstick of a conversation, None where there is nothing to measure.

    Nor is there one behind a unit that stands for all before it: these then cost nothing, which
    the optimum does not model.
    """
    transcript = longest.transcript
    if transcript.leads.standing:
        return None
    units = range(len(transcript.starts))
    costs = [sum(map(transcript.cost, transcript.span(unit))) for unit in units]
    newest = [transcript.unit_of(at - 1) for at in asks]
    course, parts = course_of(costs, transcript.leads, room, newest), parts_of(prices)
    if not course.costs or not course.asks:
        return None
    least = optimum(course, parts).cost
    return Yardstick(course, parts, least) if least > 0 else None


def _dearest(walk: Walk, made: Bill, prices: Prices) -> Dear | None:
    """The cut after which most was billed beyond reading what was there before."""
    found: Dear | None = None
    before = 0
    for at, (step, (charge, _)) in enumerate(zip(walk.steps, made.rows, strict=True)):
        if step.cuts and at:
            here = prices.at(step.sent.tokens)
            again = max(min(before, step.sent.tokens) - charge.read, 0)
            extra = again * ((here.write if charge.written else here.input) - here.read)
            if found is None or extra > found.extra:
                message, first = walk.notes[step.cuts[0]]
                last = walk.notes[step.cuts[-1]][1]
                found = Dear(at, message, first.cause, first.before, last.after, extra)
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
