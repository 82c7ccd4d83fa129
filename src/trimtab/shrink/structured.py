"""A JSON text made shorter that is still JSON.

Every candidate is written from spans of the source, so numbers, escapes, doubled keys and
the order of keys stay as they were written.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from .cutting import longest, writable
from .structured_scan import Spans, Value, scan
from .structured_text import PLACE, shortened

_ITEMS: Final = f'"[... {{}} items left out{PLACE} ...]"'
_MEMBERS: Final = f'{{}}: "{{}} members left out{PLACE}"'
_LINES: Final = f'{{{{"...": "{{}} lines left out{PLACE}"}}}}'
_DEPTH: Final = 64  # what nests deeper is left out whole
_STYLE: Final = 100  # longest white space between values that is kept
_SHARE: Final = 1_000  # characters for which one more long item is kept


def json_excerpt(text: str, fits: Callable[[str], bool], more: str = "") -> str | None:
    """The longest excerpt of a JSON text that ``fits`` and is JSON, None for other texts.

    Empty where not even the smallest one fits: the array or object with nothing but the
    count of what is gone, then that count alone as a JSON string. ``more``, plain words, is
    added to the first count.
    """
    spans = scan(text)
    if spans is None:
        return None
    shortener = _Shortener(spans)
    best = longest(len(text), lambda size: writable(filled_in(shortener.cut(size), more)), fits)
    if best is None:
        alone = filled_in(shortener.size(), more)
        best = alone if fits(alone) else ""
    return best


def filled_in(text: str, more: str) -> str:
    """A text with ``more`` in the first of the places for it."""
    return text.replace(PLACE, more, 1).replace(PLACE, "")


def json_cutter(text: str) -> Callable[[int], str] | None:
    """What makes a JSON text of about so many characters that is JSON, None for other texts.

    Its counts have a place for more words, see `filled_in`.
    """
    spans = scan(text)
    if spans is None:
        return None
    shortener = _Shortener(spans)
    return lambda size: writable(shortener.cut(size))


class _Style(NamedTuple):
    """How an array or object is written: around its values, before them, and as its end."""

    opener: str
    first: str
    between: str
    closer: str

    def joined(self, slots: Sequence[str]) -> str:
        return self.opener + self.first + self.between.join(slots) + self.closer


class _Kids:
    """The values directly inside an array or object, or the lines of a text."""

    def __init__(self, spans: Spans, value: Value | None) -> None:
        self._spans = spans
        self._bares: dict[int, int] = {}
        text = spans.text
        if value is None:
            self._starts = array("q", [root.start for root in spans.roots])
            self._ends = array("q", [root.end for root in spans.roots])
            self.keyed, self.style = False, _Style("", "", "\n", "")
            self._marker = _LINES
            return
        self._starts, self._ends = spans.inside(value)
        self.keyed = text[value.bare] == "{"
        opener, closer = text[value.bare], text[value.end - 1]
        starts = self._starts
        first = _blank_before(text, starts[0]) if starts else ""
        second = _blank_before(text, starts[1]) if len(starts) > 1 else first
        last = _blank_before(text, value.end - 1)
        self.style = _Style(opener, first, "," + second, last + closer)
        self._marker = _MEMBERS if self.keyed else _ITEMS

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, at: int) -> Value:
        start = bare = self._starts[at]
        if self.keyed:
            known = self._bares.get(start)
            bare = self._bares[start] = self._spans.bare(start) if known is None else known
        return Value(start, bare, self._ends[at])

    def marker(self, count: int) -> str:
        """What stands for so many values that are gone."""
        if not self.keyed:
            return self._marker.format(count)
        return self._marker.format(self._key, count)

    @cached_property
    def _key(self) -> str:
        """A key that none of the members has."""
        keys = {_decoded(self._spans.text, member) for member in _each(self)}
        key = "..."
        while key in keys:
            key += "."
        return f'"{key}"'


class _Shortener:
    """Writes a JSON text in about so many characters as is asked for."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._text = spans.text
        self._kids: dict[int, _Kids] = {}
        self._least: dict[int, array[int]] = {}
        self._lines = _Kids(spans, None) if len(spans.roots) > 1 else None

    def cut(self, size: int) -> str:
        """The text in about ``size`` characters, at the least the count of what is gone."""
        if self._lines is None:
            return self._container(self._spans.roots[0], size, 0)
        return self._ends(self._lines, size, 0)

    def size(self) -> str:
        """The count of all that the text holds, as a JSON string."""
        if self._lines is not None:
            return f'"{len(self._lines)} lines left out{PLACE}"'
        kids = self._inside(self._spans.roots[0])
        return f'"{len(kids)} {"members" if kids.keyed else "items"} left out{PLACE}"'

    def _value(self, value: Value, room: int, depth: int) -> str:
        """A value, with its key, in about so many characters."""
        text = self._text
        if value.end - value.start <= room:
            return text[value.start : value.end]
        key, kind = text[value.start : value.bare], text[value.bare]
        if kind == '"':
            made = key + shortened(text, value.bare, value.end, room - len(key))
        elif kind in "[{":
            made = key + self._container(value, room - len(key), depth)
        else:
            made = text[value.start : value.end]
        return made if len(made) < value.end - value.start else text[value.start : value.end]

    def _container(self, value: Value, room: int, depth: int) -> str:
        kids = self._inside(value)
        if not kids:
            return kids.style.opener + kids.style.closer[-1]
        if depth < _DEPTH:
            if kids.keyed and (whole := self._all(kids, value, room, depth)):
                return whole
            if ends := self._ends(kids, room, depth):
                return ends
        return kids.style.opener + kids.marker(len(kids)) + kids.style.closer[-1]

    def _all(self, kids: _Kids, value: Value, room: int, depth: int) -> str:
        """All members, the long ones made shorter; empty where that does not do."""
        inner = room - _frame(kids, len(kids))
        if inner < 4 * len(kids):
            return ""
        least = self._least.get(value.bare)
        if least is None:
            least = self._least[value.bare] = array("q", map(self._smallest, _each(kids)))
        if sum(least) > inner:
            return ""
        return kids.style.joined(self._filled(list(_each(kids)), least, inner, depth))

    def _ends(self, kids: _Kids, room: int, depth: int) -> str:
        """What stands at both ends; empty where nothing of it can."""
        number = len(kids)
        inner = room - _frame(kids, 1) - len(kids.marker(number))
        if inner <= 0:
            return self._around(kids, [], [])
        gap = len(kids.style.between)
        head, left = _fitting(map(kids.__getitem__, range(number)), inner - inner // 2, gap)
        back = range(number - 1, len(head) - 1, -1)
        tail, left = _fitting(map(kids.__getitem__, back), left + inner // 2, gap)
        text = self._text
        slots = [text[one.start : one.end] for one in chain(head, reversed(tail))]
        if 4 * left > inner or not slots:
            more = min(number - len(slots), max(2, left // _SHARE))
            sizes = len(head) + (more + 1) // 2, len(tail) + more // 2
            few = self._few(kids, sizes, inner, depth)
            if sum(map(len, chain(*few))) > sum(map(len, slots)):
                return self._around(kids, *few)
        return self._around(kids, slots[: len(head)], slots[len(head) :])

    def _few(
        self, kids: _Kids, sizes: tuple[int, int], inner: int, depth: int
    ) -> tuple[list[str], list[str]]:
        """So many items from both ends, the long ones made shorter."""
        number = len(kids)
        head = [kids[at] for at in range(sizes[0])]
        tail = [kids[at] for at in range(number - sizes[1], number)]
        least = [self._smallest(one) for one in chain(head, tail)]
        gap = len(kids.style.between)
        need = sum(least) + gap * len(least)
        while least and need > inner:  # leave out the innermost one
            if len(head) > len(tail):
                head.pop()
                need -= least.pop(len(head)) + gap
            else:
                tail.pop(0)
                need -= least.pop(len(head)) + gap
        made = self._filled([*head, *tail], least, inner - gap * len(least), depth)
        return made[: len(head)], made[len(head) :]

    def _filled(
        self, values: Sequence[Value], least: Sequence[int], room: int, depth: int
    ) -> list[str]:
        """The values in so much room: what is short stays whole, the long ones share the rest."""
        wanted = [one.end - one.start - low for one, low in zip(values, least, strict=True)]
        left = room - sum(least)
        rooms = list(least)
        by_size = sorted(range(len(wanted)), key=lambda at: (wanted[at], at))
        for rank, at in enumerate(by_size):
            share = min(wanted[at], left // (len(by_size) - rank))
            rooms[at] += share
            left -= share
        return [
            self._value(one, given, depth + 1) for one, given in zip(values, rooms, strict=True)
        ]

    def _smallest(self, value: Value) -> int:
        """An upper bound of what a value takes at the least, with its key."""
        size, kind = value.end - value.start, self._text[value.bare]
        if kind not in '"[{':
            return size
        return min(size, value.bare - value.start + 34 + len(str(size)))

    def _around(self, kids: _Kids, head: Sequence[str], tail: Sequence[str]) -> str:
        gone = len(kids) - len(head) - len(tail)
        if not (head or tail):
            style = kids.style
            return style.opener + kids.marker(gone) + style.closer[-1:]
        return kids.style.joined([*head, *([kids.marker(gone)] if gone else []), *tail])

    def _inside(self, value: Value) -> _Kids:
        kids = self._kids.get(value.bare)
        if kids is None:
            kids = self._kids[value.bare] = _Kids(self._spans, value)
        return kids


def _each(kids: _Kids) -> Iterator[Value]:
    return map(kids.__getitem__, range(len(kids)))


def _frame(kids: _Kids, number: int) -> int:
    """Characters around and between so many values."""
    style = kids.style
    around = len(style.opener) + len(style.first) + len(style.closer)
    return around + len(style.between) * (number - 1)


def _fitting(values: Iterator[Value], room: int, gap: int) -> tuple[list[Value], int]:
    """The values that fit one behind another, and the room that is left."""
    found: list[Value] = []
    for value in values:
        size = value.end - value.start + gap
        if size > room:
            break
        found.append(value)
        room -= size
    return found, room


def _blank_before(text: str, at: int) -> str:
    """The white space before a place, none where it is very long."""
    start = at
    while text[start - 1] in " \t\n\r" and at - start <= _STYLE:
        start -= 1
    return "" if at - start > _STYLE else text[start:at]


def _decoded(text: str, member: Value) -> str:
    """The key of a member."""
    key = text[member.start : member.bare].rstrip(" \t\n\r:")
    return json.loads(key) if "\\" in key else key[1:-1]
