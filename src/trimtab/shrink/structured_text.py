"""A string of a JSON text made shorter: no escape and no grapheme cluster is split."""

from __future__ import annotations

import json
import re
from typing import Final

from .cutting import edge

PLACE: Final = "\ufdd0"  #: where a marker may say more: no character, for internal use alone
_MARK: Final = f"[... {{}} characters left out{PLACE} ...]"
_AROUND: Final = 1_000  # characters around a cut that are looked at
_LONGEST: Final = 12  # an escape of two halves
_RUN: Final = "\\" * 4_096
_HIGH: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_CHARACTER: Final = re.compile(rf"{_HIGH}{_LOW}|\\u[0-9a-fA-F]{{4}}|\\.|[^\\]", re.DOTALL)


def shortened(text: str, start: int, end: int, room: int) -> str:
    """The JSON string that stands in ``text[start:end]``, in about so many characters.

    Head and tail in equal parts, with a marker between that says how many characters of the
    text, as it is written, are gone. O(room).
    """
    start, end = start + 1, end - 1
    inner = max(0, room - 2 - len(_MARK.format(end - start)))
    head = _edge(text, start, end, start + (inner + 1) // 2)
    tail = max(head, _edge(text, start, end, end - inner // 2))
    if head == tail:
        return text[start - 1 : end + 1]
    return f'"{text[start:head]}{_MARK.format(tail - head)}{text[tail:end]}"'


def _edge(text: str, start: int, end: int, at: int) -> int:
    """The last place at or before ``at`` where neither an escape nor a cluster is split."""
    if not start < at < end:
        return min(max(at, start), end)
    places: list[int] = []
    written: list[str] = []
    number = 0
    for found in _CHARACTER.finditer(text, _whole(text, start, max(start, at - _AROUND)), end):
        place = found.start()
        if place > at + _AROUND:
            break
        number += found.end() <= at
        places.append(place)
        written.append(_read(found[0]))
    return places[edge("".join(written), number)]


def _whole(text: str, start: int, at: int) -> int:
    """The beginning of the character or escape at a place."""
    place = text.find("\\", max(start, at - _LONGEST), at)
    if place < 0:
        return at
    place -= (place - _run_start(text, start, place)) % 2  # two backslashes are one character
    while (found := _CHARACTER.match(text, place)) and found.end() <= at:
        place = found.end()
    return place


def _run_start(text: str, start: int, at: int) -> int:
    """Where the run of backslashes begins that ends at a place."""
    while at - len(_RUN) >= start and text.startswith(_RUN, at - len(_RUN)):
        at -= len(_RUN)
    while at > start and text[at - 1] == "\\":
        at -= 1
    return at


def _read(character: str) -> str:
    """One code point for what is written as a character or escape."""
    if character[0] != "\\":
        return character
    read: str = json.loads(f'"{character}"')
    return read
