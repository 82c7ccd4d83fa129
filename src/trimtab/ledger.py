"""The account of a fit, worked out when it is read: decisions, insertions, warnings."""

from __future__ import annotations

from bisect import bisect_right

from .core.lead import units_of
from .explaining import sentences
from .formats.base import MODEL, Message
from .outcome import Decision, Inserted, Outcome, place
from .policy import KEEP
from .setup import Setup
from .steady import Steady
from .transcript import Transcript


def decisions(fitted: Outcome) -> list[Decision]:
    """One decision for every input message. Counts the tokens of what was dropped."""
    if fitted.origin is None:
        return [_decide(fitted, at, at, ()) for at in range(fitted.size)]
    places = {index: at for at, index in enumerate(fitted.origin.index) if index >= 0}
    codes: dict[int, dict[str, None]] = {}
    for repair in fitted.repairs:
        codes.setdefault(repair.index, {})[repair.code] = None
    rows: list[Decision] = []
    for index in range(len(fitted.source)):
        repaired = tuple(codes.get(index, ()))
        if index in places:
            rows.append(_decide(fitted, places[index], index, repaired))
        else:
            rows.append(_removed(fitted, index, repaired))
    return rows


def _decide(fitted: Outcome, at: int, index: int, reasons: tuple[str, ...]) -> Decision:
    transcript, setup = fitted.transcript, fitted.setup
    unit = bisect_right(transcript.starts, at) - 1
    cuts = fitted.plan.cuts
    original, shown = fitted.source[index], transcript.shown(at, cuts)
    why = _why_kept(fitted, unit, at)
    left_out = at < transcript.free(fitted.plan)
    after = transcript.cost(at, cuts) if why and not left_out else 0
    if why and shown is original and not left_out:
        before = after
    else:
        before = setup.meter.message(original, at in transcript.batch)
    if not why:
        role, gone = role_of(original, setup), (*reasons, "over_budget")
        action = "summarised" if _is_summarised(fitted, at) else "dropped"
        return Decision(index, action, gone, before, 0, role, unit)
    if transcript.shown(at) is not transcript.messages[at]:
        reasons = (*reasons, "excerpt" if setup.policy.compact is None else "compacted")
    reasons = (*reasons, *transcript.shrunk_by(at, cuts))
    action = "kept" if shown is original else "changed"
    return Decision(index, action, (*reasons, why), before, after, role_of(original, setup), unit)


def _removed(fitted: Outcome, index: int, reasons: tuple[str, ...]) -> Decision:
    original = fitted.source[index]
    before = fitted.setup.meter.message(original)
    role = role_of(original, fitted.setup)
    return Decision(index, "dropped", reasons, before, 0, role, -1)


def _why_kept(fitted: Outcome, unit: int, at: int) -> str | None:
    plan = fitted.plan
    if unit >= plan.mark:
        return "newest" if unit == plan.units - 1 else "run"
    why = plan.anchors.get(unit)
    if why != "pinned":
        return why
    if fitted.transcript.is_system(at):
        return "system"
    first = fitted.transcript.starts[unit]
    first -= sum(index < first for index in fitted.transcript.recaps)
    return "keep_first" if first < fitted.setup.policy.keep_first else "pinned"


def _is_summarised(fitted: Outcome, at: int) -> bool:
    return fitted.summed is not None and at in fitted.summed.covered


def summarised(fitted: Outcome) -> list[int]:
    """Indices of the input messages that the summary in the result stands for."""
    covered = sorted(fitted.summed.covered) if fitted.summed is not None else []
    if fitted.origin is not None:
        covered = [fitted.origin.index[at] for at in covered]
    return [index for index in covered if index >= 0]


def role_of(message: Message, setup: Setup) -> str:
    """The role that a decision shows: a format's role, with calls told from other replies."""
    facts = setup.format.read(message)
    return "call" if facts.role == MODEL and facts.calls else facts.role


def kept(fitted: Outcome) -> list[int]:
    """Positions in the fitted history of the messages that are in the result."""
    return fitted.transcript.kept(fitted.plan, fitted.size)


def dropped(fitted: Outcome) -> list[int]:
    """Indices of the input messages that are not in the result."""
    stays = set(kept(fitted))
    if fitted.origin is not None:
        stays = {fitted.origin.index[at] for at in stays}
    return [index for index in range(len(fitted.source)) if index not in stays]


def inserted(fitted: Outcome) -> list[Inserted]:
    """The messages of the result that are not in the input, by position."""
    rows: list[Inserted] = []
    own, price = kept(fitted), fitted.setup.meter.message
    at, kind, new = fitted.insertion or (0, "", [])
    rows += [Inserted(at + n, kind, price(message)) for n, message in enumerate(new)]
    if fitted.origin is None:
        return rows
    for position, index in enumerate(own):
        if fitted.origin.index[index] < 0:
            left_out = index < fitted.transcript.free(fitted.plan)
            cost = 0 if left_out else fitted.transcript.cost(index, fitted.plan.cuts)
            shift = len(new) if position >= at else 0
            rows.append(Inserted(position + shift, "repair", cost))
    return sorted(rows, key=lambda row: row.position)


def cut_at(fitted: Outcome) -> int | None:
    """Index of the message whose arrival last moved the mark.

    Without slack that is the first message with which the run could no longer begin one
    unit earlier. The unit before the mark is counted up to the budget for it.
    """
    at = fitted.moved_at if fitted.transcript.fold else _overflow(fitted)
    return None if at is None else place(fitted, at)


