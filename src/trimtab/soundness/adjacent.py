"""Every call answered once, directly behind it, and no other answers: what many APIs share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple


class Told(NamedTuple):
    """What a message asks and answers; ``more`` says that it holds other things behind answers."""

    asks: Sequence[Any] = ()
    answers: Sequence[Any] = ()
    more: bool = False


def adjacent(told: Sequence[Told]) -> Iterator[tuple[int, str]]:
    """What breaks the rule; calls that wait at the very end are let through."""
    at = 0
    while at < len(told):
        if told[at].answers:
            yield at, "a result without a call directly before it"
        behind, answered, over = at + 1, Counter[Any](), False
        while behind < len(told) and told[behind].answers and not over:
            answered.update(told[behind].answers)
            over = told[behind].more
            behind += 1
        asked = Counter(told[at].asks)
        if any(times > 1 for times in asked.values()):
            yield at, "a call id twice in one message"
        if answered - asked:
            yield at + 1, "a result without a call directly before it"
        if asked - answered and (over or behind < len(told)):
            yield at, "a call without its result"
        at = behind
