"""What cuts have shrunk so far, and what the next one may."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from ..formats.base import Message
from .passes import Arrival, Pass


class Shrinking:
    """Passes over the messages of one history, with a memory of what each cut did.

    ``original`` gives a message as it arrived, ``price`` its tokens when it looks otherwise.
    What stands for a message depends on how many cuts there were: a result made earlier
    keeps its own. Every pass touches a message once at most.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        original: Callable[[int], Message],
        price: Callable[[int, Message], int],
    ) -> None:
        self._passes = passes
        self._original = original
        self._price = price
        self._due: list[tuple[int, int]] = []  # message, pass
        self._done: dict[int, list[tuple[int, int]]] = {}  # message: cuts and passes
        self._made: dict[tuple[int, int], Message] = {}  # by message and number of passes done
        self._costs: dict[tuple[int, int], int] = {}
        self._weighed = self._waiting = 0  # so many of what is due, and what they would free
        self._oldest = -1
        self.seen = 0  #: how many messages have arrived
        self.given: dict[tuple[int, int], int] = {}  #: what earlier cuts are known to have done

    @property
    def changed(self) -> list[int]:
        """The messages that cuts have shrunk."""
        return list(self._done)

    def arrive(self, arrival: Arrival) -> None:
        """Take note of the next message."""
        self.seen += 1
        for number, one in enumerate(self._passes):
            for index in one.due(arrival):
                cut = self.given.get((index, number))
                if cut is None:
                    self._due.append((index, number))
                else:
                    self._done.setdefault(index, []).append((cut, number))

    def take(self, cut: int, may: Callable[[int, Pass], bool]) -> list[int]:
        """Shrink all that is due and may be; returns the messages. What may not be is let go."""
        taken: dict[int, None] = {}
        for index, number in self._due:
            if may(index, self._passes[number]):
                self._done.setdefault(index, []).append((cut, number))
                taken[index] = None
        self._due.clear()
        self._weighed, self._waiting, self._oldest = 0, 0, -1
        return list(taken)

    def waits(self, reason: str, may: Callable[[int, Pass], bool]) -> tuple[int, int]:
        """Tokens that one kind of pass would free of what is due and may be; the oldest message.

        The message is -1 where there is none. What may be shrunk may until it is taken. Amortised
        O(1) for each that becomes due.
        """
        for index, number in self._due[self._weighed :]:
            one = self._passes[number]
            if one.reason != reason or not may(index, one) or self._numbers(index, sys.maxsize):
                continue
            message = self._original(index)
            made = one.shrunk(index, message)
            if made is not message:
                self._waiting += self._price(index, message) - self._price(index, made)
                self._oldest = index if self._oldest < 0 else min(self._oldest, index)
        self._weighed = len(self._due)
        return self._waiting, self._oldest

    def before(self, cuts: int) -> dict[tuple[int, int], int]:
        """What so many cuts did: the cut by message and pass."""
        rows = ((index, *row) for index, done in self._done.items() for row in done)
        return {(index, number): cut for index, cut, number in rows if cut <= cuts}

    def reasons(self, index: int, cuts: int) -> list[str]:
        """The codes of the passes that changed a message."""
        found: list[str] = []
        message = self._original(index)
        for number in self._numbers(index, cuts):
            made = self._passes[number].shrunk(index, message)
            if made is not message:
                found.append(self._passes[number].reason)
            message = made
        return found

    def shown(self, index: int, cuts: int) -> Message:
        """What stands for a message after so many cuts."""
        numbers = self._numbers(index, cuts)
        if not numbers:
            return self._original(index)
        key = index, sum(1 << number for number in numbers)
        if key not in self._made:
            message = self._original(index)
            for number in numbers:
                message = self._passes[number].shrunk(index, message)
            self._made[key] = message
        return self._made[key]

    def cost(self, index: int, cuts: int) -> int:
        """Tokens of what stands for a message after so many cuts."""
        message = self.shown(index, cuts)
        key = index, sum(1 << number for number in self._numbers(index, cuts))
        if key not in self._costs:
            self._costs[key] = self._price(index, message)
        return self._costs[key]

    def touched(self, index: int, cuts: int) -> bool:
        """Whether some pass has had a message after so many cuts."""
        return index in self._done and bool(self._numbers(index, cuts))

    def _numbers(self, index: int, cuts: int) -> list[int]:
        """The passes that have touched a message, in their own order."""
        done = self._done.get(index)
        return sorted(number for cut, number in done if cut <= cuts) if done else []
