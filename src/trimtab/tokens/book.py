"""A SQLite file of numbers by digest, which may fail at any time without harm."""

from __future__ import annotations

import atexit
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from threading import Lock
from typing import Final, TypeVar
from warnings import warn
from weakref import WeakSet

Result = TypeVar("Result")

BATCH: Final = 64
"""Counts that are written together; so many may be lost when a process is killed."""

WAIT: Final = 0.05
"""Seconds to wait for another process that writes; the batch is then kept for the next."""

PATIENCE: Final = 10
"""Waits in a row after which the file is given up."""

_AT_ONCE: Final = 500  # digests in one question, below SQLite's limit of 999 in old versions
_SLICES: Final = 8  # parts of the file, of which one goes when it is full
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS trimtab_counts"
    " (digest BLOB PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID"
)


class Book:
    """Numbers by 16-byte digest in a SQLite file, shared by threads and processes.

    Bounded: digests are spread evenly, so when the file is full a random eighth of their
    range makes room, which needs no record of when each was used. The write-ahead log
    comes on top, some MB.

    No method raises for what is wrong with the file. After the first such error, or when
    it stays locked, the book is ``broken``, warns once, and knows nothing any more.
    """

    def __init__(self, path: str | os.PathLike[str], limit_bytes: int) -> None:
        self.path = os.fspath(path)
        self.broken = False
        self._limit = limit_bytes
        self._chance = Random()  # noqa: S311 - what is forgotten is no secret
        self._waits = 0
        self._connection: sqlite3.Connection | None = None
        self._inherited: sqlite3.Connection | None = None
        self._pending: dict[bytes, int] = {}
        self._lock = Lock()
        _books.add(self)
        self._tried(_bytes_used, 0)

    def read(self, digests: Sequence[bytes]) -> dict[bytes, int]:
        """The numbers of those digests that are known."""

        def work(connection: sqlite3.Connection) -> dict[bytes, int]:
            found: dict[bytes, int] = {}
            for start in range(0, len(digests), _AT_ONCE):
                some = digests[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                question = f"SELECT digest, tokens FROM trimtab_counts WHERE digest IN ({marks})"  # noqa: S608
                found.update(connection.execute(question, some))
            return {key: n for key, n in found.items() if isinstance(n, int) and n >= 0}

        return self._tried(work, {})

    def write(self, numbers: Mapping[bytes, int]) -> None:
        """Remember the numbers, at the latest with the next `flush`."""
        with self._lock:
            if self.broken:
                return
            self._pending.update(numbers)
            full = len(self._pending) >= BATCH * (1 + self._waits)
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what is not yet written."""

        def work(connection: sqlite3.Connection) -> None:
            pending = list(self._pending.items())
            with connection:
                connection.executemany(
                    "INSERT OR IGNORE INTO trimtab_counts VALUES (?, ?)", pending
                )
                self._make_room(connection)
            for key, _ in pending:
                del self._pending[key]
            self._waits = 0

        if self._pending:
            self._tried(work, None)

    def close(self) -> None:
        """Write what is not yet written and let go of the file; it is opened again if needed."""
        self.flush()
        with self._lock:
            self._let_go()

    def forked(self) -> None:
        """In a child process: nothing of the parent's may be touched, not even closed."""
        self._lock = Lock()
        self._inherited, self._connection = self._connection, None
        self._pending = {}

    def _tried(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result) -> Result:
        with self._lock:
            if self.broken:
                return otherwise
            try:
                return work(self._connection or self._open())
            except sqlite3.Error as error:
                self._failed(error)
                return otherwise

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=WAIT, isolation_level="IMMEDIATE", check_same_thread=False
        )
        try:
            connection.execute(_TABLE)
            connection.execute("SELECT digest, tokens FROM trimtab_counts LIMIT 0")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _failed(self, error: sqlite3.Error) -> None:
        code = getattr(error, "sqlite_errorcode", None)
        self._waits += 1
        if code is not None and code & 0xFF in _BUSY and self._waits < PATIENCE:
            return
        self.broken = True
        self._pending.clear()
        self._let_go()
        message = f"counts are not remembered in {self.path!r}: {error}"
        warn(message, RuntimeWarning, stacklevel=2)

    def _let_go(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _make_room(self, connection: sqlite3.Connection) -> None:
        for _ in range(_SLICES):
            if _bytes_used(connection) <= self._limit:
                return
            low = self._chance.randrange(_SLICES) * (256 // _SLICES)
            high = low + 256 // _SLICES - 1
            bounds = bytes([low]), bytes([high]) + b"\xff" * 16
            connection.execute("DELETE FROM trimtab_counts WHERE digest BETWEEN ? AND ?", bounds)


def _bytes_used(connection: sqlite3.Connection) -> int:
    def pragma(name: str) -> int:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]

    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")


_books: Final[WeakSet[Book]] = WeakSet()


def _close_all() -> None:
    for book in list(_books):
        book.close()


def _forked() -> None:
    for book in list(_books):
        book.forked()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_forked)
