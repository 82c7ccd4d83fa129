"""An estimate of a hidden tokeniser: another one's count, and the kinds of characters.

How many tokens a model makes of a text is, to a few percent, a fixed part of what
o200k_base makes of it plus a little for every character of a kind that the model's
vocabulary holds fewer of. Characters are told apart by their first byte in UTF-8, with one
pass and one count a kind: a fifth of the time that tiktoken takes, about that of toktok.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from .bounded import CHUNK, fewest_tokens
from .counter import Counter
from .memo import Memo, MemoisedCounter

_UNIT: Final = 1000
_MEMO_BYTES: Final = 16 << 20  # beside the base's own, which holds most of the same texts


class Ratios(NamedTuple):
    """What makes up an estimate, in thousandths of a token; none may be negative.

    ``tokens``, at least 1, is paid for each token of the base counter, the others for
    each character of a kind. Kinds within ASCII: ``small`` a-z, ``capital`` A-Z,
    ``digit``, ``mark`` (other printable), ``blank`` (the space), ``control`` (newline, tab
    and the like). Beyond: ``latin`` with accents (to U+02FF), ``cyrillic`` and Greek (to
    U+04FF), ``semitic`` (Hebrew, Arabic, to U+07FF), ``indic`` (to U+1FFF, with Thai),
    ``symbol`` (general punctuation and signs, to U+2FFF), ``kana`` (to U+3FFF), ``han``
    (to U+9FFF), ``hangul`` (to U+FFFF), and ``astral`` (emoji and all above). And two
    pairs: ``seam``, a-z before a mark, and ``hump``, a-z before A-Z, since a word with no
    blank behind it is dearer where a vocabulary writes the ends of words.
    """

    tokens: int
    small: int = 0
    capital: int = 0
    digit: int = 0
    mark: int = 0
    blank: int = 0
    control: int = 0
    latin: int = 0
    cyrillic: int = 0
    semitic: int = 0
    indic: int = 0
    symbol: int = 0
    kana: int = 0
    han: int = 0
    hangul: int = 0
    astral: int = 0
    seam: int = 0
    hump: int = 0


_KINDS: Final = Ratios._fields[1:-2]
_ASCII_KINDS: Final = 6
# The first bytes of a character in UTF-8; a byte of 80 to C1 is never one.
_STARTS: Final = (
    (0xF0, "astral"),
    (0xEA, "hangul"),
    (0xE4, "han"),
    (0xE3, "kana"),
    (0xE2, "symbol"),
    (0xE0, "indic"),
    (0xD4, "semitic"),
    (0xCC, "cyrillic"),
    (0xC2, "latin"),
)


def _kind_of(byte: int) -> int:
    """The number of the kind of a character by its first byte, 0 for no first byte."""
    char = chr(byte)
    if byte < 0x80:
        if char.isalpha():
            name = "small" if char.islower() else "capital"
        elif char.isdigit():
            name = "digit"
        else:
            name = "mark" if "!" <= char <= "~" else "blank" if char == " " else "control"
    else:
        name = next((name for start, name in _STARTS if byte >= start), "")
    return _KINDS.index(name) + 1 if name else 0


_KIND_OF: Final = bytes(map(_kind_of, range(256)))
_SMALL, _CAPITAL, _MARK = (1 + _KINDS.index(name) for name in ("small", "capital", "mark"))
_SEAM: Final = bytes((_SMALL, _MARK)).decode("utf-16-le")
_HUMP: Final = bytes((_SMALL, _CAPITAL)).decode("utf-16-le")


class Estimate(MemoisedCounter):
    """Estimates the tokens of texts from those of a base counter; never exact.

    Pure and deterministic, remembered by content, and safe to share between threads if
    the base is. An estimate is rounded to the nearest number.
    """

    __slots__ = ("_base", "_pairs", "_ratios", "_weights", "name")

    exact: bool = False

    def __init__(self, base: Counter, name: str, ratios: Ratios) -> None:
        super().__init__(Memo[int](_MEMO_BYTES))
        self.name = name
        self._base = base
        self._ratios = ratios
        pairs = (_SEAM, ratios.seam), (_HUMP, ratios.hump)
        self._pairs = [(pair, weight) for pair, weight in pairs if weight]
        # All are first taken for a-z, the most frequent; so these need not be counted.
        differences = [weight - ratios.small for weight in ratios[1:-2]]
        self._weights = [(bytes((i,)), weight) for i, weight in enumerate(differences, 1) if weight]

    def __repr__(self) -> str:
        return f"<Estimate {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (Estimate, (self._base, self.name, self._ratios))

    def fits(self, text: str, limit: int) -> bool:
        """Whether the estimate is at most ``limit``."""
        return self.within(text, limit) is not None

    def within(self, text: str, limit: int) -> int | None:
        """The estimate if it is at most ``limit``, else None.

        The base tokenises no further than the limit leaves room for beside the
        characters, since an estimate only grows with the base's count.
        """
        if len(text) <= CHUNK:
            tokens = self.count(text)
            return tokens if tokens <= limit else None
        room = limit * _UNIT
        if self._rounded(fewest_tokens(len(text)), 0) > limit:
            return None
        extra = self._extra(text)
        # (t * r + e + 500) // 1000 <= limit  <=>  t <= (1000 * limit + 499 - e) // r
        most = (room + _UNIT // 2 - 1 - extra) // self._ratios.tokens
        tokens = self._base.within(text, most) if most >= 0 else None
        return None if tokens is None else self._rounded(tokens, extra)

    def _measure(self, text: str) -> int:
        return self._rounded(self._base.count(text), self._extra(text))

    def _measure_many(self, texts: list[str]) -> list[int]:
        tokens = self._base.count_many(texts)
        return list(map(self._rounded, tokens, map(self._extra, texts)))

    def _rounded(self, tokens: int, extra: int) -> int:
        return (tokens * self._ratios.tokens + extra + _UNIT // 2) // _UNIT

    def _extra(self, text: str) -> int:
        """What the characters add, in thousandths of a token; linear, a few ms a MB."""
        kinds = text.encode("utf-8", "surrogatepass").translate(_KIND_OF)
        weights = self._weights
        if text.isascii():
            weights = [pair for pair in weights if pair[0][0] <= _ASCII_KINDS]
        extra = len(text) * self._ratios.small
        extra += sum([kinds.count(kind) * weight for kind, weight in weights])
        for pair, weight in self._pairs:
            extra += _pairs_of(kinds, pair) * weight
        return extra


def _pairs_of(kinds: bytes, pair: str) -> int:
    """How often two kinds stand together; as characters of two bytes they are found fast."""
    even, odd = kinds[: len(kinds) & ~1], kinds[1 : len(kinds) - 1 | 1]
    return even.decode("utf-16-le").count(pair) + odd.decode("utf-16-le").count(pair)
