"""From a plan to the result: the caller's objects, what stands in for the rest, and the count."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import Any

from .core.plan import Plan, plan_at
from .core.walk import walk
from .errors import CounterError, DoesNotFit, Needs
from .fitted import Fitted
from .formats.base import MODEL, Message
from .outcome import Insertion, Origin, Summed
from .pricing import prices
from .setup import Setup
from .summary.settling import Settling
from .summary.story import Beside, Recap, Step
from .telling import Telling
from .transcript import Transcript


def plan(transcript: Transcript) -> Plan:
    """Where to cut a sound history; raises `DoesNotFit`.

    Without slack the backward walk finds the cut; with slack the fold of the
    transcript holds it.
    """
    setup, leads, fold = transcript.setup, transcript.leads, transcript.fold
    if not transcript.messages:
        return Plan(0, 0, {}, 0)
    if fold is not None:
        if not fold.fits or setup.room < 0:
            raise does_not_fit(transcript)
        return plan_at(fold.mark, leads, fold.total, fold.cuts)
    found = walk(leads, transcript.unit_within, setup.room)
    if found and _leaves_out(transcript, found[0]) and (notice := transcript.insert):
        found = walk(leads, transcript.unit_within, setup.room - notice)
        found = found and (found[0], found[1] + notice)
    if found is None:
        raise does_not_fit(transcript)
    return plan_at(found[0], leads, found[1])


def _leaves_out(transcript: Transcript, mark: int) -> bool:
    """Whether some unit before a mark goes."""
    return len(plan_at(mark, transcript.leads, 0).anchors) < mark


def fitted_steps(
    transcript: Transcript, origin: Origin | None = None, *, trusted: bool = False
) -> Generator[Step, Any, Fitted]:
    """Steps to the result of a sound history: plan, summary, messages.

    ``trusted`` says that every message was counted when it arrived and has not changed
    since, so that the sum of those counts is the count of the whole.
    Raises `DoesNotFit`, and `SummaryError` where the policy wants that.
    """
    while True:
        size = len(transcript.messages)
        chosen, moved_at, summed = yield from _planned(transcript)
        if size == len(transcript.messages):  # none came while a summary was awaited
            return _composed(transcript, chosen, origin, moved_at, summed, trusted=trusted)


def _planned(
    transcript: Transcript,
) -> Generator[Step, Any, tuple[Plan, int | None, Summed | None]]:
    """The plan for what there is, the message that moved its mark, and the summary beside it."""
    chosen, moved_at, summed = plan(transcript), transcript.moved_at, None
    summary, telling = transcript.setup.policy.summary, transcript.telling
    if summary is not None and telling is not None:
        telling.follow()
        if telling.cuts:
            recap = yield from Settling(telling, summary).steps()
            chosen, moved_at = _spared(transcript, telling, recap, chosen)
            covered = partial(telling.covered, recap.place, len(telling.cuts))
            summed = Summed(recap.text, recap.notes, covered)
        ahead = telling.settled_ahead()
        if ahead is not None and summary.shelf.first(ahead.keys[-1]):
            yield Beside(Settling(ahead, summary).ahead())
    return chosen, moved_at, summed


def _spared(
    transcript: Transcript, telling: Telling, recap: Recap, chosen: Plan
) -> tuple[Plan, int | None]:
    """The plan by a summary: where it is of earlier cuts alone, what still fits stays."""
    fold, moved_at = transcript.fold, transcript.moved_at
    if recap.spared is not None:
        return chosen, max(telling.full_at(recap.spared), moved_at or 0)
    if fold is None or not recap.spares:
        return chosen, moved_at
    mark = telling.spared(recap.place)
    inserted = 0 if _leaves_out(transcript, mark) else transcript.insert  # there is no gap for it
    total = fold.total_at(mark) - inserted
    return plan_at(mark, transcript.leads, total, fold.cuts), moved_at


def _composed(
    transcript: Transcript,
    plan: Plan,
    origin: Origin | None,
    moved_at: int | None,
    summed: Summed | None,
    *,
    trusted: bool,
) -> Fitted:
    """The result of a plan: the caller's objects, counted once more as a whole list.

    Raises `CounterError` where that count is above the sum of the units' costs, which
    only a counter that contradicts itself can bring about, and `DoesNotFit` where there
    is nothing to cut and the fixed cost alone exceeds the budget.
    """
    setup, size = transcript.setup, len(transcript.messages)
    messages, total = transcript.rendered(plan), plan.total
    insertion = None
    if len(messages) < size:
        position = _gap(transcript, plan, moved_at)
        insertion = _insertion(transcript, position, messages, summed)
        messages[insertion.position : insertion.position] = insertion.messages
        total -= transcript.insert - sum(map(setup.meter.message, insertion.messages))
    fitted = Fitted(messages, 0, setup, plan, transcript, size, insertion, origin, moved_at, summed)
    counted = total if trusted else _counted(transcript, plan, messages)
    if counted > plan.total:
        raise CounterError(
            f"the result counts {counted} tokens, but its parts counted {plan.total} before"
        )
    fitted.used = fitted.fixed + counted
    if fitted.used > setup.budget:
        raise does_not_fit(transcript)
    return fitted


def _insertion(
    transcript: Transcript, position: int, messages: list[Message], summed: Summed | None
) -> Insertion:
    """What stands in for what is gone: its summary, or else a notice, or nothing."""
    setup, kind = transcript.setup, "notice"
    new = setup.notice()
    if summed is not None and summed.text is not None:
        new, kind = setup.recap(summed.text), "summary"
    if not new:
        return Insertion(0, kind, [])
    behind = messages[position:]
    replied = behind and setup.format.read(behind[0]).role == MODEL
    return Insertion(position, kind, new[:1] if replied else new)


def _counted(transcript: Transcript, plan: Plan, messages: list[Message]) -> int:
    """A fresh count of a result, without what the provider leaves out of it."""
    setup, free = transcript.setup, transcript.free(plan)
    counted = sum(prices(setup.meter, setup.format, messages))
    if free == 0:
        return counted
    left_out = (at for at in transcript.kept(plan, free) if at < free)
    return counted - sum(transcript.cost(at, plan.cuts) for at in left_out)


def _gap(transcript: Transcript, plan: Plan, moved_at: int | None) -> int:
    """Where an insertion stands: behind the system messages in front of all that was dropped.

    But not before a unit that stands for all before it where the run starts behind that, and no
    summary before one that was there when the cut was made: no provider would read it there.
    One that came later was made of a request that held the summary.
    """
    kept, first = transcript.kept(plan, len(transcript.messages)), 0
    for unit in transcript.leads.standing:
        seen = transcript.cover is not None and transcript.starts[unit] <= (moved_at or 0)
        if unit <= plan.mark or seen:
            first = transcript.span(unit).stop
    for position, index in enumerate(kept):
        if index >= first and (index != position or not transcript.is_system(index)):
            return position
    return len(kept)


def does_not_fit(transcript: Transcript) -> DoesNotFit:
    """The error for a history whose smallest result is above the budget."""
    setup = transcript.setup
    units = len(transcript.leads.of)
    if not units:
        return DoesNotFit(setup.budget, lambda: _needs(setup, transcript, range(0), []))
    newest = transcript.span(units - 1)
    smallest = plan_at(units - 1, transcript.leads, 0)
    anchors = [at for unit in smallest.anchors for at in transcript.span(unit)]
    return DoesNotFit(
        setup.budget,
        lambda: _needs(setup, transcript, newest, anchors),
        newest=tuple(newest),
        anchors=tuple(anchors),
    )


def _needs(setup: Setup, transcript: Transcript, newest: range, anchors: list[int]) -> Needs:
    """The smallest result: the newest unit and its anchors with a notice, or all without one."""
    units = len(transcript.leads.of)
    free = transcript.free(plan_at(units - 1, transcript.leads, 0)) if units else 0

    def full(index: int) -> int:
        return transcript.cost(index, transcript.cuts)

    def cost(index: int) -> int:
        return 0 if index < free else full(index)

    everything = list(range(newest.start))
    inserted = transcript.insert if len(anchors) < len(everything) else 0
    if inserted and sum(map(full, everything)) <= sum(map(cost, anchors)) + inserted:
        anchors, inserted, free = everything, 0, 0
    fixed = setup.fixed
    steering = [at for at in anchors if transcript.is_system(at)]
    others = [at for at in anchors if not transcript.is_system(at)]
    return Needs(
        system=fixed.system + sum(map(cost, steering)),
        tools=fixed.tools,
        framing=fixed.framing if newest else 0,
        reserve=fixed.reserve,
        calibration=fixed.calibration if newest else 0,
        anchors=sum(map(cost, others)),
        newest=sum(map(cost, newest)),
        inserted=inserted,
    )
