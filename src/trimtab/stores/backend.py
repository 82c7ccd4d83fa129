"""What the four stores have in common: checks, limits, errors, the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, TypeVar

from ..errors import StoreError
from .base import Record
from .forking import renewed_in_children
from .options import amount, decoded, encoded, label, span

Result = TypeVar("Result")
Clock = Callable[[], float]

PRUNE_EVERY: Final = 64
"""Puts by one process after which its store prunes itself, if it has limits."""


class Limits(NamedTuple):
    """What `prune` leaves behind; None is no limit. Seconds, records, bytes."""

    max_age: float | None = None
    max_records: int | None = None
    max_bytes: int | None = None

    @classmethod
    def checked(cls, max_age: Any, max_records: Any, max_bytes: Any) -> Self:
        """The limits, or `InvalidOptions`."""
        return cls(
            None if max_age is None else span(max_age, "max_age", zero=True),
            None if max_records is None else amount(max_records, "max_records"),
            None if max_bytes is None else amount(max_bytes, "max_bytes"),
        )


class Row(NamedTuple):
    """A record as it is stored."""

    key: bytes
    value: bytes
    created: float
    expires: float | None


class Backend(ABC):
    """A `Store` made of a few steps on bytes, each of which is atomic."""

    where: str = "the store"
    """Names the store in errors, without any secret."""

    failures: tuple[type[Exception], ...] = ()
    """What the driver raises."""

    puts: int
    """How many have succeeded in this process; every `PRUNE_EVERY`-th prunes."""

    closed: bool
    """Whether `close` was called."""

    def __init__(
        self,
        *,
        ttl: float | None,
        max_records: int | None,
        max_bytes: int | None,
        clock: Clock | None,
    ) -> None:
        self._ttl = None if ttl is None else span(ttl, "ttl")
        self._limits = Limits.checked(None, max_records, max_bytes)
        self._clock = clock
        self.puts = 0
        self.closed = False
        renewed_in_children(self)

    def get(self, key: str) -> Record | None:
        """See `Store.get`."""
        name = label(key, "key")
        row = self._tried("get", lambda: self._get(name))
        return None if row is None else _record(row)

    def put(self, key: str, value: str) -> Record:
        """See `Store.put`."""
        name, data = label(key, "key"), encoded(value, "value")
        record = _record(self._tried("put", lambda: self._put(name, data)))
        self._tidy()
        return record

    def claim(self, key: str, holder: str, seconds: float) -> bool:
        """See `Store.claim`."""
        name, who = label(key, "key"), label(holder, "holder")
        long = span(seconds, "seconds")
        return self._tried("claim", lambda: self._claim(name, who, long))

    def release(self, key: str, holder: str) -> bool:
        """See `Store.release`."""
        name, who = label(key, "key"), label(holder, "holder")
        return self._tried("release", lambda: self._release(name, who))

    def scan(self, *, older_than: float = 0, limit: int = 100) -> list[Record]:
        """See `Store.scan`."""
        age = span(older_than, "older_than", zero=True) or None
        most = amount(limit, "limit")
        rows = self._tried("scan", lambda: self._scan(age, most)) if most else ()
        return [_record(row) for row in rows]

    def prune(
        self,
        *,
        max_age: float | None = None,
        max_records: int | None = None,
        max_bytes: int | None = None,
    ) -> int:
        """See `Store.prune`."""
        given = Limits.checked(max_age, max_records, max_bytes)
        limits = self._limits._replace(
            **{name: new for name, new in given._asdict().items() if new is not None}
        )
        return self._tried("prune", lambda: self._prune(limits))

    def close(self) -> None:
        """See `Store.close`."""
        if not self.closed:
            self.closed = True
            with suppress(*self.failures):
                self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.where}>"

    def _tidy(self) -> None:
        """Prune now and then; the put that led here has succeeded, whatever comes of it."""
        self.puts += 1
        limited = self._ttl is not None or any(limit is not None for limit in self._limits)
        if limited and self.puts % PRUNE_EVERY == 0:
            with suppress(StoreError):
                self.prune()

    def _tried(self, doing: str, work: Callable[[], Result]) -> Result:
        if self.closed:
            raise StoreError(f"{doing}: {self.where} is closed")
        try:
            return work()
        except self.failures as error:
            reason = self._reason(error)
        # Raised out here so that no traceback shows the driver's own text.
        raise StoreError(f"{doing}: {self.where} failed: {reason}")

    def _reason(self, error: Exception) -> str:
        """What went wrong, in words that hold no value and no password."""
        return type(error).__name__

    @abstractmethod
    def forked(self) -> None:
        """In a child process: touch nothing that is the parent's, not even to close it."""

    @abstractmethod
    def _get(self, key: bytes) -> Row | None: ...

    @abstractmethod
    def _put(self, key: bytes, value: bytes) -> Row: ...

    @abstractmethod
    def _claim(self, key: bytes, holder: bytes, seconds: float) -> bool: ...

    @abstractmethod
    def _release(self, key: bytes, holder: bytes) -> bool: ...

    @abstractmethod
    def _scan(self, older_than: float | None, limit: int) -> Sequence[Row]: ...

    @abstractmethod
    def _prune(self, limits: Limits) -> int: ...

    @abstractmethod
    def _close(self) -> None: ...


def _record(row: Row) -> Record:
    return Record(decoded(row.key), decoded(row.value), row.created, row.expires)
