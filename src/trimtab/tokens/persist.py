"""Counts on disk, so that a long text is tokenised once for all processes and all days.

A SQLite file holds digests and numbers, never text. It is a cache: where it cannot be
read or written, counting goes on without it and a warning says so once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Final

from ..core.whole import whole
from .forking import unlocked_in_children
from .memo import LIMIT_BYTES, Memo, digest

if TYPE_CHECKING:
    from .book import Book


class Part:
    """The counts of one tokeniser in a book; texts below ``shortest`` are left out.

    A short text is tokenised sooner than it is found on a disk.
    """

    def __init__(self, book: Book, name: str, shortest: int) -> None:
        self._book = book
        self._name = name.encode()
        self._shortest = shortest

    def get_many(self, keys: Sequence[Hashable]) -> dict[Hashable, int]:
        """The counts of those keys that are in the book."""
        places = self._places(keys)
        if not places:
            return {}
        found = self._book.read(list(places))
        return {places[place]: tokens for place, tokens in found.items()}

    def put_many(self, values: Mapping[Hashable, int]) -> None:
        """Remember the counts."""
        places = self._places(values)
        if places:
            self._book.write({place: values[key] for place, key in places.items()})

    def _places(self, keys: Iterable[Hashable]) -> dict[bytes, Hashable]:
        """The digests under which the keys are written, those of long texts."""
        places: dict[bytes, Hashable] = {}
        for key in keys:
            if isinstance(key, str):
                if len(key) < self._shortest:
                    continue
                content = digest(key)
            else:
                assert isinstance(key, bytes)
                content = key
            places[blake2b(content, digest_size=16, key=self._name).digest()] = key
        return places


_attached: Final[list[tuple[Memo[int], str, int]]] = []
_lock = Lock()
unlocked_in_children(sys.modules[__name__])
_book: Book | None = None


def attach(memo: Memo[int], name: str, shortest: int) -> None:
    """Let `remember` reach a memo of texts, which lives as long as the process.

    ``name`` tells what counted, at most 64 bytes; the counts must be a function of it and
    the text. Texts of less than ``shortest`` characters are not written.
    """
    with _lock:
        _attached.append((memo, name, shortest))
        memo.shelf = None if _book is None else Part(_book, name, shortest)


def remember(path: str | os.PathLike[str] | None, *, limit_bytes: int = LIMIT_BYTES) -> None:
    """From now on also remember the counts of long texts in a SQLite file; None ends it.

    The file holds digests and numbers, never text, at most about ``limit_bytes`` of them,
    and may be shared by processes. A file that is damaged, locked or not writable is
    left alone: a `RuntimeWarning` says so once, and texts are counted as before. Who can
    write the file can falsify counts.
    """
    from .book import Book  # sqlite3 is costly to import

    global _book
    opened = None if path is None else Book(path, whole(limit_bytes, "limit_bytes"))
    with _lock:
        closed, _book = _book, opened
        for memo, name, shortest in _attached:
            memo.shelf = None if opened is None else Part(opened, name, shortest)
    if closed is not None:
        closed.close()
