"""The reference: the longest contiguous suffix that fits."""

from __future__ import annotations

from collections.abc import Sequence

from .whole import whole


def trim_history(counts: Sequence[int], budget: int) -> list[int]:
    """Return the longest suffix of ``counts`` whose sum is at most ``budget``.

    Walks from the newest count back and stops at the first that would exceed the
    budget; it never skips one to keep an older one. The result is oldest first, is
    empty when not even the newest count fits or the budget is negative, and is
    always a new list.

    Counts and budget are in one unit, tokens as a rule. O(n) time at most, O(kept)
    space; counts older than the first that does not fit are not read.

    Raises `InvalidOptions` for a budget or count that is no whole number, or a count
    below zero.

    >>> trim_history([8, 3, 4, 2], 10)
    [3, 4, 2]
    >>> trim_history([5, 100, 1], 10)
    [1]
    """
    left = whole(budget, "budget", negative=True)
    start = len(counts)
    if left < 0:
        return []
    while start:
        count = counts[start - 1]
        if type(count) is not int or count < 0:
            count = whole(count, f"count {start - 1}")
        if count > left:
            break
        left -= count
        start -= 1
    return list(counts[start:])
