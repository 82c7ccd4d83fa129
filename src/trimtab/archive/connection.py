"""One SQLite connection that many threads and processes may use."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock
from typing import Final

from ..errors import StoreError
from .schema import prepare

_PATIENCE: Final = 30.0  # seconds to wait for another process
_INHERITED: Final[list[sqlite3.Connection]] = []  # never closed: their locks are the parent's


class Connection:
    """Opened when it is first used, and again in a forked process.

    Threads take turns; processes share the file by its write-ahead log. Every fault of the
    driver is a `StoreError`.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = RLock()
        self._opened: sqlite3.Connection | None = None
        self._process = os.getpid()

    @contextmanager
    def using(self, *, write: bool = False) -> Generator[sqlite3.Connection]:
        """The connection for one thread, within one transaction if it writes."""
        try:
            with self._held() as connection:
                if not write:
                    yield connection
                    return
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
        except (sqlite3.Error, OverflowError) as error:
            raise StoreError(f"the archive failed: {error}") from error

    @contextmanager
    def _held(self) -> Generator[sqlite3.Connection]:
        if self._process != os.getpid():
            self._lock = RLock()  # another thread of the parent may have held it
            if self._opened is not None and self._path != ":memory:":
                _INHERITED.append(self._opened)
                self._opened = None
            self._process = os.getpid()
        with self._lock:
            if self._opened is None:
                self._opened = _opened(self._path)
            yield self._opened

    def close(self) -> None:
        """Close it; it is opened again if it is used again."""
        with self._lock:
            if self._opened is not None and self._process == os.getpid():
                self._opened.close()
            self._opened = None


def _opened(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on: for this one SQLite does not wait by itself."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            busy = getattr(error, "sqlite_errorcode", 0) in (sqlite3.SQLITE_BUSY, 6)
            if not busy or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
