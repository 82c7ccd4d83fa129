"""The one composer: messages to units to a plan to the caller's own objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .calibrating import calibrated, learned
from .core.plan import Plan, plan_at
from .core.walk import walk
from .errors import CounterError, DoesNotFit, InvalidOptions, Needs
from .fitted import Fitted
from .formats.base import MODEL, Format, Message
from .outcome import Origin
from .policy import Policy
from .pricing import prices
from .setup import Pin, Setup, as_list, pinning, resolve
from .tokens.calibration import Calibration
from .transcript import Transcript

_LONGEST_RUN = Policy()


def fit(
    messages: Sequence[Message],
    budget: int | None = None,
    *,
    model: str | None = None,
    format: str | Format | None = None,
    system: Any = None,
    tools: Any = None,
    response_format: Any = None,
    tool_choice: Any = None,
    thinking: bool = False,
    reserve: int = 0,
    counter: Any = None,
    policy: Policy = _LONGEST_RUN,
    pin: Pin = (),
    on_invalid: str = "raise",
    usage: Any = None,
) -> Fitted:
    """Fit a conversation into a budget of tokens.

    ``messages`` are a provider's own objects; the result holds the same objects, in
    order, and the list is never changed. ``budget`` is what the whole request may cost
    in tokens; None means the model's input window. ``reserve`` is taken off once, for
    the reply. ``system``, ``tools`` and ``response_format`` are what goes beside the
    messages, as content or as a number of tokens; ``tool_choice`` and ``thinking`` (the
    request asks for it) cost some models tokens too. ``counter`` is a callable
    ``text -> int``, a `Counter`, or `per_message(f)`; by default the model's tokenizer, or
    o200k_base. ``pin`` names messages that must stay, by index or by a predicate.
    ``usage`` is what the provider reported for the request that the newest reply in
    ``messages`` answers, which these same arguments made of the messages before it; what
    was sent then counts what was reported, and only what came after is counted. A
    `Calibration` made earlier (`Fitted.calibrate`) may stand there: repeated on every call
    it is a constant, while a new report moves cuts (law 9).

    Kept are all system messages, the pins, the newest unit, the human text it answers,
    and the longest run of newest units that fits (see `Policy` for more).
    Calls and their results stay or go together.

    Raises `DoesNotFit` when what must stay exceeds the budget, `InvalidHistory` when the
    messages break the format's rules (with ``on_invalid="repair"`` they are mended
    instead, and every repair is listed), `UnknownFormat`, `InvalidOptions`, and
    `CounterError`. O(messages) time; only what is kept is tokenised.
    """
    source = as_list(messages)
    setup = resolve(
        source,
        budget,
        model=model,
        format=format,
        system=system,
        tools=tools,
        response_format=response_format,
        tool_choice=tool_choice,
        thinking=thinking,
        reserve=reserve,
        counter=counter,
        policy=policy,
    )
    chosen = pinning(pin, len(source))
    pins = [chosen(i, message) for i, message in enumerate(source)] if chosen else None
    if on_invalid not in ("raise", "repair"):
        raise InvalidOptions(f"on_invalid must be 'raise' or 'repair', not {on_invalid!r}")
    transcript, origin = _grouped(setup, source, pins), None
    if transcript.faults:
        if on_invalid == "raise":
            raise transcript.faults[0].error()
        transcript, origin = _mended(setup, source, pins)
    if usage is not None:
        transcript = _calibrated(transcript, usage)
    return compose(transcript, plan(transcript), origin)


def _grouped(setup: Setup, messages: list[Message], pins: list[bool] | None) -> Transcript:
    transcript = Transcript(setup)
    transcript.extend(messages, pins)
    return transcript


def _mended(
    setup: Setup, source: list[Message], pins: list[bool] | None
) -> tuple[Transcript, Origin]:
    from .mending import mend

    origin, mended = mend(source, setup.format)
    carried = None if pins is None else [at >= 0 and pins[at] for at in origin.index]
    transcript = _grouped(setup, mended, carried)
    if transcript.faults:
        raise transcript.faults[0].error()
    return transcript, origin


def _calibrated(transcript: Transcript, usage: Any) -> Transcript:
    """The same history, counted as a report says; see ``usage`` in `fit`."""
    setup, messages, pins = transcript.setup, transcript.messages, transcript.pins
    if isinstance(usage, Calibration):
        return _grouped(calibrated(setup, usage), messages, pins)
    before = transcript.first(_newest_reply(transcript))
    sent = plan(before)
    learnt = learned(setup, compose(before, sent).messages, usage)
    whole = _grouped(calibrated(setup, learnt, whole=True), messages, pins)
    if _mark(whole) > sent.mark:
        whole.refix(calibrated(setup, learnt))
    return whole


def _mark(transcript: Transcript) -> int:
    try:
        return plan(transcript).mark
    except DoesNotFit:
        return len(transcript.starts)


def _newest_reply(transcript: Transcript) -> int:
    """Where the newest reply begins: messages of the model that stand together are one."""
    at = len(transcript.messages)
    while at > 0 and transcript.facts(at - 1).role != MODEL:
        at -= 1
    if at == 0:
        raise InvalidOptions("usage was given, but no message is the reply that it came with")
    while at > 0 and transcript.facts(at - 1).role == MODEL:
        at -= 1
    return at


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
        return plan_at(fold.mark, leads, fold.total, transcript.clear)
    found = walk(leads, transcript.unit_within, setup.room)
    if found and _leaves_out(transcript, found[0]) and (notice := setup.notice_cost()):
        found = walk(leads, transcript.unit_within, setup.room - notice)
        found = found and (found[0], found[1] + notice)
    if found is None:
        raise does_not_fit(transcript)
    return plan_at(found[0], leads, found[1])


def _leaves_out(transcript: Transcript, mark: int) -> bool:
    """Whether some unit before a mark goes."""
    return len(plan_at(mark, transcript.leads, 0).anchors) < mark


def compose(
    transcript: Transcript, plan: Plan, origin: Origin | None = None, *, trusted: bool = False
) -> Fitted:
    """The result of a plan: the caller's objects, counted once more as a whole list.

    ``trusted`` says that every message was counted when it arrived and has not changed
    since, so that the sum of those counts is the count of the whole.
    Raises `CounterError` where that count is above the sum of the units' costs, which
    only a counter that contradicts itself can bring about, and `DoesNotFit` where there
    is nothing to cut and the fixed cost alone exceeds the budget.
    """
    setup, size = transcript.setup, len(transcript.messages)
    messages = transcript.rendered(plan)
    notice, notice_at, spared = setup.notice(), None, 0
    if notice and len(messages) < size:
        notice_at = _gap(transcript, plan)
        behind = messages[notice_at:]
        replied = behind and setup.format.read(behind[0]).role == MODEL
        messages[notice_at:] = [*(notice[:1] if replied else notice), *behind]
        spared = sum(map(setup.meter.message, notice[1:])) if replied else 0
    moved_at = transcript.moved_at
    fitted = Fitted(messages, 0, setup, plan, transcript, size, notice_at, origin, moved_at)
    counted = plan.total - spared if trusted else _counted(transcript, plan, messages)
    if counted > plan.total:
        raise CounterError(
            f"the result counts {counted} tokens, but its parts counted {plan.total} before"
        )
    fitted.used = fitted.fixed + counted
    if fitted.used > setup.budget:
        raise does_not_fit(transcript)
    return fitted


def _counted(transcript: Transcript, plan: Plan, messages: list[Message]) -> int:
    """A fresh count of a result, without what the provider leaves out of it."""
    setup, free = transcript.setup, transcript.free(plan)
    counted = sum(prices(setup.meter, setup.format, messages))
    if free == 0:
        return counted
    left_out = (at for at in transcript.kept(plan, free) if at < free)
    return counted - sum(transcript.cost(at, plan.clear) for at in left_out)


def _gap(transcript: Transcript, plan: Plan) -> int:
    """Where a notice stands: behind the system messages in front of all that was dropped."""
    kept = transcript.kept(plan, len(transcript.messages))
    for position, index in enumerate(kept):
        if index != position or not transcript.is_system(index):
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
        return transcript.cost(index, transcript.clear)

    def cost(index: int) -> int:
        return 0 if index < free else full(index)

    everything = list(range(newest.start))
    inserted = setup.notice_cost() if len(anchors) < len(everything) else 0
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
