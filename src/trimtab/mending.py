"""Repair: the same history with every fault mended and nothing else touched."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from .formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts, Format, Message
from .outcome import Origin, Repair
from .units import Grouper

INTERRUPTED: Final = "[The tool call was interrupted; there is no result.]"

_Place = tuple[int, int]  # message, and position of a call or an answer in it
_GONE: Final[_Place] = (-1, -1)  # a call that was dropped, whose result goes with it


def mend(messages: list[Message], format: Format) -> tuple[Origin, list[Message]]:
    """The mended messages, and where each of them comes from.

    Pairs calls and results in one ordered walk, then writes the history anew: every
    assistant turn is followed by its results. What needs no mending stays the same
    object. Faults that no rule covers are left in. O(messages).
    """
    mender = _Mender(messages, format)
    mender.pair()
    mender.write()
    mender.repairs.sort(key=lambda repair: repair.index)
    return Origin(messages, mender.origins(), mender.repairs), mender.out


class _Mender:
    def __init__(self, messages: list[Message], format: Format) -> None:
        self._format = format
        self.repairs: list[Repair] = []
        self._messages: list[Message] = []
        self._sources: list[int] = []  # where each of them stands in the input
        for at, message in enumerate(messages):
            self._part(at, message)
        self._facts: list[Facts] = [format.read(message) for message in self._messages]
        self._drop: defaultdict[int, dict[str, set[int]]] = defaultdict(dict)
        self._answers: defaultdict[int, list[_Place]] = defaultdict(list)  # of a call's message
        self._missing: defaultdict[int, list[int]] = defaultdict(list)  # calls of a message
        self._served: dict[str, _Place] = {}  # open calls that the provider runs
        self._asked: set[str] = set()  # all calls that the provider runs
        self._seen: dict[str, int] = {}  # all other calls, and the turn of each
        self._done: set[int] = set()
        self.out: list[Message] = []
        self.index: list[int] = []

    def _part(self, at: int, message: Message) -> None:
        """Take a message, its parts under the right roles."""
        parts = self._format.parted(message)
        self._messages += parts
        self._sources += [at] * len(parts)
        if len(parts) != 1 or parts[0] is not message:
            text = "what stood under the wrong role was put under the right one"
            self.repairs.append(Repair("misplaced", at, None, "moved", text))

    def origins(self) -> list[int]:
        """Where each message of the mended history stands in the input, -1 for a new one."""
        places = [self._sources[at] if at >= 0 else -1 for at in self.index]
        first = {at: place for place, at in reversed(list(enumerate(places)))}
        return [at if first[at] == place else -1 for place, at in enumerate(places)]

    # pairing

    def pair(self) -> None:
        """Match every result with the nearest earlier open call of its id."""
        grouper = Grouper(self._format)
        calls: defaultdict[str, list[_Place]] = defaultdict(list)
        seen = self._seen
        turn, held = 0, self._format.held
        for at, facts in enumerate(self._facts):
            grouper.step(at, facts)
            held = held or facts.held
            turn += not (at and self._same_turn(at))
            for position, id in enumerate(grouper.asked):
                if self._format.unique_ids and id in self._asked:
                    self._remove("call", "duplicate_call", at, position, id)
                    calls[id].append(_GONE)
                elif id in seen and (self._format.unique_ids or seen[id] == turn):
                    self._remove("call", "duplicate_call", at, position, id)
                    if seen[id] != turn:
                        calls[id].append(_GONE)
                else:
                    seen[id] = turn
                    calls[id].append((at, position))
            for position, id in enumerate(grouper.answered):
                place = calls[id].pop() if calls[id] else None
                if place == _GONE:
                    self._remove("answer", "duplicate_result", at, position, id)
                elif place is not None:
                    self._answers[place[0]].append((at, position))
                elif held and id not in seen:
                    seen[id] = turn  # its call stands where only the provider can read it
                else:
                    code = "duplicate_result" if id in seen else "orphan_result"
                    self._remove("answer", code, at, position, id)
            self._pair_server(at, facts)
            self._drop_broken(at, facts)
        self._find_missing(calls, grouper.pending)

    def _drop_broken(self, at: int, facts: Facts) -> None:
        """Drop what a message holds that is wrong by itself."""
        for code, id, _ in facts.faults:
            if code == "blank_text" or (code == "empty_message" and not self._may_be_empty(at)):
                self._remove("blank", code, at, 0, id)
            elif code == "orphan_result":
                self._remove("answer", code, at, 0, id)

    def _may_be_empty(self, at: int) -> bool:
        """Whether a message is the last one and the assistant's."""
        return at == len(self._facts) - 1 and self._facts[at].role == MODEL

    def _same_turn(self, at: int) -> bool:
        """Whether an assistant message goes on with the turn of the one before it."""
        both = self._facts[at - 1].role == MODEL == self._facts[at].role
        return both and (self._format.merges or self._facts[at].item)

    def _find_missing(self, calls: dict[str, list[_Place]], waiting: dict[str, int]) -> None:
        for id, places in calls.items():
            for at, position in places:
                if at >= 0 and waiting.get(id) != at:
                    self._missing[at].append(position)
                    self._note("missing_result", at, id, "answered", "a result was added")

    def _pair_server(self, at: int, facts: Facts) -> None:
        if facts.role == HUMAN or facts.human:
            for id, (place, position) in self._served.items():
                self._remove("server_call", "missing_result", place, position, id)
            self._served.clear()
        for position, id in enumerate(facts.server_calls):
            if id in self._asked or id in self._seen:
                self._remove("server_call", "duplicate_call", at, position, id)
            else:
                self._served[id] = (at, position)
                self._asked.add(id)
        for position, id in enumerate(facts.server_answers):
            if self._served.pop(id, None) is None:
                known = id in self._asked or id in self._seen
                code = "duplicate_result" if known else "orphan_result"
                self._remove("server_answer", code, at, position, id)

    def _remove(self, kind: str, code: str, at: int, position: int, id: str | None) -> None:
        self._drop[at].setdefault(kind, set()).add(position)
        self._note(code, at, id, "dropped", f"the {kind.replace('_', ' ')} was dropped")

    def _note(self, code: str, at: int, id: str | None, action: str, text: str) -> None:
        index = self._sources[at] if at >= 0 else at
        self.repairs.append(Repair(code, index, id, action, text))

    # writing

    def write(self) -> None:
        """Write the history anew, every turn followed by its results."""
        at = 0
        while at < len(self._messages):
            stop = at + 1
            if self._facts[at].role == MODEL:
                while stop < len(self._facts) and self._same_turn(stop):
                    stop += 1
                for index in range(at, stop):
                    self._emit(index)
                self._settle(range(at, stop))
            else:
                self._emit(at)
            at = stop
        self._part_with_reasoning()
        places = list(zip(self.out, self.index, strict=True))
        places = self._format.settled(places, self._note)
        self.out, self.index = [m for m, _ in places], [at for _, at in places]

    def _part_with_reasoning(self) -> None:
        """Drop items that need the next one of their turn and have none left."""
        followed = True  # at the very end it may be yet to come
        for place in range(len(self.out) - 1, -1, -1):
            at = self.index[place]
            facts = self._facts[at] if at >= 0 else Facts(RESULT)
            if facts.bound and not followed:
                del self.out[place], self.index[place]
                self._note("lone_reasoning", at, None, "dropped", "the reasoning was dropped")
            elif facts.stands or not (facts.item and facts.role == SYSTEM):
                followed = facts.role == MODEL

    def _settle(self, turn: range) -> None:
        """Put the results of a turn that are not where they belong right behind it."""
        block = self._block(turn.stop)
        for caller in turn:
            strayed: defaultdict[int, list[int]] = defaultdict(list)
            anywhere = self._facts[caller].item
            for at, position in sorted(self._answers[caller]):
                if at not in block and not anywhere:
                    strayed[at].append(position)
            for at, positions in strayed.items():
                self._move(at, positions)
            if missing := sorted(self._missing[caller]):
                stubs = self._format.interrupted(self._messages[caller], missing, INTERRUPTED)
                self.out += stubs
                self.index += [-1] * len(stubs)

    def _block(self, start: int) -> set[int]:
        """The messages from ``start`` on in which the results of a turn are in their place."""
        block: set[int] = set()
        for at in range(start, len(self._facts)):
            facts = self._facts[at]
            if facts.role != RESULT:
                break
            block.add(at)
            if facts.human or (facts.closes and not facts.answers):
                break
        return block

    def _move(self, at: int, positions: list[int]) -> None:
        """Put the answers at these positions of a later message here."""
        facts = self._facts[at]
        for position in positions:
            id = facts.answers[position]
            self._note("misplaced", at, id, "moved", "the result was moved up")
        if len(positions) == len(facts.answers) and not facts.human and at not in self._drop:
            self._done.add(at)
            self.out.append(self._messages[at])
            self.index.append(at)
            return
        moved = self._format.only_answers(self._messages[at], positions)
        if "blank" in self._drop[at]:
            moved = self._format.without(moved, {"blank": {0}}) or moved
        self.out.append(moved)
        self.index.append(-1)
        self._drop[at].setdefault("answer", set()).update(positions)

    def _emit(self, at: int) -> None:
        if at in self._done:
            return
        message = self._messages[at]
        if drop := self._drop.get(at):
            message = self._format.without(message, drop)
            if message is None:
                return
        if missing := sorted(self._missing.get(at, ())):
            gone = self._drop[at].get("call", set())
            left = [position - sum(other < position for other in gone) for position in missing]
            message = self._format.closed(message, left, INTERRUPTED) or message
        facts = self._facts[at]
        left = set(range(len(facts.answers))) - self._drop[at].get("answer", set())
        if left and any(code == "misplaced" for code, _, _ in facts.faults):
            message = self._format.answers_first(message)
            self._note("misplaced", at, facts.answers[min(left)], "edited", "results first")
        self.out.append(message)
        self.index.append(at)
