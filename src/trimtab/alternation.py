"""Finds what breaks strict alternation, where user and assistant take turns."""

from __future__ import annotations

from typing import Final

from .faults import Fault
from .formats.alternation import BRIDGE, CODE, NO_REPLY, clash
from .formats.base import HUMAN, MODEL, RESULT, SYSTEM, Alternation, Facts

_TWICE: Final = {
    MODEL: "two assistant messages in a row",
    HUMAN: "two user messages in a row",
    RESULT: "two user messages with the results of one turn",
}


class TurnTaking:
    """Finds what breaks strict alternation, message by message; O(1) a message."""

    def __init__(self, rules: Alternation) -> None:
        self._rules = rules
        self._size = 0
        self._before = ""  # role of the newest message, system messages aside
        self._newest = -1  # where it stands

    def step(self, index: int, facts: Facts) -> Fault | None:
        """The fault of the next message, if it stands where it may not."""
        self._size += 1
        if facts.role == SYSTEM:
            if self._size > 1 and self._rules.system_first:
                text = "a system message must be the first message"
                return Fault("misplaced", index, None, text)
            return None
        wanted = clash(self._rules, self._before, facts.role)
        self._before, self._newest = facts.role, index
        if wanted == BRIDGE:
            return Fault(CODE, index, None, "a user message directly after tool results")
        return Fault(CODE, index, None, _TWICE[facts.role]) if wanted else None

    @property
    def open_end(self) -> list[Fault]:
        """The fault of a history that must end with the assistant's reply, and does not."""
        if not self._rules.closed or self._before in ("", MODEL):
            return []
        return [Fault(NO_REPLY, self._newest, None, "the last message must be the assistant's")]
