"""Facts to units: one ordered walk that finds what belongs together and what is broken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .alternation import TurnTaking
from .core.unit import HUMAN as HEARD
from .core.unit import LED, PINNED, REASONS, STANDS
from .core.unit import SYSTEM as STEERS
from .faults import Fault
from .formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts, Format, Message, Pairing

OPENS: Final = 1 << 10
"""Beside the flags of `trimtab.core.unit`: the message opens a unit."""

_NOTHING: Final = ""
_RECAP: Final = "recap"


class Grouper:
    """Sorts messages into units as they arrive; O(1) a message.

    A unit is an assistant turn with calls and everything that answers it, or a single
    message (a whole turn where the format merges neighbours). A result answers the call
    of its id in the unit before it; of a call that is an item, at any later place, and
    all up to there is one unit. ``starts`` holds the index of each unit's first message,
    ``batch`` the results of messages that made several calls at once.
    """

    def __init__(self, format: Pairing) -> None:
        self._format = format
        self._merges = format.merges
        self._pairs = format.turn()  # where ids may be missing
        self.asked: Sequence[str] = ()  #: ids of the calls of the newest message
        self.answered: Sequence[str] = ()  #: ids of the calls that it answers
        self.starts: list[int] = []
        self.batch: set[int] = set()
        self._several = False  # whether the newest assistant message made several calls
        self._flags = 0  # of the newest unit
        self._turn = _NOTHING  # role of the newest message, system messages aside
        self._steered = -1  # a system message that an assistant turn must follow
        self.pending: dict[str, int] = {}  #: unanswered calls of the newest unit: id -> message
        self._served: dict[str, int] = {}  # the same for calls that the provider runs
        self._answered: set[str] = set()  # answered calls of the newest unit
        self._interrupted: dict[str, list[int]] = {}  # calls that the conversation went past
        self._items = False  # whether turns are made up of items
        self._late: set[str] = set()  # interrupted calls whose result may still come
        self._bound = -1  # an item that the next one of its turn must follow
        self._held = format.held  # whether calls may stand where only the provider can read
        self._empty: Fault | None = None  # an empty message, which only the last one may be
        self._seen: set[str] = set()
        self._turns = TurnTaking(format.alternation) if format.alternation else None
        self._faults: list[Fault] = []

    @property
    def faults(self) -> list[Fault]:
        """All faults so far, oldest message first. What waits at the very end is sound."""
        end = self._turns.open_end if self._turns else ()
        waiting = self._missing(late=True)
        return sorted([*self.broken, *waiting, *end], key=lambda fault: fault.index)

    @property
    def broken(self) -> list[Fault]:
        """The faults that stay, whatever comes next; oldest message first."""
        missing = self._missing(late=False)
        return sorted([*self._faults, *missing], key=lambda fault: fault.index)

    def _missing(self, *, late: bool) -> list[Fault]:
        """The calls that the conversation went past: those whose results may still come, or not."""
        return [
            Fault("missing_result", index, id, "a call without its result")
            for id, indices in self._interrupted.items()
            if (id in self._late) == late
            for index in indices
        ]

    def step(self, index: int, facts: Facts, pinned: bool = False) -> int:
        """Take the next message. Returns the flags that its unit gains, with OPENS for a new unit.

        LED comes along with PINNED, for the leads.
        """
        if self._empty is not None:
            self._faults.append(self._empty)
            self._empty = None
        if facts.faults:
            self._own_faults(index, facts)
        if self._turns and (fault := self._turns.step(index, facts)):
            self._faults.append(fault)
        if self._bound >= 0 or facts.item:
            self._follow(index, facts)
        role, self.asked, self.answered = facts.role, facts.calls, facts.answers
        if role == RESULT:
            flags = self._result(index, facts)
        elif role == MODEL:
            flags = self._model(index, facts)
        elif role == HUMAN:
            flags = self._recap() if facts.recaps else self._human()
        else:
            flags = self._system(index)
        if pinned or facts.held or facts.steers or facts.stands:
            flags |= PINNED | (STANDS if facts.stands else 0)
        if self._late:
            flags &= ~(OPENS | LED | STEERS)
        if flags & OPENS or not self.starts:
            self.starts.append(index)
            self._flags = flags
            return flags | OPENS
        if not flags:
            return 0
        gained = flags & ~self._flags
        self._flags |= flags
        return gained | (self._flags & LED) if gained & PINNED else gained

    def _model(self, index: int, facts: Facts) -> int:
        merges = self._merges
        goes_on = self._turn == MODEL and (merges or facts.item)
        if facts.within is not None:
            goes_on = goes_on or facts.within in self.pending
        joins = goes_on or bool(self._served) or (merges and self._steered >= 0)
        self._steered = -1
        if not goes_on:
            if self.pending:
                self._interrupt()
            self._answered.clear()
            self._forget()
        if self._pairs is not None and facts.calls:
            self.asked = self._pairs.called(facts.calls)
        self._turn = MODEL
        self._several = len(facts.calls) > 1
        for id in self.asked:
            self._call(index, id)
        if facts.server_calls or facts.server_answers:
            self._serve(index, facts)
        flags = REASONS if facts.reasons else 0
        return flags if joins else flags | OPENS

    def _result(self, index: int, facts: Facts) -> int:
        if not facts.answers:
            if facts.closes and self.pending:
                self._interrupt()
            return 0
        self._turn, flags = RESULT, 0
        if self._several:
            self.batch.add(index)
        if self._pairs is not None:
            self.answered = self._pairs.answered(facts.answers)
        for id in self.answered:
            if self.pending.pop(id, None) is not None:
                self._answered.add(id)
            elif self._held and id not in self._seen:
                self._seen.add(id)
                flags = PINNED
            else:
                self._unasked(index, id)
        if self.pending and (facts.human or facts.closes):
            self._interrupt()
        if not facts.human:
            return flags
        if self._served:
            self._abandon()
        self._turn = HUMAN
        return flags | HEARD

    def _human(self) -> int:
        if self.pending:
            self._interrupt()
        if self._served:
            self._abandon()
        if self._steered >= 0:
            text = "a system message must be followed by an assistant message"
            self._fault("misplaced", self._steered, None, text)
            self._steered = -1
        joins = self._format.merges and self._turn in (HUMAN, RESULT)
        self._turn = HUMAN
        return HEARD if joins else HEARD | LED | OPENS

    def _recap(self) -> int:
        """A summary is a unit of its own, which no run answers and no human text joins."""
        self._human()
        self._turn = _RECAP
        return OPENS

    def _system(self, index: int) -> int:
        if self.pending:
            self._interrupt()
        if not self._format.merges:
            self._turn = _NOTHING
            return PINNED | STEERS | OPENS
        if self._turn in (_NOTHING, MODEL):
            self._fault("misplaced", index, None, "a system message must follow a user message")
        self._steered = index
        return PINNED

    def _follow(self, index: int, facts: Facts) -> None:
        """Take note of what an item demands of those behind it."""
        steers = facts.role == SYSTEM and facts.item and not facts.stands
        if self._bound >= 0 and facts.role != MODEL and not steers:
            self._faults.append(_lonely(self._bound))
            self._bound = -1
        if facts.role == MODEL:
            self._bound = index if facts.bound else -1
        self._items = self._items or facts.item
        self._held = self._held or facts.held

    def _call(self, index: int, id: str) -> None:
        again = id in self.pending or id in self._answered
        if again or (self._format.unique_ids and id in self._seen):
            self._fault("duplicate_call", index, id, "a call id that is used twice")
        self.pending.setdefault(id, index)
        self._seen.add(id)

    def _unasked(self, index: int, id: str) -> None:
        """A result came for which no call of the newest unit waits."""
        if waiting := self._interrupted.get(id):
            waiting.pop()
            if self._items:
                if not waiting:
                    self._late.discard(id)
                return
            self._fault("misplaced", index, id, "a result that does not directly follow its call")
        elif id in self._seen:
            self._fault("duplicate_result", index, id, "a second result for one call")
        else:
            self._fault("orphan_result", index, id, "a result without its call")

    def _serve(self, index: int, facts: Facts) -> None:
        # Calls of one message come before their results, as the provider writes them.
        for id in facts.server_calls:
            if id in self._seen:
                self._fault("duplicate_call", index, id, "a call id that is used twice")
            self._served[id] = index
            self._seen.add(id)
        for id in facts.server_answers:
            if self._served.pop(id, None) is None:
                self._unasked(index, id)

    def _interrupt(self) -> None:
        for id, index in self.pending.items():
            self._interrupted.setdefault(id, []).append(index)
        if self._items:
            self._late.update(self.pending)
        self.pending.clear()
        self._forget()

    def _forget(self) -> None:
        if self._pairs is not None:
            self._pairs = self._format.turn()

    def _abandon(self) -> None:
        for id, index in self._served.items():
            self._fault("missing_result", index, id, "a server tool call without its result")
        self._served.clear()

    def _own_faults(self, index: int, facts: Facts) -> None:
        for code, id, text in facts.faults:
            if code == "empty_message" and facts.role == MODEL:
                self._empty = Fault(code, index, id, text)
            else:
                self._fault(code, index, id, text)

    def _fault(self, code: str, index: int, id: str | None, text: str) -> None:
        self._faults.append(Fault(code, index, id, text))


def _lonely(index: int) -> Fault:
    return Fault("lone_reasoning", index, None, "reasoning without the item that must follow it")


def batch_of(format: Format, messages: Sequence[Message]) -> set[int]:
    """Indices of the results of messages that made several calls at once. O(messages)."""
    grouper = Grouper(format)
    for index, message in enumerate(messages):
        grouper.step(index, format.read(message))
    return grouper.batch
