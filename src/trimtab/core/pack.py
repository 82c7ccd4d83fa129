"""Newest first with skipping: the selection of the reference ``build_context``."""

from __future__ import annotations

from collections.abc import Sequence


def pack(costs: Sequence[int], budget: int) -> list[int]:
    """Return the indices, in order, of the items that fit when tried newest to oldest.

    One that does not fit is skipped and older ones are still tried. O(n).

    >>> pack([2, 9, 3], 6)
    [0, 2]
    """
    kept: list[int] = []
    for index in range(len(costs) - 1, -1, -1):
        if costs[index] <= budget:
            budget -= costs[index]
            kept.append(index)
    kept.reverse()
    return kept
