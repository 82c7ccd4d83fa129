"""Places where a text may be cut, and what is cut there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import regex

Cut = TypeVar("Cut")

_CLUSTER = regex.compile(r"\X")
_LONE = regex.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
_SEARCH = 1_000  # characters in which a place is looked for where a cluster surely begins


def longest(size: int, cut: Callable[[int], Cut | None], fits: Callable[[Cut], bool]) -> Cut | None:
    """The longest cut that fits, of those for 0 to ``size`` - 1: doubling, then bisection.

    A cut that is None is none. O(log result) calls of ``fits``, on nothing much longer than
    twice the result.
    """

    def fitting(asked: int) -> Cut | None:
        made = cut(asked)
        return made if made is not None and fits(made) else None

    best, low, high = None, 0, 1
    while high < size and (candidate := fitting(high)) is not None:
        best, low, high = candidate, high, 2 * high
    high = min(high, size) - 1
    if best is None:
        high, low = 0, -1
    while low < high:
        middle = (low + high + 1) // 2
        if (candidate := fitting(middle)) is not None:
            best, low = candidate, middle
        else:
            high = middle - 1
    return best


def writable(text: str) -> str:
    """The text with every surrogate that stands alone replaced, since UTF-8 cannot hold one."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def line_end(text: str, at: int) -> int:
    """The end of the last whole line before ``at``, if it costs less than a quarter of the head."""
    end = text.rfind("\n", 0, at)
    return end if end >= at - at // 4 and end > 0 else at


def line_start(text: str, at: int) -> int:
    """The start of the next line after ``at``, if it costs less than a quarter of the tail."""
    start = text.find("\n", at)
    return start + 1 if 0 <= start < at + (len(text) - at) // 4 else at


def edge(text: str, at: int) -> int:
    """The last place at or before ``at`` where no grapheme cluster is split. O(1)."""
    if not 0 < at < len(text):
        return at
    start = at
    while start and at - start < _SEARCH and not text[start].isascii():
        start -= 1
    end = start
    for cluster in _CLUSTER.finditer(text, start):
        if cluster.end() > at:
            break
        end = cluster.end()
    halves = "\ud800" <= text[end - 1] <= "\udbff" and "\udc00" <= text[end] <= "\udfff"
    return end - 1 if halves else end
