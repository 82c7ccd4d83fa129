"""The messages of a fit as pictures see them: what each is, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shrink.passes import lesser
from ..shrink.words import gone_media, placeholder
from .layout import Part

if TYPE_CHECKING:
    from .. import Fitted
    from ..outcome import Decision

REASONING = "reasoning"
WAYS = {
    "cleared": "cleared",
    "repeated": "cleared",
    "excerpt": "excerpted",
    "compacted": "excerpted",
}


def state(decision: Decision) -> str:
    """What became of a message: its action, a change by what it was."""
    if decision.action != "changed":
        return decision.action
    found = [WAYS[code] for code in decision.reasons if code in WAYS]
    return "cleared" if "cleared" in found else found[0] if found else "changed"


def parts(fitted: Fitted) -> list[Part]:
    """The parts of the strip: one a message, and one more for the reasoning that it holds. O(n)."""
    found: list[Part] = []
    for row in fitted.decisions:
        fate = state(row)
        thought = reasoning(fitted, row) if row.role in ("assistant", "call") else 0
        if thought:
            found.append(Part(row.index, fate, REASONING, thought))
        if row.before > thought or not thought:
            found.append(Part(row.index, fate, row.role, row.before - thought))
    return found


def reasoning(fitted: Fitted, row: Decision) -> int:
    """Tokens of the reasoning in a message that its provider counts."""
    format, message = fitted.setup.format, fitted.source[row.index]
    if not format.read(message).thought:
        return 0
    made = format.without_old_reasoning(format.without_reasoning(message))
    if made is message:
        return row.before if not any(format.weigh(message).texts) else 0
    return max(row.before - fitted.setup.meter.message(made), 0)


def gain(fitted: Fitted, row: Decision) -> int:
    """Tokens that a message would give without its results, media and reasoning.

    Nothing where it is gone or they are.
    """
    if row.after == 0 or row.action == "changed":
        return 0
    format, meter, message = fitted.setup.format, fitted.setup.meter, fitted.source[row.index]
    made = message
    for answer, texts in format.results(message):
        made = format.cleared(made, answer, placeholder("", sum(map(len, texts))))
    made = format.without_reasoning(format.without_media(made, gone_media))
    made = lesser(meter, made, message)
    return 0 if made is message else row.after - meter.message(made)
