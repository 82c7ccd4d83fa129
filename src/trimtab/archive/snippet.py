"""The place of a text that a search found, with the words marked.

FTS5 has a function for it, but its time grows with the square of the number of matches.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

_BEFORE: Final = 60  # characters before the first word that was found
_SIZE: Final = 240
_FOLDED: Final = 100_000  # longest text in which accents are looked past


def snippet(text: str, words: Sequence[str]) -> str:
    """The text around the first of the words, each in square brackets. O(text)."""
    parts = sorted(set(re.findall(r"\w+", " ".join(words))), key=lambda part: (-len(part), part))
    either = "|".join(map(re.escape, parts))
    for pattern in (rf"(?<!\w)(?:{either})(?!\w)", either):
        wanted = re.compile(pattern, re.IGNORECASE)
        found = wanted.search(text)
        if found is not None:
            return _shown(text, text, wanted, found.start())
        if not text.isascii() and len(text) <= _FOLDED:
            plain, folded = "".join(map(_base, text)), re.compile(_folded(pattern), re.IGNORECASE)
            found = folded.search(plain)
            if found is not None:
                return _shown(text, plain, folded, found.start())
    return text[:_SIZE] + ("..." if len(text) > _SIZE else "")


def _shown(text: str, plain: str, wanted: re.Pattern[str], at: int) -> str:
    start = max(0, at - _BEFORE)
    end = min(len(text), start + _SIZE)
    made, done = "..." if start else "", start
    for found in wanted.finditer(plain, start, end):
        if found.start() >= at:
            made += f"{text[done : found.start()]}[{text[found.start() : found.end()]}]"
            done = found.end()
    return made + text[done:end] + ("..." if end < len(text) else "")


def _folded(pattern: str) -> str:
    return "".join(map(_base, pattern))


def _base(character: str) -> str:
    """A character without its accents, always one."""
    return unicodedata.normalize("NFD", character)[0]
