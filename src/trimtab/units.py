"""Facts to units: one ordered walk that finds what belongs together and what is broken."""

from __future__ import annotations

from typing import Final

from .core.unit import HUMAN as HEARD
from .core.unit import LED, PINNED, REASONS
from .core.unit import SYSTEM as STEERS
from .faults import Fault
from .formats.base import HUMAN, MODEL, RESULT, Facts, Pairing

OPENS: Final = 1 << 10
"""Beside the flags of `trimtab.core.unit`: the message opens a unit."""

_NOTHING: Final = ""


class Grouper:
    """Sorts messages into units as they arrive; O(1) a message.

    A unit is an assistant turn with calls and everything that answers it, or a single
    message (a whole turn where the format merges neighbours). A result answers the call
    of its id in the unit before it. ``starts`` holds the index of each unit's first
    message.
    """

    def __init__(self, format: Pairing) -> None:
        self._format = format
        self.starts: list[int] = []
        self._flags = 0  # of the newest unit
        self._turn = _NOTHING  # role of the newest message, system messages aside
        self._steered = -1  # a system message that an assistant turn must follow
        self.pending: dict[str, int] = {}  #: unanswered calls of the newest unit: id -> message
        self._served: dict[str, int] = {}  # the same for calls that the provider runs
        self._answered: set[str] = set()  # answered calls of the newest unit
        self._interrupted: dict[str, list[int]] = {}  # calls that the conversation went past
        self._empty: Fault | None = None  # an empty message, which only the last one may be
        self._seen: set[str] = set()
        self._faults: list[Fault] = []

    @property
    def faults(self) -> list[Fault]:
        """All faults so far, oldest message first. Calls that wait at the very end are sound."""
        missing = [
            Fault("missing_result", index, id, "a call without its result")
            for id, indices in self._interrupted.items()
            for index in indices
        ]
        return sorted([*self._faults, *missing], key=lambda fault: fault.index)

    def step(self, index: int, facts: Facts, pinned: bool = False) -> int:
        """Take the next message. Returns the flags that its unit gains, with OPENS for a new unit.

        LED comes along with PINNED, for the leads.
        """
        if self._empty is not None:
            self._faults.append(self._empty)
            self._empty = None
        if facts.faults:
            self._own_faults(index, facts)
        role = facts.role
        if role == RESULT:
            flags = self._result(index, facts)
        elif role == MODEL:
            flags = self._model(index, facts)
        elif role == HUMAN:
            flags = self._human()
        else:
            flags = self._system(index)
        if pinned:
            flags |= PINNED
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
        joins = self._format.merges and (
            self._turn == MODEL or self._steered >= 0 or bool(self._served)
        )
        self._steered = -1
        if not joins or self._turn != MODEL:
            if self.pending:
                self._interrupt()
            self._answered.clear()
        self._turn = MODEL
        for id in facts.calls:
            self._call(index, id)
        if facts.server_calls or facts.server_answers:
            self._serve(index, facts)
        flags = REASONS if facts.reasons else 0
        return flags if joins else flags | OPENS

    def _result(self, index: int, facts: Facts) -> int:
        if not facts.answers:
            return 0
        self._turn = RESULT
        for id in facts.answers:
            if self.pending.pop(id, None) is None:
                self._unasked(index, id)
            else:
                self._answered.add(id)
        if not facts.human:
            return 0
        if self.pending:
            self._interrupt()
        self._turn = HUMAN
        return HEARD

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

    def _system(self, index: int) -> int:
        if self.pending:
            self._interrupt()
        if not self._format.merges:
            return PINNED | STEERS | OPENS
        if self._turn in (_NOTHING, MODEL):
            self._fault("misplaced", index, None, "a system message must follow a user message")
        self._steered = index
        return PINNED

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
        self.pending.clear()

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
