"""`fit` and `afit`: from a caller's arguments to the steps of a fit."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from .calibrating import calibrated, learned
from .composing import fitted_steps, plan
from .errors import DoesNotFit, InvalidOptions
from .fitted import Fitted
from .formats.base import MODEL, Format, Message
from .outcome import Origin
from .policy import Policy
from .setup import Pin, Setup, as_list, pinning, resolve
from .summary.running import arun, awaits_nothing, run
from .summary.settings import Summary
from .summary.story import Step
from .timing import Seconds, Time, timed
from .tokens.calibration import Calibration
from .transcript import Transcript

Steps = Generator[Step, Any, Fitted]

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
    times: Sequence[Time] | None = None,
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
    it is a constant, while a new report moves cuts (law 9). ``times`` says when each message
    came (seconds, a datetime, or None where that is unknown), the same on every call: where a
    gap outlasts the provider's cache, `Policy.steady` may cut for free.

    Kept are all system messages, the pins, the newest unit, the human text it answers,
    and the longest run of newest units that fits (see `Policy` for more).
    Calls and their results stay or go together.

    Raises `DoesNotFit` when what must stay exceeds the budget, `InvalidHistory` when the
    messages break the format's rules (with ``on_invalid="repair"`` they are mended
    instead, and every repair is listed), `UnknownFormat`, `InvalidOptions`, and
    `CounterError`; with a policy that summarises `SummaryError` where it wants that, and
    `InvalidOptions` for a summariser that can only be awaited. O(messages) time; only what is
    kept is tokenised.
    """
    arguments = dict(locals())
    return run(_steps(**arguments), awaits_nothing(_summary(policy)))


async def afit(
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
    times: Sequence[Time] | None = None,
) -> Fitted:
    """`fit`, awaiting the summariser (sync or async) and the store of its summaries.

    The planning itself is not awaited. A cancelled caller leaves nothing half done.
    """
    arguments = dict(locals())
    summary = _summary(policy)
    return await arun(_steps(**arguments), summary and summary.summariser)


def _steps(
    messages: Sequence[Message],
    budget: int | None,
    *,
    pin: Pin,
    on_invalid: str,
    usage: Any,
    times: Any,
    **options: Any,
) -> Steps:
    source = as_list(messages)
    setup = resolve(source, budget, **options)
    chosen = pinning(pin, len(source))
    pins = [chosen(i, message) for i, message in enumerate(source)] if chosen else None
    if on_invalid not in ("raise", "repair"):
        raise InvalidOptions(f"on_invalid must be 'raise' or 'repair', not {on_invalid!r}")
    when = timed(times, len(source))
    transcript, origin = _grouped(setup, source, pins, when), None
    if transcript.faults:
        if on_invalid == "raise":
            raise transcript.faults[0].error()
        transcript, origin = _mended(setup, source, pins, when)
    if usage is not None:
        transcript = yield from _calibrated(transcript, usage)
    return (yield from fitted_steps(transcript, origin))


def _summary(policy: Any) -> Summary | None:
    return policy.summary if isinstance(policy, Policy) else None


def _grouped(
    setup: Setup, messages: list[Message], pins: list[bool] | None, times: list[Seconds] | None
) -> Transcript:
    transcript = Transcript(setup)
    transcript.extend(messages, pins, times)
    return transcript


def _mended(
    setup: Setup, source: list[Message], pins: list[bool] | None, times: list[Seconds] | None
) -> tuple[Transcript, Origin]:
    from .mending import mend

    origin, mended = mend(source, setup.format)
    carried = None if pins is None else [at >= 0 and pins[at] for at in origin.index]
    when = None if times is None else [times[at] if at >= 0 else None for at in origin.index]
    transcript = _grouped(setup, mended, carried, when)
    if transcript.faults:
        raise transcript.faults[0].error()
    return transcript, origin


def _calibrated(transcript: Transcript, usage: Any) -> Generator[Step, Any, Transcript]:
    """The same history, counted as a report says; see ``usage`` in `fit`."""
    setup, pins, times = transcript.setup, transcript.pins, transcript.times
    messages = transcript.messages
    if isinstance(usage, Calibration):
        return _grouped(calibrated(setup, usage), messages, pins, times)
    before = transcript.first(_newest_reply(transcript))
    sent = yield from fitted_steps(before)
    learnt = learned(setup, sent.messages, usage)
    whole = _grouped(calibrated(setup, learnt, whole=True), messages, pins, times)
    if _mark(whole) > sent.plan.mark:
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
