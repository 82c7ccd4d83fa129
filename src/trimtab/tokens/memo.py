"""What a text costs, remembered by content and bounded in bytes."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Generic, Protocol, TypeVar

from ..errors import InvalidOptions
from .forking import unlocked_in_children

Value = TypeVar("Value")

LONG_TEXT = 65_536
"""Characters above which a text is remembered by its digest and not kept alive."""

LIMIT_BYTES = 64 << 20
"""Bytes that a memo takes by default."""

ENTRY_BYTES = 200
"""What an entry costs besides its key: the slot of the table, the pair, two ints."""


class Shelf(Protocol[Value]):
    """Where a memo also looks, and where it also puts what it learns."""

    def get_many(self, keys: Sequence[Hashable]) -> dict[Hashable, Value]:
        """The values of those keys that are there."""
        ...

    def put_many(self, values: Mapping[Hashable, Value]) -> None:
        """Remember the values."""
        ...


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

    What is missing is looked for on the ``shelf``, if there is one; it counts as a miss
    and, where it is found, as ``recalled`` too.
    """

    __slots__ = (
        "__weakref__",
        "_half",
        "_lock",
        "_old",
        "_old_bytes",
        "_young_bytes",
        "hits",
        "misses",
        "recalled",
        "shelf",
        "young",
    )

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self.young: dict[Hashable, tuple[Value, int]] = {}
        self.shelf: Shelf[Value] | None = None
        self.hits = self.misses = self.recalled = 0
        self._old: dict[Hashable, tuple[Value, int]] = {}
        self._half = limit_bytes // 2
        self._young_bytes = 0
        self._old_bytes = 0
        self._lock = Lock()
        unlocked_in_children(self)

    @property
    def entries(self) -> int:
        """How many entries there are."""
        return len(self.young) + len(self._old)

    @property
    def bytes(self) -> int:
        """The sizes of all entries together, at most the limit."""
        return self._young_bytes + self._old_bytes

    @property
    def limit_bytes(self) -> int:
        """What `bytes` may reach; may be set, and then holds from now on."""
        return 2 * self._half

    @limit_bytes.setter
    def limit_bytes(self, limit_bytes: int) -> None:
        with self._lock:
            self._half = limit_bytes // 2
            if max(self._young_bytes, self._old_bytes) > self._half:
                self.young, self._old = {}, {}
                self._young_bytes = self._old_bytes = 0

    def get(self, key: Hashable) -> Value | None:
        """The value of ``key``, or None."""
        entry = self.young.get(key) or self._revived(key)
        if entry is not None:
            self.hits += 1
            return entry[0]
        self.misses += 1
        return None if self.shelf is None else self._recall([key]).get(key)

    def get_many(self, keys: Sequence[Hashable]) -> dict[Hashable, Value]:
        """The values of those keys that are remembered."""
        young, found, missing = self.young, dict[Hashable, Value](), list[Hashable]()
        for key in keys:
            entry = young.get(key) or self._revived(key)
            if entry is None:
                missing.append(key)
            else:
                found[key] = entry[0]
        self.misses += len(missing)
        self.hits += len(keys) - len(missing)
        if missing and self.shelf is not None:
            found |= self._recall(missing)
        return found

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Remember ``value``; an entry of more than half the limit is not kept."""
        with self._lock:
            self._keep(key, (value, size))
        if self.shelf is not None:
            self.shelf.put_many({key: value})

    def put_many(self, values: Mapping[Hashable, Value]) -> None:
        """Remember many values, sized by their keys."""
        self._keep_many(values)
        if self.shelf is not None:
            self.shelf.put_many(values)

    def _recall(self, keys: Sequence[Hashable]) -> dict[Hashable, Value]:
        """What the shelf knows, taken into memory."""
        assert self.shelf is not None
        found = self.shelf.get_many(keys)
        self.recalled += len(found)
        self._keep_many(found)
        return found

    def _keep_many(self, values: Mapping[Hashable, Value]) -> None:
        with self._lock:
            for key, value in values.items():
                self._keep(key, (value, entry_size(key)))

    def _keep(self, key: Hashable, entry: tuple[Value, int]) -> None:
        size = entry[1]
        if size > self._half:
            return
        if key in self.young:
            self._young_bytes -= self.young.pop(key)[1]
        filled = self._young_bytes + size
        if filled > self._half:
            self._old, self._old_bytes = self.young, self._young_bytes
            self.young, filled = {}, size
        self.young[key] = entry
        self._young_bytes = filled

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
    """What a text is remembered by: itself, or its `digest` if it is long."""
    if not isinstance(text, str):
        raise InvalidOptions(f"a text counter counts str, not {type(text).__name__}")
    if len(text) > LONG_TEXT:
        return digest(text)
    return text if type(text) is str else str.__str__(text)


def digest(text: str) -> bytes:
    """16 bytes that stand for a text.

    They are of its UTF-8 bytes and collision resistant, so that nobody can craft a text
    which is taken for another.
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def entry_size(key: Hashable) -> int:
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
        """Tokens of each text; what is not remembered is measured in one go."""
        given, memo = list(texts), self._memo
        young = memo.young
        entries = [young.get(text) if len(text) <= LONG_TEXT else None for text in given]
        keys = {at: text_key(given[at]) for at, entry in enumerate(entries) if entry is None}
        missing = {key: given[at] for at, key in keys.items()}
        memo.hits += len(given) - len(missing)
        found = self._found(missing) if missing else {}
        return [found[keys[at]] if entry is None else entry[0] for at, entry in enumerate(entries)]

    def _found(self, texts: Mapping[str | bytes, str]) -> dict[Hashable, int]:
        """Tokens of the texts by their keys."""
        found = self._memo.get_many(list(texts))
        missing = {key: text for key, text in texts.items() if key not in found}
        if missing:
            tokens = self._measure_many(list(missing.values()))
            measured = dict[Hashable, int](zip(missing, tokens, strict=True))
            self._memo.put_many(measured)
            found |= measured
        return found

    def _remembered(self, text: str) -> int:
        key = text_key(text)
        tokens = self._memo.get(key)
        if tokens is None:
            tokens = self._measure(text)
            self._memo.put(key, tokens, entry_size(key))
        return tokens

    def _measure(self, text: str) -> int:
        raise NotImplementedError

    def _measure_many(self, texts: list[str]) -> list[int]:
        return list(map(self._measure, texts))
