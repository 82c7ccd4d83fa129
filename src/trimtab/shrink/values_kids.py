"""What stands directly inside an array or object, and how some of it is put together again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from ..jsontext import jsontext
from .structured_text import PLACE

_ITEMS: Final = f"[... {{}} items left out{PLACE} ...]"
_MEMBERS: Final = f"{{}} members left out{PLACE}"
_FIRST: Final = ("error", "is_error", "isError")  # what tells a failure


class Kids:
    """The values inside an array, or with their ``keys`` inside an object, by their places."""

    def __init__(self, values: Sequence[Any], keys: Sequence[Any] | None) -> None:
        self.values = values
        self.least: int | None = None  # what all of them take at the least, once it is known
        self._keys = keys
        self._own = type(values)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def keyed(self) -> bool:
        """Whether it is an object."""
        return self._keys is not None

    @cached_property
    def first(self) -> Sequence[int]:
        """The places of members that stay, for they tell a failure."""
        found = map(self._keys.index, filter(self._keys.__contains__, _FIRST)) if self._keys else ()
        return sorted(found)

    @cached_property
    def others(self) -> Sequence[int]:
        """All places but those."""
        return [place for place in range(len(self)) if place not in self.first]

    def frame(self, place: int) -> int:
        """Characters that a value takes beside its own: its key, a colon, a comma."""
        if self._keys is None:
            return 1
        key = self._keys[place]
        return 4 + (len(key) if isinstance(key, str) else len(jsontext(key)))

    def joined(self, made: Mapping[int, Any], gone: int) -> Any:
        """Those values by their places, and how many are gone where the first gap is."""
        places = sorted(made)
        gap = next((at for at, place in enumerate(places) if at != place), len(places))
        if self._keys is None:
            items = [made[place] for place in places]
            if gone:
                items.insert(gap, _ITEMS.format(gone))
            return tuple(items) if self._own is tuple else items
        pairs = [(self._keys[place], made[place]) for place in places]
        if gone:
            pairs.insert(gap, (self._unused, _MEMBERS.format(gone)))
        return dict(pairs)

    @cached_property
    def _unused(self) -> str:
        """A key that none of the members has."""
        key, keys = "...", set(self._keys or ())
        while key in keys:
            key += "."
        return key
