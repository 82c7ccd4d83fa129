"""Strict alternation: user and assistant take turns.

What may follow what, and the repairs that make it so: neighbours of a side are joined,
and missing replies added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from .base import HUMAN, MODEL, RESULT, SYSTEM, Alternation, Facts, Message, Usual

CODE: Final = "not_alternating"
NO_REPLY: Final = "no_reply"
JOIN: Final = "join"  # two messages of one side, which are to be one
BRIDGE: Final = "bridge"  # two sides of which a reply must stand between
INTERRUPTED_REPLY: Final = "[The reply was interrupted.]"

Place = tuple[Message, int]
"""A message, and its position in the input or -1."""
Note = Callable[[str, int, "str | None", str, str], None]


class Alternating(Usual):
    """A format under `Alternation`, which some repairs and a notice need new messages for."""

    def read(self, message: Message) -> Facts:
        raise NotImplementedError

    def reply(self, text: str) -> Message:
        """A new assistant message."""
        raise NotImplementedError

    def joined(self, own: Message, first: Message, second: Message) -> Message:
        """A shallow copy of ``own``, one of two neighbours of a side, with what both hold."""
        raise NotImplementedError

    def settled(self, places: Sequence[Place], note: Note) -> Sequence[Place]:
        """The messages so that user and assistant take turns; every change is noted.

        What a message holds is kept, but for what stands behind the last reply where a history
        must end with one. O(messages).
        """
        rules = self.alternation or Alternation()
        if rules.system_first:
            places = _system_first(self, places, note)
        places = _joined(self, rules, places, note)
        return _closed(self, places, note) if rules.closed else places


def clash(rules: Alternation, before: str, role: str) -> str:
    """What must be done so that a message of ``role`` may follow one of ``before``, if anything.

    Results that stand where they cannot belong to a call are another rule's matter.
    """
    if before == role != RESULT:
        return JOIN
    if before == RESULT and role != MODEL:
        if rules.together:
            return JOIN
        return BRIDGE if role == HUMAN else ""
    return ""


def _system_first(shape: Alternating, places: Sequence[Place], note: Note) -> Sequence[Place]:
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


def _joined(
    shape: Alternating, rules: Alternation, places: Sequence[Place], note: Note
) -> list[Place]:
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


def _closed(shape: Alternating, places: Sequence[Place], note: Note) -> list[Place]:
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
