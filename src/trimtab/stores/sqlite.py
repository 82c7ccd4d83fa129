"""A store in a SQLite file, the default."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from threading import Lock
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Final

from ..errors import InvalidOptions, StoreError
from .backend import Backend, Clock, Limits, Row
from .migrations import missing
from .options import span
from .sqlite_schema import STEPS, VERSIONS

if TYPE_CHECKING:
    from sqlite3 import Connection

_ROW: Final = "SELECT key, value, created, expires FROM trimtab_records"
_LIVE: Final = "(expires IS NULL OR expires > :now)"
_PAUSE: Final = 0.01  # seconds, between tries to switch a file to its write-ahead log


class SQLiteStore(Backend):
    """A `Store` in a file that threads, forked children and other processes may share.

    ``path``: made where it is not there, readable by its owner alone; opened when first
    used. ``ttl``: seconds that a record stays. ``max_records``, ``max_bytes``: what is
    left after pruning, which happens every 64 puts. ``timeout``: seconds to wait for others
    that write. ``clock``: seconds since the epoch.

    A record that `put` returned outlives the process and, where the disk keeps its
    word, the machine: the write-ahead log is synchronised at each write.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        ttl: float | None = None,
        max_records: int | None = None,
        max_bytes: int | None = None,
        timeout: float = 5.0,
        clock: Clock | None = None,
    ) -> None:
        try:
            import sqlite3
        except ImportError:
            raise StoreError("this Python is built without sqlite3") from None
        super().__init__(ttl=ttl, max_records=max_records, max_bytes=max_bytes, clock=clock)
        self._path = os.fspath(path)
        if not isinstance(self._path, str) or self._path in ("", ":memory:") or "\0" in self._path:
            raise InvalidOptions("path must name a file; without one there is MemoryStore")
        self.where = f"the SQLite store {self._path!r}"
        self.failures = (sqlite3.Error, OSError, UnicodeError)  # the last: of the path
        self._timeout = span(timeout, "timeout")
        self._now = clock or time
        self._connection: Connection | None = None
        self._inherited: list[Connection] = []
        self._lock = Lock()

    def _get(self, key: bytes) -> Row | None:
        with self._opened() as connection:
            return self._live(connection, key, self._now())

    def _put(self, key: bytes, value: bytes) -> Row:
        with self._opened() as connection:
            row = self._live(connection, key, self._now())
            if row is not None:
                return row
            with _writing(connection):
                now = self._now()
                row = self._live(connection, key, now)
                if row is None:
                    row = Row(key, value, now, None if self._ttl is None else now + self._ttl)
                    connection.execute(
                        "INSERT OR REPLACE INTO trimtab_records"
                        " (key, value, created, expires, size) VALUES (?, ?, ?, ?, ?)",
                        (*row, len(key) + len(value)),
                    )
            return row

    def _claim(self, key: bytes, holder: bytes, seconds: float) -> bool:
        with self._opened() as connection:
            if self._taken(connection, key, holder, self._now()):
                return False
            with _writing(connection):
                now = self._now()
                if self._taken(connection, key, holder, now):
                    return False
                connection.execute(
                    "INSERT OR REPLACE INTO trimtab_claims (key, holder, until) VALUES (?, ?, ?)",
                    (key, holder, now + seconds),
                )
            return True

    def _release(self, key: bytes, holder: bytes) -> bool:
        with self._opened() as connection, _writing(connection):
            values = {"key": key, "holder": holder}
            mine = "FROM trimtab_claims WHERE key = :key AND holder = :holder"
            found = connection.execute(f"SELECT until {mine}", values).fetchone()
            connection.execute(f"DELETE {mine}", values)
            return found is not None and found[0] > self._now()

    def _scan(self, older_than: float | None, limit: int) -> Sequence[Row]:
        now = self._now()
        before = None if older_than is None else now - older_than
        question = (
            f"{_ROW} WHERE {_LIVE} AND (:before IS NULL OR created < :before)"
            " ORDER BY created, key LIMIT :limit"
        )
        with self._opened() as connection:
            values = {"now": now, "before": before, "limit": limit}
            return [Row(*row) for row in connection.execute(question, values)]

    def _prune(self, limits: Limits) -> int:
        with self._opened() as connection, _writing(connection):
            now = self._now()
            values = {
                "now": now,
                "before": None if limits.max_age is None else now - limits.max_age,
                "records": limits.max_records,
                "bytes": limits.max_bytes,
            }
            connection.execute("DELETE FROM trimtab_claims WHERE until <= :now", values)
            went = connection.execute(
                "DELETE FROM trimtab_records WHERE expires <= :now OR created < :before", values
            ).rowcount
            if limits.max_records is not None or limits.max_bytes is not None:
                went += connection.execute(_EXCESS, values).rowcount
            return went

    def _close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def forked(self) -> None:
        """Closing the parent's connection here could remove its write-ahead log."""
        self._lock = Lock()
        if self._connection is not None:
            self._inherited.append(self._connection)
            self._connection = None

    def _live(self, connection: Connection, key: bytes, now: float) -> Row | None:
        question = f"{_ROW} WHERE key = :key AND {_LIVE}"
        found = connection.execute(question, {"key": key, "now": now}).fetchone()
        return None if found is None else Row(*found)

    def _taken(self, connection: Connection, key: bytes, holder: bytes, now: float) -> bool:
        values = {"key": key, "holder": holder, "now": now}
        return bool(connection.execute(_TAKEN, values).fetchone()[0])

    @contextmanager
    def _opened(self) -> Generator[Connection]:
        """The connection, to this thread alone."""
        with self._lock:
            if self._connection is None:
                self._connection = self._open()
            yield self._connection

    def _open(self) -> Connection:
        import sqlite3

        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False
        )
        try:
            self._log_ahead(connection)
            # In the log NORMAL is enough for a killed process, but not for a lost machine.
            connection.execute("PRAGMA synchronous=FULL")
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _log_ahead(self, connection: Connection) -> None:
        """Switch to the write-ahead log, for which SQLite does not wait by itself."""
        import sqlite3

        deadline = monotonic() + self._timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > deadline:
                    raise
                sleep(_PAUSE)
            else:
                return

    def _migrate(self, connection: Connection) -> None:
        if missing(STEPS, _version(connection), self.where):
            with _writing(connection):
                connection.execute(VERSIONS)
                for version, statements in missing(STEPS, _version(connection), self.where):
                    for statement in statements:
                        connection.execute(statement)
                    connection.execute(
                        "INSERT INTO trimtab_store_versions VALUES (?, datetime('now'))",
                        (version,),
                    )

    def _reason(self, error: Exception) -> str:
        """SQLite's texts name files and tables; values are always bound."""
        import sqlite3

        if isinstance(error, sqlite3.Error):
            return str(error)
        return getattr(error, "strerror", None) or type(error).__name__


_TAKEN: Final = (
    f"SELECT EXISTS (SELECT 1 FROM trimtab_records WHERE key = :key AND {_LIVE})"  # noqa: S608
    " OR EXISTS (SELECT 1 FROM trimtab_claims"
    " WHERE key = :key AND holder <> :holder AND until > :now)"
)

_EXCESS: Final = (
    "DELETE FROM trimtab_records WHERE key IN (SELECT key FROM"
    " (SELECT key, row_number() OVER newest AS records, sum(size) OVER newest AS bytes"
    " FROM trimtab_records WINDOW newest AS (ORDER BY created DESC, key DESC))"
    " WHERE records > :records OR bytes > :bytes)"
)


def _version(connection: Connection) -> int | None:
    known = "SELECT 1 FROM sqlite_master WHERE name = 'trimtab_store_versions'"
    if connection.execute(known).fetchone() is None:
        return None
    return connection.execute("SELECT max(version) FROM trimtab_store_versions").fetchone()[0]


@contextmanager
def _writing(connection: Connection) -> Generator[None]:
    """One transaction that has the file to itself from its start."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
