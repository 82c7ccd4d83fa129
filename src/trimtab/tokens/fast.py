"""Counting with the package toktok-rs (extra ``trimtab[fast]``), many times faster.

Its counts are tiktoken's: the tests compare them over every code point and over 200,000
texts made of tokens and hostile pieces. Some rare signs are read otherwise, so texts that
hold one of them are left to tiktoken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .bounded import repaired

_ALL: Final = 2**40
"""More tokens than any text has: `truncate` then cuts nothing and counts."""

# Signs that the engines read otherwise, by the first byte of their UTF-8:
# U+017F, the long s, which after an apostrophe is the contraction 's to tiktoken alone, as
# its expression ignores case; and the signs that came with Unicode 17, which only one of
# them knows as letters, marks and numbers. Blocks of rare scripts are taken whole.
_SECOND: Final = [bytes((byte,)) for byte in b"\x90\x91\x96\x98\xab\xac\xb2\xb3"]
_DOUBTS: Final = (
    (b"\xc5", (b"\xc5\xbf",)),
    (b"\xe0", (b"\xe0\xa2\x8f", b"\xe0\xb1\x9c", b"\xe0\xb3\x9c")),
    (b"\xe1", (b"\xe1\xab",)),
    (b"\xea", (b"\xea\x9f",)),
    (b"\xf0", tuple(b"\xf0" + sign for sign in (*_SECOND, b"\x9e\x9b"))),
)
_ASCII: Final = bytes(range(128))
_EMOJI: Final = b"\xf0\x9f"


def doubtful(text: str) -> bool:
    """Whether toktok may read the text otherwise than tiktoken.

    Several times faster than counting, and constant time for ASCII. A lone surrogate
    raises `UnicodeEncodeError`.
    """
    if text.isascii():
        return False
    data = text.encode()
    doubts = [row for row in _DOUBTS if row[0] in data]
    if not doubts:
        return False
    data = data.translate(None, _ASCII).replace(_EMOJI, b"")
    return any(first in data and any(sign in data for sign in signs) for first, signs in doubts)


class Toktok:
    """Counts with toktok, which holds its own vocabulary and loads it at the first text.

    Linear in any text, builds no list of tokens, and releases the GIL. ``exact`` counts
    the doubtful texts.
    """

    name: str = "toktok"
    step: int = 65_536
    shelved_from: int = 8_192

    def __init__(self, encoding: str, exact: Callable[[str], int]) -> None:
        from toktok import batch_count, truncate

        self._encoding = encoding
        self._exact = exact
        self._truncate = truncate
        self._batch_count = batch_count

    def count(self, text: str) -> int:
        """Tokens of the text."""
        try:
            if doubtful(text):
                return self._exact(text)
        except UnicodeEncodeError:
            return self.count(repaired(text))
        return self._truncate(text, _ALL, self._encoding)[1]

    def count_many(self, texts: list[str]) -> list[int]:
        """Tokens of each text, in one call."""
        try:
            if any(map(doubtful, texts)):
                return list(map(self.count, texts))
        except UnicodeEncodeError:
            return self.count_many(list(map(repaired, texts)))
        return self._batch_count(texts, self._encoding, 1)


def installed() -> bool:
    """Whether a version of toktok can be imported that the tests hold to be exact."""
    try:
        import toktok
    except ImportError:
        return False
    return getattr(toktok, "__version__", "").startswith("0.3.")
