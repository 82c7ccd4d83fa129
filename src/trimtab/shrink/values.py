"""Data that a provider takes as such made smaller: the shape and the types stay.

What is kept is the caller's own, also the parts of what is cut. Sizes are characters of
compact JSON; only the caller of this module counts tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..jsontext import fields_of, jsontext
from .cutting import longest
from .structured import filled_in
from .structured_text import PLACE
from .values_kids import Kids

_DEPTH: Final = 64  # what nests deeper is left out whole
_SHARE: Final = 1_000  # characters for which one more long value is kept
_GONE: Final = "[...]"
_TINY: Final = 5  # characters of a value of which nothing can go
_SMALL: Final = 48  # what a count of what is gone takes, about


class _Made(NamedTuple):
    """A value, which may be None."""

    value: Any


def smaller(
    value: Any, fits: Callable[[Any], bool], cut: Callable[[str, int], str], more: str = ""
) -> Any:
    """The largest excerpt of some data that ``fits``: an array stays one, so does an object.

    Long texts are made shorter by ``cut``, which takes a text and about how many characters
    it may have; items go from the middle of arrays, and members from objects, with their
    count in their place; what nests deeper than 64 levels goes whole. The member ``error``,
    which tells a failure, goes last. ``more``, plain words, is added to the first count. Where
    nothing fits the value is empty, but for that member. O(size) to measure, O(log result)
    calls of ``fits`` on data not much larger than the result.
    """
    shrinker = _Shrinker(cut)
    best = longest(
        shrinker.size(value),
        lambda room: _Made(_filled(shrinker.shrunk(value, room), [more])),
        lambda made: fits(made.value),
    )
    return _filled(shrinker.empty(value), [more]) if best is None else best.value


def _filled(data: Any, words: list[str]) -> Any:
    """Data with ``words``, which are used up, in the first place for them."""
    if isinstance(data, str):
        return filled_in(data, words.pop() if words else "") if PLACE in data else data
    if isinstance(data, Mapping):
        pairs: Iterable[tuple[Any, Any]] = data.items()
        made = {key: _filled(value, words) for key, value in pairs}
        return data if all(made[key] is data[key] for key in made) else made
    if not isinstance(data, (list, tuple)):
        return data
    items = [_filled(item, words) for item in data]
    if all(one is two for one, two in zip(items, data, strict=True)):
        return data
    return tuple(items) if type(data) is tuple else items


class _Shrinker:
    """Makes data of about so many characters as are asked for."""

    def __init__(self, cut: Callable[[str, int], str]) -> None:
        self._cut = cut
        self._sizes: dict[int, tuple[Any, int]] = {}  # by id; the value is held, so it lives
        self._kids: dict[int, tuple[Any, Kids | None]] = {}

    def size(self, value: Any) -> int:
        """Characters of a value, about."""
        if isinstance(value, str):
            return len(value) + 2
        if value is None or isinstance(value, (int, float)):
            return len(jsontext(value))
        known = self._sizes.get(id(value))
        if known is None:
            known = self._sizes[id(value)] = value, len(jsontext(value))
        return known[1]

    def empty(self, value: Any) -> Any:
        """The smallest value of its kind; itself where it is no larger."""
        kids = None if isinstance(value, str) else self._inside(value)
        kept: Any = ""
        if kids is not None:
            told = {place: kids.values[place] for place in kids.first}
            kept = {at: own if self.size(own) <= _TINY else "" for at, own in told.items()}
            kept = kids.joined(kept, 0)
        return value if self.size(value) <= max(_TINY, len(jsontext(kept))) else kept

    def shrunk(self, value: Any, room: int, depth: int = 0) -> Any:
        """A value in about so many characters, at the least the count of what is gone."""
        size = self.size(value)
        if size <= room:
            return value
        kids = None
        if isinstance(value, str):
            made = self._cut(value, max(0, room - 2))
        elif (kids := self._inside(value)) is None:
            made = value if size <= _SMALL else _GONE
        else:
            made = self._container(kids, room, depth)
        grown = size <= 4 * _SMALL and len(jsontext(made)) >= size
        return value if grown else made

    def _container(self, kids: Kids, room: int, depth: int) -> Any:
        if depth >= _DEPTH:
            return kids.joined({}, len(kids))
        room -= 2
        if kids.keyed and (whole := self._all(kids, room, depth)) is not None:
            return whole
        return self._ends(kids, room - _SMALL, depth)

    def _all(self, kids: Kids, room: int, depth: int) -> Any:
        """All members, the long ones made shorter; None where that does not do."""
        if room < 4 * len(kids):
            return None
        if kids.least is None:
            kids.least = sum(self._least(kids, place) for place in range(len(kids)))
        if kids.least > room:
            return None
        return kids.joined(self._filled(kids, range(len(kids)), room, depth), 0)

    def _ends(self, kids: Kids, whole: int, depth: int) -> Any:
        """What stands at both ends: whole where that fills the room, else made shorter."""
        first = [] if depth else kids.first
        order = kids.others if first else range(len(kids))
        number = len(order)
        places, left = [*first], whole - sum(self._least(kids, place) for place in first)
        head, room = 0, left
        while head < number and (size := self._whole(kids, order[head])) <= left - room // 2:
            left -= size
            head += 1
        places += order[:head]
        tail = number
        while tail > head and (size := self._whole(kids, order[tail - 1])) <= left:
            left -= size
            tail -= 1
        places += order[tail:]
        if 4 * left > room or not (head or number - tail):
            places += self._more(kids, order[head:tail], left)
        made = self._filled(kids, places, whole, depth)
        return kids.joined(made, len(kids) - len(made))

    def _more(self, kids: Kids, between: Sequence[int], left: int) -> list[int]:
        """Places of values that fit once they are made shorter, from both ends by turns."""
        found: list[int] = []
        for turn in range(min(len(between), max(2, left // _SHARE))):
            place = between[-(turn // 2) - 1 if turn % 2 else turn // 2]
            left -= self._least(kids, place)
            if left < 0:
                break
            found.append(place)
        return found

    def _filled(self, kids: Kids, places: Sequence[int], room: int, depth: int) -> dict[int, Any]:
        """Values by their places: the short ones stay whole, the long ones share the rest."""
        least = {place: self._least(kids, place) for place in places}
        wanted = {place: self._whole(kids, place) - least[place] for place in places}
        left = max(0, room - sum(least.values()))
        made: dict[int, Any] = {}
        by_size = sorted(places, key=lambda place: (wanted[place], place))
        for rank, place in enumerate(by_size):
            share = min(wanted[place], left // (len(by_size) - rank))
            left -= share
            given = least[place] + share - kids.frame(place)
            made[place] = self.shrunk(kids.values[place], given, depth + 1)
        return made

    def _whole(self, kids: Kids, place: int) -> int:
        """What a value takes, with its key and what parts it from the next."""
        return self.size(kids.values[place]) + kids.frame(place)

    def _least(self, kids: Kids, place: int) -> int:
        """An upper bound of what a value takes at the least."""
        return min(self._whole(kids, place), kids.frame(place) + _SMALL)

    def _inside(self, value: Any) -> Kids | None:
        known = self._kids.get(id(value))
        if known is None:
            known = self._kids[id(value)] = value, _kids_of(value)
        return known[1]


def _kids_of(value: Any) -> Kids | None:
    """What is inside an array or object, None for any other value."""
    if isinstance(value, (list, tuple)):
        return Kids(value, None)
    fields = value if isinstance(value, Mapping) else fields_of(value)
    if not isinstance(fields, Mapping):
        return None
    return Kids(list(fields.values()), list(fields))
