"""OpenAI's text encodings, exact and offline: tiktoken over vocabularies in the package."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

from ..errors import InvalidOptions
from .bounded import CHUNK, LONGEST_TOKEN, chunks, count_up_to, fewest_tokens, utf8_length
from .memo import Memo, MemoisedCounter, entry_size, text_key
from .vocabulary import CL100K, O200K, Vocabulary, load
from .whitespace import LONG_RUN, count_around_runs

if TYPE_CHECKING:
    import tiktoken


class Engine:
    """Counts any text by one vocabulary, which is loaded once, at the first text."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._encoding: tiktoken.Encoding | None = None
        self._lock = Lock()

    def count(self, text: str) -> int:
        """Tokens of the text, in memory that does not grow with it where it can be cut."""
        if len(text) <= CHUNK:
            return self.count_chunk(text)
        return sum(map(self.count_chunk, chunks(text)))

    def count_chunk(self, text: str) -> int:
        """Tokens of a text that need not be cut."""
        encoding = self._encoding or self._loaded()
        if len(text) <= LONG_RUN:
            return len(encoding.encode_ordinary(text))
        return count_around_runs(encoding, text)

    def _loaded(self) -> tiktoken.Encoding:
        with self._lock:
            if self._encoding is None:
                self._encoding = load(self._vocabulary)
            return self._encoding


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

        Tokenises at most about ``limit`` tokens and one piece of a few KB; a piece
        without any place to cut it (such as one letter a million times) is longer.
        """
        if len(text) > limit * LONGEST_TOKEN:
            return None
        tokens = self.count(text) if len(text) <= CHUNK else self._long_within(text, limit)
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
        tokens, complete = count_up_to(self._engine.count_chunk, text, limit)
        memo = self._memo if complete else self._floors
        memo.put(key, tokens, entry_size(key))
        return tokens

    def _measure(self, text: str) -> int:
        return self._engine.count(text)


def _family(vocabulary: Vocabulary, *names: str) -> dict[str, EncodingCounter]:
    engine, memo, floors = Engine(vocabulary), Memo[int](), Memo[int](1 << 20)
    return {name: EncodingCounter(name, engine, memo, floors) for name in names}


# o200k_harmony differs from o200k_base in its special tokens alone, which no text has.
_COUNTERS: Final = {
    **_family(O200K, "o200k_base", "o200k_harmony"),
    **_family(CL100K, "cl100k_base"),
}


def encoding(name: str) -> EncodingCounter:
    """The one counter of an encoding in this process.

    >>> encoding("o200k_base").count("Trim tabs steer ships.")
    5

    Raises `InvalidOptions` for a name that is not known.
    """
    try:
        return _COUNTERS[name]
    except KeyError:
        known = ", ".join(_COUNTERS)
        raise InvalidOptions(f"unknown encoding {name!r}; known are {known}") from None
