"""Claude's tokens by ctok, a reconstruction of its tokenisers in pure Python.

On 1,310 recorded requests, with the framing of `framing.claude`, three in four totals are
within 0.1 % and nine in ten within 1 %. It comes with ``trimtab[claude]``, needs Python 3.12,
and takes about 3 s a MB, so what it counted is remembered, on disk too if `remember` asks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Final

from .bounded import CHUNK, chunks
from .memo import Memo, MemoisedCounter, entry_size, text_key
from .persist import attach

FAMILIES: Final = MappingProxyType({"claude": "3.0", "claude-4.7": "4.7"})
"""The tokenisers: of Claude 3 to 4.6 and from 4.7 on, and what ctok calls them.

Claude 4.8 has the vocabulary of 4.7 in another frame, which is none of a text's.
"""

_SHELVED_FROM: Final = 256  # characters that take longer to count than to look up on disk


class CtokCounter(MemoisedCounter):
    """Counts texts as Claude does, as far as is known; never called exact.

    Texts are counted in chunks of some KB, so that a limit stops it early; where two
    chunks meet it may be off by a token.
    """

    __slots__ = ("_tokens", "name")

    exact: bool = False

    def __init__(self, name: str, tokens: Callable[[str], int], memo: Memo[int]) -> None:
        super().__init__(memo)
        self.name = name
        self._tokens = tokens

    def __repr__(self) -> str:
        return f"<CtokCounter {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (ctok_counter, (self.name,))

    def fits(self, text: str, limit: int) -> bool:
        """Whether the text has at most ``limit`` tokens."""
        return self.within(text, limit) is not None

    def within(self, text: str, limit: int) -> int | None:
        """The tokens of the text if they are at most ``limit``, else None.

        Tokenises at most ``limit`` tokens and one chunk.
        """
        if len(text) <= CHUNK:
            tokens = self.count(text)
            return tokens if tokens <= limit else None
        key = text_key(text)
        known = self._memo.get(key)
        if known is not None:
            return known if known <= limit else None
        total = 0
        for chunk in chunks(text):
            total += self.count(chunk)
            if total > limit:
                return None
        self._memo.put(key, total, entry_size(key))
        return total

    def _measure(self, text: str) -> int:
        return sum(map(self._tokens, chunks(text)))


@cache
def is_available() -> bool:
    """Whether ctok is installed, at a version that this module understands."""
    try:
        return find_spec("ctok") is not None and version("ctok").startswith("1.")
    except PackageNotFoundError:
        return False


@cache
def ctok_counter(name: str) -> CtokCounter:
    """The one counter of a tokeniser of `FAMILIES` in this process.

    The vocabulary is loaded at the first text that is not yet remembered.
    """
    memo = Memo[int]()
    attach(memo, f"ctok {version('ctok')} {FAMILIES[name]}", _SHELVED_FROM)
    return CtokCounter(name, partial(_content, FAMILIES[name]), memo)


def _content(family: str, text: str) -> int:
    """What a text costs by itself: in a message, less what frames a message."""
    token_count, frame = _loaded(family)
    return token_count(text, family) - frame if text else 0


@cache
def _loaded(family: str) -> tuple[Callable[[str, str], int], int]:
    token_count: Any = import_module("ctok").token_count
    return token_count, token_count(".", family) - 1
