"""Fenced code: which fence is open where, and what closes and opens it again.

By CommonMark: a fence is a line that begins with three or more of one of ` and ~ (after at
most three blanks); it ends with a line of at least as many of the same and nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final, NamedTuple

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})([^\n]*)$", re.MULTILINE)


class _Fence(NamedTuple):
    start: int
    end: int
    line: str
    closer: str


class Fences:
    """The fences of a text. Reading them is O(length), every question O(log fences)."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []  # of the lines that open or close, in turns
        self._ends: list[int] = []
        self._open: list[_Fence | None] = []  # what is open behind each of these lines
        if "```" not in text and "~~~" not in text:
            return
        fence: _Fence | None = None
        for found in _FENCE.finditer(text):
            ticks, words = found[1], found[2].strip()
            if fence is None:
                fence = _Fence(found.start(), found.end(), found[0], ticks)
            elif ticks.startswith(fence.closer) and not words:
                fence = None
            else:
                continue
            self._starts.append(found.start())
            self._ends.append(found.end())
            self._open.append(fence)

    def __bool__(self) -> bool:
        return bool(self._starts)

    def before(self, at: int) -> int:
        """The place itself, or the end of the line before the fence that it falls into."""
        line = bisect_left(self._starts, at) - 1
        if line >= 0 and at < self._ends[line]:
            return max(0, self._starts[line] - 1)
        return at

    def behind(self, at: int) -> int:
        """The place itself, or the end of the fence that it falls into."""
        line = bisect_left(self._starts, at) - 1
        return max(at, self._ends[line]) if line >= 0 else at

    def closing(self, at: int) -> str:
        """What closes the fence that is open at a place."""
        fence = self._at(at)
        return "" if fence is None else "\n" + fence.closer

    def around(self, head: int, tail: int, marker: str) -> str:
        """The marker for what is cut out, with what closes the head and opens the tail.

        Between two parts of fenced code that the same fence closes it stands in the code.
        """
        before, behind = self._at(head), self._at(tail)
        if before and behind and before.closer == behind.closer:
            return marker
        opened = "" if behind is None else _opener(behind) + "\n"
        return self.closing(head) + marker + opened

    def _at(self, at: int) -> _Fence | None:
        line = bisect_right(self._ends, at) - 1
        return self._open[line] if line >= 0 else None


def _opener(fence: _Fence) -> str:
    """The line that opens a fence, or its fence alone where it has many words."""
    return fence.line if len(fence.line) <= 40 else fence.closer
