"""The repairs of strict alternation: neighbours of a side are joined, missing replies added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from .alternation import BRIDGE, CODE, JOIN, NO_REPLY, clash
from .formats.base import MODEL, SYSTEM, Alternating, Alternation, Format, Message

INTERRUPTED_REPLY: Final = "[The reply was interrupted.]"

Place = tuple[Message, int]
"""A message, and its position in the input or -1."""
Note = Callable[[str, int, "str | None", str, str], None]


def take_turns(format: Format, rules: Alternation, places: list[Place], note: Note) -> list[Place]:
    """The messages so that user and assistant take turns; every change is noted.

    What a message holds is kept, but for what stands behind the last reply where a history
    must end with one. O(messages).
    """
    shape = cast("Alternating", format)
    if rules.system_first:
        places = _system_first(shape, places, note)
    places = _joined(shape, rules, places, note)
    return _closed(shape, places, note) if rules.closed else places


def _system_first(shape: Alternating, places: list[Place], note: Note) -> list[Place]:
    """All system messages as one in front."""
    roles = [shape.read(message).role for message, _ in places]
    if SYSTEM not in roles[1:]:
        return places
    steering = [place for place, role in zip(places, roles, strict=True) if role == SYSTEM]
    lead = steering[0]
    if roles[0] != SYSTEM:
        note("misplaced", lead[1], None, "moved", "the system message was moved to the front")
    for one in steering[1:]:
        lead = (shape.joined(lead[0], lead[0], one[0]), lead[1])
        note("misplaced", one[1], None, "joined", "it was joined with the first system message")
    others = [place for place, role in zip(places, roles, strict=True) if role != SYSTEM]
    return [lead, *others]


def _joined(shape: Alternating, rules: Alternation, places: list[Place], note: Note) -> list[Place]:
    out: list[Place] = []
    before, newest = "", -1  # role and place in ``out`` of the newest message
    for message, at in places:
        role = shape.read(message).role
        if role == SYSTEM:
            out.append((message, at))
            continue
        wanted = clash(rules, before, role)
        if wanted == BRIDGE:
            out.append((shape.reply(INTERRUPTED_REPLY), -1))
            note(CODE, at, None, "answered", "a reply was added before it")
        if wanted == JOIN:
            first, own_at = out[newest]
            own, index = (message, at) if at >= 0 else (first, own_at)
            note(CODE, max(at, own_at), None, "joined", "it was joined with its neighbour")
            out[newest] = (shape.joined(own, first, message), index)
        else:
            newest = len(out)
            out.append((message, at))
        before = shape.read(out[newest][0]).role
    return out


def _closed(shape: Alternating, places: list[Place], note: Note) -> list[Place]:
    """Without what stands behind the last reply."""
    roles = [shape.read(message).role for message, _ in places]
    last = max((at for at, role in enumerate(roles) if role == MODEL), default=-1)
    left = list(places[: last + 1])
    for (message, at), role in zip(places[last + 1 :], roles[last + 1 :], strict=True):
        if role == SYSTEM:
            left.append((message, at))
        elif at >= 0:
            note(NO_REPLY, at, None, "dropped", "nothing replies to it")
    return left
