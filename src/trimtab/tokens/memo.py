"""What a text costs, remembered by content and bounded in bytes."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

from ..errors import InvalidOptions

Value = TypeVar("Value")

LONG_TEXT = 65_536
"""Characters above which a text is remembered by its digest and not kept alive."""

ENTRY_BYTES = 200
"""What an entry costs besides its key: the slot of the table, the pair, two ints."""


class Memo(Generic[Value]):
    """A bounded map in two generations; every operation is constant time.

    New entries go into the young generation. When it holds half of ``limit_bytes`` it
    becomes the old one and the old one is forgotten; an old entry that is asked for
    moves back into the young one. So all entries together never exceed the limit, and
    an entry stays until about half the limit has been written after its last use.

    Threads may share it. A reader looks into one dict, which CPython does atomically,
    and dicts are replaced, never emptied, so a reader holds either generation whole;
    everything that changes more than one field happens under a lock. ``hits`` and
    ``misses`` are plain additions and may lose a few when threads collide.
    """

    __slots__ = (
        "_half",
        "_lock",
        "_old",
        "_old_bytes",
        "_young_bytes",
        "hits",
        "misses",
        "young",
    )

    def __init__(self, limit_bytes: int = 64 << 20) -> None:
        self.young: dict[Hashable, tuple[Value, int]] = {}
        self.hits = 0
        self.misses = 0
        self._old: dict[Hashable, tuple[Value, int]] = {}
        self._half = limit_bytes // 2
        self._young_bytes = 0
        self._old_bytes = 0
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """The sizes of all entries together, at most the limit."""
        return self._young_bytes + self._old_bytes

    def get(self, key: Hashable) -> Value | None:
        """The value of ``key``, or None."""
        entry = self.young.get(key) or self._revived(key)
        if entry is None:
            self.misses += 1
            return None
        self.hits += 1
        return entry[0]

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Remember ``value``; an entry of more than half the limit is not kept."""
        with self._lock:
            self._keep(key, (value, size))

    def _keep(self, key: Hashable, entry: tuple[Value, int]) -> None:
        size = entry[1]
        if size > self._half:
            return
        replaced = self.young.pop(key, None)
        if replaced is not None:
            self._young_bytes -= replaced[1]
        if self._young_bytes + size > self._half:
            self._old, self._old_bytes = self.young, self._young_bytes
            self.young, self._young_bytes = {}, 0
        self.young[key] = entry
        self._young_bytes += size

    def _revived(self, key: Hashable) -> tuple[Value, int] | None:
        if key not in self._old:
            return None
        with self._lock:
            entry = self._old.pop(key, None)
            if entry is None:
                return self.young.get(key)
            self._old_bytes -= entry[1]
            self._keep(key, entry)
            return entry


def text_key(text: object) -> str | bytes:
    """What a text is remembered by: itself, or a 16-byte digest if it is long.

    The digest is of the UTF-8 bytes and collision resistant, so that nobody can
    craft a text which is taken for another.
    """
    if not isinstance(text, str):
        raise InvalidOptions(f"a text counter counts str, not {type(text).__name__}")
    if len(text) > LONG_TEXT:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return text if type(text) is str else str.__str__(text)


def entry_size(key: str | bytes) -> int:
    """Bytes that remembering a number under ``key`` takes, about."""
    return sys.getsizeof(key) + ENTRY_BYTES


class MemoisedCounter:
    """A text counter that measures each text once while its memo remembers it."""

    __slots__ = ("_memo",)

    def __init__(self, memo: Memo[int]) -> None:
        self._memo = memo

    def count(self, text: str) -> int:
        """Tokens of the text; a remembered short text costs one look into a dict."""
        if len(text) <= LONG_TEXT:
            memo = self._memo
            entry = memo.young.get(text)
            if entry is not None:
                memo.hits += 1
                return entry[0]
        return self._remembered(text)

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Tokens of each text."""
        count = self.count
        return [count(text) for text in texts]

    def _remembered(self, text: str) -> int:
        key = text_key(text)
        tokens = self._memo.get(key)
        if tokens is None:
            tokens = self._measure(text)
            self._memo.put(key, tokens, entry_size(key))
        return tokens

    def _measure(self, text: str) -> int:
        raise NotImplementedError
