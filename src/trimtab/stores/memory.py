"""A store that lives as long as its process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from threading import Lock
from time import time
from typing import NamedTuple

from .backend import Backend, Clock, Limits, Row


class _Lease(NamedTuple):
    holder: bytes
    until: float


class MemoryStore(Backend):
    """A `Store` in this process: for tests, and where summaries need not outlive it.

    ``ttl``: seconds that a record stays. ``max_records``, ``max_bytes``: what is left
    after pruning, which happens every 64 puts. ``clock``: seconds since the epoch.
    A forked child has its own copy of what was there.
    """

    where = "the memory store"

    def __init__(
        self,
        *,
        ttl: float | None = None,
        max_records: int | None = None,
        max_bytes: int | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(ttl=ttl, max_records=max_records, max_bytes=max_bytes, clock=clock)
        self._now = clock or time
        self._rows: dict[bytes, Row] = {}
        self._leases: dict[bytes, _Lease] = {}
        self._lock = Lock()

    def _get(self, key: bytes) -> Row | None:
        with self._lock:
            return self._live(key, self._now())

    def _put(self, key: bytes, value: bytes) -> Row:
        with self._lock:
            now = self._now()
            row = self._live(key, now)
            if row is None:
                row = Row(key, value, now, None if self._ttl is None else now + self._ttl)
                self._rows[key] = row
            return row

    def _claim(self, key: bytes, holder: bytes, seconds: float) -> bool:
        with self._lock:
            now = self._now()
            lease = self._leases.get(key)
            taken = lease is not None and lease.until > now and lease.holder != holder
            if taken or self._live(key, now) is not None:
                return False
            self._leases[key] = _Lease(holder, now + seconds)
            return True

    def _release(self, key: bytes, holder: bytes) -> bool:
        with self._lock:
            lease = self._leases.get(key)
            if lease is None or lease.holder != holder:
                return False
            del self._leases[key]
            return lease.until > self._now()

    def _scan(self, older_than: float | None, limit: int) -> Sequence[Row]:
        with self._lock:
            now = self._now()
            return [
                row
                for row in self._by_age()
                if not _expired(row, now) and (older_than is None or row.created < now - older_than)
            ][:limit]

    def _prune(self, limits: Limits) -> int:
        with self._lock:
            now, before = self._now(), len(self._rows)
            for key in [key for key, lease in self._leases.items() if lease.until <= now]:
                del self._leases[key]
            rows = [row for row in self._by_age() if not _expired(row, now)]
            if limits.max_age is not None:
                rows = [row for row in rows if row.created >= now - limits.max_age]
            if limits.max_records is not None:
                rows = rows[max(0, len(rows) - limits.max_records) :]
            if limits.max_bytes is not None:
                sizes = accumulate(len(row.key) + len(row.value) for row in reversed(rows))
                fitting = sum(size <= limits.max_bytes for size in sizes)
                rows = rows[len(rows) - fitting :]
            self._rows = {row.key: row for row in rows}
            return before - len(rows)

    def _close(self) -> None:
        with self._lock:
            self._rows, self._leases = {}, {}

    def forked(self) -> None:
        """A thread of the parent may have held the lock."""
        self._lock = Lock()

    def _live(self, key: bytes, now: float) -> Row | None:
        row = self._rows.get(key)
        return None if row is None or _expired(row, now) else row

    def _by_age(self) -> list[Row]:
        return sorted(self._rows.values(), key=lambda row: (row.created, row.key))


def _expired(row: Row, now: float) -> bool:
    return row.expires is not None and row.expires <= now
