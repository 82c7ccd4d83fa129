"""Gemini answers that a repair made or moved, put where the API looks for them.

Where calls have no ids, the API pairs answers with them by name and place, so one that was
made or moved up may not stand before one that came for an earlier call. Source: the API's
error texts, which speak of numbers of parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .base import MODEL, RESULT, Facts, Message
from .gemini_parts import ANSWER, CallId, kind_of_part, parts_of
from .gemini_turn import GeminiTurn
from .objects import shallow

Place = tuple[Message, int]
"""A content, and its position in the input or -1."""


class Pairs(Protocol):
    """The part of the format that is needed here."""

    def read(self, message: Message) -> Facts: ...

    def turn(self) -> GeminiTurn: ...


def in_order(shape: Pairs, places: Sequence[Place], note: Callable[..., None]) -> Sequence[Place]:
    """The contents with the answers of a repaired turn in the order of its calls. O(places)."""
    out: list[Place] = []
    asked: list[str] = []
    block: list[Place] = []
    for place in places:
        facts = shape.read(place[0])
        if facts.role == RESULT and asked:
            block.append(place)
            continue
        out += _ordered(shape, asked, block, note)
        asked = [*(() if block or facts.role != MODEL else asked), *facts.calls]
        block = []
        out.append(place)
    return [*out, *_ordered(shape, asked, block, note)]


def _ordered(
    shape: Pairs, asked: list[str], block: list[Place], note: Callable[..., None]
) -> list[Place]:
    """The answers of one turn, as they are or in one content in the order of its calls."""
    # As they came; what was made, which is for what is left, last.
    came = sorted(block, key=lambda place: (place[1] < 0, place[1]))
    ids = [id for content, _ in came for id in shape.read(content).answers]
    named = [id for id in (*asked, *ids) if isinstance(id, CallId)]
    if [at for _, at in block] == sorted(at for _, at in came if at >= 0):
        return block
    if all(id.given for id in named):
        return block
    turn = shape.turn()
    order = {id: at for at, id in enumerate(turn.called(asked))}
    ranks = [order.get(id, len(order)) for id in turn.answered(ids)]
    parts = [part for content, _ in came for part in _answers(content)]
    wanted = [parts[n] for n in sorted(range(len(parts)), key=ranks.__getitem__)]
    stand = [part for content, _ in block for part in _answers(content)]
    if all(one is two for one, two in zip(wanted, stand, strict=True)):
        return block
    own, at = next((place for place in block if place[1] >= 0), block[0])
    others = [p for content, _ in block for p in _parts(content) if kind_of_part(p) != ANSWER]
    code = "missing_result" if came[-1][1] < 0 else "misplaced"
    note(code, at, None, "joined", "the results were put in the order of the calls")
    return [(shallow(own, parts=[*wanted, *others]), at)]


def _parts(content: Message) -> Sequence[Any]:
    return parts_of(content) or ()


def _answers(content: Message) -> list[Any]:
    return [part for part in _parts(content) if kind_of_part(part) == ANSWER]
