"""What a provider's prompt cache holds while one conversation goes on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from .rules import MARKS, PREFIX, WHOLE, CacheRules


class Sent(NamedTuple):
    """One request, in tokens.

    ``tokens`` is the whole prompt and ``same`` the longest prefix that it has in common with the
    request before. ``time`` is when it was sent, in seconds; None where that is unknown.
    ``marks`` are the places behind which the caller marked the cache, for rules that match at
    marks; none given means one at the very end. ``output`` is what was answered.
    """

    tokens: int
    same: int
    time: float | None = None
    marks: tuple[int, ...] = ()
    output: int = 0


class Charge(NamedTuple):
    """The tokens of a prompt by how they are billed: together they are all of it.

    ``written`` is what is billed as a write to the cache; rules under which a write costs what
    an input token costs (w = 1) have none and count it as ``uncached``.
    """

    read: int
    written: int
    uncached: int


class Cache:
    """The cache of one conversation, request by request.

    What is kept are prefixes of the newest request, each as so many tokens; a request uses all
    that it begins with, so they expire together. What is read ends at the last mark or before it.
    Requests come one after the other: one that overlaps another is out of reach, and so is what a
    provider lets go for want of room. A prefix that a request has left is not found again.
    Amortised O(1 + marks) a request.
    """

    __slots__ = ("_before", "_kept", "_least", "_rules", "_used")

    def __init__(self, rules: CacheRules, model: str | None = None) -> None:
        self._rules = rules
        self._least = max(rules.least(model), 1)
        self._kept: list[int] = []  # from the shortest to the longest
        self._used: float | None = None
        self._before = Sent(0, 0)

    def request(self, sent: Sent) -> Charge:
        """Bill a request, and keep what it leaves in the cache."""
        rules, kept = self._rules, self._kept
        if rules.read == rules.write:
            return Charge(0, 0, sent.tokens)
        before, self._before = self._before, sent
        answered = before.output * (rules.answers and sent.same == before.tokens)
        parted = self._part(min(sent.same + answered, sent.tokens))
        if self._is_cold(sent.time):
            kept.clear()
        self._used = sent.time
        marked = rules.matches == MARKS and sent.marks
        found = bisect_right(kept, max(sent.marks) if marked else sent.tokens)
        read = kept[found - 1] // rules.step * rules.step if found else 0
        read = read if read >= self._least else 0
        stored = self._store(sent, parted)
        written = max(stored - read, 0) if rules.write > 1 else 0
        return Charge(read, written, sent.tokens - read - written)

    def _is_cold(self, time: float | None) -> bool:
        life, used = self._rules.life, self._used
        if life is None or time is None or used is None:
            return False
        return time - used > life

    def _part(self, same: int) -> int:
        """Let go what is longer than the common prefix; returns that where something is."""
        kept, parted = self._kept, 0
        while kept and kept[-1] > same:
            kept.pop()
            parted = same
        if self._rules.matches == PREFIX and parted > (kept[-1] if kept else 0):
            kept.append(parted)
        return parted

    def _store(self, sent: Sent, parted: int) -> int:
        """Keep what the rules keep of a request; returns how many tokens that is."""
        places, end = [sent.tokens], sent.tokens
        if self._rules.matches == MARKS and sent.marks:
            places = sorted(sent.marks)
        if self._rules.matches == WHOLE and parted:
            places = [parted, sent.tokens]  # what two requests had in common is kept from now on
        if self._rules.answers:
            end += sent.output
            places.append(end)  # beside the end of the prompt, should the answer not come back
        stored = 0
        for place in places:
            if self._least <= place <= end:
                stored = place
                at = bisect_left(self._kept, place)
                if self._kept[at : at + 1] != [place]:
                    self._kept.insert(at, place)
        return stored
