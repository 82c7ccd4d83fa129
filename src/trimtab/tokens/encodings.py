"""OpenAI's text encodings, exact and offline, and the memo of what they counted."""

from __future__ import annotations

import sys
from threading import Lock
from typing import Final, NamedTuple

from ..core.whole import whole
from ..errors import InvalidOptions
from .bounded import LONGEST_TOKEN, count_up_to, fewest_tokens, utf8_length
from .engines import Engine, engine_for
from .forking import unlocked_in_children
from .memo import LIMIT_BYTES, Memo, MemoisedCounter, entry_size, text_key
from .persist import attach
from .vocabulary import CL100K, O200K, Vocabulary


class EncodingCounter(MemoisedCounter):
    """Counts texts exactly as tiktoken does, and remembers what it counted.

    All text is ordinary text, also what looks like a special token; lone surrogates
    are repaired as tiktoken does. Safe to share between threads; tokenising releases
    the GIL. The vocabulary is loaded at the first text that is not yet remembered,
    and `CounterError` raised if its data is damaged.
    """

    __slots__ = ("_engine", "_floors", "name")

    exact: bool = True

    def __init__(self, name: str, engine: Engine, memo: Memo[int], floors: Memo[int]) -> None:
        super().__init__(memo)
        self.name = name
        self._engine = engine
        self._floors = floors

    def __repr__(self) -> str:
        return f"<EncodingCounter {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (encoding, (self.name,))

    def fits(self, text: str, limit: int) -> bool:
        """Whether the text has at most ``limit`` tokens.

        Counts nothing where the bytes alone decide it: a token has 1 to 128 of them.
        """
        if len(text) <= limit and utf8_length(text) <= limit:
            return True
        return self.within(text, limit) is not None

    def within(self, text: str, limit: int) -> int | None:
        """The tokens of the text if they are at most ``limit``, else None.

        Tokenises at most about ``limit`` tokens and one piece of some KB; a piece
        without any place to cut it (such as one letter a million times) is longer.
        """
        if len(text) > limit * LONGEST_TOKEN:
            return None
        short = len(text) <= self._engine.step
        tokens = self.count(text) if short else self._long_within(text, limit)
        return tokens if tokens <= limit else None

    def _long_within(self, text: str, limit: int) -> int:
        """The tokens of the text, or a lower bound above the limit."""
        key = text_key(text)
        known = self._memo.get(key)
        if known is not None:
            return known
        floor = self._floors.get(key) or fewest_tokens(utf8_length(text))
        if floor > limit:
            return floor
        engine = self._engine
        tokens, complete = count_up_to(engine.count, text, limit, engine.step)
        memo = self._memo if complete else self._floors
        memo.put(key, tokens, entry_size(key))
        return tokens

    def _measure(self, text: str) -> int:
        return self._engine.count(text)

    def _measure_many(self, texts: list[str]) -> list[int]:
        return self._engine.count_many(texts)


# o200k_harmony differs from o200k_base in its special tokens alone, which no text has.
_VOCABULARIES: Final = {"o200k_base": O200K, "o200k_harmony": O200K, "cl100k_base": CL100K}


class _Family(NamedTuple):
    """What the encodings of one vocabulary share."""

    engine: Engine
    memo: Memo[int]
    floors: Memo[int]


_counters: Final[dict[str, EncodingCounter]] = {}
_families: Final[dict[str, _Family]] = {}
_lock = Lock()
unlocked_in_children(sys.modules[__name__])
_limit_bytes = LIMIT_BYTES
_FLOOR_BYTES: Final = 1 << 20


def encoding(name: str) -> EncodingCounter:
    """The one counter of an encoding in this process.

    >>> encoding("o200k_base").count("Trim tabs steer ships.")
    5

    Raises `InvalidOptions` for a name that is not known, and what `engine_for` raises.
    """
    return _counters.get(name) or _made(name)


def _made(name: str) -> EncodingCounter:
    if name not in _VOCABULARIES:
        known = ", ".join(_VOCABULARIES)
        raise InvalidOptions(f"unknown encoding {name!r}; known are {known}")
    with _lock:
        if name not in _counters:
            _counters[name] = EncodingCounter(name, *_family(_VOCABULARIES[name]))
        return _counters[name]


def _family(vocabulary: Vocabulary) -> _Family:
    name = vocabulary.name
    if name not in _families:
        engine, memo = engine_for(vocabulary), Memo[int](_limit_bytes)
        attach(memo, name, engine.shelved_from)
        _families[name] = _Family(engine, memo, Memo[int](_FLOOR_BYTES))
    return _families[name]


class MemoStats(NamedTuple):
    """How much the memo of a vocabulary remembers and how often that helped.

    ``engine`` is the package that tokenises what is not remembered. ``recalled`` of the
    ``misses`` were found on disk (see `remember`). Threads that collide may lose a few.
    """

    engine: str
    hits: int
    misses: int
    recalled: int
    entries: int
    bytes: int
    limit_bytes: int

    @property
    def hit_rate(self) -> float:
        """The share of the texts that were remembered, 0 to 1."""
        return self.hits / (self.hits + self.misses or 1)


def memo_stats() -> dict[str, MemoStats]:
    """The state of the memo of each vocabulary in use: o200k_base, cl100k_base."""
    stats: dict[str, MemoStats] = {}
    for name, (engine, memo, _) in list(_families.items()):
        numbers = memo.hits, memo.misses, memo.recalled, memo.entries, memo.bytes
        stats[name] = MemoStats(engine.name, *numbers, memo.limit_bytes)
    return stats


def limit_memo(limit_bytes: int) -> None:
    """Bound the memo of each vocabulary, 64 MiB by default, from now on; 0 turns it off."""
    global _limit_bytes  # noqa: PLW0603 - one figure for all
    with _lock:
        _limit_bytes = whole(limit_bytes, "limit_bytes")
        for _, memo, _ in _families.values():
            memo.limit_bytes = _limit_bytes
