"""A store in PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, Any, LiteralString

from ..errors import StoreError
from . import postgres_sql as sql
from .backend import Backend, Clock, Limits, Row
from .extras import driver
from .migrations import missing
from .options import amount, span
from .postgres_schema import STEPS, VERSIONS

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool


class PostgresStore(Backend):
    """A `Store` in a PostgreSQL database that any number of machines may share.

    ``dsn``: what libpq connects to, as a URL or as ``host=... dbname=...``; connected
    to when first used. ``ttl``: seconds that a record stays. ``max_records``,
    ``max_bytes``: what is left after pruning, which happens every 64 puts of a process.
    ``connections``: how many threads can use the store at once. ``timeout``: seconds
    after which connecting, waiting for a connection, or a statement fails. ``clock``:
    seconds since the epoch, for tests; otherwise the server's own.

    A record that `put` returned is as safe as the server's ``synchronous_commit`` makes it.
    """

    def __init__(
        self,
        dsn: str,
        *,
        ttl: float | None = None,
        max_records: int | None = None,
        max_bytes: int | None = None,
        connections: int = 4,
        timeout: float = 5.0,
        clock: Clock | None = None,
    ) -> None:
        psycopg = driver("psycopg", "postgres")
        driver("psycopg_pool", "postgres")
        super().__init__(ttl=ttl, max_records=max_records, max_bytes=max_bytes, clock=clock)
        self.failures = (psycopg.Error, OSError)
        self._dsn = dsn
        self._timeout = span(timeout, "timeout")
        self._connections = max(1, amount(connections, "connections"))
        self._options, self._secret, self.where = self._read(dsn)
        self._pool: ConnectionPool[Connection[Any]] | None = None
        self._inherited: list[ConnectionPool[Connection[Any]]] = []
        self._lock = Lock()

    def _read(self, dsn: str) -> tuple[dict[str, Any], str, str]:
        """Options of each connection, the password, and a name without it."""
        from psycopg.conninfo import conninfo_to_dict

        try:
            parts = conninfo_to_dict(dsn)
        except self.failures:
            parts = None
        if parts is None:  # libpq's text shows the whole
            raise StoreError("the DSN of the PostgreSQL store cannot be read")
        milliseconds = ceil(self._timeout * 1000)
        options: dict[str, Any] = {
            "autocommit": True,
            "prepare_threshold": None,  # poolers between may not know prepared statements
            "connect_timeout": max(2, ceil(self._timeout)),  # libpq's least
            "tcp_user_timeout": milliseconds,
        }
        if not parts.get("options") and "PGOPTIONS" not in os.environ:
            options["options"] = f"-c statement_timeout={milliseconds}"
        for name in ("connect_timeout", "tcp_user_timeout"):
            if parts.get(name):
                del options[name]
        named = [f"{name}={parts[name]}" for name in ("host", "port", "dbname") if parts.get(name)]
        where = " ".join(["the PostgreSQL store", *named])
        return options, str(parts.get("password") or ""), where

    def _get(self, key: bytes) -> Row | None:
        return _first(self._run(sql.GET, key=key))

    def _put(self, key: bytes, value: bytes) -> Row:
        values = {"key": key, "value": value, "ttl": self._ttl, "size": len(key) + len(value)}
        while True:  # until it is there: another's may be removed between the two statements
            row = self._get(key) or _first(self._run(sql.PUT, **values))
            if row is not None:
                return row

    def _claim(self, key: bytes, holder: bytes, seconds: float) -> bool:
        """Claim, then look for a record.

        In this order, for a holder puts and then releases: who could claim after that
        sees the record with the second statement.
        """
        from psycopg import Rollback

        with self._connected() as connection, connection.transaction():
            values = {"key": key, "holder": holder, "seconds": seconds, **self._time()}
            if connection.execute(sql.CLAIM, values).fetchone() is None:
                return False
            if connection.execute(sql.HAS, values).fetchone() is None:
                return True
            raise Rollback
        return False

    def _release(self, key: bytes, holder: bytes) -> bool:
        return self._run(sql.RELEASE, key=key, holder=holder) == [(True,)]

    def _scan(self, older_than: float | None, limit: int) -> Sequence[Row]:
        return [Row(*row) for row in self._run(sql.SCAN, age=older_than, limit=limit)]

    def _prune(self, limits: Limits) -> int:
        with self._connected() as connection, connection.transaction():
            connection.execute(sql.ALONE, {"lock": sql.LOCK})
            values = {
                "age": limits.max_age,
                "records": limits.max_records,
                "bytes": limits.max_bytes,
                **self._time(),
            }
            connection.execute(sql.PRUNE_CLAIMS, values)
            went = connection.execute(sql.PRUNE_OLD, values).rowcount
            if limits.max_records is not None or limits.max_bytes is not None:
                went += connection.execute(sql.PRUNE_EXCESS, values).rowcount
            return went

    def _close(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def forked(self) -> None:
        """The threads of the pool are not in this process, its sockets are the parent's."""
        self._lock = Lock()
        if self._pool is not None:
            self._inherited.append(self._pool)
            self._pool = None

    def _time(self) -> dict[str, float | None]:
        return {"clock": None if self._clock is None else self._clock()}

    def _run(self, statement: LiteralString, **values: Any) -> list[Any]:
        with self._connected() as connection:
            return connection.execute(statement, {**values, **self._time()}).fetchall()

    @contextmanager
    def _connected(self) -> Generator[Connection[Any]]:
        with self._lock:
            if self._pool is None:
                self._pool = self._open()
            pool = self._pool
        with pool.connection() as connection:
            yield connection

    def _open(self) -> ConnectionPool[Connection[Any]]:
        from psycopg import connect
        from psycopg_pool import ConnectionPool

        # Not by the pool, which would say of an unreachable server only that it waited.
        with connect(self._dsn, **self._options) as connection:
            _configure(connection)
            self._migrate(connection)
        return ConnectionPool(
            self._dsn,
            kwargs=self._options,
            min_size=0,
            max_size=self._connections,
            timeout=self._timeout,
            reconnect_timeout=self._timeout,
            configure=_configure,
            check=ConnectionPool.check_connection,
            open=True,
            name="trimtab",
        )

    def _migrate(self, connection: Connection[Any]) -> None:
        if missing(STEPS, _version(connection), self.where):
            with connection.transaction():
                connection.execute(sql.ALONE, {"lock": sql.LOCK})
                connection.execute(VERSIONS)
                for version, statements in missing(STEPS, _version(connection), self.where):
                    for statement in statements:
                        connection.execute(statement)
                    connection.execute(sql.NEW_VERSION, {"version": version})

    def _reason(self, error: Exception) -> str:
        """The server's texts may show values, so of these only their code is told."""
        name, code = type(error).__name__, getattr(error, "sqlstate", None)
        if code is not None:
            return f"{name} ({code})"
        if self._pool is None:  # nothing but connecting has been tried
            text = " ".join(str(error).split())
            return text.replace(self._secret, "***") if self._secret else text
        return name


def _configure(connection: Connection[Any]) -> None:
    """Each statement of a claim must see what others have committed before it."""
    from psycopg import IsolationLevel

    connection.isolation_level = IsolationLevel.READ_COMMITTED


def _first(rows: list[Any]) -> Row | None:
    return Row(*rows[0]) if rows else None


def _version(connection: Connection[Any]) -> int | None:
    [(there,)] = connection.execute(sql.VERSION_TABLE).fetchall()
    if not there:
        return None
    [(version,)] = connection.execute(sql.VERSION).fetchall()
    return version
