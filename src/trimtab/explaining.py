"""Why each cut is where it is, in numbers: what it freed, what it costs, when it has paid."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, takewhile

from .core.depth import Prices, Renewal
from .core.note import COLD, DUE, Note
from .core.plan import plan_at
from .outcome import Cut, Outcome, RunnerUp, place
from .steady import Steady
from .transcript import Transcript


def cuts(fitted: Outcome) -> list[Cut]:
    """Every cut that led to a result, oldest first.

    Where no cut depends on an earlier one (the longest run), the history is folded message by
    message for it, which counts all of it. O(messages).
    """
    transcript = fitted.transcript
    if transcript.fold is None:
        transcript = Transcript(fitted.setup, incremental=True)
        source, size = fitted.transcript, fitted.size
        transcript.extend(source.messages[:size], source.pins[:size], source.times[:size])
    return [_cut(fitted, transcript, number) for number in range(_made(fitted, transcript))]


def _made(fitted: Outcome, transcript: Transcript) -> int:
    """How many cuts there were when the fit was made; a transcript may have grown since."""
    folded = fitted.transcript.fold is not None
    return fitted.plan.cuts if folded else len(transcript.notes)


def unchanged(transcript: Transcript, number: int) -> int:
    """Tokens at the front of the messages that a cut, by its number from 0, left as they were.

    O(messages of the anchors).
    """
    note, told = transcript.notes[number][1], transcript.insert > 0
    first = note.start == 0 < note.mark or transcript.setup.policy.summary is not None
    stop = note.freed if note.freed >= 0 else len(transcript.starts)
    size = 0
    for unit in _shared(transcript, note):
        span = transcript.span(unit)
        if unit >= stop or (told and first and not transcript.is_system(span[0])):
            break
        size += sum(transcript.cost(at, number) for at in span)
    return size


def _shared(transcript: Transcript, note: Note) -> Iterator[int]:
    """The units at the front of what stays that stood there before the cut."""
    before = _units(transcript, note.start)
    after = _units(transcript, note.mark)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return (unit for unit, _ in same)


def _units(transcript: Transcript, mark: int) -> Iterator[int]:
    anchors = plan_at(mark, transcript.leads, 0).anchors
    return chain(anchors, range(mark, len(transcript.starts)))


def _cut(fitted: Outcome, transcript: Transcript, number: int) -> Cut:
    at, note = transcript.notes[number]
    seen, depth = note.seen, fitted.setup.policy.depth
    again, fee, pays, other = _rewritten(transcript, number), None, None, None
    if isinstance(depth, Steady):
        fee = float(again * (depth.write - depth.read))
        pays = _pays_after(note, again, depth.prices)
        other = _runner_up(note, depth)
    grown = max(seen.grown, 1)
    return Cut(
        at=place(fitted, at),
        cause=note.cause,
        first=place(fitted, transcript.starts[note.mark]),
        before=note.before,
        after=note.after,
        rewritten=again,
        fee=fee,
        pays_after=pays,
        lasts=max(seen.high - note.after, 0) * max(seen.requests, 1) // grown + 1,
        runner_up=other,
    )


def _rewritten(transcript: Transcript, number: int) -> int:
    """Tokens that a cache held and that a cut moves, at most. O(messages of the anchors)."""
    note = transcript.notes[number][1]
    if note.cause == COLD:
        return 0
    units = plan_at(note.mark, transcript.leads, 0).anchors
    anchors = sum(transcript.cost(at, number + 1) for unit in units for at in transcript.span(unit))
    run = max(note.after - anchors - transcript.insert, 0)
    new = run if note.anew else min(note.fresh, run)
    return max(note.after - unchanged(transcript, number) - new, 0)


def _pays_after(note: Note, again: int, prices: Prices) -> int | None:
    """Requests after which cheaper reads alone have paid for what is written again."""
    saved = (note.before - note.after) * prices.read
    return -(-again * (prices.write - prices.read) // saved) if saved > 0 else None


def _runner_up(note: Note, depth: Steady) -> RunnerUp | None:
    rule = depth.rule()
    if note.other is None or not isinstance(rule, Renewal):
        return None
    return RunnerUp(note.other, float(rule.dearer(note.seen, note.other, note.after) / depth.parts))


def sentences(fitted: Outcome, most: int = 3) -> list[str]:
    """The newest cuts in words. No text of a message is in them."""
    if fitted.transcript.fold is None:
        return []
    transcript = fitted.transcript
    made = _made(fitted, transcript)
    told = range(max(made - most, 0), made)
    lines = [_sentence(_cut(fitted, transcript, number), number + 1) for number in told]
    if made > most:
        lines.insert(0, f"{made} cuts were made; the newest {most}:")
    return lines


def _sentence(cut: Cut, number: int) -> str:
    why = {
        COLD: "came when the cache was cold",
        DUE: "was due, for to wait risked more",
    }.get(cut.cause, "had to be made")
    line = (
        f"Cut {number}, at message {cut.at}, {why}: {cut.before - cut.after} of {cut.before} "
        f"tokens went, and the run starts at message {cut.first}."
    )
    if cut.fee is None:
        return f"{line} {cut.rewritten} tokens that a cache held are new to it."
    if cut.rewritten == 0:
        line += " Nothing is written to the cache that had not to be anyway."
    else:
        line += f" {cut.rewritten} tokens are written to the cache again, a fee of {cut.fee:.0f}."
    if cut.rewritten and cut.pays_after is not None:
        line += f" Cheaper reads alone pay for it after {_requests(cut.pays_after)};"
        line += f" it lasts about {_requests(cut.lasts)}."
    if cut.runner_up is not None:
        kept, dearer = cut.runner_up
        line += f" Runner-up: keep {kept} instead of {cut.after}, dearer by {dearer:.0f} a request."
    return line


def _requests(number: int) -> str:
    return f"{number} request{'s' * (number != 1)}"