def _overflow(fitted: Outcome) -> int | None:
    """The first message with which a run from the unit before the mark is too much."""
    transcript, mark = fitted.transcript, fitted.plan.mark
    leads, starts = transcript.leads, transcript.starts
    if mark == 0:
        return None
    if leads.companion >= 0 or leads.standing:  # what they pin or free comes later
        replay = Transcript(fitted.setup, incremental=True)
        replay.extend(transcript.messages[: fitted.size], transcript.pins[: fitted.size])
        return replay.moved_at
    stays = {mark - 1, *units_of(leads.of[mark - 1])}
    stays |= {unit for unit in leads.pinned if unit < mark}
    room = fitted.setup.room
    if len(stays) == mark or not (notice := transcript.insert):
        return _first_over(fitted, sorted(stays), starts[mark], room)
    # A notice is charged only once the whole history is too much.
    over = _first_over(fitted, sorted(stays), starts[mark], room - notice)
    return max(over, _first_over(fitted, [], 0, room))


def _first_over(fitted: Outcome, units: list[int], first: int, room: int) -> int:
    """The first message from ``first`` on that is too much beside some older units."""
    transcript = fitted.transcript
    for unit in units:
        cost = transcript.unit_within(unit, room)
        if cost is None:
            return first
        room -= cost
    for at in range(first, fitted.size):
        room -= transcript.cost(at)
        if room < 0:
            return at
    return fitted.size - 1


def first_changed(fitted: Outcome) -> int | None:
    """The first index at which the result differs from the input, None if nowhere."""
    source = fitted.source
    for index, message in enumerate(fitted.messages):
        if index >= len(source) or message is not source[index]:
            return index
    return len(fitted.messages) if len(fitted.messages) < len(source) else None


def exact(fitted: Outcome) -> bool:
    """Whether ``used`` is exact; False where any part of it is an estimate."""
    meter = fitted.setup.meter
    setup = fitted.setup
    if fitted.fixed_parts.calibration:
        return False
    if not (meter.exact and setup.system_exact and setup.tools_exact):
        return False
    if setup.format.held:
        return False
    return all(map(meter.is_exact, fitted.messages))


def warnings(fitted: Outcome) -> list[str]:
    """What the caller should know about the result."""
    found = list(fitted.setup.meter.warnings)
    if fitted.summed is not None:
        found += fitted.summed.notes
    if fitted.setup.format.held:
        found.append("what the provider holds of the conversation is neither counted nor trimmed")
    depth, room = fitted.setup.policy.depth, fitted.setup.room
    if isinstance(depth, Steady) and depth.floor is not None and depth.floor >= room:
        found.append(
            f"a floor of {depth.floor} tokens leaves no room to wait in: {room} may stay, so that "
            "every overflow is a cut"
        )
    first = first_changed(fitted)
    binding = fitted.setup.format.binding
    if first is not None and binding and _bound_after(fitted, first):
        found.append(
            f"the result differs from the input from message {first} on and holds reasoning "
            f"after it: {binding}"
        )
    return found


def _bound_after(fitted: Outcome, first: int) -> bool:
    """Whether there is reasoning behind ``first`` that was made before the last cut."""
    read, messages = fitted.setup.format.read, fitted.messages
    if fitted.setup.policy.reasoning == KEEP:
        return any(read(message).thought for message in messages[first:])
    stop = -1 if fitted.moved_at is None else fitted.moved_at
    shown, cuts = fitted.transcript.shown, fitted.plan.cuts
    return any(read(shown(at, cuts)).thought for at in kept(fitted) if at <= stop)


def explain(fitted: Outcome, rows: list[Decision]) -> str:
    """The account in a few sentences, with numbers and without any text of a message.

    ``rows`` are the decisions.
    """
    size, left = len(fitted.source), len(fitted.messages)
    kind = "exact" if exact(fitted) else "estimated"
    how = f"({fitted.setup.meter.label}, {kind})"
    lines = [
        f"{fitted.used} of {fitted.setup.budget} tokens used {how}; {fitted.fixed} are fixed cost."
    ]
    gone = dropped(fitted)
    if not gone:
        lines.append(f"All {size} messages are kept.")
    else:
        run = [row.index for row in rows if row.reasons[-1:] in (("run",), ("newest",))]
        lines.append(
            f"{left} messages are left of {size}; the run starts at message {min(run, default=0)}, "
            f"{len(gone)} messages {_went(fitted, gone)}."
        )
        stays = (row for row in rows if row.action not in ("dropped", "summarised"))
        in_run = set(run)
        anchors = [row for row in stays if row.index not in in_run]
        if anchors:
            shown = ", ".join(f"message {row.index} ({row.reasons[-1]})" for row in anchors[:6])
            lines.append(f"Kept before it: {shown}{' ...' if len(anchors) > 6 else ''}.")
    if changed := sum(row.action == "changed" for row in rows):
        lines.append(f"{changed} messages were changed.")
    lines += told if (told := sentences(fitted)) else _why_cut(fitted)
    lines += [f"Note: {warning}." for warning in warnings(fitted)]
    return "\n".join(lines)


def _why_cut(fitted: Outcome) -> list[str]:
    cut = cut_at(fitted)
    return [] if cut is None else [f"Message {cut} made the cut necessary."]


def _went(fitted: Outcome, gone: list[int]) -> str:
    """What became of the messages that went."""
    stands_for = len(summarised(fitted))
    if stands_for == 0:
        return "were dropped"
    rest = len(gone) - stands_for
    return "are summed up" if rest <= 0 else f"went, {stands_for} of them summed up"
