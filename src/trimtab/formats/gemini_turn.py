"""Which call of a Gemini turn an answer is for, where either of the two may have no id."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import cast

from .gemini_parts import CallId


class GeminiTurn:
    """The calls of one model turn that wait for their answers.

    An answer whose id a call of the turn has is for that call alone. Of the others, those
    with an id take the first call of their function that has none; then those without one
    take the first call of their function, one without an id before one with it. What is
    left goes by place, where no ids are given and the numbers agree.

    Within one content, then, only the numbers of each function decide whether all is
    answered, not the order: what a repair joins stays paired. O(1) a call or an answer.
    """

    def __init__(self) -> None:
        self._ids: set[str] = set()  # of all calls
        self._waiting: dict[str, CallId] = {}
        self._given = 0  # those of them that have an id of their own
        self._numbers: defaultdict[str, int] = defaultdict(int)  # stand-ins so far, by name
        # By name, and whether they have ids; what waits no longer is skipped.
        self._named: defaultdict[tuple[str, bool], deque[str]] = defaultdict(deque)

    def called(self, calls: Sequence[str]) -> list[str]:
        """Let calls wait. Their ids; those without one are numbered through the turn."""
        return [self._call(call) for call in cast("Sequence[CallId]", calls)]

    def answered(self, answers: Sequence[str]) -> list[str]:
        """The ids of the calls that the answers of a content are for, which wait no longer.

        For one that is for none of them its own, numbered on where it has none.
        """
        came = cast("Sequence[CallId]", answers)
        found: list[str | None] = [
            self._take(answer) if answer.given and answer in self._waiting else None
            for answer in came
        ]
        for given in (True, False):
            for at, answer in enumerate(came):
                if found[at] is None and answer.given is given:
                    found[at] = self._by_name(answer)
        rest = [at for at, id in enumerate(found) if id is None]
        if self._agree([came[at] for at in rest]):
            for at, id in zip(rest, list(self._waiting), strict=True):
                found[at] = self._take(id)
        return [self._own(own) if id is None else id for id, own in zip(found, came, strict=True)]

    def _call(self, call: CallId) -> str:
        call = self._own(call)
        if call not in self._ids:
            self._ids.add(call)
            self._waiting[call] = call
            self._given += call.given
            self._named[call.name, call.given].append(call)
        return call

    def _own(self, id: CallId) -> CallId:
        """An id, or a stand-in for it that nothing else in the turn has."""
        if id.given:
            return id
        self._numbers[id.name] += 1
        return CallId(id.name, None, self._numbers[id.name])

    def _by_name(self, answer: CallId) -> str | None:
        if answer.given:
            return None if answer in self._ids else self._first(answer.name, False)
        return self._first(answer.name, False) or self._first(answer.name, True)

    def _first(self, name: str, given: bool) -> str | None:
        """The first of these calls that still waits; it waits no longer."""
        calls = self._named.get((name, given), ())
        while calls:
            if (id := calls.popleft()) in self._waiting:
                return self._take(id)
        return None

    def _take(self, id: str) -> str:
        self._given -= self._waiting.pop(id).given
        return id

    def _agree(self, rest: Sequence[CallId]) -> bool:
        """Whether these answers may be for the calls that are left, by their places."""
        if self._given or len(rest) != len(self._waiting):
            return False
        return not any(answer.given for answer in rest)
