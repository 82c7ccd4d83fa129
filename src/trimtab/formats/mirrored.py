"""Calls that a message holds in several places at once, which are one call each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

Place = tuple[Any, int]
"""The id of a call, and how many of that id stand before it in the same list."""


def numbered(ids: Iterable[Any]) -> list[Place]:
    """The places of calls that stand in one list."""
    seen: dict[Any, int] = {}
    places: list[Place] = []
    for id in ids:
        key = id if isinstance(id, str) else None
        seen[key] = seen.get(key, -1) + 1
        places.append((key, seen[key]))
    return places


def merged(lists: Iterable[Iterable[Any]]) -> list[Place]:
    """The places of all calls whose ids stand in several lists, mirrors left out."""
    return list(dict.fromkeys(place for ids in lists for place in numbered(ids)))


def left_of(
    values: Sequence[Any], id_of: Callable[[Any], Any], gone: Collection[Place]
) -> list[Any]:
    """The values without the calls at some places; what has no id stays."""
    places = numbered(map(id_of, values))
    return [
        value
        for value, place in zip(values, places, strict=True)
        if place[0] is None or place not in gone
    ]
