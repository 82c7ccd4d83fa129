"""Strict alternation: user and assistant take turns.

What may follow what, and the repairs that make it so: neighbours of a side are joined,
and missing replies added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .base import HUMAN, MODEL, RESULT, SYSTEM, Alternation, Message
from .objects import getter, shallow
from .usual import Usual

CODE: Final = "not_alternating"
NO_REPLY: Final = "no_reply"
JOIN: Final = "join"  # two messages of one side, which are to be one
_UNREAD: Final = {"unknown_role", "malformed"}  # nobody can say whose words these are
BRIDGE: Final = "bridge"  # two sides of which a reply must stand between
INTERRUPTED_REPLY: Final = "[The reply was interrupted.]"

Place = tuple[Message, int]
"""A message, and its position in the input or -1."""
Note = Callable[[str, int, "str | None", str, str], None]


class Alternating(Usual):
    """A format under `Alternation`, which some repairs and a notice need new messages for.

    ``joins``: the fields that `joined` joins, and those that say whose a message is.
    """

    joins: frozenset[str] = frozenset()

    def reply(self, text: str) -> Message:
        """A new assistant message."""
        raise NotImplementedError

    def joined(self, own: Message, first: Message, second: Message) -> Message:
        """A shallow copy of ``own``, one of two neighbours of a side, with what both hold."""
        raise NotImplementedError

    def settled(self, places: Sequence[Place], note: Note) -> Sequence[Place]:
        """The messages so that user and assistant take turns; every change is noted.

        What a message holds is kept, but for what stands behind the last reply where a history
        must end with one, and for labels that two joined messages differ in (a name, a weight),
        which are noted. O(messages).
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
        made, lost = _one(shape, lead[0], lead[0], one[0])
        lead = (made, lead[1])
        text = f"it was joined with the first system message{lost}"
        note("misplaced", one[1], None, "joined", text)
    others = [place for place, role in zip(places, roles, strict=True) if role != SYSTEM]
    return [lead, *others]


def _joined(
    shape: Alternating, rules: Alternation, places: Sequence[Place], note: Note
) -> list[Place]:
    out: list[Place] = []
    before, newest = "", -1  # role and place in ``out`` of the newest message
    for message, at in places:
        facts = shape.read(message)
        role = facts.role
        if any(code in _UNREAD for code, _, _ in facts.faults):
            out.append((message, at))
            before, newest = "", -1
            continue
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
            made, lost = _one(shape, own, first, message)
            note(CODE, max(at, own_at), None, "joined", f"it was joined with its neighbour{lost}")
            out[newest] = (made, index)
            if role == MODEL:  # its calls stand before their results, behind a system message
                out.append(out.pop(newest))
                newest = len(out) - 1
        else:
            newest = len(out)
            out.append((message, at))
        before = shape.read(out[newest][0]).role
    return out


def _one(shape: Alternating, own: Message, first: Message, second: Message) -> tuple[Message, str]:
    """Two neighbours of a side as one, and words on what of the other one that leaves out.

    Lists are joined, and data that only one of them has is kept; a label stays its own one's.
    """
    made = shape.joined(own, first, second)
    get, joined, lost = getter(own), dict[str, Any](), list[str]()
    for name, value in _fields(second if own is first else first).items():
        held = get(name)
        if name in shape.joins or value is None or value == held:
            continue
        if isinstance(value, (list, tuple)) and isinstance(held, (list, tuple)):
            joined[name] = [*getter(first)(name), *getter(second)(name)]
        elif held is None and not isinstance(value, (str, int, float)):
            joined[name] = value
        else:
            lost.append(repr(name[:40]))
    words = f", whose {' and '.join(lost)} {'was' if len(lost) == 1 else 'were'} left out"
    return shallow(made, **joined) if joined else made, words if lost else ""


def _fields(message: Message) -> Mapping[str, Any]:
    if isinstance(message, Mapping):
        return message
    own, more = (getattr(message, name, None) for name in ("__dict__", "__pydantic_extra__"))
    return {**(own or {}), **(more or {})}


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
